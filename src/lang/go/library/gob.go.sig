// Written for floorplan; types only.
package gob

type GobEncoder interface{ GobEncode() ([]byte, error) }
type GobDecoder interface{ GobDecode(data []byte) error }
