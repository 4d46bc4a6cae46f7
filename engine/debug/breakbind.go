package debug

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/engine/behavior/script"
	"flowdbg/engine/flow"
	"flowdbg/trace"
)

// bindBreaks marks the breakpoints that name what is not there, with the reason, and finds the lines of the others.
func (s *Session) bindBreaks() {
	for _, p := range s.breaks.list {
		p.Bound = 0
		p.Why = s.unbound(p)
		p.Unbound = p.Why != ""
	}
}

// unbound says why a breakpoint can stop nowhere now, "" when it can. What only a run can tell, such as a tag, is taken
// for good.
func (s *Session) unbound(b *Breakpoint) string {
	switch b.Kind {
	case BreakAgent, BreakChanged:
		return s.noAgent(b.Name)
	case BreakPort:
		agent, port, _ := strings.Cut(b.Name, ".")
		if why := s.noAgent(agent); why != "" {
			return why
		}
		return s.noPort(agent, port)
	case BreakEdge:
		return s.noEdge(b.Name)
	case BreakOp:
		return s.noOp(b.Name)
	case BreakLine:
		return s.noLine(b)
	}
	return ""
}

func (s *Session) noAgent(name string) string {
	view := s.State()
	if _, ok := view.Agent(name); ok {
		return ""
	}
	ids := make([]string, view.AgentCount())
	for i := range ids {
		ids[i] = view.AgentAt(i).ID
	}
	return fmt.Sprintf("there is no agent %q%s", name, orNear(name, ids))
}

// orNear is the name that was probably meant.
func orNear(name string, candidates []string) string {
	if near := flow.Closest(name, candidates); near != "" {
		return fmt.Sprintf(" (did you mean %q?)", near)
	}
	return ""
}

// noPort judges a port by the flow, and by what was sent already; a trace alone does not tell what ports there are.
func (s *Session) noPort(agent, port string) string {
	if s.machine == nil || slices.Contains(s.State().OutputKeys(), trace.OutputKey(agent, port)) {
		return ""
	}
	ports := s.machine.Ports(agent)
	if slices.Contains(ports, port) {
		return ""
	}
	return fmt.Sprintf("the flow knows no port %q of %s%s", port, agent, orNear(port, ports))
}

func (s *Session) noEdge(name string) string {
	from, to, ok := strings.Cut(name, ">")
	agent, _, dot := strings.Cut(from, ".")
	if !ok || !dot {
		return fmt.Sprintf("%q is no edge; write AGENT.PORT>AGENT", name)
	}
	if s.machine == nil {
		if why := s.noAgent(agent); why != "" {
			return why
		}
		return s.noAgent(to)
	}
	edges := s.machine.Flow().Edges
	names := make([]string, len(edges))
	for i, e := range edges {
		names[i] = trace.OutputKey(e.From, e.Port) + ">" + e.To
	}
	if slices.Contains(names, name) {
		return ""
	}
	return fmt.Sprintf("the flow has no edge %q%s", name, orNear(name, names))
}

// noOp judges an op by what could answer it, and by what a record in memory asked.
func (s *Session) noOp(op string) string {
	if s.machine == nil || s.store != nil {
		return ""
	}
	ops := s.machine.Bus().Ops()
	for i := range s.Total() {
		if h := s.Header(i); h.Type == trace.EffectEvent || h.Type == trace.ErrorEvent {
			if e := s.Event(i); e.Effect != nil {
				ops = append(ops, e.Effect.Op)
			} else if e.Error != nil && e.Error.Request != nil {
				ops = append(ops, e.Error.Request.Op)
			}
		}
	}
	if slices.Contains(ops, op) {
		return ""
	}
	return fmt.Sprintf("nothing answers the op %q here%s", op, orNear(op, ops))
}

// noLine finds the statement of a line breakpoint: on its line or, where that has none, on the next one that has.
func (s *Session) noLine(b *Breakpoint) string {
	if s.machine == nil {
		return "the trace is played back without its flow: no script runs"
	}
	var files []string
	f := s.machine.Flow()
	for i := range f.Agents {
		behavior := s.machine.Behavior(f.Agents[i].ID)
		name, text, ok := script.Source(behavior)
		if files = append(files, name); !ok || name != b.Name {
			continue
		}
		lines, err := script.StatementLines(behavior)
		if err != nil {
			return err.Error()
		}
		for _, l := range lines {
			if l == b.Line {
				return ""
			}
			if l > b.Line {
				b.Bound = l
				return ""
			}
		}
		if n := strings.Count(strings.TrimRight(string(text), "\n"), "\n") + 1; b.Line > n {
			return fmt.Sprintf("%s has %d lines", name, n)
		}
		return fmt.Sprintf("no statement stands at line %d of %s, or behind it", b.Line, name)
	}
	return fmt.Sprintf("no agent runs a script %q%s", b.Name, orNear(b.Name, files))
}

// At is the line that a line breakpoint stops at.
func (b *Breakpoint) At() int {
	if b.Bound > 0 {
		return b.Bound
	}
	return b.Line
}

// Place tells where a line breakpoint stops when that is not its own line, "" else.
func (b *Breakpoint) Place() string {
	if b.Bound == 0 {
		return ""
	}
	return fmt.Sprintf("stops at line %d, the next with a statement", b.Bound)
}
