package contract

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func placer(t testing.TB) *ToolCapability {
	var tool ToolCapability
	if err := json.Unmarshal(readJSON(t, "testdata/golden/ToolCapability.json"), &tool); err != nil {
		t.Fatal(err)
	}
	return &tool
}

func TestCheckRequest(t *testing.T) {
	good := ToolRequest{DesignRef: "gcd@sky130hd", ScenarioRef: "placement", Effort: "quick", SnapRef: "main"}
	for name, c := range map[string]struct {
		req     func(*ToolRequest)
		tool    func(*ToolCapability)
		cells   *int64
		refused []string // paths
		open    int      // number of questions that could not be decided
		warned  int
	}{
		"all declared":       {cells: ptr[int64](500)},
		"nothing asked":      {req: func(r *ToolRequest) { r.ScenarioRef, r.Effort = "", "" }, cells: ptr[int64](500)},
		"scenario":           {req: func(r *ToolRequest) { r.ScenarioRef = "cts" }, cells: ptr[int64](1), refused: []string{"/scenario_ref"}},
		"effort":             {req: func(r *ToolRequest) { r.Effort = "extreme" }, cells: ptr[int64](1), refused: []string{"/effort"}},
		"snapshot":           {req: func(r *ToolRequest) { r.SnapRef = "" }, cells: ptr[int64](1), refused: []string{"/snap_ref"}},
		"dirty set":          {tool: func(c *ToolCapability) { c.InputConstraints.RequiresDirtySet = true }, cells: ptr[int64](1), refused: []string{"/dirty_hint"}},
		"technology":         {req: func(r *ToolRequest) { r.DesignRef = "gcd@asap7" }, cells: ptr[int64](1), refused: []string{"/design_ref"}},
		"all technologies":   {req: func(r *ToolRequest) { r.DesignRef = "gcd@asap7" }, tool: func(c *ToolCapability) { c.InputConstraints.SupportedTechs = nil }, cells: ptr[int64](1)},
		"no technology":      {tool: func(c *ToolCapability) { c.InputConstraints.SupportedTechs = []string{} }, cells: ptr[int64](1), refused: []string{"/design_ref"}},
		"no design":          {req: func(r *ToolRequest) { r.DesignRef = "gcd" }, cells: ptr[int64](1), refused: []string{"/design_ref"}},
		"cells at the limit": {cells: ptr[int64](1000000)},
		"too many cells":     {cells: ptr[int64](1000001), refused: []string{"/design_ref"}},
		"cells not known":    {open: 1},
		"no limit, no cells": {tool: func(c *ToolCapability) { c.InputConstraints.MaxDesignCells = nil }},
		"over the budget":    {req: func(r *ToolRequest) { r.Budget = &CostBudget{WallMS: ptr[int64](100), PeakMemoryMB: ptr[int64](10)} }, cells: ptr[int64](50000), warned: 2},
		"everything at once": {req: func(r *ToolRequest) { *r = ToolRequest{DesignRef: "x@y", ScenarioRef: "z", Effort: "w"} },
			tool: func(c *ToolCapability) { c.InputConstraints.RequiresDirtySet = true }, cells: ptr[int64](2000000),
			refused: []string{"/scenario_ref", "/effort", "/snap_ref", "/dirty_hint", "/design_ref", "/design_ref"}},
	} {
		t.Run(name, func(t *testing.T) {
			req, tool := good, placer(t)
			if c.req != nil {
				c.req(&req)
			}
			if c.tool != nil {
				c.tool(tool)
			}
			check := CheckRequest(tool, &req, c.cells)
			var paths []string
			for _, r := range check.Refusals {
				paths = append(paths, r.Path)
				if r.Code != CodeNotCapable || r.Tool != "iPL.place" || r.Reason == "" {
					t.Errorf("%+v", r)
				}
			}
			if !slices.Equal(paths, c.refused) || len(check.NotCheckable) != c.open || len(check.Warnings) != c.warned {
				t.Fatalf("%v\n%+v", paths, check)
			}
		})
	}
}

func TestResolveEffort(t *testing.T) {
	for _, c := range []struct {
		asked  string
		levels []string
		want   string
	}{
		{"quick", []string{"standard"}, "quick"}, {"", []string{"quick", "standard"}, "standard"},
		{"", []string{"draft", "final"}, "draft"}, {"", nil, ""},
	} {
		if got := ResolveEffort(&ToolCapability{FidelityLevels: c.levels}, &ToolRequest{Effort: c.asked}); got != c.want {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

func TestPredictLatency(t *testing.T) {
	p := PerformanceProfile{TypicalLatencyMS: 1000, ReferenceCells: ptr[int64](1024)}
	for scaling, want := range map[string]float64{ScalingLinear: 2000, ScalingNLogN: 2200, ScalingQuadratic: 4000} {
		p.Scaling = scaling
		if ms, why := PredictLatencyMS(p, ptr[int64](2048)); ms != want || why != "" {
			t.Errorf("%s: %v %s", scaling, ms, why)
		}
		for _, cells := range []int64{0, 1} { // no division by 0, no NaN
			if ms, why := PredictLatencyMS(p, ptr(cells)); !(ms >= 0 && ms <= 1000) || why != "" {
				t.Errorf("%s of %d: %v %s", scaling, cells, ms, why)
			}
		}
	}
	p.Scaling = "cubic"
	if _, why := PredictLatencyMS(p, ptr[int64](1)); !strings.Contains(why, "cubic") {
		t.Error(why)
	}
	if _, why := PredictLatencyMS(p, nil); why == "" {
		t.Error("predicted for no number of cells")
	}
}

func TestSuit(t *testing.T) {
	tool := func(name string, change func(*ToolCapability)) ToolCapability {
		c := *placer(t)
		c.ToolName = name
		change(&c)
		return c
	}
	tools := []ToolCapability{
		tool("d.wrong_scenario", func(c *ToolCapability) { c.SupportedScenarios = []string{"cts"} }),
		tool("c.unscaled", func(c *ToolCapability) { c.PerformanceProfile.ReferenceCells = nil }),
		tool("b.slow", func(c *ToolCapability) { c.PerformanceProfile.TypicalLatencyMS = 90000 }),
		tool("b.slow_unscaled", func(c *ToolCapability) {
			c.PerformanceProfile.TypicalLatencyMS, c.PerformanceProfile.ReferenceCells = 90000, nil
		}),
		tool("a.fits", func(*ToolCapability) {}),
	}
	wish := Wish{Scenario: "placement", Tech: "sky130hd", Effort: "quick", Cells: ptr[int64](50000),
		Budget: &CostBudget{WallMS: ptr[int64](60000), PeakMemoryMB: ptr[int64](1000)}}
	summary := func(answers []Suitability) (lines []string) {
		for _, a := range answers {
			line := a.Tool + " " + a.Status
			for _, x := range a.Aspects {
				if x.Status != StatusFits {
					line += "; " + x.Name + ": " + x.Reason
				}
			}
			lines = append(lines, line)
		}
		return lines
	}
	want := []string{
		"a.fits fits",
		"b.slow warning; typical_latency_ms: predicted latency 90000 ms is over the budget of 60000 ms",
		"b.slow_unscaled warning; typical_latency_ms: typical latency 90000 ms is over the budget of 60000 ms (not scaled: the profile does not state its reference_cells)",
		"c.unscaled not_checkable; typical_latency_ms: typical latency 8000 ms of at most 60000 ms cannot be scaled to this design: the profile does not state its reference_cells",
		"d.wrong_scenario unfit; supported_scenarios: placement is not among [cts]",
	}
	if diff := cmp.Diff(want, summary(Suit(tools, wish))); diff != "" {
		t.Error(diff)
	}

	wish.Cells, wish.Budget = nil, nil
	for _, a := range Suit(tools, wish) {
		if a.Status == StatusFits || a.Status == StatusWarning {
			t.Errorf("%s passes although the number of cells is not known", a.Tool)
		}
	}
	wish = Wish{Tech: "asap7", Effort: "extreme", NoSnapshot: true, NoDirtySet: true, Cells: ptr[int64](2000000)}
	one := Suit([]ToolCapability{tool("x", func(c *ToolCapability) { c.InputConstraints.RequiresDirtySet = true })}, wish)[0]
	if len(one.Aspects) != 5 || slices.ContainsFunc(one.Aspects, func(a Aspect) bool { return a.Status != StatusUnfit }) {
		t.Errorf("%+v", one)
	}
	if got := Suit(nil, wish); got == nil || len(got) != 0 {
		t.Error("no tools must give an empty list", got)
	}
	noLimit := tool("y", func(c *ToolCapability) { c.InputConstraints.MaxDesignCells = nil })
	if got := Suit([]ToolCapability{noLimit}, Wish{}); got[0].Status != StatusFits || got[0].Aspects == nil {
		t.Errorf("no wish: %+v", got)
	}
}
