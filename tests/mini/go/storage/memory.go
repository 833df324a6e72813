package storage

type Memory[T any] struct{ values map[int]T }

func NewMemory[T any]() *Memory[T] { return &Memory[T]{values: map[int]T{}} }

func (m *Memory[V]) Save(id int, value V) { m.values[id] = value }

func (m *Memory[V]) Load(id int) V { return m.values[id] }
