package events

type Listener interface{ Heard(event string) }

type Channel struct {
	listeners []Listener
	queue     chan string
}

func Default() *Channel { return &Channel{listeners: []Listener{&Log{}, Func(ignore)}} }

func (c *Channel) Send(event string) {
	for _, listener := range c.listeners {
		listener.Heard(event)
	}
	select {
	case c.queue <- event:
	default:
	}
}

type Func func(string)

func (f Func) Heard(event string) { f(event) }

func ignore(event string) {}
