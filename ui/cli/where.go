package cli

import (
	"flowdbg/engine/query"
	"flowdbg/trace"
	"flowdbg/ui/cli/out"
)

// where holds an expression against the events of a trace, in ascending order. The state behind an event is made only
// when the expression looks at it.
type where struct {
	query *query.Query
	log   trace.Log
	store *trace.Store
	fold  *trace.State
	pos   int // events that fold has applied
}

// newWhere compiles an expression over a trace; "" holds for every event.
func newWhere(expr string, o *trace.Opened) (*where, error) {
	if expr == "" {
		return nil, nil
	}
	q, err := query.Compile(expr)
	if err != nil {
		return nil, out.Bad("--where: %w", err)
	}
	w := &where{query: q, log: o.Log(), store: o.Store}
	if o.Store == nil {
		w.fold = trace.NewState(trace.PlaybackSetup(o.Trace.Events))
	}
	return w, nil
}

// match is false, without an error, for an event that the header alone rules out.
func (w *where) match(i int) (bool, error) {
	if w == nil {
		return true, nil
	}
	if !w.query.May(w.log.Header(i)) {
		return false, nil
	}
	e, err := w.log.Event(i)
	if err != nil {
		return false, out.Bad("event %d: %w", i, err)
	}
	sub := query.Subject{Index: i, Event: e}
	if w.query.NeedsState() {
		sub.View = w.view(i + 1)
	}
	ok, err := w.query.Match(sub)
	if err != nil {
		return false, out.Bad("--where: %w", err)
	}
	return ok, nil
}

// view is the state behind the first n events.
func (w *where) view(n int) trace.View {
	if w.store != nil {
		return w.store.ViewAt(n)
	}
	for ; w.pos < n; w.pos++ {
		e, _ := w.log.Event(w.pos) // in memory: it never fails
		w.fold.Apply(e)
	}
	return w.fold
}
