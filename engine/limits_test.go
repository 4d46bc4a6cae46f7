package engine

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"flowdbg/engine/behavior"
	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// actFunc is a behaviour made of one function.
type actFunc func(behavior.Call) (behavior.Result, error)

func (f actFunc) Act(c behavior.Call) (behavior.Result, error) { return f(c) }

// sourceFunc answers effects by one function.
type sourceFunc func(effect.Call) (effect.Answer, error)

func (f sourceFunc) Answer(_ context.Context, c effect.Call) (effect.Answer, error) { return f(c) }

// oneAgent is a flow of agent "a" of kind "fn", whose port "self" leads to itself, with an input.
const oneAgent = `{"version":1,"id":"f","agents":[{"id":"a","kind":"fn"},{"id":"b","kind":"fn"}],
"edges":[{"from":"a","port":"self","to":"a"},{"from":"a","port":"two","to":"a"},{"from":"a","port":"two","to":"b"}],"input":{"to":"a","tag":"go"}}`

func funcMachine(tb testing.TB, flow string, act actFunc) *Machine {
	tb.Helper()
	kinds := testKinds()
	if err := kinds.Register(behavior.Kind{Name: "fn", New: func(canon.Value) (behavior.Behavior, []behavior.Problem) { return act, nil }}); err != nil {
		tb.Fatal(err)
	}
	m, diags := Parse("flow.json", []byte(flow), kinds, false)
	if m == nil {
		tb.Fatal(diags)
	}
	return m
}

func runFunc(tb testing.TB, act actFunc, src sourceFunc) []trace.Event {
	tb.Helper()
	m := funcMachine(tb, oneAgent, act)
	r, err := NewRun(m, src)
	if err != nil {
		tb.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		tb.Fatal(err)
	}
	rep, err := Replay(context.Background(), m, mustRead(tb, traceText(tb, r.Events)).Events)
	if err != nil || !rep.Same() {
		tb.Fatalf("replay: %v %v", err, rep)
	}
	return r.Events
}

func mustRead(tb testing.TB, text []byte) *trace.Trace {
	tb.Helper()
	tr, err := trace.Read(text)
	if err != nil {
		tb.Fatal(err)
	}
	return tr
}

// shape is the types of the events, and the text of an error.
func shape(events []trace.Event) string {
	var list []string
	for i := range events {
		e := &events[i]
		s := string(e.Type)
		switch e.Type {
		case trace.ErrorEvent:
			s = e.Error.Text
		case trace.FinishEvent:
			s += " " + e.Finish.Reason
		}
		list = append(list, s)
	}
	return strings.Join(list, ", ")
}

func deep(n int) canon.Value { return canon.Raw(strings.Repeat("[", n) + strings.Repeat("]", n)) }

func long(n int) canon.Value { return canon.String(strings.Repeat("x", n-2)) }

func sendN(port string, n int) []trace.Send {
	sends := make([]trace.Send, n)
	for i := range sends {
		sends[i] = trace.Send{Port: port, Tag: "m"}
	}
	return sends
}

// A breach by the behaviour leaves receive, error, finish: no act, nothing delivered. Each limit lets its own value pass.
func TestLimitsOfABehaviour(t *testing.T) {
	frame := trace.NewMessage("a", "m", canon.Null).Text().Len() - len("null")
	big := func(n int) []trace.Send {
		return []trace.Send{{Port: "self", Tag: "m"}, {Port: "out", Tag: "m", Payload: long(n - frame)}}
	}
	ask := func(input canon.Value) *behavior.Effect { return &behavior.Effect{Op: "x", Input: input} }
	requestFrame := trace.NewRequest("x", canon.Null).Text().Len() - len("null")
	cases := []struct {
		name string
		ok   behavior.Result
		bad  behavior.Result
		text string
	}{
		{"message bytes", behavior.Result{Sends: big(trace.MaxMessageBytes)}, behavior.Result{Sends: big(trace.MaxMessageBytes + 1)}, "LimitExceeded: message 1048577 > 1048576"},
		{"message nesting", behavior.Result{Sends: []trace.Send{{Port: "o", Payload: deep(256)}}}, behavior.Result{Sends: []trace.Send{{Port: "o", Payload: deep(257)}}}, "LimitExceeded: message nesting 257 > 256"},
		{"state bytes", behavior.Result{State: long(trace.MaxStateBytes)}, behavior.Result{State: long(trace.MaxStateBytes + 1)}, "LimitExceeded: state 16777217 > 16777216"},
		{"state nesting", behavior.Result{State: deep(256)}, behavior.Result{State: deep(257)}, "LimitExceeded: state nesting 257 > 256"},
		{"request bytes", behavior.Result{Effect: ask(long(trace.MaxMessageBytes - requestFrame))}, behavior.Result{Effect: ask(long(trace.MaxMessageBytes - requestFrame + 1))}, "LimitExceeded: request 1048577 > 1048576"},
		{"request nesting", behavior.Result{Effect: ask(deep(256))}, behavior.Result{Effect: ask(deep(257))}, "LimitExceeded: request nesting 257 > 256"},
		{"sends", behavior.Result{Sends: sendN("out", 1000)}, behavior.Result{Sends: sendN("out", 1001)}, "LimitExceeded: sends 1001 > 1000"},
		{"sends per edge", behavior.Result{Sends: sendN("two", 500)}, behavior.Result{Sends: sendN("two", 501)}, "LimitExceeded: sends 1002 > 1000"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			once := func(res behavior.Result) []trace.Event {
				return runFunc(t, func(call behavior.Call) (behavior.Result, error) {
					if call.Message.Tag != "go" {
						return behavior.Result{}, nil
					}
					return res, nil
				}, func(effect.Call) (effect.Answer, error) { return effect.Answer{Output: canon.Null}, nil })
			}
			if events := once(c.ok); events[len(events)-1].Finish.Reason != trace.ReasonIdle {
				t.Fatalf("at the limit: %s", shape(events))
			}
			events := once(c.bad)
			if got, want := shape(events), "receive, "+c.text+", finish error"; got != want {
				t.Fatalf("got %s\nwant %s", got, want)
			}
			if len(events[1].Error.Code) == 0 || events[2].Finish.Outputs != canon.EmptyObject {
				t.Fatal("a refused act delivered something")
			}
		})
	}
}

// A full inbox refuses the whole act that would overfill it.
func TestLimitOfTheInbox(t *testing.T) {
	events := runFunc(t, func(c behavior.Call) (behavior.Result, error) {
		n, _ := c.State.Int()
		if n == 11 {
			return behavior.Result{}, fmt.Errorf("no limit stopped this")
		}
		return behavior.Result{State: canon.Int(n + 1), Sends: sendN("self", 1000)}, nil
	}, nil)
	last := events[len(events)-2]
	// Step n leaves 999n+1 messages waiting, so step 11 would overfill.
	if last.Error == nil || last.Step != 11 || last.Error.Text != "LimitExceeded: inbox 10001 > 10000" {
		t.Fatalf("step %d: %+v", last.Step, last.Error)
	}
}

// A breach by an answer: the effect event is written and billed, the answer not enqueued, then error and finish.
func TestLimitsOfAnAnswer(t *testing.T) {
	frame := trace.NewMessage(trace.FromEffect, trace.TagEffect, canon.Null).Text().Len() - len("null")
	cases := []struct {
		name    string
		ok, bad canon.Value
		text    string
	}{
		{"bytes", long(trace.MaxMessageBytes - frame), long(trace.MaxMessageBytes - frame + 1), "LimitExceeded: message 1048577 > 1048576"},
		{"nesting", deep(256), deep(257), "LimitExceeded: message nesting 257 > 256"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			answer := func(v canon.Value) []trace.Event {
				return runFunc(t, func(call behavior.Call) (behavior.Result, error) {
					if call.Message.Tag == trace.TagEffect {
						return behavior.Result{}, nil
					}
					return behavior.Result{Effect: &behavior.Effect{Op: "x"}}, nil
				}, func(effect.Call) (effect.Answer, error) {
					return effect.Answer{Output: v, Usage: trace.Usage{USD: 0.5}}, nil
				})
			}
			if got := shape(answer(c.ok)); got != "receive, act, effect, receive, act, finish idle" {
				t.Fatalf("at the limit: %s", got)
			}
			events := answer(c.bad)
			if got, want := shape(events), "receive, act, effect, "+c.text+", finish error"; got != want {
				t.Fatalf("got %s\nwant %s", got, want)
			}
			if fin := events[4].Finish; fin.Ledger.USD != 0.5 {
				t.Fatalf("ledger %v", fin.Ledger)
			}
		})
	}
}

// A limit of the answer is named before metering, metering before the budget.
func TestWhichErrorAnAnswerGives(t *testing.T) {
	flow := strings.Replace(oneAgent, `"input"`, `"budget":{"usd":0.1},"input"`, 1)
	for _, c := range []struct {
		out     canon.Value
		unknown bool
		want    string
	}{
		{deep(257), true, "LimitExceeded: message nesting 257 > 256"},
		{canon.Null, true, "UnmeteredEffect: llm"},
		{canon.Null, false, "BudgetExceeded: usd 1 > 0.1"},
	} {
		m := funcMachine(t, flow, func(behavior.Call) (behavior.Result, error) {
			return behavior.Result{Effect: &behavior.Effect{Op: "llm"}}, nil
		})
		r, err := NewRun(m, sourceFunc(func(effect.Call) (effect.Answer, error) {
			return effect.Answer{Output: c.out, UsageUnknown: c.unknown, Usage: trace.Usage{USD: 1}}, nil
		}))
		if err != nil {
			t.Fatal(err)
		}
		if err := r.ToEnd(context.Background(), nil); err != nil {
			t.Fatal(err)
		}
		if got := shape(r.Events); got != "receive, act, effect, "+c.want+", finish error" {
			t.Errorf("got %s, want %s", got, c.want)
		}
	}
}

// The input message is held to the limits when the flow is read.
func TestLimitsOfTheInput(t *testing.T) {
	flow := bytes.Replace([]byte(oneAgent), []byte(`"tag":"go"`), []byte(`"tag":"go","payload":"`+strings.Repeat("x", 1<<20)+`"`), 1)
	kinds := testKinds()
	if err := kinds.Register(behavior.Kind{Name: "fn", New: func(canon.Value) (behavior.Behavior, []behavior.Problem) { return nil, nil }}); err != nil {
		t.Fatal(err)
	}
	m, diags := Parse("flow.json", flow, kinds, false)
	if m != nil || len(diags) == 0 {
		t.Fatal("an input above 1 MiB was accepted")
	}
}
