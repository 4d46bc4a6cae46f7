// Package engine is what happens next: the Machine picks the next agent, calls its behaviour and decides the events of
// one step; Replay runs it against a recorded trace. It never changes a state itself: it hands each event to an emit
// function, whose owner applies it. It may import contract, trace and the packages below engine; never ui.
package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"flowdbg/engine/behavior"
	"flowdbg/engine/effect"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// CodeBadConfig is the diagnostic of a config that a behaviour does not accept, or of effect settings that a provider
// does not.
const CodeBadConfig flow.Code = "bad_config"

// Machine decides the events of a run of one flow. It holds no run state, so any number of runs may share it as long
// as one goroutine uses it at a time.
type Machine struct {
	flow    *flow.Flow
	actors  map[string]*actor
	bus     *effect.Bus
	Verify  bool                // run every behaviour twice on the same call and compare
	OnWarn  func(trace.Finding) // told about sends that end in the outputs though the agent has wired ports; may be nil
	targets map[target][]string
	sends   []trace.Event // room for the send events of one step
}

type target struct{ agent, port string }

type actor struct {
	spec     *flow.Agent
	behavior behavior.Behavior
	ports    []behavior.Port // of the kind
	wired    bool
}

// Emit takes the next event, applies it to the run's state and keeps it. An error stops the step at once.
type Emit func(trace.Event) error

// Status says what a step left behind.
type Status uint8

// What Step can come back with.
const (
	StepDone Status = iota // a step ran; more may follow
	RunEnded               // the finish event was emitted, or the run was finished already
)

// KindOptions are the flow parser's options for a registry.
func KindOptions(kinds *behavior.Registry, strict bool) flow.Options {
	return flow.Options{Strict: strict, KindNames: kinds.Names(), KnownKind: func(k string) bool { _, ok := kinds.Find(k); return ok }}
}

// Parse reads a flow and its behaviours' configs: every diagnostic of both at once. The Machine is nil iff one of them
// is an error. Strict makes unknown members errors, in configs too.
func Parse(file string, data []byte, kinds *behavior.Registry, strict bool) (*Machine, []flow.Diagnostic) {
	f, diags := flow.Parse(file, data, KindOptions(kinds, strict))
	if f == nil {
		return nil, diags
	}
	m, more := New(f, kinds)
	for i := range more {
		if strict && more[i].Severity == flow.Warning {
			more[i].Severity = flow.Error
			m = nil
		}
	}
	diags = append(diags, more...)
	flow.SortDiagnostics(diags)
	return m, diags
}

// New makes a machine for a flow that was parsed with the same kinds. The diagnostics are about configs and effect
// settings; with an error among them the machine is nil.
func New(f *flow.Flow, kinds *behavior.Registry) (*Machine, []flow.Diagnostic) {
	m := &Machine{flow: f, actors: make(map[string]*actor, len(f.Agents)), bus: effect.NewBus(opSettings(f)), targets: map[target][]string{}}
	diags := prefixProblem(f)
	for i := range f.Agents {
		spec := &f.Agents[i]
		kind, ok := kinds.Find(spec.Kind)
		if !ok {
			diags = append(diags, f.Diagnose(flow.Error, flow.CodeUnknownKind, f.AgentPointer(spec.ID, "/kind"), fmt.Sprintf("unknown kind %q", spec.Kind), "see the list of kinds"))
			continue
		}
		b, problems := kind.New(spec.Config)
		for _, p := range problems {
			sev := flow.Error
			if p.Warning {
				sev = flow.Warning
			}
			diags = append(diags, f.Diagnose(sev, CodeBadConfig, f.AgentPointer(spec.ID, "/config"+p.Pointer), p.What, p.Want))
		}
		m.actors[spec.ID] = &actor{spec: spec, behavior: b, ports: kind.Ports, wired: len(f.WiredPorts(spec.ID)) > 0}
	}
	for _, e := range f.Edges {
		k := target{e.From, e.Port}
		m.targets[k] = append(m.targets[k], e.To)
	}
	diags = append(diags, checkEffects(f)...)
	if flow.HasErrors(diags) {
		return nil, diags
	}
	return m, diags
}

// Flow is the flow that the machine runs.
func (m *Machine) Flow() *flow.Flow { return m.flow }

// Ports are the ports of an agent that the flow wires or declares, and those that its kind documents, in that order.
// Scripts may send on others too.
func (m *Machine) Ports(agent string) []string {
	a, ok := m.actors[agent]
	if !ok {
		return nil
	}
	list := append(append([]string{}, m.flow.WiredPorts(agent)...), a.spec.Ports...)
	for _, p := range a.ports {
		if !strings.HasPrefix(p.Name, "(") && !slices.Contains(list, p.Name) { // "(from the config)" is no name
			list = append(list, p.Name)
		}
	}
	return list
}

// Bus is the flow's effect bus: mock providers, and the names of the real ones.
func (m *Machine) Bus() *effect.Bus { return m.bus }

// Setup is the state's world before the first event.
func (m *Machine) Setup() trace.Setup {
	setup := trace.Setup{Agents: make([]trace.AgentDef, 0, len(m.flow.Agents))}
	for i := range m.flow.Agents {
		a := &m.flow.Agents[i]
		setup.Agents = append(setup.Agents, trace.AgentDef{ID: a.ID, Kind: a.Kind, Ports: m.flow.PortsValue(a.ID)})
	}
	if b := m.flow.Budget; b != nil {
		setup.Budget = &trace.Budget{USD: b.USD, Steps: int(b.Steps), AllowUnmetered: b.AllowUnmetered}
		if b.Tokens != nil {
			t := float64(*b.Tokens)
			setup.Budget.Tokens = &t
		}
	}
	if in := m.flow.Input; in != nil {
		setup.InputTo, setup.Input = in.To, trace.NewInput(in.Tag, in.Payload)
	}
	return setup
}

// Init emits an x-init event, at step 0, for each agent whose behaviour does not start at null. A first state that
// cannot be made, or that breaks a limit, is an error: no event can say so, because no step has begun.
func (m *Machine) Init(emit Emit) error {
	for _, i := range m.flow.Order() {
		id := m.flow.Agents[i].ID
		b, ok := m.actors[id].behavior.(behavior.Initializer)
		if !ok {
			continue
		}
		state, err := m.initState(id, b)
		if err != nil {
			return err
		}
		if state.IsAbsent() || state.IsNull() {
			continue
		}
		ev := trace.Event{Type: trace.XInit, Agent: id, Extra: canon.Object(
			canon.Member{Key: "agent", Value: canon.String(id)}, canon.Member{Key: "state", Value: state})}
		if err := emit(ev); err != nil {
			return err
		}
	}
	return nil
}

func (m *Machine) initState(id string, b behavior.Initializer) (canon.Value, error) {
	state, err := safeInit(b)
	if err == nil && m.Verify {
		if again, err2 := safeInit(b); err2 != nil || again != state {
			return state, &Undeterministic{id, "the first state"}
		}
	}
	if breach := trace.CheckState(state); err == nil && breach != nil {
		err = breach
	}
	if err != nil {
		return state, fmt.Errorf("init of %s: %w", id, err)
	}
	return state, nil
}

func safeInit(b behavior.Initializer) (state canon.Value, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return b.Init()
}

// Step runs one scheduler step: one receive and all that follows from it. When the run is over it emits finish instead.
// An error is the emit function's own, *effect.NotLive, *effect.Unanswered, *effect.Mismatch, a cancelled context, or
// *Undeterministic; then the events emitted so far belong to a step that did not happen, and the caller undoes them.
func (m *Machine) Step(ctx context.Context, st *trace.State, src effect.Source, emit Emit) (Status, error) {
	if st.Finished() != nil {
		return RunEnded, nil
	}
	if st.Failed() != nil {
		return RunEnded, m.finish(st, trace.ReasonError, emit)
	}
	id, ok := st.Next()
	if !ok {
		return RunEnded, m.finish(st, trace.ReasonIdle, emit)
	}
	if b := st.Budget(); b != nil && b.Steps > 0 && st.Begun() >= b.Steps {
		return StepDone, emit(errorEvent(st.Begun(), "", fmt.Sprintf("%s: steps %d", trace.CodeBudgetExceeded, b.Steps)))
	}
	s := &step{m: m, st: st, src: src, emit: emit, n: st.Begun() + 1, id: id, actor: m.actors[id]}
	return StepDone, s.run(ctx)
}

// finish computes the state hash both ways and emits the last event.
func (m *Machine) finish(st *trace.State, reason string, emit Emit) error {
	hash, err := CheckedHash(st)
	if err != nil && !errors.Is(err, canon.ErrOracleSkipped) {
		return err
	}
	side := []canon.Member{{Key: "flow_sha256", Value: canon.String(m.flow.SHA256())}}
	if list := m.Sources(); len(list) > 0 {
		side = append(side, canon.Member{Key: "scripts", Value: sourcesValue(list)})
	}
	if err != nil {
		side = append(side, canon.Member{Key: "hash_checked", Value: canon.String("one way")})
	}
	return emit(trace.Event{Type: trace.FinishEvent, Side: canon.Object(side...), Finish: &trace.Finish{
		Steps: st.Begun(), StateHash: hash, Ledger: st.Ledger(), Outputs: st.OutputsValue(), Reason: reason}})
}

// CheckedHash is the state hash after a second canonicaliser agreed about the document. The error wraps
// canon.ErrOracleDiffers, and then no hash is given; or it is canon.ErrOracleSkipped beside a hash that was computed one
// way only, because the document is too large.
func CheckedHash(st *trace.State) (string, error) {
	if err := st.Load(); err != nil {
		return "", err
	}
	doc := st.AppendDocument(nil)
	hash := st.Hash()
	if again := canon.HashText(string(doc)); again != hash {
		return "", fmt.Errorf("%w: the cached state hash %s is not that of the document, %s", canon.ErrOracleDiffers, hash, again)
	}
	if err := canon.OracleCheck(doc); err != nil {
		if errors.Is(err, canon.ErrOracleSkipped) {
			return hash, err
		}
		return "", err
	}
	return hash, nil
}

// errorEvent makes the event of an error. What a behaviour or a provider says may be no UTF-8; the text must read back
// from a file as it was written.
func errorEvent(step int, agent, text string) trace.Event {
	if !utf8.ValidString(text) {
		text, _ = canon.String(text).Str()
	}
	return trace.Event{Type: trace.ErrorEvent, Step: step, Agent: agent, Error: &trace.ErrorInfo{Text: text, Code: codeOf(text)}}
}

// codeOf is what stands before the first colon.
func codeOf(text string) string {
	for i := range len(text) {
		if text[i] == ':' {
			return text[:i]
		}
	}
	return ""
}
