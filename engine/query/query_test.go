package query

import (
	"errors"
	"strings"
	"testing"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

func val(t testing.TB, text string) canon.Value {
	t.Helper()
	v, _, err := canon.Parse([]byte(text), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// world is a state with two agents behind a received message, an act and an effect.
func world(t testing.TB) (events []trace.Event, views []trace.View) {
	t.Helper()
	events = []trace.Event{
		{Type: trace.Receive, Step: 1, Agent: "a", Message: trace.NewMessage("b", "note", val(t, `{"score":0.7,"list":[1,{"x":"y"}]}`))},
		{Type: trace.Act, Step: 1, Agent: "a", State: val(t, `{"n":3}`), Send: canon.EmptyArray, Effect: trace.NewRequest("llm", val(t, `{"model":"m"}`))},
		{Type: trace.EffectEvent, Step: 1, Agent: "a", Effect: trace.NewRequest("llm", val(t, `{"model":"m"}`)), Response: val(t, `{"text":"hi"}`), Usage: trace.Usage{InputTokens: 3, OutputTokens: 4, USD: 0.25}},
		{Type: trace.ErrorEvent, Step: 1, Agent: "a", Error: &trace.ErrorInfo{Text: "BudgetExceeded: usd 1 > 0"}},
	}
	st := trace.NewState(trace.Setup{Agents: []trace.AgentDef{{ID: "a"}, {ID: "b"}}})
	for i := range events {
		st.Apply(&events[i])
		views = append(views, st.Clone())
	}
	return events, views
}

func TestExpressions(t *testing.T) {
	events, views := world(t)
	for src, want := range map[string]string{
		`type == "receive" and payload.score > 0.5`:        "0",
		`payload["list"][1].x == "y"`:                      "0",
		`payload.list[-1].get("z", 4) == 4`:                "0",
		`len(payload.list or []) == 2`:                     "0",
		`sender == "b"`:                                    "0",
		`state.n == 3 and type == "act"`:                   "1",
		`op == "llm" and input.model == "m"`:               "1 2",
		`response.text.startswith("h")`:                    "2",
		`type == "effect" and response.text == "hi"`:       "2",
		`(usd or 0) > 0.2 and tokens == 7`:                 "2",
		`spent >= 0.25`:                                    "2 3",
		`inbox("a") == 1`:                                  "2 3",
		`(state_of("a") or {}).get("n") == 3`:              "1 2 3",
		`"Budget" in (error or "")`:                        "3",
		`"\"model\"" in text`:                              "1 2",
		`step == 1 and agent in ["a", "c"]`:                "0 1 2 3",
		`step > 1`:                                         "",
		`agent == "b"`:                                     "",
		`event % 2 == 1`:                                   "1 3",
		`payload == None`:                                  "1 3",
		`type in ("act", "error")`:                         "1 3",
		`type == "act" and type == "error"`:                "",
		`[k for k in payload.keys()] == ["list", "score"]`: "0",
		`payload + 1 == 2`:                                 "err",
	} {
		q, err := Compile(src)
		if err != nil {
			t.Fatalf("%s: %v", src, err)
		}
		got := []string{}
		for i := range events {
			ok, err := q.Match(Subject{Index: i, Event: &events[i], View: views[i]})
			if err != nil {
				got = []string{"err"}
				break
			}
			if ok {
				got = append(got, string(rune('0'+i)))
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: matches %v, want %s", src, got, want)
		}
	}
}

func TestErrorsNameTheColumn(t *testing.T) {
	for src, want := range map[string]string{
		"agnt == \"a\"": "column 1: undefined: agnt; an expression can use agent, ",
		"type ==":       "column 8: ",
		"a = 1":         "column 4: ",
		"1 + \"x\"":     "column 3: unknown binary op",
	} {
		q, err := Compile(src)
		if err == nil {
			events, views := world(t)
			_, err = q.Match(Subject{Event: &events[0], View: views[0]})
		}
		var qe *Error
		if !errors.As(err, &qe) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", src, err)
		}
	}
	q, err := Compile("[x for x in range(10000000)] == []")
	if err != nil {
		t.Fatal(err)
	}
	events, _ := world(t)
	if _, err := q.Match(Subject{Event: &events[0]}); err == nil || !strings.Contains(err.Error(), "too many steps") {
		t.Fatalf("an endless expression: %v", err)
	}
}

// What the header excludes is never evaluated, and nothing that would match is excluded.
func TestPrefilterOnlyExcludesWhatCannotMatch(t *testing.T) {
	events, views := world(t)
	log := trace.MemLog(events)
	for _, src := range []string{`type == "act"`, `agent == "a" and type == "effect"`, `step >= 1`, `step < 2`, `not type == "act"`, `type == "act" or agent == "z"`, `(type == "error")`, `step == 0`} {
		q, err := Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		open := *q
		open.pre = prefilter{}
		excluded := 0
		for i := range events {
			s := Subject{Index: i, Event: &events[i], View: views[i]}
			want, err := open.Match(s)
			if err != nil {
				t.Fatal(err)
			}
			if want && !q.May(log.Header(i)) {
				t.Errorf("%s: event %d matches and was excluded", src, i)
			}
			if !q.May(log.Header(i)) {
				excluded++
			}
		}
		if src == `agent == "a" and type == "effect"` && excluded != 3 {
			t.Errorf("%s: %d events excluded by their headers, want 3", src, excluded)
		}
	}
}

func FuzzCompile(f *testing.F) {
	f.Add(`type == "receive" and payload.score > 0.5`)
	f.Add(`inbox("a") + 1`)
	f.Fuzz(func(t *testing.T, src string) {
		q, err := Compile(src)
		if err != nil {
			return
		}
		events, views := world(t)
		for i := range events {
			q.Match(Subject{Index: i, Event: &events[i], View: views[i]})
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	events, views := world(b)
	for name, src := range map[string]string{"header": `type == "finish"`, "payload": `type == "receive" and payload.score > 0.9`, "state": `state.n == 4 or step == 9`} {
		b.Run(name, func(b *testing.B) {
			q, err := Compile(src)
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if ok, err := q.Match(Subject{Event: &events[0], View: views[0]}); ok || err != nil {
					b.Fatal(ok, err)
				}
			}
		})
	}
}
