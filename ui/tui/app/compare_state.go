package app

import (
	"context"
	"fmt"
	"slices"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// comparedStates holds the state documents of both sides of a comparison, each at a position. Up to the first difference
// the sides are equal, so that part is folded once; from there each side is folded on, or anew when the cursor went back.
type comparedStates struct {
	base    *trace.State // behind the last event that both sides share; nil until it was needed
	baseA   int          // its position on each side
	baseB   int
	a, b    sideState
	touched map[string]bool // agents that something happened to behind the base
}

// sideState is one side's state and where it stands.
type sideState struct {
	st  *trace.State
	pos int
}

const (
	// maxStateEvents bounds how many events are folded for a comparison of states.
	maxStateEvents = 200_000
	// maxStateAgents and maxStateMessages bound what of a difference is shown.
	maxStateAgents, maxStateMessages = 64, 100
)

// behind is the position of each side behind a line: what a side does not have leaves it where it was.
func (v *compareView) behind(i int) (a, b int) {
	for j := i; j >= 0 && (a == 0 || b == 0); j-- {
		l := &v.lines[j]
		if l.gap != "" {
			continue
		}
		if a == 0 && l.Recorded >= 0 {
			a = l.Recorded + 1
		}
		if b == 0 && l.Got >= 0 {
			b = l.Got + 1
		}
	}
	return a, b
}

// noCut stands for runs that no edit parts.
const noCut = -1

// cutAt is the first edit of a person that only one of two runs has: from there their states may differ, although the
// events that are compared do not yet. Up to it the runs share their events.
func cutAt(a, b trace.Log) int {
	for i := range max(a.Len(), b.Len()) {
		one := i < a.Len() && a.Header(i).Type == trace.XIntervene
		other := i < b.Len() && b.Header(i).Type == trace.XIntervene
		if !one && !other {
			continue
		}
		if one && other {
			x, err1 := a.Event(i)
			y, err2 := b.Event(i)
			if err1 == nil && err2 == nil && x.Value() == y.Value() {
				continue
			}
		}
		return i
	}
	return noCut
}

// forkPoint is the first line that is not equal, and the positions before it, or before an edit that one side has sooner;
// ok is false when all are equal.
func (v *compareView) forkPoint() (line, a, b int, ok bool) {
	line, a, b, ok = v.firstDifference()
	if v.cut != noCut && (!ok || v.cut < a || v.cut < b) {
		return line, v.cut, v.cut, true
	}
	return line, a, b, ok
}

func (v *compareView) firstDifference() (line, a, b int, ok bool) {
	for i := range v.lines {
		if v.lines[i].gap == "" && v.lines[i].Op != trace.OpEqual {
			l := &v.lines[i]
			a, b = l.Recorded, l.Got
			if i > 0 && v.lines[i-1].gap == "" {
				a, b = v.behind(i - 1)
			}
			// A side without the first event stands where the other one does: everything before is equal.
			return i, max(a, 0), max(b, 0), true
		}
	}
	return 0, 0, 0, false
}

// cost is how many events have to be folded to know the states behind a line.
func (v *compareView) cost(i int) int {
	_, fa, fb, ok := v.forkPoint()
	a, b := v.behind(i)
	if !ok || a <= fa && b <= fb {
		return 0
	}
	n := 0
	if v.states.base == nil {
		n = fa
	}
	part := func(s *sideState, pos, base int) int {
		if s.st != nil && s.pos <= pos {
			return pos - s.pos
		}
		return pos - base
	}
	return n + max(part(&v.states.a, a, fa), 0) + max(part(&v.states.b, b, fb), 0)
}

// fold brings both sides behind a line.
func (v *compareView) fold(ctx context.Context, setup trace.Setup, i int, tell trace.Progress) error {
	s := &v.states
	_, fa, fb, _ := v.forkPoint()
	a, b := v.behind(i)
	total, done := v.cost(i), 0
	apply := func(st *trace.State, log trace.Log, from, to int) error {
		for k := from; k < to; k++ {
			e, err := log.Event(k)
			if err != nil {
				return fmt.Errorf("event %d: %w", k, err)
			}
			st.Apply(e)
			if s.touched != nil {
				s.touched[e.Agent], s.touched[e.To] = true, true
			}
			if done++; tell != nil && done%256 == 0 {
				tell(done, total)
				if err := ctx.Err(); err != nil {
					return err
				}
			}
		}
		return nil
	}
	if s.base == nil {
		base := trace.NewState(setup)
		if err := apply(base, v.left, 0, fa); err != nil {
			return err
		}
		s.base, s.baseA, s.baseB, s.touched = base, fa, fb, map[string]bool{}
	}
	for _, x := range []struct {
		side      *sideState
		log       trace.Log
		base, pos int
	}{{&s.a, v.left, s.baseA, a}, {&s.b, v.right, s.baseB, b}} {
		if x.side.st == nil || x.side.pos > x.pos {
			*x.side = sideState{s.base.Clone(), x.base}
		}
		from := x.side.pos
		x.side.pos = max(x.pos, from)
		if err := apply(x.side.st, x.log, from, x.pos); err != nil {
			x.side.st = nil
			return err
		}
	}
	return nil
}

// differing are the parts of both state documents that differ: agents, outputs, and the ledger. left says how many agents
// more do.
func (s *comparedStates) differing() (a, b canon.Value, left int) {
	var agentsA, agentsB []canon.Member
	names := make([]string, 0, len(s.touched))
	for id := range s.touched {
		if id != "" {
			names = append(names, id)
		}
	}
	slices.Sort(names)
	for _, id := range names {
		da, db := agentDoc(s.a.st, id), agentDoc(s.b.st, id)
		switch {
		case da == db:
		case len(agentsA) == maxStateAgents:
			left++
		default:
			agentsA, agentsB = append(agentsA, canon.Member{Key: id, Value: da}), append(agentsB, canon.Member{Key: id, Value: db})
		}
	}
	var membersA, membersB []canon.Member
	add := func(key string, x, y canon.Value) {
		if x != y {
			membersA, membersB = append(membersA, canon.Member{Key: key, Value: x}), append(membersB, canon.Member{Key: key, Value: y})
		}
	}
	add("agents", canon.Object(agentsA...), canon.Object(agentsB...))
	add("ledger", ledgerDoc(s.a.st.Ledger()), ledgerDoc(s.b.st.Ledger()))
	add("outputs", outputsDoc(s.a.st), outputsDoc(s.b.st))
	return canon.Object(membersA...), canon.Object(membersB...), left
}

// agentDoc is an agent of the state document with what can differ: its inbox, up to a bound, and its state.
func agentDoc(st *trace.State, id string) canon.Value {
	a, ok := st.Agent(id)
	if !ok {
		return canon.Null
	}
	state := a.State
	if state.IsAbsent() {
		state = canon.Null
	}
	n := st.InboxLen(id)
	list := make([]canon.Value, min(n, maxStateMessages))
	for i := range list {
		msg, _ := st.InboxAt(id, i)
		list[i] = msg.Text()
	}
	if n > len(list) {
		list = append(list, canon.String(fmt.Sprintf("and %d more", n-len(list))))
	}
	return canon.Object(canon.Member{Key: "inbox", Value: canon.Array(list...)}, canon.Member{Key: "state", Value: state})
}

// outputsDoc are the last messages of each output.
func outputsDoc(st *trace.State) canon.Value {
	var members []canon.Member
	for _, key := range st.OutputKeys() {
		n := st.OutputLen(key)
		var list []canon.Value
		for i := max(n-maxStateMessages, 0); i < n; i++ {
			msg, _ := st.OutputAt(key, i)
			list = append(list, msg.Text())
		}
		members = append(members, canon.Member{Key: key, Value: canon.Array(list...)})
	}
	return canon.Object(members...)
}

func ledgerDoc(l trace.Ledger) canon.Value {
	number := func(f float64) canon.Value {
		if v, err := canon.Float(f); err == nil {
			return v
		}
		return canon.Null
	}
	return canon.Object(canon.Member{Key: "input_tokens", Value: number(l.InputTokens)}, canon.Member{Key: "output_tokens", Value: number(l.OutputTokens)},
		canon.Member{Key: "usd", Value: number(l.USD)})
}

// stateSides are the values that stand below the event of a line, one for each side, and what the title says of them.
func (v *compareView) stateSides(m *Model, i int) (a, b canon.Value, note string) {
	_, fa, fb, differ := v.forkPoint()
	if pa, pb := v.behind(i); !differ || pa <= fa && pb <= fb {
		return a, b, "states " + m.th.Glyph.Equal // every event up to here is
	}
	switch n := v.cost(i); {
	case n > maxStateEvents:
		return a, b, fmt.Sprintf("states not compared: %d events to fold", n)
	case n > atOnce:
		return a, b, m.shownKey(keymap.Inspect) + " compares the states"
	}
	if err := v.fold(m.ctx, m.s.Machine().Setup(), i, nil); err != nil {
		return a, b, err.Error()
	}
	a, b, left := v.states.differing()
	switch {
	case a == b:
		return canon.Value{}, canon.Value{}, "states " + m.th.Glyph.Equal
	case left > 0:
		return a, b, fmt.Sprintf("states %s, %d more agents differ", m.th.Glyph.Differs, left)
	}
	other, _ := v.names(m)
	return a, b, "states " + m.th.Glyph.Differs + " " + other
}

// compareStates gives the keys to the states of the selected line; many events are folded in slices first.
func (v *compareView) compareStates(m *Model) tea.Cmd {
	i := v.rows.Cursor()
	if i >= len(v.lines) || v.lines[i].gap != "" {
		m.say("the cursor is on no event")
		return nil
	}
	show := func(m *Model) tea.Cmd {
		v.moved(m, layout.Main)
		if v.diff.Goto("/state") {
			m.focus[viewCompare] = layout.Detail
		} else {
			m.say("%s", v.title)
		}
		return nil
	}
	if n := v.cost(i); n <= atOnce || n > maxStateEvents {
		return show(m)
	}
	var err error
	key := v.key
	return m.study("states", func(ctx context.Context, tell trace.Progress) {
		err = v.fold(ctx, m.s.Machine().Setup(), i, tell)
	}, func(m *Model) tea.Cmd {
		switch {
		case err != nil:
			m.complain("states: %v", err)
			return nil
		case v.key != key:
			return nil
		}
		return show(m)
	})
}
