package debug

import (
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// parts is what searches read of a file without decoding its events.
type parts struct {
	members *trace.Members
	known   map[string]knownState // by agent
}

// knownState is the state that an event set.
type knownState struct {
	event int
	value canon.Value
}

// Members reads single members of events that lie in a file; nil when the i-th event does not.
func (s *Session) Members(i int) *trace.Members {
	if s.store == nil || i >= s.indexedTo() {
		return nil
	}
	if s.members == nil {
		s.members = trace.NewMembers(s.store)
	}
	s.work += s.store.Header(i).Bytes
	return s.members
}

// StateBehind is an agent's state behind the i-th event, of an agent that acted and where a file's index can tell; the
// last one of every agent is remembered.
func (s *Session) StateBehind(i int, agent string) (canon.Value, bool) {
	if s.store == nil || i >= s.indexedTo() {
		return canon.Value{}, false
	}
	event := s.store.StateEventBefore(agent, i+1)
	if event == trace.NoEvent || s.store.Header(event).Type != trace.Act {
		return canon.Value{}, false
	}
	if k, ok := s.known[agent]; ok && k.event == event {
		return k.value, true
	}
	v, ok := s.Members(event).Get(event, "state")
	if !ok || v.IsAbsent() {
		return canon.Value{}, false
	}
	if s.known == nil {
		s.known = map[string]knownState{}
	}
	s.known[agent] = knownState{event, v}
	return v, true
}
