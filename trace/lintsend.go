package trace

import "flowdbg/trace/canon"

// send checks a send event against the act's entries and the flow's edges, and folds its delivery.
func (l *linter) send(i int, e *Event) {
	s := &l.step
	if s.effects > 0 {
		l.find(FindOrder, i, "", "a send behind the step's effect; sends are delivered before it")
	}
	if !e.Message.HasFrom || e.Message.From != e.Agent {
		l.find(FindSendDiffers, i, "/message/from", "the message is not from its sender %q", e.Agent)
	}
	switch {
	case s.act == nil && s.gap:
	case s.act == nil:
		s.early = true
		l.find(FindOrder, i, "", "a send before the act of its step")
	case l.edgeFault(i, e):
		l.astray(e)
	default:
		l.matchEntry(i, e)
	}
	if !e.HasTo() {
		key := OutputKey(e.Agent, e.Port)
		o, ok := l.outputs[key]
		if !ok {
			o = &lintOutput{}
			l.outputs[key] = o
		}
		o.hashes = append(o.hashes, l.hash(e.Message))
		o.events = append(o.events, uint32(i))
		return
	}
	if a := l.agent(e.To, i, "/to"); a != nil {
		l.deliver(a, e.Message, i)
	}
}

// targets are where the flow wires a port to, in edge order; nil when it ends in the outputs. Only with a flow.
func (l *linter) targets(agent, port string) canon.Value {
	r, ok := l.ranks[agent]
	if !ok {
		return canon.Value{}
	}
	return l.agents[r].def.Ports.Get(port)
}

// edgeFault is true, and told, when a send goes where no edge leads.
func (l *linter) edgeFault(i int, e *Event) bool {
	if !l.flow {
		return false
	}
	targets := l.targets(e.Agent, e.Port)
	if !e.HasTo() {
		if targets.Count() > 0 {
			l.find(FindNoEdge, i, "", "port %q of %q has edges, but the message ends in the outputs", e.Port, e.Agent)
			return true
		}
		return false
	}
	for _, t := range targets.Elems() {
		if to, _ := t.Str(); to == e.To {
			return false
		}
	}
	l.find(FindNoEdge, i, "/to", "the flow has no edge from port %q of %q to %q", e.Port, e.Agent, e.To)
	return true
}

// matchEntry finds the entry of act.send that a send event belongs to: per entry one event for each edge, in order.
// Without a flow an entry may have any number of events, one at least; the edges of a port lead to different agents, so
// the same agent again begins the next entry.
func (l *linter) matchEntry(i int, e *Event) {
	s := &l.step
	n := s.act.Send.Count()
	if l.flow {
		l.matchEdge(i, e, n)
		return
	}
	if s.entry >= 0 && e.HasTo() && e.To != s.firstTo && entryIs(s.act.Send.At(s.entry), e) {
		return
	}
	l.advance(i, e, s.entry+1, n)
	s.firstTo = e.To
}

// matchEdge is matchEntry with a flow: the edge inside the entry is known too.
func (l *linter) matchEdge(i int, e *Event, n int) {
	s := &l.step
	k := l.edgeTo(e)
	again := k >= 0 && k < len(s.edges) && s.edges[k] // along an edge twice: the next entry
	if s.entry < 0 || again || k < 0 || !entryIs(s.act.Send.At(s.entry), e) {
		l.edgesLeft()
		found := l.advance(i, e, s.entry+1, n)
		s.edge, s.edges = -1, append(s.edges[:0], make([]bool, l.targets(e.Agent, e.Port).Count())...)
		if !found {
			s.edges = s.edges[:0]
			return
		}
	}
	if k < 0 {
		return
	}
	s.edges[k] = true
	if k < s.edge {
		l.find(FindSendDiffers, i, "/to", "the edge of port %q to %q comes earlier in the flow's order", e.Port, e.To)
	}
	s.edge = max(s.edge, k)
}

// edgeTo is the place, among the edges of its port, of the one that a send goes along; -1 for a terminal port.
func (l *linter) edgeTo(e *Event) int {
	if e.HasTo() {
		for k, t := range l.targets(e.Agent, e.Port).Elems() {
			if to, _ := t.Str(); to == e.To {
				return k
			}
		}
	}
	return -1
}

// astray settles a send that goes along no edge: its entry counts as sent, so that one fault is told once.
func (l *linter) astray(e *Event) {
	s := &l.step
	if s.entry >= 0 && entryIs(s.act.Send.At(s.entry), e) {
		for k := range s.edges {
			if !s.edges[k] {
				s.edges[k] = true
				return
			}
		}
	}
	for k := s.entry + 1; k < s.act.Send.Count(); k++ {
		if entryIs(s.act.Send.At(k), e) {
			l.edgesLeft()
			s.entry, s.edge = k, 0
			s.edges = append(s.edges[:0], make([]bool, l.targets(e.Agent, e.Port).Count())...)
			if len(s.edges) > 0 {
				s.edges[0] = true
			}
			return
		}
	}
}

// edgesLeft tells the edges of the entry under way that no send event went along.
func (l *linter) edgesLeft() {
	s := &l.step
	for k, sent := range s.edges {
		if !sent {
			port, _ := s.act.Send.At(s.entry).Get("port").Str()
			to, _ := l.targets(s.agent, port).At(k).Str()
			l.find(FindMissingSend, s.actAt, "/send/"+itoa(s.entry), "no send event goes along the edge from port %q to %q", port, to)
		}
	}
}

// advance goes on to the entry that the event is; entries passed over have no event. False: the act has no such entry.
func (l *linter) advance(i int, e *Event, from, n int) bool {
	s := &l.step
	for k := from; k < n; k++ {
		if entryIs(s.act.Send.At(k), e) {
			for ; from < k; from++ {
				l.find(FindMissingSend, s.actAt, "/send/"+itoa(from), "no send event follows for this entry")
			}
			s.entry = k
			return true
		}
	}
	if from < n {
		ptr := sendDifference(s.act.Send.At(from), e)
		l.find(FindSendDiffers, i, ptr, "the act (event %d) has another entry at /send/%d", s.actAt, from)
		s.entry = from
		return false
	}
	l.find(FindSendDiffers, i, "", "the act (event %d) has no entry for this send", s.actAt)
	return false
}

// unsent is the first entry of the act that has no send event when the step ends.
func (l *linter) unsent() (int, bool) {
	s := &l.step
	n := s.act.Send.Count()
	l.edgesLeft()
	return s.entry + 1, s.entry+1 < n
}

// entryIs is true when an entry {port, tag, payload} is what the send event carries.
func entryIs(entry canon.Value, e *Event) bool { return sendDifference(entry, e) == "" }

// sendDifference is the pointer, in the send event, of the first member that is not the entry's; "" when none is.
func sendDifference(entry canon.Value, e *Event) string {
	if port, ok := entry.Get("port").Str(); !ok || port != e.Port {
		return "/port"
	}
	if tag, ok := entry.Get("tag").Str(); !ok || tag != e.Message.Tag {
		return "/message/tag"
	}
	payload := entry.Get("payload")
	if payload.IsAbsent() {
		payload = canon.Null
	}
	if payload != e.Message.Payload {
		return "/message/payload"
	}
	return ""
}
