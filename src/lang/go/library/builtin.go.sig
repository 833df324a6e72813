// Signatures that inference follows: what the language's own types hold and what builtins give. Written for floorplan; types
// only. Members that begin with two underscores stand for what the language does without a name.
package builtin

type bool struct{}
type byte struct{}
type complex128 struct{}
type complex64 struct{}
type float32 struct{}
type float64 struct{}
type int struct{}
type int16 struct{}
type int32 struct{}
type int64 struct{}
type int8 struct{}
type rune struct{}
type uint struct{}
type uint16 struct{}
type uint32 struct{}
type uint64 struct{}
type uint8 struct{}
type uintptr struct{}

type string struct{}

func (s string) __index() byte
func (s string) __key() int
func (s string) __element() rune

type any interface{}
type comparable interface{}

type error interface {
	Error() string
}

type sliceOf[T any] struct{}

func (s sliceOf[T]) __index() T
func (s sliceOf[T]) __key() int
func (s sliceOf[T]) __element() T

type mapOf[K comparable, V any] struct{}

func (m mapOf[K, V]) __index() V
func (m mapOf[K, V]) __key() K
func (m mapOf[K, V]) __element() V

type chanOf[T any] struct{}

func (c chanOf[T]) __key() T
func (c chanOf[T]) __element() T

type funcOf[R any] interface {
	__call() R
}

func append[S any](slice S, elems ...any) S
func cap(v any) int
func clear(v any)
func close(c any)
func complex(r, i float64) complex128
func copy(dst, src any) int
func delete(m any, key any)
func imag(c complex128) float64
func len(v any) int
func max[T any](x T, y ...T) T
func min[T any](x T, y ...T) T
func panic(v any)
func print(args ...any)
func println(args ...any)
func real(c complex128) float64
func recover() any
