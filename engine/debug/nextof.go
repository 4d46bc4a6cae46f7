package debug

import (
	"context"

	"fmt"

	"flowdbg/trace"
)

// NextOf runs forward to the end of the agent's next step, or of the step of its that the position is in. It looks at no
// breakpoints. Past the last one it stops at the end, with a message. The run is made longer where it must.
func (s *Session) NextOf(agent string) *Search { return s.stepOf(agent, false) }

// PrevOf runs back to the end of the agent's step before, else to position 0, with a message. The stops of NextOf and
// PrevOf are the same places. It never runs an effect.
func (s *Session) PrevOf(agent string) *Search { return s.stepOf(agent, true) }

func (s *Session) stepOf(agent string, back bool) *Search {
	return &Search{s: s, target: -1, back: back, from: s.pos, agent: agent,
		match: func(_ context.Context, i int) (bool, error) { return s.endsStepOf(i+1, agent), nil }}
}

// endsStepOf is true for the positions at which a step of the agent is complete.
func (s *Session) endsStepOf(pos int, agent string) bool {
	if pos == 0 || !s.boundary(pos) {
		return false
	}
	if last := s.Header(pos - 1); last.Type != trace.Receive && begins(last) {
		return false // what ends the run belongs to no step
	}
	for i := pos - 1; i >= 0; i-- {
		if h := s.Header(i); h.Type == trace.Receive && !h.Cancelled {
			return h.Agent == agent
		}
	}
	return false
}

// stepEnd is the position behind the last event of the step that begins with a receive.
func (s *Session) stepEnd(receive int) int {
	for p := receive + 1; p < s.Len(); p++ {
		if s.boundary(p) {
			return p
		}
	}
	return s.Len()
}

// skip moves over the part of the log that an index knows, straight to a stop in it or else to its edge; without an
// index every event is looked at in turn.
func (q *Search) skip() (Stop, bool) {
	s := q.s
	if s.store == nil || q.agent == "" {
		return Stop{}, false
	}
	known := s.Len()
	if s.rep != nil {
		known = min(known, s.rep.Log().Shared())
	}
	switch {
	case q.back && s.pos <= known:
		for n := s.store.Receives(q.agent, s.pos) - 1; n >= 0; n-- {
			if end := s.stepEnd(s.store.ReceiveAt(q.agent, n)); end < s.pos {
				s.rewind(end)
				return q.found(), true
			}
		}
		s.rewind(0)
	case !q.back && s.pos < known:
		// The step that the position is in may be the agent's own.
		for n := max(s.store.Receives(q.agent, s.pos)-1, 0); ; n++ {
			r := s.store.ReceiveAt(q.agent, n)
			if r < 0 || r >= known {
				break
			}
			if end := s.stepEnd(r); end > s.pos && end <= known {
				s.rewind(end)
				return q.found(), true
			}
		}
		s.rewind(known)
	}
	return Stop{}, false
}

// found is the stop of a search at what it looked for.
func (q *Search) found() Stop {
	if q.agent != "" {
		return q.s.done(StopStep, q.from)
	}
	return q.s.done(StopFound, q.from)
}

// missed adds to the stop at an end of the log that the agent has no step there.
func (q *Search) missed(stop Stop) Stop {
	switch stop.Reason {
	case StopStart:
		stop.Message = fmt.Sprintf("%s has no step before position %d", q.agent, q.from)
	case StopEnd, StopDiverged:
		stop.Message = fmt.Sprintf("%s has no step behind position %d · %s", q.agent, q.from, stop.Message)
	default:
		return stop
	}
	q.s.stop = stop
	return stop
}
