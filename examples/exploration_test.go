package examples

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flowdbg/contract"
	"flowdbg/contract/design"
	"flowdbg/contract/judge"
	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/engine/typed"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

const (
	explorationFlow  = "exploration/flow.json"
	explorationTrace = "exploration/trace.json"
	measuredFile     = "exploration/measured.star"
)

// clockedJudge is the in-process judge with a clock that stands still, so that the recorded bytes can be compared.
type clockedJudge struct{ next effect.Source }

func (j clockedJudge) Answer(ctx context.Context, c effect.Call) (effect.Answer, error) {
	if c.Request.Op != "judge" {
		return j.next.Answer(ctx, c)
	}
	in := c.Request.Input
	text := func(key string) string { s, _ := in.Get(key).Str(); return s }
	cert, err := judge.Certify([]byte(in.Get("candidates").Text()), []byte(in.Get("rules").Text()), text("id"), contract.SnapshotRef(text("parent")),
		judge.IssueOptions{SignedBy: text("signed_by"), RegretKind: text("regret_kind"), SignedAt: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		return effect.Answer{}, err
	}
	data, err := json.Marshal(cert)
	if err != nil {
		return effect.Answer{}, err
	}
	v, _, err := canon.Parse(data, canon.Options{})
	return effect.Answer{Output: canon.Object(canon.Member{Key: "certificate", Value: v})}, err
}

func explore(t *testing.T, src func(m *engine.Machine) effect.Source) *engine.Run {
	t.Helper()
	m := scriptMachine(t, explorationFlow)
	m.Verify = true
	m.OnWarn = func(f trace.Finding) { t.Errorf("warning: %s", f.Text) }
	r, err := engine.NewRun(m, src(m))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	if e := r.State.Failed(); e != nil {
		t.Fatal(e.Text)
	}
	return r
}

// measurements writes measured.star from the runs and snapshots of examples/judging: what nextpnr measured, and what
// contract/design measures between two of its placements.
func measurements(t *testing.T) []byte {
	t.Helper()
	doc, _, err := canon.Parse(read(t, "judging/ice40-gcd/candidates.json"), canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	b.WriteString("\"\"\"What nextpnr 0.4 measured for gcd on an iCE40 HX1K, and what changed between two placements.\n\n" +
		"Made from examples/judging by: go test ./examples -run Exploration -update\n\"\"\"\n\nRUNS = {\n")
	snaps := map[string]contract.SnapshotRef{}
	for _, c := range doc.Get("candidates").Elems() {
		id, _ := c.Get("id").Str()
		if ref, ok := c.Get("result_snap").Str(); ok {
			snaps[id] = contract.SnapshotRef(ref)
		}
		var members []canon.Member
		for name, v := range c.Get("metrics").Members() {
			if v.Kind() == canon.KindNumber {
				members = append(members, canon.Member{Key: name, Value: v})
			}
		}
		wall, _ := c.Get("metrics").Get("wall").Float()
		result := canon.Object(canon.Member{Key: "value", Value: canon.Object(members...)}, canon.Member{Key: "elapsed_ms", Value: canon.Int(int64(wall*1000 + 0.5))})
		fmt.Fprintf(&b, "    %s: {\n        \"run\": %s,\n        \"result\": %s,\n    },\n", canon.String(id), starlark(c), starlark(result))
	}
	b.WriteString("}\n\n# By the candidate: from the placement of gcd.heap.s1 to its own.\nDELTAS = {\n")
	store := design.NewStore(filepath.FromSlash("judging/snaps"))
	from, err := store.Get(snaps["gcd.heap.s1"])
	if err != nil {
		t.Fatal(err)
	}
	to, err := store.Get(snaps["gcd.heap.s4"])
	if err != nil {
		t.Fatal(err)
	}
	ans, err := design.Delta(from, to, design.Rule{Identity: design.ByName})
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(ans.Delta)
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := canon.Parse(data, canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(&b, "    \"gcd.heap.s4\": %s,\n}\n", starlark(v))
	return b.Bytes()
}

// starlark is a value as a Starlark literal on one line.
func starlark(v canon.Value) string {
	switch v.Kind() {
	case canon.KindNull:
		return "None"
	case canon.KindBool:
		if v == canon.True {
			return "True"
		}
		return "False"
	case canon.KindArray:
		var parts []string
		for _, e := range v.Elems() {
			parts = append(parts, starlark(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case canon.KindObject:
		var parts []string
		for k, m := range v.Members() {
			parts = append(parts, canon.String(k).Text()+": "+starlark(m))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	}
	return v.Text()
}

func TestExplorationIsCurrent(t *testing.T) {
	text := measurements(t)
	if *update {
		if err := os.WriteFile(filepath.FromSlash(measuredFile), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(text, read(t, measuredFile)) {
		t.Errorf("%s is not what the measurements of examples/judging say; -update writes it anew", measuredFile)
	}
	r := explore(t, func(m *engine.Machine) effect.Source { return clockedJudge{m.Bus()} })
	data := bytesOf(t, r.Events)
	if *update {
		if err := trace.WriteFile(explorationTrace, r.Events, trace.FormatArray); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(data, read(t, explorationTrace)) {
		t.Errorf("%s is not what a run writes now; -update records it anew", explorationTrace)
	}
	tr, err := trace.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := engine.Replay(context.Background(), scriptMachine(t, explorationFlow), tr.Events)
	if err != nil || !rep.Same() {
		t.Errorf("the trace does not replay: %v %v", rep, err)
	}
	// With the judge's own clock the run is the same but for the time of signing.
	own := explore(t, func(m *engine.Machine) effect.Source { return m.Bus() })
	a, _ := r.State.OutputAt("explorer.report", 0)
	b, ok := own.State.OutputAt("explorer.report", 0)
	if !ok || !a.Equal(b) {
		t.Errorf("the reports differ: %s and %s", a.Text(), b.Text())
	}
}

// TestExplorationIsRecognised holds what the trace shows of each candidate against the judging library over the same
// runs: nothing on the screen is made up.
func TestExplorationIsRecognised(t *testing.T) {
	tr, err := trace.Read(read(t, explorationTrace))
	if err != nil {
		t.Fatal(err)
	}
	var x typed.Index
	x.Advance(trace.MemLog(tr.Events), 0)
	ex := x.At(len(tr.Events), typed.Options{})
	all, err := judge.ReadCandidates(read(t, "judging/ice40-gcd/candidates.json"), judge.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var set []judge.Candidate
	for _, c := range all {
		for i := range ex.Candidates {
			if ex.Candidates[i].ID == c.ID {
				set = append(set, c)
			}
		}
	}
	rules, err := judge.ReadRules(read(t, "judging/ice40-gcd/rules.json"))
	if err != nil {
		t.Fatal(err)
	}
	want, err := judge.Rank(set, judge.RankOptions{Objectives: rules.Objectives, Rules: rules.Rules, Reference: rules.Reference, Resolutions: rules.Resolutions})
	if err != nil {
		t.Fatal(err)
	}
	if len(ex.Candidates) != 10 || len(set) != 10 {
		t.Fatalf("%d candidates", len(ex.Candidates))
	}
	for _, c := range ex.Candidates {
		e, ok := want.Entry(c.ID)
		if !ok || c.Certificate == nil || c.Claimed == nil || len(c.Goals) != 1 {
			t.Fatalf("%+v", c)
		}
		if (e.Rank == nil) != (c.Rank == nil) || e.Rank != nil && *e.Rank != *c.Rank || e.Gate.Verdict != c.Gate {
			t.Errorf("%s: rank %v, gate %s", c.ID, c.Rank, c.Gate)
		}
		if rate := c.Metrics["fmax"]; rate < 100 || rate > 125 {
			t.Errorf("%s: fmax %v", c.ID, rate)
		}
	}
	if len(ex.Deltas) != 1 || ex.Deltas[0].Of != "gcd.heap.s4" {
		t.Errorf("deltas %+v", ex.Deltas)
	}
}
