package trace

import (
	"fmt"

	"flowdbg/trace/canon"
)

var emptyPorts = canon.EmptyObject

// stateOf is an agent's state behind the first k events.
func stateOf(s *Store, p *posting, k int) canon.Value {
	for n := upTo(p.states, k); n > 0; n-- {
		e, err := s.event(int(p.states[n-1]))
		if err != nil {
			return canon.Null
		}
		v := e.State
		if e.Type != Act {
			v = e.Extra.Get("state")
		}
		if !v.IsAbsent() {
			return v
		}
	}
	return canon.Null
}

func (v *storeView) Ledger() Ledger {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	return v.s.ledgers.before(v.k)
}

func (v *storeView) Budget() *Budget {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	if n := upTo(v.s.budgets, v.k); n > 0 {
		if e, err := v.s.event(int(v.s.budgets[n-1])); err == nil {
			if b, err := BudgetFrom(e.Extra.Get("budget")); err == nil {
				return b
			}
		}
	}
	return v.as.in(v.s).Budget
}

func (v *storeView) Step() int {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	return v.step()
}

func (v *storeView) Begun() int {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	// Steps are dense in a trace of ours; elsewhere the receives are counted.
	n := 0
	for _, p := range v.s.ags {
		n += upTo(p.receives, v.k)
	}
	return n
}

func (v *storeView) Finished() *Finish {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	if n := upTo(v.s.finishes, v.k); n > 0 {
		if e, err := v.s.event(int(v.s.finishes[n-1])); err == nil {
			return e.Finish
		}
	}
	return nil
}

func (v *storeView) Failed() *ErrorInfo {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	if n := upTo(v.s.errs, v.k); n > 0 {
		if e, err := v.s.event(int(v.s.errs[n-1])); err == nil {
			return e.Error
		}
	}
	return nil
}

func (v *storeView) Flowless() bool { return v.s.setup.Flowless }

func (v *storeView) Partial() bool {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	return v.s.unknown >= 0 && v.s.unknown < v.k
}

// FoldAt is the state behind the first k events as a fold of its own, to run on or to hash: every agent's state and
// inbox, and the outputs, are decoded. Its cost grows with the state, not with the trace before it.
func (s *Store) FoldAt(k int) (*State, error) { return s.FoldAs(k, nil) }

// ForkAt is FoldAt for a run that goes on from there: what ended in the outputs, which may be a great part of the trace,
// is left in the file until somebody asks for it, see State.Load. What waits in inboxes is decoded.
func (s *Store) ForkAt(k int) (*State, error) { return s.ForkAs(k, nil) }

// ForkAs is ForkAt with a setup of As; nil is the store's own.
func (s *Store) ForkAs(k int, as *StoreSetup) (*State, error) {
	view := &storeView{s: s, k: k, as: as}
	s.mu.RLock()
	defer s.mu.RUnlock()
	st := NewState(s.wholeSetup(as))
	for _, r := range s.rank {
		p := s.ags[r]
		a := st.agents[st.ensure(s.names.list[p.name])]
		av := view.agent(p)
		a.state, a.lastStep, a.receives = av.State, av.LastStep, av.Receives
		st.begun += av.Receives
		for _, ref := range p.inboxAt(k) {
			m, ok := s.message(ref)
			if !ok {
				return nil, fmt.Errorf("%w: a waiting message cannot be read", ErrChanged)
			}
			st.deliver(a, m)
		}
		if av.Ready {
			a.readyFrom = view.waitingSince(p, av.Inbox)
		}
	}
	for _, key := range s.outKeys {
		if n := upTo(*s.outputs[key], k); n > 0 {
			o := st.output(key)
			o.store, o.left = s, append([]uint32(nil), (*s.outputs[key])[:n]...)
		}
	}
	st.step = view.step()
	st.partial = s.unknown >= 0 && s.unknown < k
	s.mu.RUnlock()
	st.ledger, st.budget, st.finished, st.failed = view.Ledger(), view.Budget(), view.Finished(), view.Failed()
	s.mu.RLock()
	st.hash.reset()
	return st, nil
}

// wholeSetup is the setup with every agent that the trace names, and without the input, which the index delivers.
func (s *Store) wholeSetup(as *StoreSetup) Setup {
	setup := *as.in(s)
	setup.Input = Message{}
	known := make(map[string]bool, len(setup.Agents))
	for _, def := range setup.Agents {
		known[def.ID] = true
	}
	setup.Agents = setup.Agents[:len(setup.Agents):len(setup.Agents)]
	for _, name := range s.names.list {
		if !known[name] {
			setup.Agents = append(setup.Agents, AgentDef{ID: name})
		}
	}
	return setup
}

// Receives is in how many events, below k, an agent consumed a message. Those of cancelled steps do not count.
func (s *Store) Receives(id string, k int) int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	n, ok := s.names.ids[id]
	if !ok {
		return 0
	}
	return upTo(s.ags[n].receives, k)
}

// ReceiveAt is the n-th event, from 0, in which an agent consumed a message, or NoEvent.
func (s *Store) ReceiveAt(id string, n int) (event int) {
	event = NoEvent
	s.withAgent(id, func(p *posting) {
		if n >= 0 && n < len(p.receives) {
			event = int(p.receives[n])
		}
	})
	return event
}
