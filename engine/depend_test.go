package engine

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"flowdbg/trace"
)

// Every payload depends on the text before it: one changed character of the question changes every request behind it,
// every message, and what comes out.
func TestOneCharacterChangesEverythingBehindIt(t *testing.T) {
	run := func(flow []byte) (requests []string, out string) {
		r := runFlow(t, testMachine(t, flow))
		for i := range r.Events {
			if e := &r.Events[i]; e.Type == trace.EffectEvent {
				requests = append(requests, e.Effect.Hash())
			}
		}
		return requests, r.State.Finished().Outputs.Get("writer.out").Text()
	}
	flow := pipeline(t)
	requests, out := run(flow)
	if len(requests) != 4 || out == "" {
		t.Fatalf("%d requests, out %s", len(requests), out)
	}
	at := bytes.Index(flow, []byte("How do interaction"))
	for _, place := range []int{0, 8, 20, 40, 48} {
		changed := bytes.Clone(flow)
		changed[at+place] ^= 1
		other, otherOut := run(changed)
		for i := range requests {
			if i >= len(other) || requests[i] == other[i] {
				t.Errorf("character %d: request %d is the same", place, i)
			}
		}
		if otherOut == out {
			t.Errorf("character %d: the same article", place)
		}
	}
}

// A step in a flow of 20 000 agents allocates what it does among 10: nothing is looked through.
func TestManyAgentsCostNoMorePerStep(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	perStep := func(agents int) float64 {
		var b strings.Builder
		b.WriteString(`{"version":1,"id":"many","agents":[`)
		for i := range agents {
			fmt.Fprintf(&b, `{"id":"a%06d","kind":"counter"},`, i)
		}
		fmt.Fprintf(&b, `{"id":"z","kind":"echo"}],"edges":[{"from":"a%06d","port":"out","to":"z"},{"from":"z","port":"out","to":"a%06d"}],"budget":{"steps":500},"input":{"to":"z","tag":"t","payload":1}}`, agents-1, agents-1)
		m := testMachine(t, []byte(b.String()))
		r, err := NewRun(m, m.Bus())
		if err != nil {
			t.Fatal(err)
		}
		r.Events = make([]trace.Event, 0, 3_000)
		const steps = 200
		c := costOf(t, func() {
			for range steps / 4 {
				if _, err := r.Step(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		})
		return c.allocs / (steps / 4)
	}
	few, many := perStep(10), perStep(20_000)
	if many > few*1.2+1 {
		t.Errorf("%.1f allocations a step among 20 000 agents, %.1f among 10", many, few)
	}
}
