package trace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace/canon"
)

func rowText(r *CostRow) string {
	s := fmt.Sprintf("%s/%d@%d: %d calls, %v tokens, $%v", r.Name, r.Step, r.Event, r.Calls, r.Ledger.Tokens(), r.Ledger.USD)
	if r.Failed > 0 {
		s += fmt.Sprintf(", %d failed", r.Failed)
	}
	if r.AtLeast() {
		s += fmt.Sprintf(", %d unknown", r.Unknown)
	}
	return s
}

func costText(r *CostReport) string {
	var b strings.Builder
	line := func(name string, rows ...CostRow) {
		for _, row := range rows {
			fmt.Fprintf(&b, "%s %s\n", name, rowText(&row))
		}
	}
	line("total", r.Total)
	line("agent", r.Agents...)
	line("op", r.Ops...)
	line("model", r.Models...)
	line("step", r.Steps...)
	if r.PossiblyBilled.Calls > 0 {
		line("billed", r.PossiblyBilled)
	}
	fmt.Fprintf(&b, "open %d finish %v", r.OpenIntents, r.Finish != nil)
	return b.String()
}

func TestCosts(t *testing.T) {
	model := func(name string) *Request {
		return NewRequest("llm", canon.Object(canon.Member{Key: "model", Value: canon.String(name)}))
	}
	unknown := canon.Object(canon.Member{Key: "usage_unknown", Value: canon.True})
	who := canon.Object(canon.Member{Key: "agent", Value: canon.String("a")})
	events := []Event{
		{Type: Receive, Step: 1, Agent: "a", Message: NewInput("task", num(1))},
		{Type: XIntent, Step: 1, Agent: "a", Extra: who},
		{Type: EffectEvent, Step: 1, Agent: "a", Effect: model("big"), Response: num(1), Usage: Usage{10, 5, 0.5}},
		{Type: EffectEvent, Step: 2, Agent: "b", Effect: model("small"), Response: num(1), Usage: Usage{1, 1, 0.125}},
		{Type: EffectEvent, Step: 3, Agent: "b", Effect: NewRequest("llm", canon.Null), Response: canon.Object(canon.Member{Key: "model", Value: canon.String("small")}), Side: unknown},
		{Type: EffectEvent, Step: 4, Agent: "b", Effect: NewRequest("search", canon.Null), Response: num(1)},
		{Type: Receive, Step: 5, Agent: "a", Message: NewMessage("b", "x", num(1))},
		{Type: Act, Step: 5, Agent: "a", State: num(1), Send: canon.EmptyArray, Effect: model("big")},
		{Type: EffectEvent, Step: 5, Agent: "a", Effect: model("big"), Response: num(1), Usage: Usage{USD: 9}},
		{Type: XCancel, Step: 5},
		{Type: XIntent, Step: 5, Agent: "a", Extra: who},
		{Type: XCancel, Step: 5},
		{Type: XIntent, Step: 5, Agent: "a", Extra: who},
		{Type: ErrorEvent, Step: 6, Agent: "a", Error: &ErrorInfo{Text: "EffectError: llm: timeout", Request: model("big"), HasUsage: true}, Usage: Usage{USD: 0.25}},
		{Type: FinishEvent, Finish: &Finish{Outputs: canon.EmptyObject}},
	}
	Normalise(events)
	want := `total /0@2: 5 calls, 17 tokens, $0.875, 1 failed, 1 unknown
agent a/0@2: 2 calls, 15 tokens, $0.75, 1 failed
agent b/0@3: 3 calls, 2 tokens, $0.125, 1 unknown
op llm/0@2: 4 calls, 17 tokens, $0.875, 1 failed, 1 unknown
op search/0@5: 1 calls, 0 tokens, $0
model big/0@2: 2 calls, 15 tokens, $0.75, 1 failed
model small/0@3: 2 calls, 2 tokens, $0.125, 1 unknown
model /0@5: 1 calls, 0 tokens, $0
step a/1@2: 1 calls, 15 tokens, $0.5
step a/6@13: 1 calls, 0 tokens, $0.25, 1 failed
billed /0@8: 1 calls, 0 tokens, $9
open 2 finish true`
	for _, log := range []Log{MemLog(events), storeOf(t, events, nil)} {
		r, err := Costs(context.Background(), log, 2, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got := costText(r); got != want {
			t.Errorf("%T\n%s\nwant\n%s", log, got, want)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	long := MemLog(diamond().run(100))
	for len(long) < checkEvery {
		long = append(long, long...)
	}
	if _, err := Costs(ctx, long, 2, nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Whatever is summed, the parts have the calls and the dollars of the whole, and the total is the fold's ledger.
func TestCostsSumToTheLedger(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		st := NewState(testSetup(3))
		var events []Event
		for i := range rapid.IntRange(0, 40).Draw(rt, "n") {
			events = append(events, genEvent(rt, i+1, 3))
			st.Apply(&events[i])
		}
		r, err := Costs(context.Background(), MemLog(events), 1<<20, nil)
		if err != nil || !r.Total.Ledger.Equal(st.Ledger()) {
			rt.Fatalf("%v: %+v, the fold has %+v", err, r.Total, st.Ledger())
		}
		for name, rows := range map[string][]CostRow{"agents": r.Agents, "ops": r.Ops, "models": r.Models, "steps": r.Steps} {
			calls, tokens := 0, 0.0
			for _, row := range rows {
				calls += row.Calls
				tokens += row.Ledger.Tokens()
			}
			if calls != r.Total.Calls || tokens != r.Total.Ledger.Tokens() {
				rt.Fatalf("%s have %d calls and %v tokens of %d and %v", name, calls, tokens, r.Total.Calls, r.Total.Ledger.Tokens())
			}
		}
	})
}

func BenchmarkCosts(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("events=", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "t.json")
			b.SetBytes(writeBigTrace(b, path, n))
			s := openStore(b, path, nil)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Costs(context.Background(), s, 0, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
