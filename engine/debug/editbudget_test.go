package debug

import (
	"os"
	"strings"
	"testing"

	"flowdbg/engine"
	"flowdbg/trace"
)

// At the effect that exceeds the budget: a fork is its parent again, an edit leaves the error unless it raises the budget, and
// every such run replays as the same, breaks no rule and is made again by a reload.
func TestEditWhereTheBudgetEnds(t *testing.T) {
	data, err := os.ReadFile("../../examples/budget/flow.json")
	if err != nil {
		t.Fatal(err)
	}
	record := toEnd(t, open(t, data, nil))
	over := -1
	for i := range record {
		if record[i].Type == trace.ErrorEvent {
			over = i
		}
	}
	if over != len(record)-2 {
		t.Fatalf("the error is event %d of %d", over, len(record))
	}
	state, more, less := `state researcher {"n":1}`, `budget {"usd":0.006}`, `budget {"usd":0.004}`
	inject := `inject critic task {"question":"Q"}`
	for _, c := range []struct {
		edits []string
		cured bool
	}{{nil, false}, {[]string{state}, false}, {[]string{inject}, false}, {[]string{less}, false}, {[]string{more}, true}, {[]string{state, more}, true}, {[]string{more, state}, true}, {[]string{more, less}, false}} {
		for at := over - 1; at <= len(record); at++ {
			for from, rec := range map[string][]trace.Event{"live": nil, "record": record} {
				name := strings.Join(c.edits, ", ") + " " + from
				s := open(t, data, rec)
				toEnd(t, s)
				s.Goto(at).Run(ctx)
				if len(c.edits) == 0 {
					if _, err := s.Fork(nil); err != nil {
						t.Fatal(err)
					}
				}
				inStep := false
				for _, text := range c.edits {
					e, err := ParseEdit(text)
					if err != nil {
						t.Fatal(err)
					}
					stop, err := s.Fork(e)
					if err != nil {
						t.Fatalf("%s at %d: %v", name, at, err)
					}
					inStep = inStep || strings.Contains(stop.Message, "inside the step")
				}
				events := toEnd(t, s)
				failed := len(events) >= 2 && events[len(events)-2].Type == trace.ErrorEvent && events[len(events)-2].Step == record[over].Step
				if !inStep && failed == c.cured {
					t.Errorf("%s at %d: the error is there: %v", name, at, failed)
				}
				if len(c.edits) == 0 {
					sameEvents(t, name, events, record)
				}
				rep, err := engine.Replay(ctx, machine(t, data), events)
				if err != nil || !rep.Same() || rep.Prefix {
					t.Errorf("%s at %d: %v %v", name, at, rep.Divergence, err)
				}
				setup := s.Machine().Setup()
				lintFindings(t, name, events, &setup)
				if res := s.Reload(ctx, machine(t, data), nil, nil); res.Difference != nil {
					t.Errorf("%s at %d: reload: %s", name, at, res.Stop.Message)
				}
				again, err := engine.Events(s.log())
				if err != nil {
					t.Fatal(err)
				}
				if len(c.edits) > 0 {
					sameEvents(t, name+", reloaded", again, events)
				}
				if want := foldOf(s).Hash(); s.Goto(s.Len()).Run(ctx).Reason == "" || s.Hash() != want {
					t.Errorf("%s at %d: another state behind the reload", name, at)
				}
			}
		}
	}
}

// foldOf folds all events of the run anew.
func foldOf(s *Session) *trace.State {
	st := trace.NewState(s.Machine().Setup())
	for i := range s.Len() {
		st.Apply(s.Event(i))
	}
	return st
}

func sameEvents(t *testing.T, name string, got, want []trace.Event) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d events, want %d", name, len(got), len(want))
		return
	}
	for i := range got {
		if g, w := got[i].Compared().Text(), want[i].Compared().Text(); g != w {
			t.Errorf("%s: event %d: %s, want %s", name, i, g, w)
		}
	}
}
