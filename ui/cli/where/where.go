// Package where holds expressions against the events of an open trace: the flag --where of several commands. It may hold
// nothing else.
package where

import (
	"flowdbg/engine/query"
	"flowdbg/trace"
	"flowdbg/ui/cli/out"
)

// Filter holds an expression against the events of a trace, best in ascending order: the state behind an event is made only
// when the expression looks at it, and going back in memory begins anew. A nil Filter holds for every event.
type Filter struct {
	query *query.Query
	log   trace.Log
	store *trace.Store
	fold  *trace.State
	setup trace.Setup
	pos   int // events that fold has applied
}

// New compiles an expression over a trace; "" holds for every event. Errors have the exit code of bad usage.
func New(expr string, o *trace.Opened) (*Filter, error) {
	if expr == "" {
		return nil, nil
	}
	q, err := query.Compile(expr)
	if err != nil {
		return nil, out.Bad("--where: %w", err)
	}
	w := &Filter{query: q, log: o.Log(), store: o.Store}
	if o.Store == nil {
		w.setup = trace.PlaybackSetup(o.Trace.Events)
		w.fold = trace.NewState(w.setup)
	}
	return w, nil
}

// Match is false, without an error, for an event that the header alone rules out.
func (w *Filter) Match(i int) (bool, error) {
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
func (w *Filter) view(n int) trace.View {
	if w.store != nil {
		return w.store.ViewAt(n)
	}
	if n < w.pos {
		w.fold, w.pos = trace.NewState(w.setup), 0
	}
	for ; w.pos < n; w.pos++ {
		e, _ := w.log.Event(w.pos) // in memory: it never fails
		w.fold.Apply(e)
	}
	return w.fold
}
