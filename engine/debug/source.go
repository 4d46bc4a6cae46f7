package debug

import (
	"fmt"

	"flowdbg/engine/behavior"
	"flowdbg/engine/behavior/script"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Source is a walk through one scripted call: the statements that ran, in the order in which they ran. A behaviour is a
// pure function, so the call is simply run again to look at it; walking never changes the session's position or its
// log, and going back costs what going forward costs.
type Source struct {
	Agent string
	Step  int
	Event int    // the receive that the call answers; -1 for a call that has not happened yet
	File  string // the script's name in the flow's folder
	Text  []byte
	Note  string // why this is not the call that was recorded, "" when it is or cannot be told

	rec *script.Recording
	at  int // the statement about to run; Len is behind the last one
	run int // the run that Event belongs to
	pos int // the position at which it was asked for last, -1 when a breakpoint only looked
}

// Source is the walk through the call of the step that the position is in or behind; at the start, of the step that comes
// next. As long as the position stays in the step the same walk comes back, where it was left.
func (s *Session) Source() (*Source, error) {
	event, ok := s.receiveBefore(s.pos)
	if !ok {
		return s.NextSource()
	}
	src, err := s.sourceAt(event)
	if err == nil {
		src.pos = s.pos
	}
	return src, err
}

// NextSource is a walk through the call that the schedule makes next, before it happens.
func (s *Session) NextSource() (*Source, error) {
	view := s.State()
	id, ok := view.Next()
	if !ok {
		return nil, fmt.Errorf("nobody runs next: no message waits")
	}
	msg, _ := view.InboxAt(id, 0)
	agent, _ := view.Agent(id)
	src, err := s.record1(behavior.Call{Agent: id, State: agent.State, Message: msg})
	if err != nil {
		return nil, err
	}
	src.Event, src.Step, src.pos = -1, view.Begun()+1, s.pos
	if s.walk != nil && s.walk.Event == -1 && s.walk.Step == src.Step && s.walk.run == src.run {
		s.walk.pos = s.pos
		return s.walk, nil
	}
	s.walk = src
	return src, nil
}

// receiveBefore is the receive of the step that a position is in or behind.
func (s *Session) receiveBefore(pos int) (int, bool) {
	for i := pos - 1; i >= 0; i-- {
		if h := s.Header(i); h.Type == trace.Receive && !h.Cancelled {
			return i, true
		}
	}
	return 0, false
}

func (s *Session) sourceAt(receive int) (*Source, error) {
	if w := s.walk; w != nil && w.Event == receive && w.run == s.run.info.ID {
		return w, nil
	}
	e := s.Event(receive)
	src, err := s.record1(behavior.Call{Agent: e.Agent, State: s.stateBefore(e.Agent, receive), Message: e.Message})
	if err != nil {
		return nil, err
	}
	src.Event, src.Step = receive, e.Step
	src.compare(s)
	s.walk = src
	return src, nil
}

// record1 runs a call again and records it.
func (s *Session) record1(c behavior.Call) (*Source, error) {
	if s.machine == nil {
		return nil, fmt.Errorf("the trace is played back without its flow: there are no scripts to step through")
	}
	b := s.machine.Behavior(c.Agent)
	name, text, ok := script.Source(b)
	if !ok {
		return nil, fmt.Errorf("agent %s is no script: there is no source to step through", c.Agent)
	}
	rec, err := script.Record(b, c)
	if err != nil {
		return nil, fmt.Errorf("running %s of %s again: %w", name, c.Agent, err)
	}
	return &Source{Agent: c.Agent, File: name, Text: text, rec: rec, run: s.run.info.ID, pos: -1}, nil
}

// compare says whether the call, run again, does what was recorded of it.
func (src *Source) compare(s *Session) {
	for i := src.Event + 1; i < s.Total(); i++ {
		h := s.Header(i)
		switch {
		case h.Type == trace.Act && h.Agent == src.Agent:
			e := s.Event(i)
			switch res := src.rec.Result; {
			case src.rec.Err != nil:
				src.Note = "recorded, the call succeeded; run again it fails"
			case !res.State.IsAbsent() && res.State != e.State:
				src.Note = "recorded, the call left another state"
			case trace.SendsValue(res.Sends) != e.Send && len(res.Sends)+e.Send.Count() > 0:
				src.Note = "recorded, the call sent something else"
			}
			return
		case h.Type == trace.Receive || h.Type == trace.FinishEvent:
			return
		}
	}
}

// Len is how many statements ran, as many as are kept.
func (src *Source) Len() int { return len(src.rec.Statements) }

// At is the index of the statement about to run, 0 ≤ At ≤ Len; at Len the call has returned.
func (src *Source) At() int { return src.at }

// Statement is the one about to run; ok is false behind the last one.
func (src *Source) Statement() (st script.Statement, ok bool) {
	if src.at >= src.Len() {
		return script.Statement{}, false
	}
	return src.rec.Statements[src.at], true
}

// Locals are the variables of the function at the walk's place; none behind the last statement.
func (src *Source) Locals() ([]script.Local, error) { return src.rec.Locals(src.at) }

// Values are the variables at the place whole, as one object (script.Recording.Values); behind the last statement what the call
// returned: its state and what it sends.
func (src *Source) Values() (canon.Value, error) {
	if _, ok := src.Statement(); ok {
		return src.rec.Values(src.at)
	}
	res, err := src.Outcome()
	if err != nil {
		return canon.Object(canon.Member{Key: "failed", Value: canon.String(err.Error())}), nil
	}
	return canon.Object(canon.Member{Key: "state", Value: res.State}, canon.Member{Key: "send", Value: trace.SendsValue(res.Sends)}), nil
}

// Outcome is what the whole call returned, or its error.
func (src *Source) Outcome() (behavior.Result, error) { return src.rec.Result, src.rec.Err }

// Truncated is true when more statements ran than are kept.
func (src *Source) Truncated() bool { return src.rec.Truncated }

// Printed is what the script printed in the whole call.
func (src *Source) Printed() []string { return src.rec.Printed }

// depth is the call depth at the walk's place; behind the end that of the entry function.
func (src *Source) depth() int {
	if st, ok := src.Statement(); ok {
		return st.Depth
	}
	return 0
}

// to moves to a statement and says whether that is another place.
func (src *Source) to(i int) bool {
	moved := i != src.at
	src.at = i
	return moved
}

// Into goes to the next statement, into a function that is called. All moves are false at their end.
func (src *Source) Into() bool { return src.to(min(src.at+1, src.Len())) }

// Back goes to the statement that ran before, into a function that was called.
func (src *Source) Back() bool { return src.to(max(src.at-1, 0)) }

// Over goes to the next statement of the same function, or of the one that called it when this one is done.
func (src *Source) Over() bool { return src.to(src.ahead(src.depth())) }

// BackOver goes to the statement before in the same function, or to the call when this is its first one.
func (src *Source) BackOver() bool { return src.to(src.behind(src.depth())) }

// Out goes behind the call of the function.
func (src *Source) Out() bool { return src.to(src.ahead(src.depth() - 1)) }

// BackOut goes to the statement that called the function; from the entry function, to its first statement.
func (src *Source) BackOut() bool { return src.to(src.behind(src.depth() - 1)) }

// Goto goes to a statement by its index; beyond the ends stops at the end.
func (src *Source) Goto(i int) bool { return src.to(max(0, min(i, src.Len()))) }

// ahead is the next statement no deeper than depth, behind the last one when there is none.
func (src *Source) ahead(depth int) int {
	for i := src.at + 1; i < src.Len(); i++ {
		if src.rec.Statements[i].Depth <= depth {
			return i
		}
	}
	return src.Len()
}

// behind is the last statement before the place no deeper than depth, the first one when there is none.
func (src *Source) behind(depth int) int {
	for i := src.at - 1; i >= 0; i-- {
		if src.rec.Statements[i].Depth <= depth {
			return i
		}
	}
	return 0
}
