package debug

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior/script"
	"flowdbg/trace"
)

const sumScript = `def init(config):
    return {"sum": 0}

def add(a, b):
    c = a + b
    return c

def act(msg, state, config):
    total = state["sum"]
    for n in msg.payload:
        total = add(total, n)
    if total > 100:
        fail("too much")
    more = msg.payload[1:]
    if not more:
        return result(state = {"sum": total})
    return result(state = {"sum": total}, send = [send("again", "numbers", more)])
`

const sumFlow = `{"version":1,"id":"sums","agents":[{"id":"adder","kind":"script","config":{"script":"sum.star"}},{"id":"plain","kind":"echo"}],
"edges":[{"from":"adder","port":"again","to":"adder"}],"input":{"to":"adder","tag":"numbers","payload":[1,2,3]}}`

func scripted(t testing.TB, flowText, text string) *engine.Machine {
	t.Helper()
	m, diags := engine.Parse("flow.json", []byte(flowText), script.Registry(script.Options{Read: func(name string) ([]byte, error) {
		if name != "sum.star" {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
	}}), false)
	if m == nil {
		t.Fatal(diags)
	}
	return m
}

func openSums(t testing.TB) *Session {
	t.Helper()
	s, err := New(Options{Machine: scripted(t, sumFlow, sumScript)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func source(t testing.TB, s *Session) *Source {
	t.Helper()
	src, err := s.Source()
	if err != nil {
		t.Fatal(err)
	}
	return src
}

func where(src *Source) string {
	st, ok := src.Statement()
	if !ok {
		return "returned"
	}
	return fmt.Sprintf("%s:%d", st.Func, st.Line)
}

// The walk in words: each command and where it leads.
func TestSourceWalk(t *testing.T) {
	s := openSums(t)
	s.Step(ctx)
	src := source(t, s)
	for i, w := range strings.Fields(`start=act:9 into=act:10 into=act:11 into=add:5 into=add:6 out=act:11 over=act:11 into=add:5 backout=act:11 back=add:6
		backover=add:5 backover=act:11 backout=act:9 over=act:10 over=act:11 over=act:11 over=act:11 over=act:12 over=act:14 over=act:15 over=act:17
		over=returned into=returned backover=act:17 back=act:15 out=returned back=act:17 backout=act:9 back=act:9`) {
		do, want, _ := strings.Cut(w, "=")
		before := src.At()
		moved, ok := map[string]func() bool{"start": func() bool { return false }, "into": src.Into, "back": src.Back, "over": src.Over,
			"backover": src.BackOver, "out": src.Out, "backout": src.BackOut}[do]
		if !ok {
			t.Fatal(do)
		}
		if m := moved(); m != (src.At() != before) {
			t.Errorf("move %d (%s) says %v", i, do, m)
		}
		if got := where(src); got != want {
			t.Fatalf("move %d: %s leads to %s, expected %s", i, do, got, want)
		}
	}
	if again := source(t, s); again != src {
		t.Error("the walk is not kept while the position stays")
	}
	if s.Pos() != s.Len() || src.Event < 0 || src.Step != 1 || src.Note != "" {
		t.Errorf("walking moved the session, or the call is not the recorded one: pos %d, %+v", s.Pos(), src)
	}
}

// The call of a step is seen with the state and message that it had then, in every mode and at every position.
func TestSourceOfAStep(t *testing.T) {
	record := toEnd(t, openSums(t))
	for _, mode := range []Mode{Live, Replay, Playback} {
		opt := Options{Machine: scripted(t, sumFlow, sumScript), PlaybackAll: mode == Playback}
		if mode != Live {
			opt.Trace = &trace.Trace{Events: record}
		}
		s, err := New(opt)
		if err != nil {
			t.Fatal(err)
		}
		s.Goto(len(record)).Run(ctx)
		var totals []string
		for s.Pos() > 1 {
			src := source(t, s)
			src.Goto(2)
			locals, err := src.Locals()
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(locals, func(l script.Local) bool { return l.Name == "total" })
			totals = append(totals, locals[i].Value)
			s.StepBack()
		}
		if got := strings.Join(totals, " "); got != "11 6 0" && got != "11 11 6 0" {
			t.Errorf("%s: totals at the start of the steps, backwards: %s", mode, got)
		}
	}
}

func TestSourceBeforeItHappens(t *testing.T) {
	s := openSums(t)
	src := source(t, s)
	if src.Event != -1 || src.Agent != "adder" || src.Step != 1 || s.Pos() > 1 {
		t.Fatalf("%+v at %d", src, s.Pos())
	}
	src.Into()
	if next, err := s.NextSource(); err != nil || next != src {
		t.Errorf("the walk ahead is not kept: %v", err)
	}
	toEnd(t, s)
	if _, err := s.NextSource(); err == nil {
		t.Error("nobody runs behind the end")
	}
}

func TestNoSource(t *testing.T) {
	flowText := strings.Replace(sumFlow, `"to":"adder","tag"`, `"to":"plain","tag"`, 1)
	s, err := New(Options{Machine: scripted(t, flowText, sumScript)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Source(); err == nil || !strings.Contains(err.Error(), "plain is no script") {
		t.Errorf("%v", err)
	}
	s, err = New(Options{Trace: &trace.Trace{Events: toEnd(t, openSums(t))}})
	if err != nil {
		t.Fatal(err)
	}
	s.Step(ctx)
	if _, err := s.Source(); err == nil || !strings.Contains(err.Error(), "without its flow") {
		t.Errorf("%v", err)
	}
}

// A script that is not the recorded one is told: what is stepped through is not what happened.
func TestSourceOfAnotherScript(t *testing.T) {
	record := toEnd(t, openSums(t))
	for text, want := range map[string]string{
		strings.Replace(sumScript, "a + b", "a - b", 1):           "another state",
		strings.Replace(sumScript, `"numbers"`, `"figures"`, 1):   "something else",
		strings.Replace(sumScript, "total > 100", "total > 1", 1): "it fails",
		sumScript + "\n": "",
	} {
		s, err := New(Options{Machine: scripted(t, sumFlow, text), Trace: &trace.Trace{Events: record}, PlaybackAll: true})
		if err != nil {
			t.Fatal(err)
		}
		s.Step(ctx)
		if src := source(t, s); (want == "") != (src.Note == "") || !strings.Contains(src.Note, want) {
			t.Errorf("note %q, expected %q", src.Note, want)
		}
	}
}

// Forward and reverse stop at the same calls, in opposite order, at the first and at the last time that the line ran.
func TestLineBreakpoints(t *testing.T) {
	for spec, want := range map[string]string{
		"line sum.star:5":                       "1@3 2@3 3@3",
		"sum.star:5 when b == 3":                "1@9 2@6 3@3",
		"line sum.star:6 when c > 8":            "2@7 3@4",
		"line sum.star:16":                      "3@8",
		"line sum.star:5 when undefined_name":   "1@0 2@0 3@0", // it cannot be told: not passed over
		"line sum.star:17 when len(more) < 2":   "2@11",
		"line sum.star:4":                       "1@3 2@3 3@3", // a line of a function's head: the next statement
		"line other.star:5":                     "",
		"line sum.star:10 when total.x == None": "1@0 2@0 3@0",
	} {
		t.Run(spec, func(t *testing.T) {
			s := openSums(t)
			b, err := ParseBreakpoint(spec)
			if err != nil {
				t.Fatal(err)
			}
			set := mustBreak(t, s, b)
			if set.Unbound != strings.Contains(spec, "other") {
				t.Errorf("unbound: %v", set.Unbound)
			}
			if again, err := ParseBreakpoint(set.spec()); err != nil || again.spec() != set.spec() {
				t.Errorf("%q is read as %q: %v", set.spec(), again.spec(), err)
			}
			var stops, back []string
			for {
				stop := s.Continue().Run(ctx)
				if stop.Reason != StopBreak {
					break
				}
				stops = append(stops, fmt.Sprintf("%d@%d", stop.Step, source(t, s).At()))
			}
			if got := strings.Join(stops, " "); got != want {
				t.Errorf("stops %q, expected %q", got, want)
			}
			for {
				stop := s.ReverseContinue().Run(ctx)
				if stop.Reason != StopBreak {
					break
				}
				back = append(back, fmt.Sprint(stop.Step))
			}
			slices.Reverse(back)
			for i := range stops {
				stops[i], _, _ = strings.Cut(stops[i], "@")
			}
			if !slices.Equal(stops, back) {
				t.Errorf("in reverse %v", back)
			}
		})
	}
}

func TestSourceContinue(t *testing.T) {
	s := openSums(t)
	b, _ := ParseBreakpoint("sum.star:5")
	mustBreak(t, s, b)
	s.Continue().Run(ctx)
	var at []int
	for {
		src, by, err := s.SourceContinue(false)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, src.At())
		if by == nil {
			break
		}
	}
	n := source(t, s).Len()
	if !slices.Equal(at, []int{6, 9, n}) {
		t.Errorf("forward %v", at)
	}
	at = nil
	for {
		src, by, err := s.SourceContinue(true)
		if err != nil {
			t.Fatal(err)
		}
		at = append(at, src.At())
		if by == nil {
			break
		}
	}
	if !slices.Equal(at, []int{9, 6, 3, 0}) {
		t.Errorf("back %v", at)
	}
}

func TestBadLineBreakpoints(t *testing.T) {
	for _, text := range []string{"line", "line sum.star", "line sum.star:0", "line sum.star:x", "line :3", "line a.star:3 when )", "line a.star:1 b"} {
		if b, err := ParseBreakpoint(text); err == nil {
			t.Errorf("%q is read as %+v", text, b)
		}
	}
	if b, err := ParseBreakpoint("a:3"); err != nil || b.Kind != BreakAgent {
		t.Errorf("a:3 is an agent: %+v %v", b, err)
	}
}
