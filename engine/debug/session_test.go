package debug

import (
	"bytes"
	"context"
	"os"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/trace"
)

var ctx = context.Background()

func seedFlow(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../examples/research-pipeline.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func machine(t testing.TB, data []byte) *engine.Machine {
	t.Helper()
	m, diags := engine.Parse("flow.json", data, behavior.Builtin(), false)
	if m == nil {
		t.Fatal(diags)
	}
	return m
}

func open(t testing.TB, data []byte, record []trace.Event) *Session {
	t.Helper()
	opt := Options{Machine: machine(t, data)}
	if record != nil {
		opt.Trace = &trace.Trace{Events: record}
	}
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func mustBreak(t interface {
	Helper()
	Fatal(...any)
}, s *Session, b Breakpoint) *Breakpoint {
	t.Helper()
	p, err := s.Break(b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func toEnd(t testing.TB, s *Session) []trace.Event {
	t.Helper()
	if stop := s.Continue().Run(ctx); stop.Reason != StopEnd {
		t.Fatalf("stopped by %s: %s", stop.Reason, stop.Message)
	}
	events, err := engine.Events(s.log())
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// Step to the end, back to the start, forward again: same hashes, and no effect is asked twice.
func TestStepBothWays(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	for name, rec := range map[string][]trace.Event{"live": nil, "replay": record} {
		t.Run(name, func(t *testing.T) {
			s := open(t, seedFlow(t), rec)
			hashes := []string{s.Hash()}
			for s.Step(ctx).Reason == StopStep {
				hashes = append(hashes, s.Hash())
			}
			if s.State().Begun() != 7 || s.State().Finished() == nil {
				t.Fatalf("begun %d, finished %v", s.State().Begun(), s.State().Finished())
			}
			calls := s.EffectCalls()
			if want := map[string]int{"live": 4, "replay": 0}[name]; calls != want {
				t.Fatalf("%d effects asked, want %d", calls, want)
			}
			for i := len(hashes) - 2; i >= 0; i-- {
				s.StepBack()
				if s.Hash() != hashes[i] {
					t.Fatalf("back at step %d: another hash", i)
				}
			}
			if s.Pos() != 0 || s.StepBack().Reason != StopStart {
				t.Fatalf("at %d", s.Pos())
			}
			for i := 1; s.Step(ctx).Reason == StopStep; i++ {
				if s.Hash() != hashes[i] {
					t.Fatalf("forward again at step %d: another hash", i)
				}
			}
			if s.EffectCalls() != calls {
				t.Fatal("an effect was asked again")
			}
			if st := s.HashStatus(); name == "replay" && st.Kind != HashEqual {
				t.Fatalf("hash %v", st)
			}
		})
	}
}

// Continue and ReverseContinue visit the same stops in opposite order.
func TestBreakpointsBothWays(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	mustBreak(t, s, Breakpoint{Kind: BreakAgent, Name: "critic"})
	mustBreak(t, s, Breakpoint{Kind: BreakTag, Name: "critique"})
	var there []int
	for {
		stop := s.Continue().Run(ctx)
		if stop.Reason != StopBreak {
			break
		}
		there = append(there, stop.Pos)
	}
	if len(there) != 3 {
		t.Fatalf("stops at %v", there)
	}
	for i := len(there) - 1; i >= 0; i-- {
		if stop := s.ReverseContinue().Run(ctx); stop.Reason != StopBreak || stop.Pos != there[i] {
			t.Fatalf("reverse: %s at %d, want %d", stop.Reason, stop.Pos, there[i])
		}
	}
	if stop := s.ReverseContinue().Run(ctx); stop.Reason != StopStart {
		t.Fatalf("before the first: %s", stop.Reason)
	}
}

// A valid edit: answers are reused by request hash and the first event that differs is where we stop.
func TestReloadStopsAtFirstDifference(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	toEnd(t, s)
	calls := s.EffectCalls()
	edited := bytes.Replace(seedFlow(t), []byte(`"kind": "writer", "config": { "model": "mock-fast" }`), []byte(`"kind": "writer", "config": { "model": "mock-strong" }`), 1)
	res := s.Reload(ctx, machine(t, edited), nil, edited)
	if res.Kept || res.Difference == nil || res.Difference.Verdict != engine.RequestDiffers || s.Pos() != res.Difference.Index+1 {
		t.Fatalf("%+v at %d", res, s.Pos())
	}
	if e := s.Event(s.Pos() - 1); e.Type != trace.Act || e.Agent != "writer" {
		t.Fatalf("stopped at %s of %s", e.Type, e.Agent)
	}
	toEnd(t, s)
	if got := s.EffectCalls() - calls; got != 1 {
		t.Fatalf("%d answers bought after the reload, want the writer's one", got)
	}
	back := s.Reload(ctx, machine(t, seedFlow(t)), nil, nil)
	toEnd(t, s)
	if back.Difference == nil || s.EffectCalls()-calls != 1 {
		t.Fatalf("going back bought %d more", s.EffectCalls()-calls-1)
	}
	if runs := s.Runs(); len(runs) != 3 || runs[2].Parent != 1 {
		t.Fatalf("runs %+v", runs)
	}
}

func TestReloadWithErrorsKeepsTheSession(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	s.Step(ctx)
	pos, hash := s.Pos(), s.Hash()
	bad := bytes.Replace(seedFlow(t), []byte(`"kind": "critic"`), []byte(`"kind": "critik"`), 1)
	m, diags := engine.Parse("flow.json", bad, behavior.Builtin(), false)
	res := s.Reload(ctx, m, diags, bad)
	if !res.Kept || s.Pos() != pos || s.Hash() != hash {
		t.Fatalf("%+v at %d", res, s.Pos())
	}
	for _, p := range s.Problems() {
		if p.Severity == "error" && p.Line == 6 && len(p.Excerpt) > 0 && p.Excerpt[len(p.Excerpt)-1] == '^' {
			return
		}
	}
	t.Fatalf("no problem with a caret: %+v", s.Problems())
}

// Playback of a trace alone gives the same state at every index as the replay does.
func TestPlaybackFoldsLikeReplay(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	rep := open(t, seedFlow(t), record)
	play, err := New(Options{Machine: machine(t, seedFlow(t)), Trace: &trace.Trace{Events: record}, PlaybackAll: true})
	if err != nil {
		t.Fatal(err)
	}
	for {
		if a, b := rep.Fold().AppendDocument(nil), play.Fold().AppendDocument(nil); !bytes.Equal(a, b) {
			t.Fatalf("at %d:\n%s\n%s", rep.Pos(), a, b)
		}
		if st := play.HashStatus(); (play.State().Finished() == nil) != (st.Kind == HashUnchecked) {
			t.Fatalf("at %d: %v", play.Pos(), st)
		}
		a, b := rep.NextEvent(ctx), play.NextEvent(ctx)
		if a.Reason != b.Reason {
			t.Fatalf("%s and %s", a.Reason, b.Reason)
		}
		if a.Reason == StopEnd {
			break
		}
	}
	if play.HashStatus().Kind != HashEqual {
		t.Fatalf("finish: %v", play.HashStatus())
	}
}

func TestDivergedReplayStops(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	other := bytes.Replace(seedFlow(t), []byte(`"critic", "config": { "model": "mock-strong" }`), []byte(`"critic", "config": { "model": "mock-fast" }`), 1)
	s := open(t, other, record)
	stop := s.Continue().Run(ctx)
	if stop.Reason != StopDiverged || s.Divergence() == nil || s.HashStatus().Kind != HashDiffers {
		t.Fatalf("%s: %s", stop.Reason, stop.Message)
	}
	if stop.Hash.Step != 4 {
		t.Fatalf("differs at step %d", stop.Hash.Step)
	}
	s.Restart()
	if s.HashStatus().Kind != HashEqual {
		t.Fatalf("at the start: %v", s.HashStatus())
	}
}

func TestGoto(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	n := len(toEnd(t, s))
	for _, p := range []int{0, n, 3, n - 1, 1} {
		if stop := s.Goto(p).Run(ctx); stop.Reason != StopGoto || s.Pos() != p {
			t.Fatalf("goto %d: %s at %d", p, stop.Reason, s.Pos())
		}
	}
	if p, ok := s.StepPos(4); !ok || s.Header(p).Type != trace.Receive || s.Header(p).Step != 5 {
		t.Fatalf("step 4 ends at %d", p)
	}
}

func TestRealProviderPauses(t *testing.T) {
	data := bytes.Replace(seedFlow(t), []byte(`"version": 1,`), []byte(`"version": 1, "effects": {"llm": {"provider": "openai"}},`), 1)
	s := open(t, data, nil)
	stop := s.Continue().Run(ctx)
	if stop.Reason != StopPaused || s.State().Begun() != 1 {
		t.Fatalf("%s at step %d: %v", stop.Reason, s.State().Begun(), stop.Err)
	}
	if stop = s.Continue().Run(ctx); stop.Reason != StopPaused || s.EffectCalls() != 1 {
		t.Fatalf("again: %s, %d calls", stop.Reason, s.EffectCalls())
	}
}
