package judge

import (
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// TestGates judges testdata/gates/NAME.metrics.json by NAME.rules.json and compares the whole judgment with NAME.golden.
func TestGates(t *testing.T) {
	files, err := filepath.Glob("testdata/gates/*.rules.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		base := strings.TrimSuffix(file, ".rules.json")
		t.Run(filepath.Base(base), func(t *testing.T) {
			m, err := ReadMetrics(read(t, base+".metrics.json"), "")
			if err != nil {
				t.Fatal(err)
			}
			rules, err := ReadRules(read(t, file))
			if err != nil {
				t.Fatal(err)
			}
			got := renderGate(Judge(m, rules.Rules))
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(base+".golden", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(read(t, base+".golden")); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func renderGate(j Judgment) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s violation %v %s\n", j.Verdict, j.Violation, j.Reason)
	for _, c := range j.Contract().Checks {
		fmt.Fprintln(&b, canonical(c))
	}
	return b.String()
}

// TestOpenROADLimits: of four flow tests with 22 limits each, one fails in one limit (its own log says so).
func TestOpenROADLimits(t *testing.T) {
	for name, fails := range map[string]string{
		"aes_sky130hd": "", "gcd_nangate45": "", "gcd_sky130hd": "", "ibex_sky130hd": "DRT::ANT::errors",
	} {
		t.Run(name, func(t *testing.T) {
			m, err := ReadMetrics(read(t, shared(t, "eda", "openroad", "metrics", name+".metrics")), "")
			if err != nil {
				t.Fatal(err)
			}
			rules, err := ReadRules(read(t, shared(t, "eda", "openroad", "metrics", name+".metrics_limits")))
			if err != nil {
				t.Fatal(err)
			}
			j := Judge(m, rules.Rules)
			if len(j.Checks) != 22 {
				t.Errorf("%d checks, want 22", len(j.Checks))
			}
			var failed []string
			for _, c := range j.Checks {
				if c.Verdict != contract.CheckPass {
					failed = append(failed, c.Metric)
				}
			}
			want := contract.GatePass
			if fails != "" {
				want = contract.GateFail
			}
			if j.Verdict != want || strings.Join(failed, " ") != fails {
				t.Errorf("%s, failed %v; want %s, %q", j.Verdict, failed, want, fails)
			}
		})
	}
}

// TestORFSRules reads the rule files of a public flow and judges made-up metrics that sit exactly on every limit: all
// its comparisons allow equality, so all must pass.
func TestORFSRules(t *testing.T) {
	for _, name := range []string{"nangate45.aes", "nangate45.gcd", "sky130hd.aes", "sky130hd.gcd"} {
		rules, err := ReadRules(read(t, shared(t, "eda", "orfs", name+".rules-base.json")))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		var b strings.Builder
		warnings := 0
		for i, r := range rules.Rules {
			var value canon.Value
			if r.Text != nil {
				value = canon.String(*r.Text)
			} else if value, err = canon.Float(r.Limit); err != nil {
				t.Fatal(err)
			}
			if r.Level == contract.LevelWarning {
				warnings++
			}
			fmt.Fprintf(&b, "%c%s: %s", "{,"[min(i, 1)], canon.String(r.Metric).Text(), value.Text())
		}
		m, err := ReadMetrics([]byte(b.String()+"}"), "")
		if err != nil {
			t.Fatal(err)
		}
		j := Judge(m, rules.Rules)
		if len(j.Checks) < 20 || warnings == 0 {
			t.Errorf("%s: %d checks, %d at level warning", name, len(j.Checks), warnings)
		}
		for _, c := range j.Checks {
			if c.Verdict != contract.CheckPass || c.Margin != nil && *c.Margin != 0 {
				t.Errorf("%s: %s %s, margin %v", name, c.Metric, c.Verdict, c.Margin)
			}
		}
	}
}

// TestBadRules: each file holds one mistake, and its first line, a comment, says where and what must be reported.
func TestBadRules(t *testing.T) {
	files, err := filepath.Glob("testdata/badrules/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			want, doc, _ := strings.Cut(string(read(t, file)), "\n")
			_, err := ReadRules([]byte(doc))
			var at *canon.Error
			if !errors.As(err, &at) {
				t.Fatalf("error %v, want one with a position", err)
			}
			if got := err.Error(); !strings.HasPrefix(got, want) {
				t.Errorf("got  %s\nwant %s…", got, want)
			}
		})
	}
}

func TestResolution(t *testing.T) {
	low, high := contract.LowerIsBetter, contract.HigherIsBetter
	for i, c := range []struct {
		r      Resolution
		a, b   float64
		better contract.Direction
		want   Outcome
	}{
		{Resolution{}, 1, 1, low, Equal},
		{Resolution{}, 1, 1 + 1e-12, low, Better},
		{Resolution{Uncertainty: 0.02}, 100, 101.9, low, NotResolved},
		{Resolution{Uncertainty: 0.02}, 100, 103, low, Better},
		{Resolution{Uncertainty: 0.02}, 100, 103, high, Worse},
		{Resolution{Uncertainty: 0.5}, 100, 200, high, Worse}, // exactly on the threshold is resolved
		{Resolution{Uncertainty: 0.02, Period: 10}, -0.1, 0.05, high, NotResolved},
		{Resolution{Uncertainty: 0.02}, -0.1, 0.05, high, Worse}, // without the period a slack near 0 has no scale
		{Resolution{Uncertainty: 0.02, Period: 10}, -0.2, 0.05, high, Worse},
		{Resolution{Spread: 4.3}, 111, 115, high, NotResolved},
		{Resolution{Spread: 4.3, Uncertainty: 0.1}, 111, 117, high, NotResolved},
	} {
		if got := c.r.Compare(c.a, c.b, c.better); got != c.want {
			t.Errorf("case %d: %s, want %s", i, got, c.want)
		}
	}
}

func TestSeedSpread(t *testing.T) {
	// Standard deviations 1 (three runs) and √2 (two runs): pooled √((2·1 + 1·2)/3).
	list, err := ReadCandidates([]byte(`[{"run":"a","p":"x","f":10},{"run":"b","p":"x","f":11},{"run":"c","p":"x","f":12},
		{"run":"d","p":"y","f":20},{"run":"e","p":"y","f":22},{"run":"bad","p":"y","f":-1},{"run":"alone","p":"z","f":5}]`), ListOptions{Group: "{p}"})
	if err != nil {
		t.Fatal(err)
	}
	got, ok := SeedSpread(list, lower("f"))
	if want := math.Sqrt(4.0 / 3); !ok || !closeTo(got, want) {
		t.Errorf("spread %v %v, want %v", got, ok, want)
	}
	if _, ok := SeedSpread(list[:1], lower("f")); ok {
		t.Error("a spread from a single run")
	}
}
