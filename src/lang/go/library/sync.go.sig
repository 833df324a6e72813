// Written for floorplan; types only.
package sync

type Locker interface {
	Lock()
	Unlock()
}

func OnceValue[T any](f func() T) func() T
func OnceFunc(f func()) func()
