package debug

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior/script"
	"flowdbg/trace"
)

// exampleFlows are the flows of the examples that run with mocks or with a trace, each with its trace if it has one.
func exampleFlows(t *testing.T) map[string]func() (*engine.Machine, *trace.Trace) {
	t.Helper()
	list := map[string]func() (*engine.Machine, *trace.Trace){}
	root := filepath.Join("..", "..", "examples")
	paths, err := filepath.Glob(filepath.Join(root, "*", "flow.json"))
	if err != nil || len(paths) < 5 {
		t.Fatal(paths, err)
	}
	for _, path := range append(paths, filepath.Join(root, "research-pipeline.json")) {
		dir := filepath.Dir(path)
		traced := filepath.Join(dir, "trace.json")
		if dir == root {
			traced = filepath.Join(root, "research-trace.json")
		}
		list[strings.TrimPrefix(path, root+string(filepath.Separator))] = func() (*engine.Machine, *trace.Trace) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			m, _ := engine.Parse(path, data, script.Registry(script.Options{Dir: dir}), false)
			var tr *trace.Trace
			if data, err := os.ReadFile(traced); err == nil {
				tr, _ = trace.Read(data)
			}
			return m, tr
		}
	}
	return list
}

// madeOf are the events that a run decides: all but lines of ours, first states excepted.
func madeOf(s *Session) (list []string) {
	for i := range s.Len() {
		if h := s.Header(i); h.Type == trace.XInit || !passive(h) {
			list = append(list, s.Event(i).Compared().Text())
		}
	}
	return list
}

// forkedAt are the positions of a run of n events that are forked: all of a short one; of a long one, where every fork makes
// many events again, those at both ends and a few between.
func forkedAt(n int) (list []int) {
	edge, every := n, 1
	if n > 60 {
		edge, every = max(2, 400/n), max(1, n/max(2, 800/n))
	}
	for pos := range n + 1 {
		if pos <= edge || pos%every == 0 || pos >= n-min(edge, 3) {
			list = append(list, pos)
		}
	}
	return list
}

// A fork without an edit that runs on is its parent, wherever it begins: from the start, between the first states, inside
// a step, behind an error, at the end; live, beside a trace and played back.
func TestForkOfEveryPositionIsTheParent(t *testing.T) {
	ran := 0
	for name, load := range exampleFlows(t) {
		m, tr := load()
		if m == nil {
			continue // needs more than its own file
		}
		same := false // the trace is one of this flow
		for _, mode := range []string{"live", "replay", "playback"} {
			if mode != "live" && tr == nil || mode == "playback" && !same {
				continue
			}
			open := func() *Session {
				opt := Options{Machine: m, Trace: tr, PlaybackAll: mode == "playback"}
				if mode == "live" {
					opt.Trace = nil
				}
				s, err := New(opt)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				return s
			}
			whole := open()
			if stop := whole.Continue().Run(ctx); stop.Reason != StopEnd || whole.State().Finished() == nil || mode != "live" && whole.HashStatus().Kind != HashEqual {
				continue // waits for a provider, is torn, or diverges
			}
			ran++
			same = mode == "replay"
			want, hash, n := madeOf(whole), whole.Hash(), whole.Len()
			for _, pos := range forkedAt(n) {
				s := whole
				if mode == "live" { // a second run of tools with clocks would not be the first
					if _, err := s.SwitchRun(0); err != nil {
						t.Fatal(err)
					}
				} else {
					s = open()
				}
				s.Goto(pos).Run(ctx)
				if _, err := s.Fork(nil); err != nil {
					t.Fatalf("%s, %s, at %d: %v", name, mode, pos, err)
				}
				if stop := s.Stop(); s.Pos() > pos || s.Pos() < pos && s.Pos() < n-6 && stop.Message == "" && whole.RunLog(0).Header(s.Pos()).Type != trace.XInit && whole.RunLog(0).Header(s.Pos()).Type != trace.FinishEvent {
					t.Errorf("%s, %s: a fork at %d stands at %d and says %q", name, mode, pos, s.Pos(), stop.Message)
				}
				s.Continue().Run(ctx)
				got := madeOf(s)
				for i := range min(len(got), len(want)) {
					if got[i] != want[i] {
						t.Fatalf("%s, %s, forked at %d: event %d\n%s\nwant\n%s", name, mode, pos, i, got[i], want[i])
					}
				}
				if strings.Join(got, "\n") != strings.Join(want, "\n") || s.Hash() != hash {
					t.Fatalf("%s, %s, forked at %d: %d events, hash %.12s; the parent has %d, %.12s", name, mode, pos, len(got), s.Hash(), len(want), hash)
				}
			}
		}
	}
	if ran < 6 {
		t.Errorf("only %d runs were forked", ran)
	}
}

// Restart, then an edit: the agents have their first states.
func TestEditAtTheStart(t *testing.T) {
	for _, text := range []string{`budget {"steps":50}`, `inject adder numbers [4]`, `state adder {"sum":7}`} {
		s := openSums(t)
		s.Continue().Run(ctx)
		s.Restart()
		e, err := ParseEdit(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Fork(e); err != nil {
			t.Fatal(err)
		}
		if stop := s.Continue().Run(ctx); stop.Error != "" || s.State().Finished().Reason != trace.ReasonIdle {
			t.Errorf("%s: %s", text, stop.Text())
		}
		sum := valueAt(mustAgent(t, s, "adder"), "/sum").Text()
		if want := map[byte]string{'b': "14", 'i': "18", 's': "21"}[text[0]]; sum != want {
			t.Errorf("%s: the sum is %s, expected %s", text, sum, want)
		}
	}
}

func mustAgent(t *testing.T, s *Session, id string) editJSON {
	t.Helper()
	a, ok := s.State().Agent(id)
	if !ok {
		t.Fatal(id)
	}
	return a.State
}

// A fork where the replay stopped at a difference begins before the step that it stopped in.
func TestForkBehindADivergence(t *testing.T) {
	m, tr := exampleFlows(t)["diverged/flow.json"]()
	s, err := New(Options{Machine: m, Trace: tr})
	if err != nil {
		t.Fatal(err)
	}
	if stop := s.Continue().Run(ctx); stop.Reason != StopDiverged {
		t.Fatal(stop.Text())
	}
	from := s.Pos()
	stop, err := s.Fork(nil)
	if err != nil || s.Pos() >= from || !strings.Contains(stop.Message, "lies inside the step") {
		t.Fatalf("%d of %d: %s, %v", s.Pos(), from, stop.Text(), err)
	}
	s.Continue().Run(ctx)
	plain, err := New(Options{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	plain.Continue().Run(ctx)
	if strings.Join(madeOf(s), "\n") == "" || len(s.State().OutputKeys()) == 0 || s.State().Finished() == nil || s.State().Finished().Steps != plain.State().Finished().Steps {
		t.Errorf("%d steps with outputs %v, plainly %d", s.State().Finished().Steps, s.State().OutputKeys(), plain.State().Finished().Steps)
	}
}

// An edit behind a step that failed goes before it; one that names a waiting message still means that message.
func TestEditBehindAFailedStep(t *testing.T) {
	const failing = `def act(msg, state, config):
    if (state or 0) < 1:
        fail("no state")
    return result(state = state + msg.payload)
`
	flow := `{"version":1,"id":"fails","agents":[{"id":"a","kind":"script","config":{"script":"sum.star"}}],"edges":[],"input":{"to":"a","tag":"n","payload":3}}`
	for _, at := range []string{"end", "step 1", "inside"} {
		for _, text := range []string{"state a 1", `inject a n 4`, `answer a 0 {"x":1}`} {
			s, err := New(Options{Machine: scripted(t, flow, failing)})
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasPrefix(text, "answer") {
				if e, err := ParseEdit("inject a n 9"); err != nil {
					t.Fatal(err)
				} else if _, err = s.Fork(e); err != nil {
					t.Fatal(err)
				}
			}
			s.Continue().Run(ctx)
			switch pos, _ := s.StepPos(1); at {
			case "step 1":
				s.Goto(pos).Run(ctx)
			case "inside":
				s.Goto(pos - 1).Run(ctx)
			}
			e, err := ParseEdit(text)
			if err != nil {
				t.Fatal(err)
			}
			stop, err := s.Fork(e)
			if err != nil || !strings.Contains(stop.Message, "step") {
				t.Fatalf("%s, %s: %s, %v", at, text, stop.Text(), err)
			}
			switch v := s.State(); text[0] {
			case 'a':
				if m, ok := v.InboxAt("a", 1); !ok || m.Payload.Text() != `{"x":1}` {
					t.Errorf("%s, %s: %v", at, text, m.Payload)
				}
			case 'i':
				if n := v.InboxLen("a"); n != 2 {
					t.Errorf("%s, %s: %d messages wait", at, text, n)
				}
			default:
				s.Continue().Run(ctx)
				if got := mustAgent(t, s, "a").Text(); got != "4" || s.State().Finished().Reason != trace.ReasonIdle {
					t.Errorf("%s, %s: %s, %s", at, text, got, s.State().Finished().Reason)
				}
			}
		}
	}
}
