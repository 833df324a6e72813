// Package courier brings what was ordered.
package courier

// Stop is one address of a route.
type Stop struct {
	Address string
	Parcels int
}

// Route is what one van drives in a day.
type Route struct {
	stops []Stop
}

// Add puts a stop at the end.
func (r *Route) Add(stop Stop) {
	r.stops = append(r.stops, stop)
}

// Parcels counts what has to be loaded.
func (r *Route) Parcels() int {
	total := 0
	for _, stop := range r.stops {
		total += stop.Parcels
	}
	return total
}
