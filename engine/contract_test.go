package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"flowdbg/engine/behavior"
	"flowdbg/engine/effect"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// asker asks once for what its config says.
type asker struct{ op, input string }

func (a asker) Act(c behavior.Call) (behavior.Result, error) {
	if c.Message.Tag == trace.TagEffect {
		return behavior.Result{}, nil
	}
	return behavior.Result{Effect: &behavior.Effect{Op: a.op, Input: canon.Raw(a.input)}}, nil
}

// requestOf is the input of the effect that agent a asks for in a flow with these members, and the ops that are not live.
func requestOf(t *testing.T, op, input, agent, members string) (string, []string) {
	t.Helper()
	kinds := behavior.Builtin()
	if err := kinds.Register(behavior.Kind{Name: "asker", New: func(canon.Value) (behavior.Behavior, []behavior.Problem) { return asker{op, input}, nil }}); err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf(`{"version":1,"id":"f","agents":[{"id":"a","kind":"asker"%s}],"edges":[],"input":{"to":"a","tag":"t"}%s}`, agent, members)
	m, diags := Parse("flow.json", []byte(text), kinds, true)
	if m == nil {
		t.Fatal(diags)
	}
	var got string
	r, err := NewRun(m, answerFunc(func(c effect.Call) (effect.Answer, error) {
		got = c.Request.Input.Text()
		return effect.Answer{Output: canon.Null}, nil
	}))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return got, m.Bus().NotLive()
}

type answerFunc func(effect.Call) (effect.Answer, error)

func (f answerFunc) Answer(_ context.Context, c effect.Call) (effect.Answer, error) { return f(c) }

// The contract version can change the answer, so it is in the request, and there only in `_meta`.
func TestContractVersionInRequest(t *testing.T) {
	const (
		call = `{"arguments":{"x":1},"tool":"iPL.place"}`
		v1   = `{"_meta":{"ai-norm.com/contract_version":1},"arguments":{"x":1},"tool":"iPL.place"}`
	)
	cases := map[string]struct{ op, input, agent, members, want string }{
		"of the agent":     {"tool", call, `,"contract_version":1`, ``, v1},
		"of the flow":      {"tool", call, ``, `,"contracts":{"version":1}`, v1},
		"agent over flow":  {"tool", call, `,"contract_version":1`, `,"contracts":{"version":3}`, v1},
		"none":             {"tool", call, ``, ``, call},
		"another op":       {"mcp", call, `,"contract_version":1`, ``, call},
		"the request's":    {"tool", v1, `,"contract_version":2`, ``, v1},
		"beside another":   {"tool", `{"_meta":{"a/b":2},"tool":"t"}`, `,"contract_version":1`, ``, `{"_meta":{"a/b":2,"ai-norm.com/contract_version":1},"tool":"t"}`},
		"null is absent":   {"tool", `{"_meta":null,"tool":"t"}`, `,"contract_version":1`, ``, `{"_meta":{"ai-norm.com/contract_version":1},"tool":"t"}`},
		"other prefix":     {"tool", `{"tool":"t"}`, `,"contract_version":1`, `,"contracts":{"prefix":"my.org"}`, `{"_meta":{"my.org/contract_version":1},"tool":"t"}`},
		"odd meta is kept": {"tool", `{"_meta":5,"tool":"t"}`, `,"contract_version":1`, ``, `{"_meta":5,"tool":"t"}`},
		"no object":        {"tool", `"x"`, `,"contract_version":1`, ``, `"x"`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got, _ := requestOf(t, c.op, c.input, c.agent, c.members); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// A flow with servers or a platform has the ops tool and mcp, and neither is live.
func TestPlatformOps(t *testing.T) {
	for members, want := range map[string][]string{
		``:                                    {},
		`,"mcpServers":{"s":{"command":"x"}}`: {"mcp", "tool"},
		`,"contracts":{"platform":"p.json"}`:  {"mcp", "tool"},
		`,"mcpServers":{"s":{"command":"x"}},"effects":{"tool":{"provider":"own"}}`: {"mcp", "tool"},
	} {
		if _, got := requestOf(t, "tool", `{}`, ``, members); !slices.Equal(got, want) {
			t.Errorf("%s: %v, expected %v", members, got, want)
		}
	}
	m, diags := Parse("f", []byte(`{"version":1,"id":"f","agents":[{"id":"a","kind":"echo"}],"edges":[],"mcpServers":{"s":{"command":"x"}}}`), behavior.Builtin(), true)
	if m == nil {
		t.Fatal(diags)
	}
	var notLive *effect.NotLive
	if _, err := m.Bus().Answer(context.Background(), effect.Call{Agent: "a", Step: 1, Request: trace.NewRequest("mcp", canon.Null)}); !errors.As(err, &notLive) || notLive.Provider != "mcp" {
		t.Errorf("mcp without --live: %v", err)
	}
}

func TestBadPrefix(t *testing.T) {
	m, diags := Parse("f.json", []byte(`{"version":1,"id":"f","agents":[{"id":"a","kind":"echo"}],"edges":[],"contracts":{"prefix":"no domain"}}`), behavior.Builtin(), true)
	if m != nil || !flow.HasErrors(diags) || !strings.Contains(fmt.Sprint(diags), "/contracts/prefix") {
		t.Errorf("%v", diags)
	}
}
