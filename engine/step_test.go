package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"flowdbg/engine/behavior"
	"flowdbg/engine/effect"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// The table of error texts (design: errors), word for word, each with its code.
func TestErrorTexts(t *testing.T) {
	want := map[string][2]string{ // golden trace → text, code
		"usd-exceeded":          {"BudgetExceeded: usd 0.12 > 0.1", "BudgetExceeded"},
		"tokens-exceeded":       {"BudgetExceeded: tokens 10200 > 10000", "BudgetExceeded"},
		"steps-budget":          {"BudgetExceeded: steps 2", "BudgetExceeded"},
		"behavior-error":        {"BehaviorError: a: cannot do it", "BehaviorError"},
		"effect-error":          {"EffectError: llm: timeout", "EffectError"},
		"bad-value":             {"BadValue: /state/x: NaN has no JSON form", "BadValue"},
		"unmetered":             {"UnmeteredEffect: llm", "UnmeteredEffect"},
		"message-invalid-error": {"MessageInvalid: m /n: is string, not integer", "MessageInvalid"},
	}
	for name, w := range want {
		found := false
		for _, e := range mustRead(t, readFile(t, "testdata/golden/"+name+".json")).Events {
			if e.Type == trace.ErrorEvent {
				found = true
				if e.Error.Text != w[0] || e.Error.Code != w[1] {
					t.Errorf("%s: %q with code %q", name, e.Error.Text, e.Error.Code)
				}
			}
		}
		if !found {
			t.Errorf("%s has no error", name)
		}
	}
	if got := (&trace.LimitBreach{What: "inbox", Got: 10001, Limit: 10000}).Error(); got != "LimitExceeded: inbox 10001 > 10000" || codeOf(got) != trace.CodeLimitExceeded {
		t.Error(got)
	}
}

// A text that is no UTF-8 reads back from a file as it is in memory; a stack never gets into a trace.
func TestErrorTextsAreUTF8(t *testing.T) {
	for name, act := range map[string]actFunc{
		"error":  func(behavior.Call) (behavior.Result, error) { return behavior.Result{}, errors.New("bad \xff byte") },
		"panic":  func(behavior.Call) (behavior.Result, error) { panic("bad \xff byte") },
		"failed": nil,
	} {
		src := sourceFunc(func(c effect.Call) (effect.Answer, error) {
			return effect.Answer{}, &effect.Failure{Op: c.Request.Op, Class: "bad \xff byte"}
		})
		if act == nil {
			act = func(behavior.Call) (behavior.Result, error) {
				return behavior.Result{Effect: &behavior.Effect{Op: "x"}}, nil
			}
		}
		t.Run(name, func(t *testing.T) {
			text := shape(runFunc(t, act, src))
			if !strings.Contains(text, "bad \uFFFD byte") || strings.Contains(text, "goroutine") || strings.Contains(text, ".go:") {
				t.Fatal(text)
			}
		})
	}
}

// A panic with something else than a string, and names that cannot be written.
func TestOddResults(t *testing.T) {
	var list []int
	cases := map[string]struct {
		act  actFunc
		want string
	}{
		"runtime error":  {func(behavior.Call) (behavior.Result, error) { _ = list[3]; return behavior.Result{}, nil }, "BehaviorError: a: panic: runtime error: index out of range [3] with length 0"},
		"panicked error": {func(behavior.Call) (behavior.Result, error) { panic(errors.New("inside")) }, "BehaviorError: a: panic: inside"},
		"wrapped bad value": {func(behavior.Call) (behavior.Result, error) {
			return behavior.Result{}, errors.Join(&behavior.BadValue{Pointer: "/x", Why: "y"})
		}, "BadValue: /x: y"},
		"port": {func(behavior.Call) (behavior.Result, error) {
			return behavior.Result{Sends: []trace.Send{{Port: "\xff"}}}, nil
		}, "BadValue: /send/0/port: is not UTF-8"},
		"tag": {func(behavior.Call) (behavior.Result, error) {
			return behavior.Result{Sends: []trace.Send{{Port: "p", Tag: "\xff"}}}, nil
		}, "BadValue: /send/0/tag: is not UTF-8"},
		"op": {func(behavior.Call) (behavior.Result, error) {
			return behavior.Result{Effect: &behavior.Effect{Op: "\xff"}}, nil
		}, "BadValue: /effect/op: is not UTF-8"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, want := shape(runFunc(t, c.act, nil)), "receive, "+c.want+", finish error"; got != want {
				t.Fatalf("got %s\nwant %s", got, want)
			}
		})
	}
}

func doFlow(config, payload string) []byte {
	return []byte(`{"version":1,"id":"f","agents":[{"id":"a","kind":"do","config":` + config + `}],"edges":[],"input":{"to":"a","tag":"go","payload":` + payload + `}}`)
}

// --verify: every part of a result is compared, and no event says so, because the step did not happen.
func TestVerify(t *testing.T) {
	for _, part := range []string{"state", "send", "effect", "error", "error once"} {
		t.Run(part, func(t *testing.T) {
			m := testMachine(t, doFlow(`{"flaky":"`+part+`"}`, `{}`))
			m.Verify = true
			r, err := NewRun(m, fakeSource{m.Bus()})
			if err != nil {
				t.Fatal(err)
			}
			_, err = r.Step(context.Background())
			var u *Undeterministic
			if !errors.As(err, &u) || u.Agent != "a" || len(r.Events) != 0 || r.State.Begun() != 0 || r.State.ReadyCount() != 1 {
				t.Fatalf("%v, %d events", err, len(r.Events))
			}
			m.Verify = false
			if _, err := r.Step(context.Background()); err != nil {
				t.Fatalf("without verify: %v", err)
			}
		})
	}
	t.Run("init", func(t *testing.T) {
		m := testMachine(t, doFlow(`{"init":0,"flaky":"init"}`, `{}`))
		m.Verify = true
		var u *Undeterministic
		if _, err := NewRun(m, m.Bus()); !errors.As(err, &u) {
			t.Fatalf("%v", err)
		}
	})
	t.Run("pure", func(t *testing.T) {
		for _, file := range ruleFlows(t) {
			m := testMachine(t, readFile(t, file))
			m.Verify = true
			if got := traceText(t, runFlow(t, m).Events); string(got) != string(readFile(t, goldenOf(file))) {
				t.Fatalf("%s: verify changes the run", file)
			}
		}
	})
}

// A first state that cannot be made keeps the run from starting; it never crashes.
func TestInitFailures(t *testing.T) {
	for config, want := range map[string]string{
		`{"init":0,"flaky":"init panics"}`:                    "init of a: panic: no first state",
		`{"init":0,"flaky":"init fails"}`:                     "init of a: no first state",
		`{"init":` + `"` + strings.Repeat("x", 17<<20) + `"}`: "init of a: LimitExceeded: state 17825794 > 16777216",
	} {
		m := testMachine(t, doFlow(config, `{}`))
		if _, err := NewRun(m, m.Bus()); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		if _, err := Replay(context.Background(), m, nil); err == nil || err.Error() != want {
			t.Errorf("replay: got %v, want %s", err, want)
		}
	}
}

// What config and effects get wrong is told with line, column and pointer, all at once.
func TestConfigProblems(t *testing.T) {
	const text = `{"version":1,"id":"f",
 "agents":[
  {"id":"a","kind":"counter","config":{"every":0,"evry":2}},
  {"id":"b","kind":"gate"}],
 "edges":[],
 "effects":{"llm":{"provider":7}}}`
	m, diags := Parse("flow.json", []byte(text), testKinds(), false)
	if m != nil {
		t.Fatal("a machine in spite of errors")
	}
	var got []string
	for _, d := range diags {
		if d.Code == CodeBadConfig {
			got = append(got, d.String())
		}
	}
	want := []string{
		`flow.json:3:48: error: /agents/0/config/every: "every" is not a whole number from 1 on; write 1 or more [bad_config]`,
		`flow.json:3:57: warning: /agents/0/config/evry: unknown config member "evry"; this kind reads every, ignore, tag [bad_config]`,
		`flow.json:4:3: error: /agents/1/config: the gate has no value to compare with; write "value" [bad_config]`,
		`flow.json:6:31: error: /effects/llm/provider: the provider is not a name; write a string, "mock" for none [bad_config]`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Fatalf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	warned := strings.NewReplacer(`"every":0,`, "", `,"effects":{"llm":{"provider":7}}`, "", `"kind":"gate"`, `"kind":"echo"`, `"edges":[],`, `"edges":[]`, ` "effects":{"llm":{"provider":7}}`, "").Replace(text)
	if m, diags := Parse("flow.json", []byte(warned), testKinds(), false); m == nil {
		t.Fatalf("a warning kept the flow from running: %v", diags)
	}
	if m, diags := Parse("flow.json", []byte(warned), testKinds(), true); m != nil || !flow.HasErrors(diags) {
		t.Fatal("strict reading lets an unknown config member pass")
	}
}

// Warnings while running: sends that end in the outputs of an agent with wired ports, and the tag of effect answers.
func TestWarnings(t *testing.T) {
	text := func(ports string) []byte {
		return []byte(`{"version":1,"id":"f","agents":[{"id":"a","kind":"do"` + ports + `},{"id":"b","kind":"do"}],
"edges":[{"from":"a","port":"out","to":"b"}],"input":{"to":"a","tag":"go","payload":{"send":[
{"port":"out","tag":"m","payload":{"send":[{"port":"end","tag":"m"}]}},{"port":"oot","tag":"m"},{"port":"out","tag":"effect"}]}}}`)
	}
	for ports, want := range map[string]string{"": "unwired_port reserved_tag", `,"ports":["oot"]`: "reserved_tag"} {
		m := testMachine(t, text(ports))
		var got []string
		m.OnWarn = func(f trace.Finding) { got = append(got, f.Kind) }
		runFlow(t, m)
		if strings.Join(got, " ") != want {
			t.Errorf("ports %q: %v, want %s", ports, got, want)
		}
	}
}

// A pause leaves nothing behind: the step can be tried again.
func TestPauseLeavesNothing(t *testing.T) {
	m := testMachine(t, doFlow("null", `{"send":[{"port":"p","tag":"m"}],"effect":{"op":"llm","input":{}}}`))
	st := trace.NewState(m.Setup())
	answered := false
	r := &Run{Machine: m, State: st, Source: sourceFunc(func(c effect.Call) (effect.Answer, error) {
		if !answered {
			return effect.Answer{}, &effect.NotLive{Op: c.Request.Op, Provider: "openai"}
		}
		return effect.Answer{Output: canon.Null}, nil
	})}
	before := string(st.AppendDocument(nil))
	_, err := r.Step(context.Background())
	if !effect.IsPause(err) || len(r.Events) != 0 || string(st.AppendDocument(nil)) != before || st.Begun() != 0 {
		t.Fatalf("%v, %d events", err, len(r.Events))
	}
	answered = true
	if err := r.ToEnd(context.Background(), nil); err != nil || shape(r.Events) != "receive, act, send, effect, receive, act, finish idle" {
		t.Fatalf("%v %s", err, shape(r.Events))
	}
	if status, err := r.Step(context.Background()); status != RunEnded || err != nil || r.Failed() {
		t.Fatal("a finished run goes on")
	}
}

// Cancelling between steps stops the run; a provider that is cancelled leaves nothing behind.
func TestCancelledContext(t *testing.T) {
	m := testMachine(t, doFlow("null", `{"effect":{"op":"llm","input":{}}}`))
	ctx, cancel := context.WithCancel(context.Background())
	r, err := NewRun(m, sourceFunc(func(effect.Call) (effect.Answer, error) {
		cancel()
		return effect.Answer{}, ctx.Err()
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(ctx, nil); !errors.Is(err, context.Canceled) || len(r.Events) != 0 {
		t.Fatalf("%v, %d events", err, len(r.Events))
	}
	if err := r.ToEnd(ctx, nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}
