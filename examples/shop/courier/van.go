package courier

// Van drives routes that it has room for.
type Van struct {
	Room int
}

// Load says whether everything of a route fits.
func (v Van) Load(route *Route) bool {
	return route.Parcels() <= v.Room
}
