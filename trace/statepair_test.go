package trace

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace/canon"
)

// edited puts a person's edit of a state somewhere into a trace.
func edited(t *rapid.T, events []Event) []Event {
	at := rapid.IntRange(0, len(events)).Draw(t, "edit")
	agent := "a"
	for _, e := range events[:at] {
		if e.Agent != "" {
			agent = e.Agent
		}
	}
	e := Event{Type: XIntervene, Agent: agent, Extra: canon.Object(canon.Member{Key: "do", Value: canon.String(DoState)},
		canon.Member{Key: "state", Value: num(rapid.IntRange(10, 12).Draw(t, "by hand"))})}
	return append(append(append([]Event(nil), events[:at]...), e), events[at:]...)
}

// TestStatePair: at every place of either side, in any order, the pair says what folding both traces from their start
// says, and the place is the one that a whole comparison shows.
func TestStatePair(t *testing.T) {
	differ := 0
	rapid.Check(t, func(rt *rapid.T) {
		f := randomFlow(rt)
		a := f.run(rapid.IntRange(1, 20).Draw(rt, "steps"))
		b := mutated(rt, a)
		if n := rapid.IntRange(0, 2).Draw(rt, "first states"); n > 0 {
			var inits []Event
			for i := range n {
				inits = append(inits, Event{Type: XInit, Agent: f.ids[i%len(f.ids)], Extra: canon.Object(canon.Member{Key: "state", Value: num(20 + i)})})
			}
			a, b = append(inits[:n:n], a...), append(inits[:n:n], b...)
		}
		if rapid.Bool().Draw(rt, "edited") {
			b = edited(rt, b)
		}
		if rapid.Bool().Draw(rt, "the other too") {
			a = edited(rt, a)
		}
		setups := [2]Setup{f.setup(), f.setup()}
		if rapid.Bool().Draw(rt, "without the flow") {
			setups = [2]Setup{PlaybackSetup(a), PlaybackSetup(b)}
		}
		logs := [2][]Event{a, b}
		rep, err := Diff(context.Background(), MemLog(a), MemLog(b), DiffOptions{Context: 1 << 20, MaxHunks: 1 << 20, MaxLines: 1 << 20}, nil)
		if err != nil {
			rt.Fatal(err)
		}
		var pair *StatePair
		look := func(side Side, pos int) AlignedPlace {
			at, err := AlignAt(context.Background(), MemLog(a), MemLog(b), side, pos, nil)
			if err != nil {
				rt.Fatal(err)
			}
			if pair == nil {
				whole, err := AlignAt(context.Background(), MemLog(a), MemLog(b), GotSide, len(b), nil)
				if err != nil {
					rt.Fatal(err)
				}
				pair = NewStatePair(MemLog(a), MemLog(b), setups[0], setups[1], whole.PartRecorded, whole.PartGot)
			}
			same := pair.Same(at.Recorded, at.Got)
			if err := pair.Fold(context.Background(), at.Recorded, at.Got, nil); err != nil {
				rt.Fatal(err)
			}
			var whole [2]*State
			for i, n := range [2]int{at.Recorded, at.Got} {
				whole[i] = NewState(setups[i])
				for k := range n {
					whole[i].Apply(&logs[i][k])
				}
			}
			want := DiffStates(whole[0], whole[1], nil)
			if want.Equal() != documentsEqual(whole[0], whole[1]) {
				rt.Fatalf("positions %d and %d: the difference is\n%s\n%s", at.Recorded, at.Got, want.Recorded.Text(), want.Got.Text())
			}
			if same && !want.Equal() {
				rt.Fatalf("positions %d and %d are told the same unseen:\n%s\n%s", at.Recorded, at.Got, want.Recorded.Text(), want.Got.Text())
			}
			if got := pair.Difference(); got != want {
				rt.Fatalf("positions %d and %d: %s\n%s, want\n%s\n%s", at.Recorded, at.Got, got.Recorded.Text(), got.Got.Text(), want.Recorded.Text(), want.Got.Text())
			}
			if !want.Equal() {
				differ++
			}
			return at
		}
		for range 6 {
			look(GotSide, rapid.IntRange(0, len(b)).Draw(rt, "got"))
			look(RecordedSide, rapid.IntRange(0, len(a)).Draw(rt, "recorded"))
		}
		behind := [2]int{}
		first := true
		for _, h := range rep.Hunks {
			for _, l := range h.Lines {
				for i, n := range [2]int{l.Recorded, l.Got} {
					if n >= 0 {
						behind[i] = n + 1
					}
				}
				side, pos := GotSide, l.Got+1
				if l.Got < 0 {
					side, pos = RecordedSide, l.Recorded+1
				}
				if at := look(side, pos); at.Recorded != behind[0] || at.Got != behind[1] {
					rt.Fatalf("line %+v: at %+v, want %v", l, at, behind)
				}
				if first && l.Op != OpEqual {
					first = false
					if at := look(GotSide, -1); at.Recorded != behind[0] || at.Got != behind[1] {
						rt.Fatalf("the first difference is %+v: at %+v, want %v", l, at, behind)
					}
				}
			}
		}
	})
	if differ == 0 {
		t.Error("no two states differ: this tests nothing")
	}
}

// documentsEqual compares what of two states can differ between traces alone: all but kinds and ports.
func documentsEqual(a, b *State) bool {
	if a.Ledger() != b.Ledger() {
		return false
	}
	seen := map[string]bool{}
	for _, st := range []*State{a, b} {
		for rank := range st.AgentCount() {
			seen[st.AgentAt(rank).ID] = true
		}
	}
	for id := range seen {
		x, okX := a.Agent(id)
		y, okY := b.Agent(id)
		if okX != okY || x.State != y.State || a.InboxLen(id) != b.InboxLen(id) {
			return false
		}
		for i := range a.InboxLen(id) {
			m, _ := a.InboxAt(id, i)
			n, _ := b.InboxAt(id, i)
			if m.Text() != n.Text() {
				return false
			}
		}
	}
	keys := map[string]bool{}
	for _, st := range []*State{a, b} {
		for _, k := range st.OutputKeys() {
			keys[k] = true
		}
	}
	for k := range keys {
		if a.OutputLen(k) != b.OutputLen(k) {
			return false
		}
		for i := range a.OutputLen(k) {
			m, _ := a.OutputAt(k, i)
			n, _ := b.OutputAt(k, i)
			if m.Text() != n.Text() {
				return false
			}
		}
	}
	return true
}
