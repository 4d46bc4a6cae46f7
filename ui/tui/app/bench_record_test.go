package app

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// groupEvents is how many events mixedRecord has between two calls.
const groupEvents = 50

// mixedRecord is a trace of about n events of everything that the views show: agents that hand a token around, answers that
// cost something, translated tool calls (one in each 50 events), and candidates, so many at most, spread over all: a proposal with a
// claimed delta, a certificate with measured metrics, and a measured delta each.
func mixedRecord(t testing.TB, n, candidates int) []trace.Event {
	t.Helper()
	few, flow := readEvents(t, filepath.Join("testdata", "payloads.trace.json")), readEvents(t, filepath.Join("..", "..", "..", "examples", "contract-flow", "trace.json"))
	ring := longRecord(n/3+1, 5)
	said := map[string]trace.Event{"proposal": few[2], "certificate": few[5], "delta": few[22]}
	answer := trace.NewRequest("llm", canon.Object(canon.Member{Key: "model", Value: canon.String("mock-fast")}))
	r := rand.New(rand.NewPCG(7, 8))
	events := make([]trace.Event, 0, n+groupEvents)
	groups, made := n/groupEvents, 0
	for g := range groups {
		step := len(events) / 3
		add := func(e trace.Event) { e.Step = step; events = append(events, e) }
		add(trace.Event{Type: trace.EffectEvent, Agent: "agent-00001", Effect: answer, Response: canon.String("yes"),
			Usage: trace.Usage{InputTokens: 40, OutputTokens: float64(g % 90), USD: float64(g%7) / 1e5}})
		add(flow[3])
		if made*groups < g*candidates {
			made++
			for _, kind := range []string{"proposal", "certificate", "delta"} {
				add(candidateEvent(t, said[kind], kind, made, r))
			}
		}
		for (g+1)*groupEvents > len(events) {
			e := ring[len(events)]
			e.Step = step + 1
			events = append(events, e)
		}
	}
	return events
}

// candidateEvent is an event of testdata/payloads.trace.json, said of another candidate with other figures.
func candidateEvent(t testing.TB, e trace.Event, kind string, i int, r *rand.Rand) trace.Event {
	t.Helper()
	text := e.AppendJSON(nil)
	id := fmt.Appendf(nil, `"p-%05d"`, i)
	text = bytes.ReplaceAll(bytes.ReplaceAll(text, []byte(`"p-1"`), id), []byte(`"p-5"`), id)
	if kind == "certificate" {
		text = bytes.ReplaceAll(text, []byte(`110.2`), fmt.Appendf(nil, "%.2f", 95+30*r.Float64()))
		text = bytes.ReplaceAll(text, []byte(`:900`), fmt.Appendf(nil, ":%d", 700+r.IntN(250)))
	}
	tr, err := trace.Read(append(append([]byte("["), text...), ']'))
	if err != nil {
		t.Fatal(err)
	}
	return tr.Events[0]
}

func readEvents(t testing.TB, path string) []trace.Event {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	return tr.Events
}
