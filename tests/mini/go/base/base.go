package base

type Named interface {
	Describe() string
}

type Entity struct{ id int }

func (e *Entity) ID() int { return e.id }

func (e *Entity) SetID(id int) { e.id = id }
