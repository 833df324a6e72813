package storage

type Repository[T any] interface {
	Save(id int, value T)
	Load(id int) T
}

func First[T any](all []T) T { return all[0] }
