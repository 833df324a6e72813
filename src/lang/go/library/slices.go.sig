// Functions that give what they are given. Written for floorplan; types only.
package slices

func Clip[S any](s S) S
func Clone[S any](s S) S
func Compact[S any](s S) S
func Concat[S any](slices ...S) S
func Delete[S any](s S, i, j int) S
func DeleteFunc[S any](s S, del func(any) bool) S
func Grow[S any](s S, n int) S
func Insert[S any](s S, i int, v ...any) S
func Max[E any](x []E) E
func MaxFunc[E any](x []E, cmp func(a, b E) int) E
func Min[E any](x []E) E
func MinFunc[E any](x []E, cmp func(a, b E) int) E
func Replace[S any](s S, i, j int, v ...any) S
