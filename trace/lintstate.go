package trace

import (
	"context"
	"hash/maphash"
	"sort"

	"flowdbg/trace/canon"
)

// linter folds a trace as State does, but keeps messages as hashes, so that its memory does not grow with payloads.
type linter struct {
	ctx    context.Context
	log    Log
	texts  *texts
	rep    *LintReport
	flow   bool // setup came from a flow
	seed   maphash.Seed
	input  Message
	agents []*lintAgent // by id
	ranks  map[string]int
	ready  readySet

	outputs map[string]*lintOutput
	ledger  Ledger
	dropped bool // the input that nobody took is accounted for
	budget  *Budget
	over    int // the event that exceeded the budget, until an error follows

	step     lintStep
	last     int // the last step's number
	begun    int
	zero     bool // steps count from 0
	failed   int  // the error event
	finish   *Event
	finishAt int
	damaged  bool
	partial  bool
	edited   bool
}

type lintAgent struct {
	def     AgentDef
	known   bool // the flow has it
	missed  bool // that it does not was said already
	touched bool // an event delivered to it or ran it
	passed  bool // that another agent ran before it was said, for the message at its inbox's head
	state   canon.Value
	inbox   []waiting
	head    int
}

// waiting is a message in an inbox: the hash of its canonical text and what delivered it.
type waiting struct {
	hash        uint64
	kind        uint32 // hash of sender and tag
	event, edit int32  // InputEvent, NoEvent as in Delivery
	late        bool   // that a later one was taken first was said already
}

type lintOutput struct {
	hashes []uint64
	events []uint32
}

func newLinter(ctx context.Context, log Log, setup *Setup) (*linter, error) {
	l := &linter{ctx: ctx, log: log, texts: newTexts(log), seed: maphash.MakeSeed(), ranks: map[string]int{},
		outputs: map[string]*lintOutput{}, over: NoEvent, failed: NoEvent, finishAt: NoEvent, flow: setup != nil && !setup.Flowless}
	l.rep = &LintReport{Findings: []Finding{}, Counts: map[string]int{}, Events: log.Len(), Hash: HashUnchecked}
	var defs []AgentDef
	to := ""
	if setup != nil {
		defs, to, l.input, l.budget = setup.Agents, setup.InputTo, setup.Input, setup.Budget
	}
	if !l.flow {
		var err error
		if to, l.input, err = guessedInput(log); err != nil {
			return nil, err
		}
	}
	if err := l.rank(defs, to); err != nil {
		return nil, err
	}
	if !l.input.IsZero() {
		l.deliver(l.agents[l.ranks[to]], l.input, InputEvent)
	}
	return l, nil
}

// guessedInput is the input as far as the trace alone tells it.
func guessedInput(log Log) (string, Message, error) {
	if s, ok := log.(*Store); ok && s.setup.Flowless {
		to, m := s.Input()
		return to, m, nil
	}
	x := &memIndex{agents: map[string]*posting{}}
	err := x.findInput(log)
	return x.to, x.input, err
}

// rank lists every agent that the flow or the trace names, by id.
func (l *linter) rank(defs []AgentDef, to string) error {
	seen := map[string]*lintAgent{}
	add := func(id string) *lintAgent {
		a, ok := seen[id]
		if !ok && id != "" {
			a = &lintAgent{def: AgentDef{ID: id, Ports: emptyPorts}, state: canon.Null}
			seen[id] = a
		}
		return a
	}
	for _, def := range defs {
		if a := add(def.ID); a != nil {
			a.def, a.known = def, true
			if def.Ports.IsAbsent() {
				a.def.Ports = emptyPorts
			}
		}
	}
	add(to)
	for i := range l.log.Len() {
		if i%checkEvery == 0 {
			if err := l.ctx.Err(); err != nil {
				return err
			}
		}
		if h := l.log.Header(i); h.Type != FinishEvent {
			add(h.Agent)
			add(h.To)
		}
	}
	l.agents = make([]*lintAgent, 0, len(seen))
	for _, a := range seen {
		l.agents = append(l.agents, a)
	}
	sort.Slice(l.agents, func(i, j int) bool { return l.agents[i].def.ID < l.agents[j].def.ID })
	for r, a := range l.agents {
		l.ranks[a.def.ID] = r
	}
	l.ready = newReadySet(len(l.agents))
	return nil
}

func (l *linter) hash(m Message) uint64 { return maphash.String(l.seed, m.Text().Text()) }

// agent finds the agent of an event and says, once, that the flow does not have it. It is nil for an empty id.
func (l *linter) agent(id string, event int, ptr string) *lintAgent {
	r, ok := l.ranks[id]
	if !ok {
		l.find(FindUnknownAgent, event, ptr, "the event names no agent")
		return nil
	}
	a := l.agents[r]
	if l.flow && !a.known && !a.missed {
		a.missed = true
		l.find(FindUnknownAgent, event, ptr, "the flow has no agent %q", id)
	}
	a.touched = true
	return a
}

// kindHash is the same for messages from one sender with one tag.
func (l *linter) kindHash(m Message) uint32 {
	return uint32(maphash.String(l.seed, m.From) ^ maphash.String(l.seed, m.Tag)<<1)
}

func (l *linter) deliver(a *lintAgent, m Message, event int) {
	if a.head > 32 && a.head > len(a.inbox)/2 {
		a.inbox = append(a.inbox[:0], a.inbox[a.head:]...)
		a.head = 0
	}
	if len(a.inbox) == a.head {
		l.ready.set(l.ranks[a.def.ID])
	}
	a.inbox = append(a.inbox, waiting{l.hash(m), l.kindHash(m), int32(event), NoEvent, false})
	a.touched = true
}

// take removes the i-th waiting message.
func (l *linter) take(a *lintAgent, i int) waiting {
	w := a.inbox[a.head+i]
	if i == 0 {
		a.passed = false
		a.head++
	} else {
		a.inbox = append(a.inbox[:a.head+i], a.inbox[a.head+i+1:]...)
	}
	if a.head == len(a.inbox) {
		a.inbox, a.head = a.inbox[:0], 0
		l.ready.clear(l.ranks[a.def.ID])
	}
	return w
}

func (a *lintAgent) waits() []waiting { return a.inbox[a.head:] }

// from says what delivered a message.
func (w waiting) from() string {
	if w.event == InputEvent {
		return "the input"
	}
	return "event " + itoa(int(w.event))
}
