package debug

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/query"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

func logText(t testing.TB, l trace.Log) string {
	t.Helper()
	events, err := engine.Events(l)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := trace.Write(&b, events, trace.FormatLines); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func parseEdit(t testing.TB, text string) *Edit {
	t.Helper()
	e, err := ParseEdit(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// Each edit makes a child run, takes effect there, and leaves its parent byte for byte as it was.
func TestForksNeverChangeTheirParent(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	for _, mode := range []string{"live", "replay", "playback"} {
		for _, edit := range []string{
			`inject critic research {"text":"another text"}`,
			`answer critic 0 {"text":"an edited answer"}`,
			`drop critic 0`,
			`state writer {"last":null,"pending":[{"score":1}]}`,
			`budget {"usd":0}`,
			``,
		} {
			t.Run(mode+" "+edit, func(t *testing.T) {
				var s *Session
				switch mode {
				case "live":
					s = open(t, seedFlow(t), nil)
					toEnd(t, s)
				case "replay":
					s = open(t, seedFlow(t), record)
					toEnd(t, s)
				default:
					var err error
					if s, err = New(Options{Machine: machine(t, seedFlow(t)), Trace: &trace.Trace{Events: record}, PlaybackAll: true}); err != nil {
						t.Fatal(err)
					}
				}
				p, _ := s.StepPos(4) // the critic's answer waits
				s.Goto(p).Run(ctx)
				parent, calls, hash := logText(t, s.log()), s.EffectCalls(), s.Hash()
				var e *Edit
				if edit != "" {
					e = parseEdit(t, edit)
				}
				stop, err := s.Fork(e)
				if err != nil {
					t.Fatal(err)
				}
				if stop.Reason != StopFork || s.CurrentRun() != 1 || (edit != "") != (s.Hash() != hash || strings.HasPrefix(edit, "budget")) {
					t.Fatalf("%+v run %d", stop, s.CurrentRun())
				}
				if k := s.HashStatus().Kind; edit != "" && k != HashEdited {
					t.Fatalf("hash %s", k)
				}
				s.Continue().Run(ctx)
				if s.State().Finished() == nil {
					t.Fatalf("the fork did not finish: %s", s.Stop().Text())
				}
				if d := s.rerun(ctx, s.RunLog(0)); (d == nil) != (edit == "") {
					t.Fatalf("the child against its parent: %v", d)
				}
				if edit == "" && s.EffectCalls() != calls {
					t.Fatal("a fork without an edit asked for an effect again")
				}
				if logText(t, s.RunLog(0)) != parent {
					t.Fatal("the parent changed")
				}
				for s.Pos() > 0 {
					s.StepBack()
				}
				if _, err := s.SwitchRun(0); err != nil || s.Hash() != hash {
					t.Fatalf("%v: the parent shows another state", err)
				}
				if runs := s.Runs(); len(runs) != 2 || runs[1].Parent != 0 || runs[1].Edited != (edit != "") {
					t.Fatalf("%+v", runs)
				}
			})
		}
	}
}

// A run that ended over its budget goes on in a fork with a larger one, from before the error.
func TestForkPastABudgetError(t *testing.T) {
	data := bytes.Replace(seedFlow(t), []byte(`"tokens": 10000`), []byte(`"tokens": 100`), 1)
	s := open(t, data, nil)
	toEnd(t, s)
	failed := s.State().Failed()
	if failed == nil || failed.Code != trace.CodeBudgetExceeded {
		t.Fatalf("%+v", failed)
	}
	n, calls := s.Len(), s.EffectCalls()
	if _, err := s.Fork(parseEdit(t, `budget {"usd":0.1,"tokens":10000}`)); err != nil {
		t.Fatal(err)
	}
	if s.Pos() != n-2+1 || s.State().Failed() != nil {
		t.Fatalf("the fork begins at %d of %d", s.Pos(), n)
	}
	toEnd(t, s)
	if f := s.State().Finished(); f.Reason != trace.ReasonIdle || f.Steps != 7 {
		t.Fatalf("%+v", f)
	}
	if s.EffectCalls() == calls {
		t.Fatal("nothing was run")
	}
}

func TestForkInsideAStepBeginsBeforeIt(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	toEnd(t, s)
	start, _ := s.StepPos(3)
	s.Goto(start + 1).Run(ctx) // behind the receive of step 4
	if _, err := s.Fork(nil); err != nil || s.Pos() != start {
		t.Fatalf("%v: the fork begins at %d, want %d", err, s.Pos(), start)
	}
}

func TestEditsThatCannotBe(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	for _, text := range []string{`drop critic 5`, `answer researcher 3 {}`} {
		if _, err := s.Fork(parseEdit(t, text)); err == nil || len(s.Runs()) != 1 {
			t.Errorf("%s: %v, %d runs", text, err, len(s.Runs()))
		}
	}
	for _, text := range []string{`dance`, `state critic {`, `drop critic x`, `drop critic 0.5`, `drop critic -1`, `drop critic 0 1`, `answer critic 1x {}`,
		`budget {"usd":-1}`, `budget {"usdd":1}`, `inject critic tag`} {
		if e, err := ParseEdit(text); err == nil {
			t.Errorf("%s: read as %+v", text, e)
		}
	}
	play, err := New(Options{Trace: &trace.Trace{Events: []trace.Event{}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := play.Fork(nil); err == nil {
		t.Error("a trace without its flow was forked")
	}
}

// A flow that names a real provider pauses; each choice lets it go on, and the step then happens once.
func TestPendingEffectChoices(t *testing.T) {
	data := bytes.Replace(seedFlow(t), []byte(`"version": 1,`), []byte(`"version": 1, "effects": {"llm": {"provider": "openai", "base_url": "http://127.0.0.1:9/v1"}},`), 1)
	record := toEnd(t, open(t, seedFlow(t), nil))
	for _, choice := range []string{"type", "mock", "lend"} {
		t.Run(choice, func(t *testing.T) {
			s := open(t, data, nil)
			if stop := s.Continue().Run(ctx); stop.Reason != StopPaused || s.Pending() == nil || s.Pending().Request.Op != "llm" {
				t.Fatalf("%+v, pending %+v", stop, s.Pending())
			}
			begun := s.State().Begun()
			var err error
			switch choice {
			case "type":
				err = s.AnswerPending(canon.Object(canon.Member{Key: "text", Value: canon.String("typed")}))
			case "mock":
				err = s.MockPending()
			case "lend":
				_, err = s.TakeAnswersFrom(trace.MemLog(record))
			}
			if err != nil {
				t.Fatal(err)
			}
			if stop := s.Step(ctx); stop.Reason != StopStep || s.State().Begun() != begun+1 {
				t.Fatalf("%+v", stop)
			}
			if choice == "lend" {
				toEnd(t, s)
			}
		})
	}
}

// A breakpoint on an op holds a live effect back before it is sent.
func TestOpBreakpointHoldsTheEffect(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	mustBreak(t, s, Breakpoint{Kind: BreakOp, Name: "llm"})
	stop := s.Continue().Run(ctx)
	if stop.Reason != StopPaused || s.EffectCalls() != 1 || s.State().Begun() != 1 {
		t.Fatalf("%s after %d calls", stop.Text(), s.EffectCalls())
	}
	if err := s.SendPending(); err != nil {
		t.Fatal(err)
	}
	if stop = s.Continue().Run(ctx); stop.Reason != StopBreak || s.EffectCalls() != 2 {
		t.Fatalf("%s after %d calls", stop.Text(), s.EffectCalls())
	}
}

// Forward and reverse visit the same stops in opposite order, for every kind and with conditions.
func TestEveryBreakpointKindBothWays(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	for spec, stops := range map[string]int{
		"agent critic": 2, "tag effect": 4, "port researcher.out": 1, "edge critic.out>writer": 1, "op llm": 3, "usd 0.00005": 1, "tokens 100": 1,
		"steps 5": 1, "changed critic /last": 2, "changed researcher /pending": 3, `when type == "act" and op == "llm"`: 3,
		`agent researcher when payload.hits`: 1, `tag effect when inbox("critic") == 0`: 4, "error": 0, "hash": 0, "certificate PASS": 0, "contract": 0,
	} {
		t.Run(spec, func(t *testing.T) {
			s := open(t, seedFlow(t), record)
			b, err := ParseBreakpoint(spec)
			if err != nil {
				t.Fatal(err)
			}
			mustBreak(t, s, b)
			var there []string
			for {
				stop := s.Continue().Run(ctx)
				if stop.Reason != StopBreak {
					break
				}
				there = append(there, fmt.Sprint(stop.Pos, s.Hash()))
			}
			if len(there) != stops {
				t.Fatalf("%d stops, want %d: %s", len(there), stops, s.Stop().Text())
			}
			for i := len(there) - 1; i >= 0; i-- {
				stop := s.ReverseContinue().Run(ctx)
				if got := fmt.Sprint(stop.Pos, s.Hash()); stop.Reason != StopBreak || got != there[i] {
					t.Fatalf("reverse: %s at %s, want %s", stop.Reason, got, there[i])
				}
			}
			if again, err := ParseBreakpoint(s.Breakpoints()[0].spec()); err != nil || again.spec() != b.spec() {
				t.Fatalf("%v %q", err, again.spec())
			}
		})
	}
}

func TestHitCountsOnceAndLogOnly(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	mustBreak(t, s, Breakpoint{Kind: BreakTag, Name: "effect", From: 3})
	mustBreak(t, s, Breakpoint{Kind: BreakAgent, Name: "critic", LogOnly: true})
	once := mustBreak(t, s, Breakpoint{Kind: BreakAgent, Name: "writer", Once: true})
	var steps []int
	for stop := s.Continue().Run(ctx); stop.Reason == StopBreak; stop = s.Continue().Run(ctx) {
		steps = append(steps, stop.Step)
	}
	if fmt.Sprint(steps) != "[5 6 7]" || once.Enabled {
		t.Fatalf("stops at steps %v, once %v", steps, once.Enabled)
	}
	for _, want := range []int{7, 5, 0} {
		if stop := s.ReverseContinue().Run(ctx); stop.Step != want {
			t.Fatalf("reverse: step %d, want %d: the third answer is the third from either side", stop.Step, want)
		}
	}
	logged := 0
	for _, p := range s.Problems() {
		if p.Source == "breakpoint" {
			logged++
		}
	}
	if logged != 2 {
		t.Fatalf("%d notes of the log-only breakpoint", logged)
	}
	data, err := s.SaveBreaks()
	if err != nil {
		t.Fatal(err)
	}
	other := open(t, seedFlow(t), nil)
	if err := other.RestoreBreaks(data); err != nil || len(other.Breakpoints()) != 3 || other.Breakpoints()[0].From != 3 || other.Breakpoints()[2].Enabled {
		t.Fatalf("%v %v", err, other.Breakpoints())
	}
}

func TestBadBreakpointsAndConditions(t *testing.T) {
	for _, text := range []string{"", "agent", "usd x", "usd nan", "tokens inf", "steps 1.5", "changed critic pending", "tag a b", "when payload ==", "agent critic when nope > 1"} {
		if b, err := ParseBreakpoint(text); err == nil {
			t.Errorf("%q was read as %s", text, b.spec())
		}
	}
	s := open(t, seedFlow(t), nil)
	b, err := ParseBreakpoint(`tag effect when payload.text + 1 == 2`)
	if err != nil {
		t.Fatal(err)
	}
	mustBreak(t, s, b)
	stop := s.Continue().Run(ctx)
	if stop.Reason != StopBreak {
		t.Fatalf("a condition that cannot be told was passed over: %s", stop.Text())
	}
}

func TestWatchesAndFind(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	toEnd(t, s)
	if err := s.Watch(Watch{"critic", "/last/score"}); err != nil {
		t.Fatal(err)
	}
	if err := s.Watch(Watch{"critic", "score"}); err == nil {
		t.Fatal("a watch without a pointer")
	}
	p, _ := s.StepPos(5)
	s.Goto(p).Run(ctx)
	if w := s.Watches()[0]; !w.Changed || !w.Before.IsAbsent() || w.Value.Kind() != canon.KindNumber {
		t.Fatalf("%+v", w)
	}
	s.Step(ctx)
	if w := s.Watches()[0]; w.Changed {
		t.Fatalf("%+v", w)
	}
	q, err := query.Compile(`type == "send" and payload.score`)
	if err != nil {
		t.Fatal(err)
	}
	s.Restart()
	stop := s.Find(q, false).Run(ctx)
	if stop.Reason != StopFound || s.Header(stop.Pos-1).Agent != "critic" {
		t.Fatalf("%+v", stop)
	}
	s.Goto(s.Len()).Run(ctx)
	if back := s.Find(q, true).Run(ctx); back.Pos != stop.Pos {
		t.Fatalf("backward at %d, forward at %d", back.Pos, stop.Pos)
	}
	f, err := s.NewFilter(q)
	if err != nil {
		t.Fatal(err)
	}
	for !f.Slice(ctx) {
	}
	if f.Err != nil || len(f.Hits) != 1 || f.Hits[0] != stop.Pos-1 {
		t.Fatalf("%v %v", f.Hits, f.Err)
	}
}

// What waits belongs to a run, and so does what was decided about it.
func TestWaitingBelongsToARun(t *testing.T) {
	flow := bytes.Replace(seedFlow(t), []byte(`"version": 1,`), []byte(`"version": 1, "effects": {"llm": {"provider": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m"}},`), 1)
	s := open(t, flow, nil)
	if stop := s.Continue().Run(ctx); stop.Reason != StopPaused {
		t.Fatal(stop.Text())
	}
	first := *s.Pending()
	if _, err := s.Fork(nil); err != nil || s.Pending() == nil || s.Pending().Request.Hash() != first.Request.Hash() {
		t.Fatalf("the fork stands before the same step and waits for %+v: %v", s.Pending(), err)
	}
	answer, _, _ := canon.Parse([]byte(`{"json":{"score":0.1,"issues":[]},"text":"x"}`), canon.Options{})
	if err := s.AnswerPending(answer); err != nil {
		t.Fatal(err)
	}
	if stop := s.Continue().Run(ctx); stop.Reason != StopPaused || s.Pending().Request.Hash() == first.Request.Hash() {
		t.Fatalf("run 1 waits for its next effect: %s", stop.Text())
	}
	second := s.Pending().Request.Hash()
	if _, err := s.SwitchRun(0); err != nil || s.Pending() == nil || s.Pending().Request.Hash() != first.Request.Hash() {
		t.Fatalf("run 0 waits for %+v: %v", s.Pending(), err)
	}
	if stop := s.Step(ctx); stop.Reason != StopPaused {
		t.Errorf("run 0 takes the answer of run 1: %s", stop.Text())
	}
	if err := s.AnswerPending(answer); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SwitchRun(1); err != nil || s.Pending() == nil || s.Pending().Request.Hash() != second {
		t.Errorf("run 1 waits for %+v: %v", s.Pending(), err)
	}
}
