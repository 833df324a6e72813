// Written for floorplan; types only.
package sql

type Scanner interface{ Scan(src any) error }
