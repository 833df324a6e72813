package storage

type Disk[T any] struct{ Memory[T] }

func (d *Disk[T]) Save(id int, value T) {
	open("disk")
	d.Memory.Save(id, value)
}
