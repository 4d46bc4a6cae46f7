package judge

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flowdbg/contract"
)

func lower(metric string) Objective {
	return Objective{Objective: contract.Objective{Metric: metric, Direction: contract.LowerIsBetter}}
}

// TestGarbage reads candidate sets in which one candidate is sound and the others are garbage of one kind each. The file
// says which reason each must get; none may have a rank, and all must be worse than nothing for the sound one.
func TestGarbage(t *testing.T) {
	files, err := filepath.Glob("testdata/garbage/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			candidates, err := ReadCandidates(read(t, file), ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := Rank(candidates, RankOptions{Objectives: []Objective{lower("hpwl")}})
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range r.Entries {
				checkGarbage(t, e)
			}
		})
	}
}

// checkGarbage takes what is expected from the id: `sound`, or the code of the reason, perhaps with a suffix after ".".
func checkGarbage(t *testing.T, e Entry) {
	want, _, _ := strings.Cut(e.ID, ".")
	if want == "sound" {
		if e.Rank == nil || *e.Rank != 0 {
			t.Errorf("%s: rank %v, want 0; reasons %v", e.ID, e.Rank, e.Reasons)
		}
		return
	}
	if e.Rank != nil || e.Feasible || e.Regret.Scalar != nil {
		t.Errorf("%s: it was ranked: %+v", e.ID, e)
	}
	if !slices.ContainsFunc(e.Reasons, func(r Reason) bool { return string(r.Code) == want }) {
		t.Errorf("%s: reasons %v, want code %s", e.ID, e.Reasons, want)
	}
}

// TestIEDAGarbage: two of iEDA's own result files report a half-perimeter wirelength from memory that nobody wrote to.
func TestIEDAGarbage(t *testing.T) {
	var candidates []Candidate
	for _, step := range []string{"legalization", "optDrv", "optHold"} {
		m, err := ReadMetrics(read(t, shared(t, "eda", "ieda", "feature", "gcd_"+step+"_tool.json")), "")
		if err != nil {
			t.Fatal(err)
		}
		if m.Format != FormatIEDA {
			t.Errorf("%s: format %s", step, m.Format)
		}
		candidates = append(candidates, Candidate{ID: step, Metrics: m})
	}
	for _, metric := range []string{"HPWL", "STWL"} {
		r, err := Rank(candidates, RankOptions{Objectives: []Objective{lower(metric)}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(r.Front, []string{"legalization"}) || r.Unrankable != 2 {
			t.Errorf("%s: front %v, %d not rankable", metric, r.Front, r.Unrankable)
		}
		for _, id := range []string{"optDrv", "optHold"} {
			e, _ := r.Entry(id)
			if len(e.Reasons) != 1 || e.Reasons[0].Code != Denormal {
				t.Errorf("%s of %s: reasons %v, want a denormal", metric, id, e.Reasons)
			}
		}
		for _, c := range candidates[1:] {
			j := Judge(c.Metrics, []Rule{{Metric: metric, Op: "<=", Limit: 2e7, Level: contract.LevelError}})
			if j.Verdict != contract.GateInconclusive || j.Checks[0].Verdict != contract.CheckNotComparable {
				t.Errorf("gate on %s of %s: %s, %s", metric, c.ID, j.Verdict, j.Checks[0].Verdict)
			}
		}
	}
}

func TestKilledRunIsNeverBest(t *testing.T) {
	for _, status := range []string{"killed", "failed", "timeout", "OK?"} {
		m := &Metrics{Status: status}
		m.Set("hpwl", 1, "")
		if _, reasons := Sane(m, []Objective{lower("hpwl")}); len(reasons) != 1 || reasons[0].Code != RunNotOK {
			t.Errorf("status %q: reasons %v", status, reasons)
		}
		j := Judge(m, []Rule{{Metric: "hpwl", Op: "<=", Limit: 10, Level: contract.LevelError}})
		if j.Verdict != contract.GateError || j.Checks[0].Verdict != contract.CheckPass {
			t.Errorf("status %q: gate %s, check %s", status, j.Verdict, j.Checks[0].Verdict)
		}
	}
}

func TestSlackMayBeMinusOne(t *testing.T) {
	for metric, want := range map[string]Code{
		"wns": "", "finish__timing__setup__ws": "", "DRT::worst_slack_max": "", "slack_ns": "",
		"area": Sentinel, "fmax_mhz": Sentinel, "buffers": Sentinel,
	} {
		m := &Metrics{}
		m.Set(metric, -1, "")
		x, _ := m.Get(metric)
		if code, _ := unusable(&x); code != want {
			t.Errorf("%s = -1: %q, want %q", metric, code, want)
		}
	}
}

func TestDirections(t *testing.T) {
	for metric, want := range map[string]contract.Direction{
		"area": contract.LowerIsBetter, "fmax_mhz": contract.HigherIsBetter, "finish__timing__setup__ws": contract.HigherIsBetter,
		"DRT::drv": contract.LowerIsBetter, "clocks_timing.core_clock.setup_wns": contract.HigherIsBetter, "hpwl_um": contract.LowerIsBetter,
		"DR.3.total_wire_length": contract.LowerIsBetter, "detailedroute__route__drc_errors": contract.LowerIsBetter,
		"cpu": "", "cells": "", "": "",
	} {
		if got := DirectionOf(metric); got != want {
			t.Errorf("%s: %q, want %q", metric, got, want)
		}
	}
	_, err := Resolve([]Objective{{Objective: contract.Objective{Metric: "cpu"}}, lower("area"), lower("area")})
	if err == nil || !strings.Contains(err.Error(), "cpu") || !strings.Contains(err.Error(), "twice") {
		t.Errorf("unknown direction and a twin: %v", err)
	}
}

func TestUnits(t *testing.T) {
	set := func(values ...any) []Candidate {
		var list []Candidate
		for i := 0; i < len(values); i += 2 {
			m := &Metrics{}
			m.Set("delay", values[i].(float64), values[i+1].(string))
			list = append(list, Candidate{ID: fmt.Sprint(i / 2), Metrics: m})
		}
		return list
	}
	r, err := Rank(set(2.0, "ns", 1500.0, "ps", 1.0, "", 1.0, "um", 1.0, "furlong"), RankOptions{Objectives: []Objective{lower("delay")}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(r.Front, []string{"1"}) || r.Entries[1].Values[0] != 1.5 {
		t.Errorf("front %v, values %v: want 1500 ps = 1.5 ns best", r.Front, r.Entries[1].Values)
	}
	for i, want := range []Code{"", "", UnknownUnit, UnitMismatch, UnknownUnit} {
		var got Code
		if e := r.Entries[i]; len(e.Reasons) > 0 {
			got = e.Reasons[0].Code
		}
		if got != want {
			t.Errorf("candidate %d: %q, want %q", i, got, want)
		}
	}
}

// TestFormats reads one small file per format and compares every metric with the golden list beside it.
func TestFormats(t *testing.T) {
	files, err := filepath.Glob("testdata/formats/*.metrics.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			m, err := ReadMetrics(read(t, file), "")
			if err != nil {
				t.Fatal(err)
			}
			var b strings.Builder
			fmt.Fprintf(&b, "format %s status %q invented %q\n", m.Format, m.Status, m.Invented)
			for _, x := range m.All() {
				line, _ := json.Marshal(x.json())
				fmt.Fprintf(&b, "%s = %s", x.Name, line)
				if code, _ := unusable(&x); code != "" {
					fmt.Fprintf(&b, " (%s)", code)
				}
				fmt.Fprintln(&b)
			}
			golden := strings.TrimSuffix(file, ".metrics.json") + ".golden"
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if want := string(read(t, golden)); b.String() != want {
				t.Errorf("got\n%s\nwant\n%s", b.String(), want)
			}
		})
	}
}

// TestNextpnrReports reads real reports of two versions, of which the newer one changed other parts of the format.
func TestNextpnrReports(t *testing.T) {
	for _, version := range []string{"0.4", "0.8"} {
		m, err := ReadMetrics(read(t, shared(t, "eda", "generated", "schema_break", "nextpnr-"+version+".report.json")), "")
		if err != nil {
			t.Fatal(err)
		}
		fmax, ok := m.Get("fmax_mhz")
		path, okPath := m.Get("critical_path_ns")
		if m.Format != FormatNextpnr || !ok || !okPath || fmax.Value < 50 || fmax.Value > 200 {
			t.Fatalf("%s: format %s, fmax %+v, path %+v", version, m.Format, fmax, path)
		}
		if period := 1000 / fmax.Value; path.Value < period-1e-3 {
			t.Errorf("%s: the longest path of %v ns is shorter than the period %v ns of fmax", version, path.Value, period)
		}
	}
}

func TestDuplicateKeysOfOpenROAD(t *testing.T) {
	m, err := ReadMetrics(read(t, shared(t, "eda", "openroad", "metrics", "gcd_nangate45.metrics")), "")
	if err != nil {
		t.Fatal(err)
	}
	x, _ := m.Get("route__wirelength__estimated")
	if m.Format != FormatOpenROAD || x.Count != 3 || x.Value != 4627.01 {
		t.Errorf("format %s, %+v: want three values, the last 4627.01", m.Format, x)
	}
	if _, reasons := Sane(m, []Objective{lower("route__wirelength__estimated")}); len(reasons) != 1 || reasons[0].Code != DuplicateKey {
		t.Errorf("reasons %v, want a duplicate key", reasons)
	}
}
