package debug

import (
	"fmt"
	"strings"

	"flowdbg/trace"
)

// BreakKind is what a breakpoint looks at.
type BreakKind string

// The kinds of breakpoints. All stop right behind the event that they name, forward and in reverse alike.
const (
	BreakAgent BreakKind = "agent" // the agent consumes a message
	BreakTag   BreakKind = "tag"   // a message with the tag is consumed
	BreakError BreakKind = "error" // an error event
)

// Breakpoint stops Continue and ReverseContinue. It is bound by name, so it survives a reload.
type Breakpoint struct {
	ID      int       `json:"id"`
	Kind    BreakKind `json:"kind"`
	Name    string    `json:"name,omitempty"`
	Enabled bool      `json:"enabled"`
	Unbound bool      `json:"unbound,omitempty"` // the flow has no agent of that name now
	Hits    int       `json:"hits"`
}

// String is "#1 agent critic".
func (b *Breakpoint) String() string {
	return strings.TrimSpace(fmt.Sprintf("#%d %s %s", b.ID, b.Kind, b.Name))
}

type breakpoints struct {
	list []*Breakpoint
	last int
}

// hit is the first enabled breakpoint that the event triggers.
// It decodes the event only for a breakpoint that needs its message.
func (b *breakpoints) hit(s *Session, i int) *Breakpoint {
	if len(b.list) == 0 {
		return nil
	}
	e := s.Header(i)
	if e.Cancelled {
		return nil
	}
	for _, p := range b.list {
		if !p.Enabled {
			continue
		}
		match := false
		switch p.Kind {
		case BreakAgent:
			match = e.Type == trace.Receive && e.Agent == p.Name
		case BreakTag:
			match = e.Type == trace.Receive && s.Event(i).Message.Tag == p.Name
		case BreakError:
			match = e.Type == trace.ErrorEvent
		}
		if match {
			p.Hits++
			return p
		}
	}
	return nil
}

// ParseBreakpoint reads "agent NAME", "tag NAME" or "error"; a single other word is an agent.
func ParseBreakpoint(text string) (Breakpoint, error) {
	kind, name, _ := strings.Cut(strings.TrimSpace(text), " ")
	name = strings.TrimSpace(name)
	switch {
	case kind == string(BreakError) && name == "":
		return Breakpoint{Kind: BreakError}, nil
	case (kind == string(BreakAgent) || kind == string(BreakTag)) && name != "":
		return Breakpoint{Kind: BreakKind(kind), Name: name}, nil
	case kind != "" && name == "" && kind != string(BreakAgent) && kind != string(BreakTag):
		return Breakpoint{Kind: BreakAgent, Name: kind}, nil
	}
	return Breakpoint{}, fmt.Errorf("cannot read breakpoint %q; write agent NAME, tag NAME or error", text)
}

// Break adds a breakpoint, enabled; an equal one that exists is returned instead.
func (s *Session) Break(b Breakpoint) *Breakpoint {
	for _, p := range s.breaks.list {
		if p.Kind == b.Kind && p.Name == b.Name {
			p.Enabled = true
			return p
		}
	}
	s.breaks.last++
	n := &Breakpoint{ID: s.breaks.last, Kind: b.Kind, Name: b.Name, Enabled: true}
	s.breaks.list = append(s.breaks.list, n)
	s.bindBreaks()
	return n
}

// Unbreak removes a breakpoint by id; false when there is none.
func (s *Session) Unbreak(id int) bool {
	for i, p := range s.breaks.list {
		if p.ID == id {
			s.breaks.list = append(s.breaks.list[:i], s.breaks.list[i+1:]...)
			return true
		}
	}
	return false
}

// Breakpoints lists them in the order of their ids.
func (s *Session) Breakpoints() []*Breakpoint { return s.breaks.list }

// BreakAt is the enabled breakpoint on an agent, nil when there is none.
func (s *Session) BreakAt(agent string) *Breakpoint {
	for _, p := range s.breaks.list {
		if p.Kind == BreakAgent && p.Name == agent {
			return p
		}
	}
	return nil
}

// bindBreaks marks breakpoints whose agent the flow does not have.
func (s *Session) bindBreaks() {
	for _, p := range s.breaks.list {
		p.Unbound = false
		if p.Kind == BreakAgent {
			_, ok := s.State().Agent(p.Name)
			p.Unbound = !ok
		}
	}
}
