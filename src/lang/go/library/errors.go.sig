// What `Is`, `As` and `Unwrap` call on errors. Written for floorplan; types only.
package errors

type wrapper interface{ Unwrap() error }
type joined interface{ Unwrap() []error }
type same interface{ Is(target error) bool }
type convertible interface{ As(target any) bool }
