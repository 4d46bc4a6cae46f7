package engine

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/trace"
)

var update = flag.Bool("update", false, "write the golden traces anew; read the difference before you keep it")

// ruleFlows are the flows of testdata/rules: one rule each, named by the file.
func ruleFlows(tb testing.TB) []string {
	files, _ := filepath.Glob("testdata/rules/*.json")
	if len(files) == 0 {
		tb.Fatal("no flows in testdata/rules")
	}
	return files
}

func goldenOf(flow string) string { return filepath.Join("testdata/golden", filepath.Base(flow)) }

func readFile(tb testing.TB, path string) []byte {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return data
}

// testMachine reads a flow with the test kinds.
func testMachine(tb testing.TB, data []byte) *Machine {
	tb.Helper()
	m, diags := Parse("flow.json", data, testKinds(), false)
	if m == nil {
		tb.Fatalf("flow: %v", diags)
	}
	return m
}

// runFlow runs a flow to its end with fake answers.
func runFlow(tb testing.TB, m *Machine) *Run {
	tb.Helper()
	r, err := NewRun(m, fakeSource{m.Bus()})
	if err != nil {
		tb.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		tb.Fatal(err)
	}
	return r
}

func traceText(tb testing.TB, events []trace.Event) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := trace.Write(&b, events, trace.FormatArray); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// Every flow of testdata/rules gives the events of its golden trace, byte for byte, twice; the trace reads back without
// a finding, plays back to the same hash and replays as same with the same bytes.
func TestRules(t *testing.T) {
	for _, file := range ruleFlows(t) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data := readFile(t, file)
			got := traceText(t, runFlow(t, testMachine(t, data)).Events)
			if *update {
				if err := os.WriteFile(goldenOf(file), got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := readFile(t, goldenOf(file)); !bytes.Equal(got, want) {
				t.Fatalf("got\n%swant\n%s", got, want)
			}
			if again := traceText(t, runFlow(t, testMachine(t, data)).Events); !bytes.Equal(got, again) {
				t.Fatal("the second run gives other events")
			}
			roundTrip(t, data, got)
		})
	}
}

func roundTrip(t *testing.T, flow, text []byte) {
	t.Helper()
	tr, err := trace.Read(text)
	if err != nil || len(tr.Findings) > 0 {
		t.Fatalf("reading: %v %v", err, tr)
	}
	m := testMachine(t, flow)
	st := trace.NewState(m.Setup())
	for i := range tr.Events {
		if _, f := st.Apply(&tr.Events[i]); f != nil {
			t.Fatalf("playback, event %d: %s", i, f.Text)
		}
	}
	if st.Hash() != tr.Finish().StateHash {
		t.Fatal("playback ends in another state hash")
	}
	rep, err := Replay(context.Background(), m, tr.Events)
	if err != nil || !rep.Same() || rep.Prefix || len(rep.Notes) > 0 || rep.StateHash != tr.Finish().StateHash {
		t.Fatalf("replay: %v %+v %v", err, rep, rep.Divergence)
	}
	events, err := Events(rep.Log)
	if err != nil || !bytes.Equal(traceText(t, events), text) {
		t.Fatalf("the replayed trace is not the record, byte for byte: %v", err)
	}
}

// An independent program, without a line of this project, folds each golden trace and computes the same state hash.
func TestStateHashIndependently(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not installed: the independent state hash is not checked")
	}
	args := []string{"../.ci/statehash.mjs"}
	for _, file := range ruleFlows(t) {
		args = append(args, file, goldenOf(file))
	}
	args = append(args, examples(t)...)
	if out, err := exec.Command(node, args...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	flow, golden := readFile(t, args[1]), readFile(t, args[2])
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	at := bytes.Index(golden, []byte(`"state_hash":"`)) + len(`"state_hash":"`)
	wrong := bytes.Clone(golden)
	wrong[at] ^= 1
	if err := exec.Command(node, args[0], write("flow.json", flow), write("trace.json", wrong)).Run(); err == nil {
		t.Fatal("a wrong hash passes")
	}
}

// examples are the traces of the examples folder, each behind its flow: X-trace.json belongs to X.json or X-pipeline.json.
func examples(t *testing.T) []string {
	var pairs []string
	traces, _ := filepath.Glob("../examples/*-trace.json")
	for _, tr := range traces {
		name := strings.TrimSuffix(tr, "-trace.json")
		flow := name + ".json"
		if _, err := os.Stat(flow); err != nil {
			flow = name + "-pipeline.json"
		}
		pairs = append(pairs, flow, tr)
	}
	return pairs
}
