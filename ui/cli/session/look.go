package session

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/show"
)

func (in *Interp) where(context.Context, string) (answer, error) {
	st := in.s.Stop()
	st.Pos = in.s.Pos()
	return answer{StopText(in.s, st), StopOf(in.s, st)}, nil
}

func (in *Interp) agents() []string {
	view := in.s.State()
	var ids []string
	for i := range view.AgentCount() {
		ids = append(ids, view.AgentAt(i).ID)
	}
	return ids
}

func (in *Interp) noAgent(id string) error {
	return fmt.Errorf("there is no agent %q%s", id, out.DidYouMean(id, in.agents()))
}

// agentState is one agent for programs.
type agentState struct {
	ID       string      `json:"id"`
	Kind     string      `json:"kind,omitempty"`
	State    canon.Value `json:"state,omitzero"`
	Inbox    int         `json:"inbox"`
	Ready    bool        `json:"ready"`
	Waiting  int         `json:"waiting_steps"`
	LastStep int         `json:"last_step"`
}

func agentOf(v trace.AgentView) agentState {
	return agentState{v.ID, v.Kind, v.State, v.Inbox, v.Ready, v.WaitSteps, v.LastStep}
}

// stateData is the answer of state without arguments.
type stateData struct {
	Position int          `json:"position"`
	Step     int          `json:"step"`
	Next     string       `json:"next"`
	Agents   []agentState `json:"agents"`
	Ledger   show.Ledger  `json:"ledger"`
}

func (in *Interp) state(_ context.Context, args string) (answer, error) {
	view := in.s.State()
	id, pointer, err := cutPlace(args)
	if err != nil {
		return answer{}, err
	}
	if id == "" {
		return in.allStates(view)
	}
	a, ok := view.Agent(id)
	if !ok {
		return answer{}, in.noAgent(id)
	}
	if pointer == "" {
		return say(agentOf(a), "%s", show.Indented(a.State))
	}
	v, err := a.State.Pointer(pointer)
	if err != nil {
		return answer{}, fmt.Errorf("%s has nothing at %s", id, pointer)
	}
	return say(v, "%s", show.Indented(v))
}

func (in *Interp) allStates(view trace.View) (answer, error) {
	d := stateData{Position: in.s.Pos(), Step: view.Step(), Ledger: show.LedgerOf(view.Ledger())}
	d.Next, _ = view.Next()
	var b strings.Builder
	tw := show.Table(&b)
	fmt.Fprintln(tw, "\tagent\tinbox\twaits\tlast step\tstate")
	for i := range view.AgentCount() {
		a := agentOf(view.AgentAt(i))
		d.Agents = append(d.Agents, a)
		mark, waits := "", "-"
		if a.ID == d.Next {
			mark = "▶"
		}
		if a.Ready {
			waits = strconv.Itoa(a.Waiting)
		}
		fmt.Fprintf(tw, "%s\t%s\t%d\t%s\t%d\t%s\n", mark, show.Clean(a.ID), a.Inbox, waits, a.LastStep, show.Preview(a.State, watchLen))
	}
	tw.Flush()
	return answer{strings.TrimRight(b.String(), "\n"), d}, nil
}

func (in *Interp) inbox(_ context.Context, args string) (answer, error) {
	args, err := oneName(args)
	if err != nil {
		return answer{}, err
	}
	view := in.s.State()
	a, ok := view.Agent(args)
	if !ok {
		return answer{}, in.noAgent(args)
	}
	list, lines := []canon.Value{}, []string{show.Plural(a.Inbox, "message")}
	for i := range a.Inbox {
		m, _ := view.InboxAt(args, i)
		list = append(list, m.Text())
		lines = append(lines, fmt.Sprintf("%d  %s", i, show.MessageText(m, show.PreviewLen)))
	}
	return answer{strings.Join(lines, "\n"), list}, nil
}

func (in *Interp) outputs(context.Context, string) (answer, error) {
	view := in.s.State()
	data, lines := map[string][]canon.Value{}, []string{}
	for _, key := range view.OutputKeys() {
		n := view.OutputLen(key)
		lines = append(lines, fmt.Sprintf("%s: %s", show.Clean(key), show.Plural(n, "message")))
		for i := range n {
			m, _ := view.OutputAt(key, i)
			data[key] = append(data[key], m.Text())
			lines = append(lines, fmt.Sprintf("%d  %s", i, show.MessageText(m, show.PreviewLen)))
		}
	}
	if len(lines) == 0 {
		lines = []string{"no outputs yet"}
	}
	return answer{strings.Join(lines, "\n"), data}, nil
}

// eventNumber reads the number of an event; without one it is the last applied.
func (in *Interp) eventNumber(args string) (int, error) {
	i := in.s.Pos() - 1
	if args != "" {
		n, err := strconv.Atoi(args)
		if err != nil {
			return 0, fmt.Errorf("%q is no event's number", args)
		}
		i = n
	}
	if i < 0 || i >= in.s.Total() {
		return 0, fmt.Errorf("there is no event %d; there are %d", i, in.s.Total())
	}
	return i, nil
}

func (in *Interp) event(_ context.Context, args string) (answer, error) {
	i, err := in.eventNumber(args)
	if err != nil {
		return answer{}, err
	}
	e := in.s.Event(i)
	return say(map[string]any{"index": i, "event": e.Value()}, "event %d  %s\n%s", i, eventWords(e), show.Indented(e.Value()))
}

func (in *Interp) hash(ctx context.Context, args string) (answer, error) {
	if args == "" {
		h := in.s.Hash()
		if h == "" {
			return answer{}, fmt.Errorf("kinds and ports are part of the hash: open the flow too")
		}
		return say(map[string]any{"hash": h, "position": in.s.Pos(), "check": in.s.HashStatus().Kind}, "%s", strings.TrimSpace(h+" "+in.s.HashStatus().Text()))
	}
	text, ok := strings.CutPrefix(args, "at ")
	if !ok {
		return answer{}, fmt.Errorf("write hash, or hash at POSITION")
	}
	h, pos, err := in.hashAt(text)
	if err != nil {
		return answer{}, err
	}
	return say(map[string]any{"hash": h, "position": pos, "check": "folded"}, "%s", h)
}

// hashAt folds the run's events from the start, past every undo record and cache, and hashes the state.
func (in *Interp) hashAt(text string) (hash string, pos int, err error) {
	p, err := debug.ParsePlace(text)
	if err != nil {
		return "", 0, err
	}
	if p.Kind == debug.PlaceMark {
		m, err := in.s.MarkOf(p.Name)
		if err != nil {
			return "", 0, err
		}
		p = debug.Place{N: m.Pos()}
	}
	pos = p.Pos(in.s.Total())
	if p.Kind == debug.PlaceStep {
		var ok bool
		if pos, ok = in.s.StepPos(p.N); !ok {
			return "", 0, fmt.Errorf("there is no step %d yet", p.N)
		}
	}
	if pos > in.s.Total() {
		return "", 0, in.s.NoPosition(p)
	}
	m := in.s.Machine()
	if m == nil {
		return "", 0, fmt.Errorf("kinds and ports are part of the hash: open the flow too")
	}
	st := trace.NewState(m.Setup())
	for i := range pos {
		st.Apply(in.s.Event(i))
	}
	return st.Hash(), pos, nil
}

func (in *Interp) ledger(ctx context.Context, _ string) (answer, error) {
	view := in.s.State()
	rep, err := trace.Costs(ctx, before{in.log(), in.s.Pos()}, 3, nil)
	if err != nil {
		return answer{}, err
	}
	type row struct {
		By    string `json:"by"`
		Name  string `json:"name"`
		Calls int    `json:"calls"`
		show.Ledger
	}
	var rows []row
	var b strings.Builder
	fmt.Fprintf(&b, "spent %s of %s\n", show.Spent(view.Ledger()), show.BudgetText(view.Budget()))
	tw := show.Table(&b)
	for _, part := range []struct {
		by   string
		rows []trace.CostRow
	}{{"agent", rep.Agents}, {"op", rep.Ops}, {"model", rep.Models}} {
		for _, r := range part.rows {
			rows = append(rows, row{part.by, r.Name, r.Calls, show.LedgerOf(r.Ledger)})
			fmt.Fprintf(tw, "%s\t%s\t%s\t%s\n", part.by, show.Clean(cmp.Or(r.Name, show.NoModel)), show.Plural(r.Calls, "effect"), show.Spent(r.Ledger))
		}
	}
	tw.Flush()
	return answer{strings.TrimRight(b.String(), "\n"), map[string]any{"total": show.LedgerOf(view.Ledger()), "budget": show.BudgetOf(view.Budget()), "rows": rows}}, nil
}

// log is the events that can be shown: the run's, and beyond them the record's.
func (in *Interp) log() trace.Log { return sessionLog{in} }

type sessionLog struct{ in *Interp }

func (l sessionLog) Len() int                          { return l.in.s.Total() }
func (l sessionLog) Header(i int) trace.Header         { return l.in.s.Header(i) }
func (l sessionLog) Event(i int) (*trace.Event, error) { return l.in.s.Event(i), nil }

// before is the first events of a log.
type before struct {
	trace.Log
	n int
}

func (l before) Len() int { return min(l.n, l.Log.Len()) }

func (in *Interp) problems(context.Context, string) (answer, error) {
	list := in.s.Problems()
	if len(list) == 0 {
		return say([]string{}, "no problems")
	}
	lines := make([]string, len(list))
	for i, p := range list {
		place := ""
		switch {
		case p.Line > 0 && p.File == "":
			place = fmt.Sprintf("line %d: ", p.Line)
		case p.Line > 0:
			place = fmt.Sprintf("%s:%d:%d: ", p.File, p.Line, p.Col)
		case p.Event >= 0:
			place = fmt.Sprintf("event %d: ", p.Event)
		}
		lines[i] = show.Clean(fmt.Sprintf("%s %s %s%s", p.Severity, p.Source, place, p.Text))
	}
	return answer{strings.Join(lines, "\n"), list}, nil
}
