package debug

import (
	"context"
	"fmt"

	"flowdbg/engine/query"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Watch is a place in an agent's state that is shown at every position.
type Watch struct {
	Agent   string `json:"agent"`
	Pointer string `json:"pointer"`
}

// WatchValue is a watch at the current position; Value is absent when nothing is there.
type WatchValue struct {
	Watch
	Value   canon.Value
	Changed bool // the step that the position is in or behind changed it
	Before  canon.Value
}

// Watch adds a watch; one that exists is not added again.
func (s *Session) Watch(w Watch) error {
	if w.Pointer != "" && w.Pointer[0] != '/' {
		return fmt.Errorf("%q is no JSON Pointer; begin it with /", w.Pointer)
	}
	for _, o := range s.watches {
		if o == w {
			return nil
		}
	}
	s.watches = append(s.watches, w)
	return nil
}

// Unwatch removes the i-th watch.
func (s *Session) Unwatch(i int) {
	if i >= 0 && i < len(s.watches) {
		s.watches = append(s.watches[:i], s.watches[i+1:]...)
	}
}

// Watches are all watches with their values at the position.
func (s *Session) Watches() []WatchValue {
	view := s.State()
	list := make([]WatchValue, len(s.watches))
	for i, w := range s.watches {
		list[i].Watch = w
		if a, ok := view.Agent(w.Agent); ok {
			list[i].Value = valueAt(a.State, w.Pointer)
		}
		list[i].Before = list[i].Value
		if k, ok := s.setInStep(w.Agent); ok {
			list[i].Before = valueAt(s.stateBefore(w.Agent, k), w.Pointer)
			list[i].Changed = list[i].Before != list[i].Value
		}
	}
	return list
}

// setInStep is the event of the current step that set the agent's state.
func (s *Session) setInStep(agent string) (int, bool) {
	for k := s.pos - 1; k >= 0; k-- {
		h := s.Header(k)
		if h.Agent == agent && !h.Cancelled && changesState(h.Type) {
			return k, true
		}
		if h.Type == trace.Receive {
			return 0, false
		}
	}
	return 0, false
}

// stateBefore is an agent's state before event k.
func (s *Session) stateBefore(agent string, k int) canon.Value {
	v, _ := s.lookStateBefore(context.Background(), agent, k)
	return v
}

// lookStateBefore is stateBefore; false when the context ended first. Where a file has an index it is asked.
func (s *Session) lookStateBefore(ctx context.Context, agent string, k int) (canon.Value, bool) {
	for k--; k >= 0; k-- {
		if k%1024 == 0 && ctx.Err() != nil {
			return canon.Null, false
		}
		if s.store != nil && k < s.indexedTo() {
			if k = s.store.StateEventBefore(agent, k+1); k < 0 {
				break
			}
		}
		s.work += headerWork
		h := s.Header(k)
		if h.Agent != agent || h.Cancelled || !changesState(h.Type) {
			continue
		}
		if v, ok := stateSet(s.Event(k)); ok {
			return v, true
		}
	}
	return canon.Null, true
}

// Find runs to the next event, forward or back, for which the expression holds; live ground is not made by a search.
func (s *Session) Find(q *query.Query, back bool) *Search {
	return &Search{s: s, target: -1, back: back, from: s.pos, known: true, match: func(ctx context.Context, i int) (bool, error) {
		return s.match(ctx, q, i, s.Header(i))
	}}
}

// Filter collects the events for which an expression holds, a slice at a time.
type Filter struct {
	s    *Session
	q    *query.Query
	next int
	Hits []int
	Err  error // the expression's first error; collecting goes on
}

// NewFilter starts at the first event. Expressions that look at the state cannot filter a list: it would mean to stand
// behind every event in turn.
func (s *Session) NewFilter(q *query.Query) (*Filter, error) {
	if q.NeedsState() {
		return nil, fmt.Errorf("a filter cannot look at the state; use type, agent, tag, payload and the like, or search with it")
	}
	return &Filter{s: s, q: q}, nil
}

// Slice does a bounded amount of work; done is true when every event that exists was looked at, or the context ended.
func (f *Filter) Slice(ctx context.Context) (done bool) {
	s, total := f.s, f.s.Total()
	s.work = 0
	for end := min(total, f.next+sliceEvents); f.next < end && s.work < sliceWork; f.next++ {
		ok, err := s.match(ctx, f.q, f.next, s.Header(f.next))
		if ctx.Err() != nil {
			return true
		}
		if err != nil && f.Err == nil {
			f.Err = err
		}
		if ok {
			f.Hits = append(f.Hits, f.next)
		}
	}
	return f.next >= total || ctx.Err() != nil
}

// Progress is how many events were looked at, of how many.
func (f *Filter) Progress() (at, of int) { return f.next, f.s.Total() }
