package cli

import (
	"context"
	"errors"

	"flowdbg/engine"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// summaryAnswer is what `flowdbg FLOW TRACE` prints where there is no terminal, and with --json everywhere.
type summaryAnswer struct {
	Flow     *flowSummary      `json:"flow,omitempty"`
	Problems []flow.Diagnostic `json:"problems,omitempty"`
	Trace    *traceSummary     `json:"trace,omitempty"`
	Cost     *costAnswer       `json:"cost,omitempty"`
	Replay   *replayAnswer     `json:"replay,omitempty"` // only with a flow and a trace
	invalid  bool
	source   []byte
}

type flowSummary struct {
	File   string         `json:"file"`
	ID     string         `json:"id"`
	SHA256 string         `json:"sha256"` // of the canonical JSON: layout does not change it
	Agents []agentSummary `json:"agents"`
	Edges  []edgeSummary  `json:"edges"`
	Budget *budgetJSON    `json:"budget"`
	Input  *inputSummary  `json:"input"`
	Real   []string       `json:"real_providers,omitempty"` // ops that a run would not answer with a mock
	budget *trace.Budget
}

type agentSummary struct {
	ID     string      `json:"id"`
	Kind   string      `json:"kind"`
	Config canon.Value `json:"config"`
}

type edgeSummary struct {
	From string `json:"from"`
	Port string `json:"port"`
	To   string `json:"to"`
}

type inputSummary struct {
	To      string      `json:"to"`
	Tag     string      `json:"tag"`
	Payload canon.Value `json:"payload"`
}

type traceSummary struct {
	File      string          `json:"file"`
	Format    trace.Format    `json:"format"`
	Events    int             `json:"events"`
	Steps     int             `json:"steps"`
	Effects   int             `json:"effects"`
	Finished  bool            `json:"finished"`
	Reason    string          `json:"reason,omitempty"`
	Error     string          `json:"error,omitempty"`
	StateHash string          `json:"state_hash,omitempty"` // as recorded
	HashCheck string          `json:"hash_check"`
	Outputs   map[string]int  `json:"outputs"`            // messages per output
	OK        bool            `json:"ok"`                 // no rule is broken, and the file is whole, as check says
	Findings  []trace.Finding `json:"findings,omitempty"` // rules that the trace breaks
	Notes     []trace.Finding `json:"notes,omitempty"`    // worth knowing, and no fault
	Total     int             `json:"total_findings"`     // all findings; the list holds the first of them
	Torn      *trace.Tear     `json:"torn,omitempty"`
	Damaged   int             `json:"damaged_event"` // the first place where text stands that is no event, -1: none
	keys      []string
}

// What hash_check can say: whether the fold over the recorded events comes to the recorded hash.
const (
	hashOK           = "equal"          // the fold of the recorded events has the recorded hash
	hashWrong        = "differs"        // it has another one
	hashNoFlow       = "not computable" // kinds and ports are not known without the flow
	hashNothing      = "unchecked"      // there is no finish
	hashPartial      = "partial"        // an event type is not known
	hashDisagreement = "refused"        // two canonicalisers disagree
)

func summarise(ctx context.Context, t load.Targets, m *engine.Machine, diags []flow.Diagnostic, tr *trace.Opened, playback bool) (*summaryAnswer, error) {
	s := &summaryAnswer{Problems: diags, invalid: t.Flow != nil && m == nil}
	if t.Flow != nil {
		s.source = t.Flow.Data
	}
	if m != nil {
		s.Flow = summariseFlow(t.Flow.Name, m)
	}
	if tr == nil {
		return s, nil
	}
	var err error
	if s.Trace, err = summariseTrace(ctx, t.Trace.Name, m, tr); err != nil {
		return nil, err
	}
	cost, err := costOf(tr.Log())
	if err != nil {
		return nil, out.Bad("%s: %w", t.Trace.Name, err)
	}
	s.Cost = &cost
	if m == nil || playback {
		return s, nil
	}
	rep, err := engine.ReplayLog(ctx, m, tr.Log(), nil)
	if err != nil {
		return nil, runFailed(t.Flow, err)
	}
	s.Replay = answerOf(rep, tr)
	return s, nil
}

// ok is false when the answer is no: the flow is invalid, the trace breaks a rule or is not whole, or the flow does not do
// what the trace says.
func (s *summaryAnswer) ok() bool {
	return !s.invalid && (s.Trace == nil || s.Trace.OK) && (s.Replay == nil || s.Replay.ok())
}

func summariseFlow(file string, m *engine.Machine) *flowSummary {
	f := m.Flow()
	s := &flowSummary{File: file, ID: f.ID, SHA256: f.SHA256(), Agents: []agentSummary{}, Edges: []edgeSummary{},
		Real: m.Bus().NotLive(), budget: m.Setup().Budget, Budget: budgetOf(m.Setup().Budget)}
	for _, i := range f.Order() {
		a := &f.Agents[i]
		s.Agents = append(s.Agents, agentSummary{a.ID, a.Kind, a.Config})
	}
	for _, e := range f.Edges {
		s.Edges = append(s.Edges, edgeSummary(e))
	}
	if f.Input != nil {
		s.Input = &inputSummary{f.Input.To, f.Input.Tag, f.Input.Payload}
	}
	return s
}

// summariseTrace folds the recorded events: with the machine's setup when there is one, so that a hash can be computed.
func summariseTrace(ctx context.Context, file string, m *engine.Machine, tr *trace.Opened) (*traceSummary, error) {
	log := tr.Log()
	s := &traceSummary{Damaged: -1, File: file, Format: tr.Format(), Events: log.Len(), Torn: tr.Tear(), Outputs: map[string]int{}}
	c, err := checkTrace(ctx, file, m, tr)
	if err != nil {
		return nil, err
	}
	s.OK, s.Findings, s.Notes, s.Total = c.OK, c.Findings, c.Notes, c.Total
	p, err := foldOpened(m, tr, log.Len())
	if err != nil {
		return nil, err
	}
	st := p.state
	s.Steps, s.keys = st.Begun(), st.OutputKeys()
	for _, k := range s.keys {
		s.Outputs[k] = st.OutputLen(k)
	}
	for i := range log.Len() {
		if h := log.Header(i); h.Type == trace.EffectEvent && !h.Cancelled {
			s.Effects++
		}
	}
	if e := st.Failed(); e != nil {
		s.Error = e.Text
	}
	if f := st.Finished(); f != nil {
		s.Finished, s.Reason, s.StateHash = true, f.Reason, f.StateHash
	}
	s.HashCheck, _ = hashCheck(st)
	if s.Damaged = tr.Damage(); s.Damaged >= 0 && s.HashCheck == hashOK {
		s.HashCheck = hashPartial
	}
	return s, nil
}

// hashCheck holds the recorded hash against that of the fold, and gives the fold's hash where there is one.
func hashCheck(st *trace.State) (verdict, hash string) {
	f := st.Finished()
	switch {
	case st.Flowless():
		return hashNoFlow, ""
	case st.Partial():
		return hashPartial, ""
	}
	hash, err := engine.CheckedHash(st)
	switch {
	case err != nil && !errors.Is(err, canon.ErrOracleSkipped):
		return hashDisagreement, ""
	case f == nil || f.StateHash == "":
		return hashNothing, hash
	case f.StateHash != hash:
		return hashWrong, hash
	}
	return hashOK, hash
}
