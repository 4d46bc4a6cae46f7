package engine

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"testing"

	"flowdbg/engine/behavior"
	"flowdbg/trace"
)

func mustMachine(tb testing.TB, data []byte) *Machine {
	tb.Helper()
	m, diags := Parse("flow.json", data, behavior.Builtin(), false)
	if m == nil {
		tb.Fatalf("flow: %v", diags)
	}
	return m
}

func seedFlow(tb testing.TB) []byte {
	tb.Helper()
	data, err := os.ReadFile("../examples/research-pipeline.json")
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// cyclicFlow is the seed's pipeline made cyclic with an echo that renames the tag, stopped after some steps.
func cyclicFlow(tb testing.TB, steps int) []byte {
	data := seedFlow(tb)
	data = bytes.Replace(data, []byte(`{ "id": "writer",`), []byte(`{ "id": "again", "kind": "echo", "config": { "tag": "task", "fields": { "text": "question" } } },
    { "id": "writer",`), 1)
	data = bytes.Replace(data, []byte(`{ "from": "critic", "port": "out", "to": "writer" }`), []byte(`{ "from": "critic", "port": "out", "to": "writer" },
    { "from": "writer", "port": "out", "to": "again" },
    { "from": "again", "port": "out", "to": "researcher" }`), 1)
	return bytes.Replace(data, []byte(`"budget": { "usd": 0.10, "tokens": 10000, "steps": 100 }`), fmt.Appendf(nil, `"budget": { "steps": %d }`, steps), 1)
}

func record(tb testing.TB, m *Machine) []trace.Event {
	tb.Helper()
	r, err := NewRun(m, m.Bus())
	if err != nil {
		tb.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		tb.Fatal(err)
	}
	return r.Events
}

// Verified replay: every event compared, every effect matched, final hash both ways.
func BenchmarkVerifiedReplay(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("steps=", n), func(b *testing.B) {
			m := mustMachine(b, cyclicFlow(b, n))
			events := record(b, m)
			b.ReportAllocs()
			for b.Loop() {
				rep, err := Replay(context.Background(), m, events)
				if err != nil || !rep.Same() || rep.Steps != n {
					b.Fatalf("%v %+v", err, rep.Divergence)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
		})
	}
}

// A live run with the mock providers and a state hash after every step.
func BenchmarkHashEveryStep(b *testing.B) {
	const n = 10_000
	m := mustMachine(b, cyclicFlow(b, n))
	events := record(b, m)
	b.ReportAllocs()
	for b.Loop() {
		r, err := NewReplayer(m, trace.MemLog(events), ReplayOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for {
			ended, err := r.Step(context.Background())
			if err != nil || r.Found != nil {
				b.Fatal(err, r.Found)
			}
			if len(r.State.Hash()) != 64 {
				b.Fatal("no hash")
			}
			if ended {
				break
			}
		}
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}

func BenchmarkLiveRun(b *testing.B) {
	const n = 10_000
	m := mustMachine(b, cyclicFlow(b, n))
	b.ReportAllocs()
	for b.Loop() {
		record(b, m)
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "steps/s")
}
