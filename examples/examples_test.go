// Package examples holds no program: flows with their traces, and the tests that keep both true.
package examples

import (
	"bytes"
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

var update = flag.Bool("update", false, "record the traces anew")

// example is one pair of files: the trace is what a run of recorded writes, and replaying flow against it gives verdict.
type example struct {
	name, flow, recorded, trace string
	verdict                     engine.Verdict
	event                       int    // where it diverges
	path                        string // and in what
	failure                     string // how the error of the run begins, "" when it ends idle
}

var all = []example{
	{name: "research", flow: "research-pipeline.json", trace: "research-trace.json", verdict: engine.Same},
	{name: "critic-loop", flow: "critic-loop/flow.json", trace: "critic-loop/trace.json", verdict: engine.Same},
	{name: "budget", flow: "budget/flow.json", trace: "budget/trace.json", verdict: engine.Same, failure: "BudgetExceeded: usd "},
	{name: "router", flow: "router/flow.json", trace: "router/trace.json", verdict: engine.Same},
	{name: "diverged", flow: "diverged/flow.json", recorded: "diverged/before.json", trace: "diverged/trace.json",
		verdict: engine.RequestDiffers, event: 10, path: "/effect/input/model"},
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.FromSlash(name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// machine reads a flow that must be strictly valid and laid out as fmt does.
func machine(t *testing.T, name string, data []byte) *engine.Machine {
	t.Helper()
	m, diags := engine.Parse(name, data, behavior.Builtin(), true)
	for _, d := range diags {
		if d.Severity != flow.Lint {
			t.Errorf("%s", d)
		}
	}
	if m == nil {
		t.Fatalf("%s is no valid flow", name)
	}
	return m
}

func run(t *testing.T, m *engine.Machine) *engine.Run {
	t.Helper()
	m.Verify = true
	m.OnWarn = func(f trace.Finding) { t.Errorf("warning: %s", f.Text) }
	r, err := engine.NewRun(m, m.Bus())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return r
}

func bytesOf(t *testing.T, events []trace.Event) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := trace.Write(&b, events, trace.FormatArray); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestExamplesAreCurrent records every trace anew, twice, and compares the bytes with the file.
func TestExamplesAreCurrent(t *testing.T) {
	for _, x := range all {
		t.Run(x.name, func(t *testing.T) {
			source := x.recorded
			if source == "" {
				source = x.flow
			}
			data := read(t, source)
			first := run(t, machine(t, source, data))
			text := bytesOf(t, first.Events)
			if again := bytesOf(t, run(t, machine(t, source, data)).Events); !bytes.Equal(text, again) {
				t.Error("two runs of one flow write different bytes")
			}
			if *update {
				if err := trace.WriteFile(x.trace, first.Events, trace.FormatArray); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(text, read(t, x.trace)) {
				t.Errorf("%s is not what a run of %s writes now; go test ./examples -update records it anew", x.trace, source)
			}
			failed := ""
			if e := first.State.Failed(); e != nil {
				failed = e.Text
			}
			if (x.failure == "") != (failed == "") || !strings.HasPrefix(failed, x.failure) {
				t.Errorf("the run ended with error %q, expected %q…", failed, x.failure)
			}
		})
	}
}

func TestExamplesReplay(t *testing.T) {
	for _, x := range all {
		t.Run(x.name, func(t *testing.T) {
			tr, err := trace.Read(read(t, x.trace))
			if err != nil {
				t.Fatal(err)
			}
			rep, err := engine.Replay(context.Background(), machine(t, x.flow, read(t, x.flow)), tr.Events)
			if err != nil {
				t.Fatal(err)
			}
			if rep.Verdict != x.verdict {
				t.Fatalf("verdict %s, expected %s: %v", rep.Verdict, x.verdict, rep.Divergence)
			}
			if d := rep.Divergence; d != nil && (d.Index != x.event || d.Path != x.path) {
				t.Errorf("diverges at event %d in %s, expected %d in %s", d.Index, d.Path, x.event, x.path)
			}
			if rep.Same() && rep.Compared != len(tr.Events) {
				t.Errorf("%d of %d events were compared", rep.Compared, len(tr.Events))
			}
		})
	}
}

// TestExamplesAreFormatted also keeps each README beside its flow.
func TestExamplesAreFormatted(t *testing.T) {
	for _, x := range all {
		for _, name := range []string{x.flow, x.recorded} {
			if name == "" {
				continue
			}
			data := read(t, name)
			text, err := flow.Format(data)
			if err != nil {
				t.Fatal(err)
			}
			// The seed's example is kept as the seed has it.
			if name != "research-pipeline.json" && !bytes.Equal(text, data) {
				t.Errorf("%s is not formatted", name)
			}
			if dir := filepath.Dir(name); dir != "." && len(read(t, dir+"/README.md")) == 0 {
				t.Errorf("%s has an empty README", dir)
			}
		}
	}
}

// TestSeedEndsWithinBudget is the seed's flow against its own budget (seed 002 §1).
func TestSeedEndsWithinBudget(t *testing.T) {
	r := run(t, machine(t, "research-pipeline.json", read(t, "research-pipeline.json")))
	f, b := r.State.Finished(), r.State.Budget()
	if f.Reason != trace.ReasonIdle || f.Ledger.USD > *b.USD || f.Ledger.Tokens() > *b.Tokens || f.Steps > b.Steps {
		t.Errorf("reason %s, ledger %+v, steps %d, budget %+v", f.Reason, f.Ledger, f.Steps, b)
	}
	if r.State.OutputLen("writer.out") != 1 {
		t.Errorf("outputs %s: one article is expected in writer.out", f.Outputs)
	}
}

// TestOneCharacterOfTheQuestion changes single characters of the question: every request hash and the article change.
func TestOneCharacterOfTheQuestion(t *testing.T) {
	data := read(t, "research-pipeline.json")
	const question = "How do interaction nets help multi-agent systems?"
	if !bytes.Contains(data, []byte(question)) {
		t.Fatal("the question is not where it is expected")
	}
	base := requests(t, data)
	for i := range question {
		changed := []byte(question)
		changed[i] ^= 1
		if changed[i] == '"' || changed[i] == '\\' || changed[i] < 0x20 {
			continue
		}
		other := requests(t, bytes.Replace(data, []byte(question), changed, 1))
		if len(other.hashes) != len(base.hashes) {
			t.Fatalf("%s: %d requests instead of %d", changed, len(other.hashes), len(base.hashes))
		}
		for j := range base.hashes {
			if base.hashes[j] == other.hashes[j] {
				t.Errorf("%s: request %d has the same hash", changed, j)
			}
		}
		if base.article == other.article {
			t.Errorf("%s: writer.out is the same", changed)
		}
	}
}

type requestList struct {
	hashes  []string
	article canon.Value
}

func requests(t *testing.T, data []byte) requestList {
	t.Helper()
	r := run(t, machine(t, "changed.json", data))
	var list requestList
	for i := range r.Events {
		if e := &r.Events[i]; e.Type == trace.EffectEvent {
			list.hashes = append(list.hashes, e.Effect.Hash())
		}
	}
	m, ok := r.State.OutputAt("writer.out", 0)
	if !ok || len(list.hashes) == 0 {
		t.Fatal("the flow asks nothing or writes nothing")
	}
	list.article = m.Payload
	return list
}
