package debug

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace"
)

// A hit count means the same events wherever the breakpoint was set, in whichever direction, and however the session came
// to where it stands.
func TestAnyHitCountStopsAlikeFromAnywhere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flow := genFlow(t)
		tr, err := trace.Read(runOut(t, propertySession(t, flow, nil, false)))
		if err != nil {
			t.Fatal(err)
		}
		b := Breakpoint{Kind: BreakTag, Name: "effect", From: rapid.IntRange(2, 4).Draw(t, "from"), PerAgent: rapid.Bool().Draw(t, "per agent")}
		if rapid.Bool().Draw(t, "conditional") {
			b = Breakpoint{Kind: BreakWhen, When: `type == "receive" and step >= 2`, From: b.From, PerAgent: b.PerAgent}
		}
		whole := propertySession(t, flow, nil, false)
		mustBreak(t, whole, b)
		want := stopsOf(func() Stop { return whole.Continue().Run(ctx) })
		for _, s := range []*Session{propertySession(t, flow, nil, false), propertySession(t, flow, tr, false), propertySession(t, flow, tr, true)} {
			s.Goto(whole.Len()).Run(ctx)
			mid := rapid.IntRange(0, s.Len()).Draw(t, "mid")
			s.Goto(mid).Run(ctx)
			mustBreak(t, s, b)
			there := stopsOf(func() Stop { return s.Continue().Run(ctx) })
			if behind := slices.DeleteFunc(slices.Clone(want), func(p int) bool { return p <= mid }); !slices.Equal(there, behind) {
				t.Fatalf("%s: set at %d, forward %v; want %v", s.Mode(), mid, there, behind)
			}
			s.Goto(mid).Run(ctx)
			s.StepBack()
			from := s.Pos()
			back := stopsOf(func() Stop { return s.ReverseContinue().Run(ctx) })
			slices.Reverse(back)
			if before := slices.DeleteFunc(slices.Clone(want), func(p int) bool { return p >= from }); !slices.Equal(back, before) || s.Pos() != 0 {
				t.Fatalf("%s: from %d in reverse %v; want %v", s.Mode(), from, back, before)
			}
			s.Fork(nil)
			s.Restart()
			if again := stopsOf(func() Stop { return s.Continue().Run(ctx) }); s.Mode() != Playback && !slices.Equal(again, want) {
				t.Fatalf("%s: in a fork %v; want %v", s.Mode(), again, want)
			}
		}
	})
}

// A search that is stopped while it counts goes on counting when it is begun again.
func TestCountingIsStoppedAndGoesOn(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	toEnd(t, s)
	mustBreak(t, s, Breakpoint{Kind: BreakTag, Name: "effect", From: 3})
	end := s.Len()
	want := []int(nil)
	for _, events := range []int{sliceEvents, 1, 3} {
		s.Goto(end).Run(ctx)
		var got []int
		for q := s.ReverseContinue(); ; {
			stop, done := q.SliceOf(ctx, events)
			if done && stop.Reason != StopBreak {
				break
			}
			if done {
				got = append(got, stop.Pos)
				q = s.ReverseContinue()
			}
		}
		if want == nil {
			want = got
		}
		if len(got) != 2 || !slices.Equal(got, want) {
			t.Errorf("in slices of %d: stops %v, want two as in %v", events, got, want)
		}
	}
}

// Once holds for a log-only breakpoint too: it notes one hit.
func TestLogOnlyOnce(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	b := mustBreak(t, s, Breakpoint{Kind: BreakTag, Name: "effect", Once: true, LogOnly: true})
	if stop := s.Continue().Run(ctx); stop.Reason != StopEnd || b.Enabled || b.Hits != 1 {
		t.Errorf("%s, enabled %v, %d hits", stop.Reason, b.Enabled, b.Hits)
	}
}
