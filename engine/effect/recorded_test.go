package effect

import (
	"context"
	"errors"
	"testing"

	"flowdbg/trace"
)

func read(t testing.TB, lines string) []trace.Event {
	t.Helper()
	tr, err := trace.Read([]byte(lines))
	if err != nil {
		t.Fatal(err)
	}
	return tr.Events
}

func ask(t testing.TB, src Source, agent, op, input string) (Answer, error) {
	t.Helper()
	return src.Answer(context.Background(), Call{Agent: agent, Step: 1, Request: trace.NewRequest(op, parse(t, input))})
}

const recorded = `{"type":"effect","step":1,"agent":"a","request":{"input":{"q":1},"op":"llm"},"response":"one","usage":{"input_tokens":1,"output_tokens":2,"usd":0.5},"side":{"elapsed_ms":9}}
{"type":"x-note"}
{"type":"effect","step":2,"agent":"a","request":{"input":{"q":1},"op":"llm"},"response":"two","usage":{"input_tokens":0,"output_tokens":0,"usd":0},"side":{"usage_unknown":true}}
{"type":"error","step":3,"agent":"b","error":"EffectError: search: timeout","code":"EffectError","request":{"input":2,"op":"search"},"usage":{"input_tokens":0,"output_tokens":0,"usd":0.1}}
{"type":"error","step":4,"agent":"b","error":"BehaviorError: b: no"}
`

// The i-th effect gets the i-th record, which must be the same op, input and agent.
func TestStrict(t *testing.T) {
	s := NewStrict(trace.MemLog(read(t, recorded)))
	one, err := ask(t, s, "a", "llm", `{"q":1}`)
	if err != nil || one.Output.Text() != `"one"` || one.Usage.USD != 0.5 || one.UsageUnknown || one.Side.Get("elapsed_ms").Text() != "9" {
		t.Fatalf("%v %+v", err, one)
	}
	for name, call := range map[string][3]string{
		"op": {"a", "search", `{"q":1}`}, "input": {"a", "llm", `{"q":2}`}, "agent": {"b", "llm", `{"q":1}`},
	} {
		var m *Mismatch
		if _, err := ask(t, s, call[0], call[1], call[2]); !errors.As(err, &m) || m.Index != 1 || m.RecordedAgent != "a" || m.Recorded.Op != "llm" {
			t.Errorf("another %s: %v", name, err)
		}
	}
	two, err := ask(t, s, "a", "llm", `{"q":1}`)
	if err != nil || two.Output.Text() != `"two"` || !two.UsageUnknown {
		t.Fatalf("a mismatch used a record up: %v %+v", err, two)
	}
	var f *Failure
	if _, err := ask(t, s, "b", "search", `2`); !errors.As(err, &f) || err.Error() != "EffectError: search: timeout" || f.Usage == nil || f.Usage.USD != 0.1 {
		t.Fatalf("%v", err)
	}
	var m *Mismatch
	if _, err := ask(t, s, "b", "search", `2`); !errors.As(err, &m) || m.Recorded != nil || m.Index != 3 {
		t.Fatalf("behind the last: %v", err)
	}
	s.Next = NewBus(nil)
	if a, err := ask(t, s, "b", "search", `{"query":"nets"}`); err != nil || a.Recorded != nil {
		t.Fatalf("next: %v", err)
	}
}

// By hash: in the recorded order per request, each answer once, marked, whoever asks.
func TestByHash(t *testing.T) {
	src := NewByHash(nil, read(t, recorded), read(t, `{"type":"effect","step":9,"agent":"c","request":{"input":{"q":1},"op":"llm"},"response":"three","usage":{"input_tokens":0,"output_tokens":0,"usd":0},"side":{"reused":true,"reused_from":"z","kept":1}}`))
	for i, want := range []string{`{"elapsed_ms":9,"reused":true}`, `{"reused":true,"usage_unknown":true}`, `{"kept":1,"reused":true,"reused_from":"c"}`} {
		a, err := ask(t, src, "a", "llm", `{"q":1}`)
		if err != nil || a.Side.Text() != want || a.Recorded.Side != a.Side {
			t.Fatalf("answer %d: %v %s, want side %s", i, err, a.Side, want)
		}
	}
	var none *Unanswered
	if _, err := ask(t, src, "a", "llm", `{"q":1}`); !errors.As(err, &none) || !IsPause(err) {
		t.Fatalf("an answer was given twice: %v", err)
	}
	var f *Failure
	if _, err := ask(t, src, "b", "search", `2`); !errors.As(err, &f) {
		t.Fatalf("a recorded failure: %v", err)
	}
	src.Next = NewBus(nil)
	if a, err := ask(t, src, "b", "search", `{"query":"new"}`); err != nil || a.Recorded != nil || !a.Side.IsAbsent() {
		t.Fatalf("a miss: %v", err)
	}
}

// Effects of a cancelled step are no records.
func TestCancelledEffectsAreNoRecords(t *testing.T) {
	events := read(t, `{"type":"receive","step":1,"agent":"a","message":{"tag":"t","payload":1}}
{"type":"act","step":1,"agent":"a","state":null,"send":[],"effect":{"input":1,"op":"x"}}
{"type":"effect","step":1,"agent":"a","request":{"input":1,"op":"x"},"response":"lost","usage":{"input_tokens":0,"output_tokens":0,"usd":0}}
{"type":"x-cancel","step":1}
{"type":"receive","step":1,"agent":"a","message":{"tag":"t","payload":1}}
{"type":"act","step":1,"agent":"a","state":null,"send":[],"effect":{"input":1,"op":"x"}}
{"type":"error","step":1,"agent":"a","error":"EffectError: x: gone"}
`)
	var f *Failure
	if _, err := ask(t, NewStrict(trace.MemLog(events)), "a", "x", `1`); !errors.As(err, &f) || f.Error() != "EffectError: x: gone" {
		t.Fatalf("strict: %v", err)
	}
	if _, err := ask(t, NewByHash(nil, events), "a", "x", `1`); !IsPause(err) {
		t.Fatalf("by hash: %v", err)
	}
}
