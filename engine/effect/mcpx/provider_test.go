package mcpx

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/secret"
	"flowdbg/trace"
)

func provider(t *testing.T, mode string) *Provider {
	t.Helper()
	s := program(t, mode, "")
	p := &Provider{Pool: NewPool([]*Server{s}, secret.NewVault(nil)), Now: time.Now}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func ask(t *testing.T, p effect.Provider, input string) (effect.Answer, error) {
	t.Helper()
	return p.Do(context.Background(), effect.Call{Agent: "a", Step: 1, Request: trace.NewRequest("mcp", parse(t, input))})
}

func TestProvider(t *testing.T) {
	p := provider(t, "good")
	a, err := ask(t, p, `{"server":"srv","tool":"echo","arguments":{"x":1}}`)
	if err != nil {
		t.Fatal(err)
	}
	if a.Output.Get("structuredContent").Get("arguments").Text() != `{"x":1}` || !a.Usage.IsZero() || a.UsageUnknown {
		t.Errorf("%s %+v", a.Output, a.Usage)
	}
	side := a.Side.Get("mcp")
	if side.Get("server").Text() != `"srv"` || side.Get("class").Text() != `"unsafe"` || side.Get("elapsed_ms").IsAbsent() {
		t.Errorf("%s", a.Side)
	}
	p.Declared = func(server, tool string) Declared { return Declared{USD: 0.25, Class: effect.Idempotent} }
	if a, err = ask(t, p, `{"server":"srv","tool":"second"}`); err != nil || a.Usage.USD != 0.25 || a.Side.Get("mcp").Get("class").Text() != `"idempotent"` {
		t.Errorf("%v %+v %s", err, a.Usage, a.Side)
	}
	for input, want := range map[string]string{
		`"x"`: ClassBadRequest, `{}`: ClassBadRequest, `{"server":"srv"}`: ClassBadRequest, `{"server":1,"tool":"echo"}`: ClassBadRequest,
		`{"server":"srv","tool":""}`: ClassBadRequest, `{"server":"srv","tool":"echo","arguments":[]}`: ClassBadRequest,
		`{"server":"other","tool":"echo"}`: ClassUnknownServer,
	} {
		var f *effect.Failure
		if _, err := ask(t, p, input); !errors.As(err, &f) || f.Class != want {
			t.Errorf("%s: %v", input, err)
		}
	}
}

// A refusal of the tool's own is an answer; so is content that the SDK does not know, and large integers are kept as text.
func TestProviderAnswers(t *testing.T) {
	a, err := ask(t, provider(t, "isError"), `{"server":"srv","tool":"echo"}`)
	if err != nil || a.Output.Get("isError").Text() != "true" {
		t.Errorf("isError: %v %s", err, a.Output)
	}
	a, err = ask(t, provider(t, "odd"), `{"server":"srv","tool":"echo"}`)
	if err != nil || a.Output.Get("structuredContent").Get("n").Text() != `"9007199254740993"` ||
		!strings.Contains(a.Side.Get("notes").Text(), "big_integer:/structuredContent/n") {
		t.Errorf("odd: %v %s %s", err, a.Output, a.Side)
	}
}

func TestParseServer(t *testing.T) {
	for text, want := range map[string]string{
		`{}`:                                      "neither",
		`{"command":"a","url":"http://x"}`:        "keep one",
		`{"url":"ftp://x"}`:                       "no http",
		`{"url":"//"}`:                            "no http",
		`{"command":5}`:                           "command is number",
		`{"command":"a","args":"b"}`:              "args is string",
		`{"command":"a","args":[1]}`:              "args/0",
		`{"command":"a","env":{"X":1}}`:           "env/X",
		`{"command":"a","env":[]}`:                "env is array",
		`{"command":"a","timeout_ms":0}`:          "timeout_ms",
		`{"command":"a","contract_version":1.5}`:  "contract_version",
		`{"command":"a","max_answer_bytes":"5k"}`: "max_answer_bytes",
	} {
		if _, err := ParseServer("s", parse(t, text), "/"); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", text, err, want)
		}
	}
	s, err := ParseServer("s", parse(t, `{"command":"./srv","args":["a"],"cwd":"sub","env":{"K":{"$secret":"KEY"},"E":null},"contract_version":2,"timeout_ms":5,"alwaysAllow":[]}`), "/flow")
	if err != nil || s.Dir != "/flow/sub" || s.Pinned != 2 || s.Timeout != 5*time.Millisecond || s.StartTimeout != DefaultStartTimeout || len(s.Secrets()) != 1 {
		t.Errorf("%+v %v", s, err)
	}
}
