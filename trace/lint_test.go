package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Each case is a trace of the diamond flow with one fault. Its header lists the findings as kind@event (a kind alone
// for one that is about no event), and the hash verdicts with the flow and without.
func TestLintCases(t *testing.T) {
	files, err := filepath.Glob("testdata/lint/*.txt")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			head, body, ok := bytes.Cut(data, []byte("---\n"))
			if !ok {
				t.Fatal("no --- line")
			}
			want := map[string]string{}
			for _, line := range strings.Split(string(head), "\n") {
				if k, v, ok := strings.Cut(line, ": "); ok {
					want[k] = v
				}
			}
			setup := diamond().setup()
			lintCase(t, "with the flow", storeOfText(t, body, &setup), &setup, want["flow"])
			lintCase(t, "without", storeOfText(t, body, nil), nil, want["alone"])
		})
	}
}

func lintCase(t *testing.T, name string, log Log, setup *Setup, want string) {
	t.Helper()
	rep, err := Lint(context.Background(), log, setup, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got := lintText(rep); got != want {
		t.Errorf("%s\n got %s\nwant %s", name, got, want)
		for _, f := range append(rep.Findings, rep.Notes...) {
			t.Logf("  %+v", f)
		}
	}
}

// lintText is every finding and note as kind@event, then the hash verdict.
func lintText(rep *LintReport) string {
	var list []string
	for _, f := range append(append([]Finding(nil), rep.Findings...), rep.Notes...) {
		s := f.Kind
		if f.Event >= 0 {
			s += fmt.Sprint("@", f.Event)
		}
		list = append(list, s)
	}
	sort.Strings(list)
	return strings.Join(append(list, string(rep.Hash)), " ")
}

// A run of any flow has no findings, from memory and from a file, and its hash is verified.
func TestLintCleanRuns(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := randomFlow(rt)
		events := f.run(rapid.IntRange(0, 30).Draw(rt, "steps"))
		setup := f.setup()
		for name, log := range map[string]Log{"memory": MemLog(events), "file": storeOf(t, events, &setup)} {
			rep, err := Lint(context.Background(), log, &setup, nil)
			if err != nil || !rep.Clean() || rep.Hash != HashVerified || len(rep.Notes) > 0 {
				rt.Fatalf("%s: %v %s %+v", name, err, lintText(rep), rep.Findings)
			}
			if rep, err = Lint(context.Background(), log, nil, nil); err != nil || !rep.Clean() || rep.Hash != HashNotComputable {
				rt.Fatalf("%s without the flow: %v %s %+v", name, err, lintText(rep), rep.Findings)
			}
		}
	})
}

// The linter's state hash is the fold's, whatever the events are.
func TestLintHashIsTheFolds(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		setup := testSetup(3)
		st := NewState(setup)
		var events []Event
		for i := range rapid.IntRange(0, 30).Draw(rt, "n") {
			events = append(events, genEvent(rt, i+1, 3))
		}
		for i := range events {
			st.Apply(&events[i])
		}
		events = append(events, Event{Type: FinishEvent, Finish: &Finish{Steps: st.Begun(), StateHash: st.Hash(), Ledger: st.Ledger(), Outputs: st.OutputsValue()}})
		rep, err := Lint(context.Background(), MemLog(events), &setup, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if rep.Counts[FindFIFO]+rep.Counts[FindNotWaiting] > 0 {
			return // the fold pops the head, lint what was taken
		}
		if rep.Hash != HashVerified || rep.Counts[FindLedger]+rep.Counts[FindOutputs]+rep.Counts[FindStepCount] > 0 {
			rt.Fatalf("%s: %+v", lintText(rep), rep.Findings)
		}
	})
}

func TestLintStopsWhenCancelled(t *testing.T) {
	events := diamond().run(100)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Lint(ctx, MemLog(events), nil, nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
}

func TestLintKeepsABoundedNumber(t *testing.T) {
	var events []Event
	for range 3 * MaxFindings {
		events = append(events, Event{Type: Receive, Step: 7, Agent: "a", Message: NewInput("task", num(1))})
	}
	rep, err := Lint(context.Background(), MemLog(events), nil, nil)
	if err != nil || len(rep.Findings) != MaxFindings || rep.Total < 2*len(events) || rep.Counts[FindEmptyInbox] != len(events)-1 {
		t.Fatalf("%v: %d kept of %d, %v", err, len(rep.Findings), rep.Total, rep.Counts)
	}
}

func BenchmarkLint(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("events=", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "t.json")
			b.SetBytes(writeBigTrace(b, path, n))
			s := openStore(b, path, nil)
			defer s.Close()
			b.ReportAllocs()
			for b.Loop() {
				if rep, err := Lint(context.Background(), s, nil, nil); err != nil || rep.Total > 0 {
					b.Fatal(err, rep)
				}
			}
		})
	}
}
