// Written for floorplan; types only.
package atomic

type Pointer[T any] struct{}

func (p *Pointer[T]) Load() *T
func (p *Pointer[T]) Store(val *T)
func (p *Pointer[T]) Swap(new *T) *T
func (p *Pointer[T]) CompareAndSwap(old, new *T) bool
