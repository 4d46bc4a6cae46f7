package trace

import "flowdbg/trace/canon"

// Requests reads the requests that a log's effects and errors hold, for passes over many of them: from a file without
// decoding the events and without filling the store's cache. It belongs to one goroutine; ask in order.
type Requests struct {
	log     Log
	members *Members // nil for a log in memory
}

// NewRequests reads a log, which may still grow.
func NewRequests(log Log) *Requests {
	r := &Requests{log: log}
	if s, ok := log.(*Store); ok {
		r.members = NewMembers(s)
	}
	return r
}

// At is the request of the i-th event as its canonical text, see Request.Text; absent when the event has none, or cannot
// be read. That the event is sound otherwise is not checked.
func (r *Requests) At(i int) canon.Value {
	if r.members != nil && r.log.Header(i).Type == EffectEvent {
		if v, ok := r.quick(i); ok {
			return v
		}
	}
	e, err := r.log.Event(i)
	switch {
	case err != nil:
		return canon.Value{}
	case e.Effect != nil:
		return e.Effect.Text()
	case e.Error != nil:
		return e.Error.Request.Text()
	}
	return canon.Value{}
}

// quick finds the request in the event's text. A request with members of its own is left to decoding.
func (r *Requests) quick(i int) (v canon.Value, ok bool) {
	v, ok = r.members.Get(i, "request")
	return v, ok && v.Count() == 2 && !v.Get("input").IsAbsent() && v.Get("op").Kind() == canon.KindString
}
