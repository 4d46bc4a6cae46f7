package forensics

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/trace"
)

func bigTrace(tb testing.TB, events int) string {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "big.json")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	if err := trace.GenTrace(f, events, 10, 200); err != nil {
		tb.Fatal(err)
	}
	return path
}

// randomFlow draws a flow of built-in kinds, with loops, fan-out and effects, bounded by its budget.
func randomFlow(t *rapid.T) string {
	n := rapid.IntRange(1, 5).Draw(t, "agents")
	var agents, edges []string
	for i := range n {
		kind := rapid.SampledFrom([]string{
			`"kind":"echo"`, `"kind":"counter","config":{"every":2}`, `"kind":"collect","config":{"n":2}`,
			`"kind":"researcher","config":{"model":"mock-fast","ignore":["count","collected","research"]}`,
			`"kind":"critic","config":{"model":"mock-strong","ignore":["count","collected","task","critique"]}`,
		}).Draw(t, "kind")
		agents = append(agents, fmt.Sprintf(`{"id":"a%d",%s}`, i, kind))
		for _, to := range rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 0, min(n, 3), rapid.ID[int]).Draw(t, "to") {
			edges = append(edges, fmt.Sprintf(`{"from":"a%d","port":"out","to":"a%d"}`, i, to))
		}
	}
	budget := fmt.Sprintf(`{"usd":%s,"steps":%d}`, rapid.SampledFrom([]string{"1", "0.0005"}).Draw(t, "usd"), rapid.IntRange(1, 40).Draw(t, "steps"))
	return fmt.Sprintf(`{"version":1,"id":"random","agents":[%s],"edges":[%s],"budget":%s,"input":{"to":"a0","tag":"task","payload":{"question":"why?"}}}`,
		strings.Join(agents, ","), strings.Join(edges, ","), budget)
}

// Runs of random flows by the engine: lint finds nothing and verifies the hash, every event's chain is exact back to
// the input, everything came of the input, the costs are the ledger, and an export replays as the same run.
func TestForensicsOfRandomRuns(t *testing.T) {
	ctx := context.Background()
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		text := randomFlow(rt)
		m, diags := engine.Parse("flow.json", []byte(text), behavior.Builtin(), false)
		if m == nil {
			rt.Fatalf("%s: %v", text, diags)
		}
		r, err := engine.NewRun(m, m.Bus())
		if err == nil {
			err = r.ToEnd(ctx, nil)
		}
		if err != nil {
			rt.Fatalf("%s: %v", text, err)
		}
		path := filepath.Join(dir, "trace.json")
		if err := trace.WriteFile(path, r.Events, trace.FormatArray); err != nil {
			rt.Fatal(err)
		}
		setup := m.Setup()
		o, err := trace.Open(path, trace.OpenOptions{MemoryBytes: -1, Store: trace.StoreOptions{Setup: &setup}})
		if err == nil {
			err = o.Index(nil)
		}
		if err != nil {
			rt.Fatal(err)
		}
		defer o.Close()
		rep, err := trace.Lint(ctx, o.Log(), &setup, nil)
		if err != nil || !rep.Clean() || rep.Hash != trace.HashVerified {
			rt.Fatalf("%s\n%v %s %+v", text, err, rep.Hash, rep.Findings)
		}
		checkChains(rt, text, o.Log())
		costs, err := trace.Costs(ctx, o.Log(), 1, nil)
		if err != nil || costs.Finish == nil || !costs.Finish.Equal(costs.Total.Ledger) {
			rt.Fatalf("%s: %v %+v", text, err, costs)
		}
		var b bytes.Buffer
		if _, err := trace.Export(ctx, &b, o.Log(), trace.ExportOptions{Format: trace.ExportLines}, nil); err != nil {
			rt.Fatal(err)
		}
		back, err := trace.Read(b.Bytes())
		if err != nil {
			rt.Fatal(err)
		}
		if again, err := engine.Replay(ctx, m, back.Events); err != nil || !again.Same() {
			rt.Fatalf("%s: %v %+v", text, err, again)
		}
	})
}

func checkChains(rt *rapid.T, text string, log trace.Log) {
	ctx := context.Background()
	c, err := trace.NewCauses(ctx, log, nil)
	if err != nil {
		rt.Fatal(err)
	}
	steps, messages := 0, 0
	for i := range log.Len() {
		switch log.Header(i).Type {
		case trace.Receive:
			steps++
		case trace.SendEvent, trace.EffectEvent:
			messages++
		}
		ch, err := c.Why(ctx, trace.EventRef(i), 0)
		if err != nil || !ch.Exact || ch.Broken != "" || ch.Links[0].Kind != trace.LinkInput {
			rt.Fatalf("%s\nevent %d: %v %+v", text, i, err, ch)
		}
	}
	n, err := c.CameOf(ctx, trace.InputEvent, trace.TreeLimits{}, nil)
	if err != nil || n.Steps != steps || n.Messages != messages {
		rt.Fatalf("%s\n%v: %d steps, %d messages, of %d and %d", text, err, n.Steps, n.Messages, steps, messages)
	}
}

// The last output of each example has an exact chain back to the input. The damaged one has lost a link, and says so.
func TestWhyOfEveryExample(t *testing.T) {
	traces, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "*", "trace.json"))
	if err != nil || len(traces) < 12 {
		t.Fatal(traces, err)
	}
	for _, path := range append(traces, filepath.Join("..", "..", "..", "examples", "research-trace.json")) {
		name := filepath.Base(filepath.Dir(path))
		t.Run(name, func(t *testing.T) {
			text, code := run(t, t.Context(), "", Options{}, "why", path)
			if name == "damaged" {
				if code != 1 || !strings.Contains(text, "the chain is broken") {
					t.Errorf("exit %d\n%s", code, text)
				}
				return
			}
			if code != 0 || !strings.Contains(text, "\ninput ") {
				t.Errorf("exit %d\n%s", code, text)
			}
		})
	}
}

// Lint verifies the hash of each example that was recorded here.
func TestExamples(t *testing.T) {
	root := filepath.Join("..", "..", "..", "examples")
	for _, ex := range []struct{ flow, trace string }{{"research-pipeline.json", "research-trace.json"}, {"critic-loop/flow.json", "critic-loop/trace.json"},
		{"router/flow.json", "router/trace.json"}, {"budget/flow.json", "budget/trace.json"}, {"diverged/before.json", "diverged/trace.json"}} {
		t.Run(ex.trace, func(t *testing.T) {
			flowPath, tracePath := filepath.Join(root, filepath.FromSlash(ex.flow)), filepath.Join(root, filepath.FromSlash(ex.trace))
			text, code := run(t, t.Context(), "", Options{}, "lint", flowPath, tracePath)
			if code != 0 || !strings.Contains(text, "0 findings") || !strings.Contains(text, "hash: ≡") {
				t.Errorf("exit %d\n%s", code, text)
			}
			again, code := run(t, t.Context(), "", Options{}, "lint", tracePath, flowPath)
			if code != 0 || again != text {
				t.Errorf("the other order: exit %d\n%s", code, again)
			}
		})
	}
}

// The whole command, opening and indexing included.
func BenchmarkLintCommand(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("events=", n), func(b *testing.B) {
			path := bigTrace(b, n)
			b.ReportAllocs()
			for b.Loop() {
				if text, code := run(b, context.Background(), "", Options{Raw: io.Discard}, "lint", path); code != 0 {
					b.Fatal(text)
				}
			}
		})
	}
}
