// What flag sets call on values, those of the usual libraries included. Written for floorplan; types only.
package flag

type Value interface {
	String() string
	Set(s string) error
}
type Getter interface{ Get() any }
type boolFlag interface{ IsBoolFlag() bool }
type typed interface{ Type() string }
