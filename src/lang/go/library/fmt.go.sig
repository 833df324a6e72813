// Interfaces that the library calls what has their methods through. Written for floorplan; types only.
package fmt

type State interface {
	Write(b []byte) (n int, err error)
	Width() (wid int, ok bool)
	Precision() (prec int, ok bool)
	Flag(c int) bool
}

type Stringer interface{ String() string }
type GoStringer interface{ GoString() string }
type Formatter interface{ Format(f State, verb rune) }
type Scanner interface{ Scan(state ScanState, verb rune) error }
type ScanState interface{ Token(skipSpace bool, f func(rune) bool) (token []byte, err error) }
