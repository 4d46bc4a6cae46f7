package judge

import (
	"errors"
	"math"
	"path/filepath"
	"testing"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

func seedWith(f *testing.F, patterns ...string) {
	f.Helper()
	for _, p := range patterns {
		files, err := filepath.Glob(p)
		if err != nil || len(files) == 0 {
			f.Fatalf("no seeds %s: %v", p, err)
		}
		for _, name := range files {
			f.Add(read(f, name))
		}
	}
}

// FuzzMetrics: whatever a file holds, reading it ends with an answer or a positioned error; what is said to be sane is a
// usable number, and what is hashed is canonical JSON that survives being written and read again.
func FuzzMetrics(f *testing.F) {
	seedWith(f, "testdata/formats/*.json", "testdata/garbage/*.json", "testdata/gates/*.metrics.json")
	f.Add([]byte(`[{"run":"a","x":[1,{"k":1,"k":2}],"y":{"z":null}}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		if m, err := ReadMetrics(data, ""); err == nil {
			checkMetrics(t, m)
		} else {
			checkPositioned(t, data, err)
		}
		set, err := ReadCandidates(data, ListOptions{})
		if err != nil {
			return
		}
		for i := range set {
			checkMetrics(t, set[i].Metrics)
		}
		again, err := ReadCandidates(WriteCandidates(set), ListOptions{})
		if err != nil || len(again) != len(set) {
			t.Fatalf("a written set reads as %d of %d candidates: %v", len(again), len(set), err)
		}
		for i := range set {
			a, b := set[i].Metrics.JSON(), again[i].Metrics.JSON()
			if set[i].ID != again[i].ID || a != b && !repeats(set[i].Metrics) {
				t.Fatalf("candidate %q: %s became %s", set[i].ID, a, b)
			}
		}
	})
}

// repeats says whether a key was given twice: written, it is the list of its values, and it stays unusable.
func repeats(m *Metrics) bool {
	for _, x := range m.All() {
		if x.Count > 1 {
			return true
		}
	}
	return false
}

func checkMetrics(t *testing.T, m *Metrics) {
	doc := m.JSON()
	if again, _, err := canon.Parse([]byte(doc.Text()), canon.Options{Integers: canon.IntegersAccept}); err != nil || again != doc {
		t.Fatalf("%s is not canonical: %v", doc, err)
	}
	for _, x := range m.All() {
		point, reasons := Sane(m, []Objective{lower(x.Name)})
		if (point == nil) == (reasons == nil) {
			t.Fatalf("%s: point %v and reasons %v", x.Name, point, reasons)
		}
		if point != nil && (math.IsNaN(point[0]) || math.Abs(point[0]) >= largestPlain || point[0] != 0 && math.Abs(point[0]) < smallestPlain) {
			t.Fatalf("%s: %v is called sane", x.Name, point[0])
		}
	}
}

func checkPositioned(t *testing.T, data []byte, err error) {
	var at *canon.Error
	if !errors.As(err, &at) || at.Line < 1 || at.Col < 1 || at.Offset > len(data) {
		t.Fatalf("error without a place in the file: %v", err)
	}
}

// FuzzRules: whatever a rule file holds, reading it ends with rules that can be judged, or with a positioned error.
func FuzzRules(f *testing.F) {
	seedWith(f, "testdata/gates/*.rules.json", "testdata/badrules/*.txt")
	m, err := ReadMetrics(read(f, "testdata/gates/every_verdict.metrics.json"), "")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		rules, err := ReadRules(data)
		if err != nil {
			checkPositioned(t, data, err)
			return
		}
		j := Judge(m, rules.Rules)
		if len(j.Checks) != len(rules.Rules) {
			t.Fatalf("%d checks of %d rules", len(j.Checks), len(rules.Rules))
		}
		if (j.Verdict == contract.GatePass) != (j.Violation == 0) {
			t.Fatalf("%s with violation %v", j.Verdict, j.Violation)
		}
		for _, c := range j.Checks {
			if c.Margin != nil && (math.IsNaN(*c.Margin) || math.IsInf(*c.Margin, 0)) {
				t.Fatalf("%s: margin %v", c.Metric, *c.Margin)
			}
		}
		canonical(j.Contract())
	})
}
