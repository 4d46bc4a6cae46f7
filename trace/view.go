package trace

import "flowdbg/trace/canon"

// AgentView is what can be seen of one agent at the current position. Ready agents wait WaitSteps steps so far.
type AgentView struct {
	ID, Kind  string
	Ports     canon.Value
	State     canon.Value
	Inbox     int // messages waiting
	Ready     bool
	WaitSteps int
	LastStep  int // step of its last receive, 0 = never
	Receives  int
}

// AgentCount is how many agents the state knows.
func (s *State) AgentCount() int { return len(s.byRank) }

// AgentAt is the agent at a place in the order of ids, 0 ≤ rank < AgentCount.
func (s *State) AgentAt(rank int) AgentView {
	a := s.byRank[rank]
	v := AgentView{ID: a.id, Kind: a.kind, Ports: a.ports, State: a.state, Inbox: a.inbox.len(), LastStep: a.lastStep, Receives: a.receives}
	if v.Inbox > 0 {
		v.Ready = true
		v.WaitSteps = max(0, s.step-a.readyFrom)
	}
	return v
}

// Agent finds an agent by id.
func (s *State) Agent(id string) (AgentView, bool) {
	ord, ok := s.ords[id]
	if !ok {
		return AgentView{}, false
	}
	return s.AgentAt(s.agents[ord].rank), true
}

// Rank is the place of an agent in the order of ids, or -1.
func (s *State) Rank(id string) int {
	if ord, ok := s.ords[id]; ok {
		return s.agents[ord].rank
	}
	return -1
}

// NextReady is the lowest rank ≥ from whose inbox is not empty, or -1.
func (s *State) NextReady(from int) int {
	if from >= len(s.byRank) {
		return -1
	}
	return s.ready.next(from)
}

// ReadyCount is how many agents have a message waiting.
func (s *State) ReadyCount() int { return s.ready.count }

// InboxAt is the i-th waiting message of an agent, head first.
func (s *State) InboxAt(id string, i int) (Message, bool) {
	ord, ok := s.ords[id]
	if !ok || i < 0 || i >= s.agents[ord].inbox.len() {
		return Message{}, false
	}
	return s.agents[ord].inbox.at(i), true
}

// InboxLen is how many messages wait for an agent; 0 for one that is not known.
func (s *State) InboxLen(id string) int {
	if ord, ok := s.ords[id]; ok {
		return s.agents[ord].inbox.len()
	}
	return 0
}

// Ledger is what was spent so far.
func (s *State) Ledger() Ledger { return s.ledger }

// Budget is the budget in force, nil when there is none.
func (s *State) Budget() *Budget { return s.budget }

// Step is the step of the last event; 0 is "before anything".
func (s *State) Step() int { return s.step }

// Begun is how many steps were begun.
func (s *State) Begun() int { return s.begun }

// Finished is the finish event's body once it was applied, else nil.
func (s *State) Finished() *Finish { return s.finished }

// Failed is the last error event's body, nil when there was none.
func (s *State) Failed() *ErrorInfo { return s.failed }

// Flowless is true when no flow was at hand: kinds and ports are unknown and no hash can be computed.
func (s *State) Flowless() bool { return s.flowless }

// Partial is true once an event type without x- that nobody knows was applied.
func (s *State) Partial() bool { return s.partial }
