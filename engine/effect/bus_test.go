package effect

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, _, err := canon.ParseString(text, canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func settings(t testing.TB, text string) map[string]canon.Value {
	t.Helper()
	m := map[string]canon.Value{}
	for op, v := range parse(t, text).Members() {
		m[op] = v
	}
	return m
}

// Precedence: the request's own member, the agent's config, effects.<op>, what is built in. null counts as absent
// everywhere; endpoints, keys and timeouts never get in.
func TestResolve(t *testing.T) {
	const (
		none = `{}`
		set  = `{"llm":{"model":"set","temperature":0.1,"base_url":"http://h/v1","api_key":{"$secret":"KEY"},"timeout_ms":5,"retries":2,"prices":"p.json","seed":null},"search":{"limit":7,"url":"http://s"}}`
		conf = `{"model":"conf","prompt":"p","api_key":"k","base_url":"b","max_tokens":9}`
	)
	cases := map[string]struct{ op, settings, config, input, want string }{
		"built in":                 {"llm", none, `null`, `{"messages":[]}`, `{"messages":[],"model":"mock-fast"}`},
		"effects over built in":    {"llm", set, `{}`, `{"messages":[]}`, `{"messages":[],"model":"set","temperature":0.1}`},
		"config over effects":      {"llm", set, conf, `{"messages":[]}`, `{"max_tokens":9,"messages":[],"model":"conf","temperature":0.1}`},
		"request over config":      {"llm", set, conf, `{"max_tokens":1,"model":"own","temperature":0}`, `{"max_tokens":1,"model":"own","temperature":0}`},
		"null in the request":      {"llm", set, conf, `{"model":null,"stop":null}`, `{"max_tokens":9,"model":"conf","stop":null,"temperature":0.1}`},
		"null in the config":       {"llm", set, `{"model":null}`, `{}`, `{"model":"set","temperature":0.1}`},
		"null in effects":          {"llm", `{"llm":{"model":null}}`, `null`, `{}`, `{"model":"mock-fast"}`},
		"config that is no object": {"llm", none, `"x"`, `{}`, `{"model":"mock-fast"}`},
		"search":                   {"search", set, `{"model":"conf"}`, `{"query":"q"}`, `{"limit":7,"query":"q"}`},
		"search built in":          {"search", none, `null`, `{"query":"q"}`, `{"limit":3,"query":"q"}`},
		"search limit of the kind": {"search", set, `{"limit":1}`, `{"query":"q"}`, `{"limit":1,"query":"q"}`},
		"unknown op":               {"tool", `{"tool":{"model":"m","url":"u"}}`, conf, `{"tool":"t"}`, `{"tool":"t"}`},
		"input that is no object":  {"llm", set, conf, `"hello"`, `"hello"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			bus := NewBus(settings(t, c.settings))
			input := parse(t, c.input)
			got := bus.Resolve(c.op, input, parse(t, c.config))
			if got.Text() != c.want {
				t.Fatalf("got  %s\nwant %s", got, c.want)
			}
			if input.Text() != parse(t, c.input).Text() || bus.Resolve(c.op, got, canon.Null) != got {
				t.Fatal("the input was changed, or resolving twice gives more")
			}
			if err := canon.OracleCheck([]byte(got.Text())); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestBusRoutes(t *testing.T) {
	bus := NewBus(settings(t, `{"llm":{"provider":"openai"},"search":{"provider":"mock"},"tool":{"provider":"mcp"},"judge":{},"odd":{"provider":5}}`))
	if got := bus.NotLive(); !slices.Equal(got, []string{"llm", "odd", "tool"}) {
		t.Fatalf("not live: %v", got)
	}
	ask := func(op string) error {
		_, err := bus.Answer(context.Background(), Call{Agent: "a", Step: 1, Request: trace.NewRequest(op, canon.EmptyObject)})
		return err
	}
	var notLive *NotLive
	if err := ask("llm"); !errors.As(err, &notLive) || notLive.Provider != "openai" || !IsPause(err) {
		t.Fatalf("llm: %v", err)
	}
	if err := ask("odd"); !errors.As(err, &notLive) {
		t.Fatalf("a provider that is no name was answered: %v", err)
	}
	if err := ask("search"); err != nil {
		t.Fatalf("search: %v", err)
	}
	if err := ask("judge"); err != nil {
		t.Fatalf("judge needs nothing to be live: %v", err)
	}
	for _, op := range []string{"exec", "http"} {
		var failed *Failure
		if err := ask(op); !errors.As(err, &failed) || err.Error() != "EffectError: "+op+": no_provider" || IsPause(err) {
			t.Fatalf("%s: %v", op, err)
		}
	}
}

func mock(t testing.TB, op, input string) Answer {
	t.Helper()
	a, err := NewBus(nil).Answer(context.Background(), Call{Request: trace.NewRequest(op, parse(t, input))})
	if err != nil {
		t.Fatal(err)
	}
	if err := canon.OracleCheck([]byte(a.Output.Text())); err != nil {
		t.Fatal(err)
	}
	return a
}

// The mock's answer follows from the request alone; one changed character changes it.
func TestMockLLM(t *testing.T) {
	const ask = `{"messages":[{"content":"Be brief.","role":"system"},{"content":"Interaction nets reduce locally","role":"user"}],"model":"mock-fast"}`
	a, b := mock(t, "llm", ask), mock(t, "llm", ask)
	if a.Output != b.Output || a.Usage != b.Usage {
		t.Fatal("two answers for one request")
	}
	said, _ := a.Output.Get("text").Str()
	s, ok := a.Output.Get("json").Get("score").Float()
	if !ok || s < 0.3 || s > 1 || a.Output.Get("finish_reason").Text() != `"stop"` {
		t.Fatalf("%s", a.Output)
	}
	own := 0
	for _, w := range []string{"Interaction", "nets", "reduce", "locally"} {
		own += strings.Count(said, w)
	}
	if own == 0 || strings.Contains(said, "brief") {
		t.Fatalf("not made of the prompt's own words: %s", said)
	}
	if mock(t, "llm", strings.Replace(ask, "locally", "locallz", 1)).Output == a.Output {
		t.Fatal("a changed character changed nothing")
	}
	wantIn, wantOut := mockTokens(len("Be brief.")+len("Interaction nets reduce locally")), mockTokens(len(said))
	if a.Usage.InputTokens != wantIn || a.Usage.OutputTokens != wantOut || a.Usage.USD != MockPrices["mock-fast"].Cost(wantIn, wantOut) {
		t.Fatalf("usage %+v", a.Usage)
	}
	strong := mock(t, "llm", strings.Replace(ask, "mock-fast", "mock-strong", 1))
	if strong.Usage.USD <= a.Usage.USD {
		t.Fatal("mock-strong is not dearer")
	}
	cut := mock(t, "llm", strings.Replace(ask, `"model"`, `"max_tokens":2,"model"`, 1))
	if s, _ := cut.Output.Get("text").Str(); len(s) > 8 || cut.Output.Get("finish_reason").Text() != `"length"` {
		t.Fatalf("max_tokens 2: %s", cut.Output)
	}
	for _, odd := range []string{`{}`, `{"messages":5}`, `{"messages":[{"content":7}]}`, `null`, `{"messages":[{"content":"é"}],"max_tokens":0}`, `{"max_tokens":9007199254740991}`} {
		mock(t, "llm", odd)
	}
}

func TestMockSearch(t *testing.T) {
	a := mock(t, "search", `{"limit":2,"query":"interaction nets"}`)
	if a.Output.Get("hits").Count() != 2 || !a.Usage.IsZero() || a.UsageUnknown {
		t.Fatalf("%s %+v", a.Output, a.Usage)
	}
	for _, h := range a.Output.Get("hits").Elems() {
		for _, key := range []string{"title", "url", "snippet"} {
			if s, ok := h.Get(key).Str(); !ok || s == "" {
				t.Fatalf("hit %s has no %s", h, key)
			}
		}
	}
	for _, odd := range []string{`{}`, `{"query":5,"limit":-1}`, `{"limit":0}`, `{"limit":1.5}`, `{"limit":1000000}`} {
		mock(t, "search", odd)
	}
}

// Each product and each quotient is rounded on its own; that no build fuses them is checked on the machine code.
func TestCost(t *testing.T) {
	for _, in := range []float64{1, 7, 123, 4567, 99991} {
		for _, out := range []float64{1, 3, 77, 1009} {
			for model, p := range MockPrices {
				a := in * p.InputPerMTok
				b := out * p.OutputPerMTok
				c, d := a/1e6, b/1e6
				if got, want := p.Cost(in, out), c+d; got != want {
					t.Errorf("%s %v/%v: %v, want %v", model, in, out, got, want)
				}
			}
		}
	}
}
