package trace

import "flowdbg/trace/canon"

// Requests reads the requests that a log's effects and errors hold, for passes over many of them: from a file without
// decoding the events and without filling the store's cache. It belongs to one goroutine; ask in order.
type Requests struct {
	texts *texts
	g     grammar
}

// NewRequests reads a log, which may still grow.
func NewRequests(log Log) *Requests { return &Requests{texts: newTexts(log)} }

// At is the request of the i-th event as its canonical text, see Request.Text; absent when the event has none, or cannot
// be read. That the event is sound otherwise is not checked.
func (r *Requests) At(i int) canon.Value {
	if r.texts.raw() && r.texts.log.Header(i).Type == EffectEvent {
		if v, ok := r.quick(i); ok {
			return v
		}
	}
	e, err := r.texts.log.Event(i)
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
	text, err := r.texts.at(i)
	if err != nil {
		return v, false
	}
	r.g.set(text)
	if _, how := r.g.object(0); how != extentWhole || len(r.g.members) == maxSpans {
		return v, false
	}
	for _, m := range r.g.members {
		if string(text[m.name:m.nameEnd]) != "request" {
			continue
		}
		v, _, err = canon.Parse(text[m.value:m.valueEnd], canon.Options{Integers: canon.IntegersAccept, MaxDepth: readNesting})
		return v, err == nil && v.Count() == 2 && !v.Get("input").IsAbsent() && v.Get("op").Kind() == canon.KindString
	}
	return v, false
}
