package trace

import (
	"fmt"
	"sort"

	"flowdbg/trace/canon"
)

// AgentDef is what a flow says about one agent, as far as the state hash needs it.
type AgentDef struct {
	ID, Kind string
	Ports    canon.Value // object: wired port → array of target ids in edge order; absent = none
}

// Setup is the world before the first event: the agents (any order), the budget and the input message.
// Flowless is set when it was guessed from a trace: kinds and ports are then unknown and no hash can be computed.
type Setup struct {
	Agents   []AgentDef
	Budget   *Budget
	InputTo  string
	Input    Message // zero: the run has no input
	Flowless bool
}

// agent is one agent in the fold. ord is stable; rank is its place by id.
type agent struct {
	id, kind  string
	ports     canon.Value
	state     canon.Value
	inbox     inbox
	rank      int
	lastStep  int    // step of the last receive, 0 = never
	receives  int    // how many messages it has consumed
	readyFrom int    // step at which its inbox became non-empty
	prefix    []byte // canonical document up to the inbox: {"id":…,"inbox":[
	suffix    []byte // from kind to state: ],"kind":…,"ports":…,"state":
}

// State is the fold over the events applied so far. It is not safe for concurrent use.
type State struct {
	agents   []*agent       // by ord, in order of appearance
	byRank   []*agent       // by id, UTF-8 bytes
	ords     map[string]int // id → ord
	ready    readySet
	outputs  []*output // by key, in canonical key order
	outIndex map[string]*output
	ledger   Ledger
	budget   *Budget
	step     int // step of the last event that had one
	begun    int // steps begun
	finished *Finish
	failed   *ErrorInfo
	flowless bool
	partial  bool // an unknown event type was met: hashes say nothing certain
	hash     hashCache
}

// NewState is the state before the first event, with the input delivered.
func NewState(setup Setup) *State {
	s := &State{ords: make(map[string]int, len(setup.Agents)), outIndex: map[string]*output{}, budget: setup.Budget, flowless: setup.Flowless}
	for _, def := range setup.Agents {
		s.addAgent(def)
	}
	s.rerank()
	if !setup.Input.IsZero() {
		ord := s.ensure(setup.InputTo)
		s.deliver(s.agents[ord], setup.Input)
	}
	return s
}

func (s *State) addAgent(def AgentDef) int {
	ports := def.Ports
	if ports.IsAbsent() {
		ports = canon.EmptyObject
	}
	a := &agent{id: def.ID, kind: def.Kind, ports: ports, state: canon.Null}
	a.prefix = append(canon.AppendString([]byte(`{"id":`), def.ID), `,"inbox":[`...)
	a.suffix = append(canon.AppendString([]byte(`],"kind":`), def.Kind), `,"ports":`...)
	a.suffix = append(append(a.suffix, ports.Text()...), `,"state":`...)
	ord := len(s.agents)
	s.agents = append(s.agents, a)
	s.ords[def.ID] = ord
	return ord
}

// rerank sorts the agents by id (UTF-8 bytes: scheduling, and the agents array of the hash) and rebuilds the ready set.
func (s *State) rerank() {
	s.byRank = append(s.byRank[:0], s.agents...)
	sort.Slice(s.byRank, func(i, j int) bool { return s.byRank[i].id < s.byRank[j].id })
	s.ready = newReadySet(len(s.byRank))
	for r, a := range s.byRank {
		a.rank = r
		if a.inbox.len() > 0 {
			s.ready.set(r)
		}
	}
	s.hash.reset()
}

// ensure is the ord of an agent, which is added when the trace names one that the flow does not have. It is not taken
// away again by undo: an agent that did nothing yet has no effect on anything but a hash, and that one is flowless.
func (s *State) ensure(id string) int {
	if ord, ok := s.ords[id]; ok {
		return ord
	}
	ord := s.addAgent(AgentDef{ID: id})
	s.rerank()
	return ord
}

func (s *State) deliver(a *agent, m Message) {
	if a.inbox.len() == 0 {
		s.ready.set(a.rank)
		a.readyFrom = s.step
	}
	a.inbox.push(m)
	s.hash.dirty(a.rank)
}

// Next is the id of the agent that the schedule picks: the lowest with a non-empty inbox; "" and false when idle.
func (s *State) Next() (string, bool) {
	r := s.ready.first()
	if r < 0 {
		return "", false
	}
	return s.byRank[r].id, true
}

// Clone is an independent copy; messages and values are shared.
func (s *State) Clone() *State {
	c := *s
	c.agents = make([]*agent, len(s.agents))
	c.byRank = make([]*agent, len(s.byRank))
	for i, a := range s.agents {
		b := *a
		b.inbox = a.inbox.clone()
		c.agents[i] = &b
		c.byRank[b.rank] = &b
	}
	c.ords = make(map[string]int, len(s.ords))
	for id, ord := range s.ords {
		c.ords[id] = ord
	}
	c.ready = s.ready.clone()
	c.outputs, c.outIndex = nil, make(map[string]*output, len(s.outIndex))
	for _, o := range s.outputs {
		d := o.clone()
		c.outputs = append(c.outputs, d)
		c.outIndex[d.key] = d
	}
	c.hash = hashCache{} // nothing of the cache is shared: a clone may be used by another goroutine
	return &c
}

// String is one line for error messages and test failures.
func (s *State) String() string {
	return fmt.Sprintf("state{agents %d, ready %d, step %d, outputs %d}", len(s.agents), s.ready.count, s.step, len(s.outputs))
}
