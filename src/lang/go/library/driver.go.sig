// Written for floorplan; types only.
package driver

type Valuer interface{ Value() (Value, error) }
