package contract

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"flowdbg/trace/canon"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func ptr[T any](v T) *T { return &v }

// TestParsersAgreeWithSchema: what a Go parser accepts is what the schema accepts, so that neither can drift.
func TestParsersAgreeWithSchema(t *testing.T) {
	alphabet := []string{"@", "a", "B", "0", "1", "7", " ", "-", "+", ".", "%", "<", ">", "=", "e", "sha256:", "intent:", "\n", "\t", "é",
		strings.Repeat("ab", 32), "/", "2026-02-03T04:05:06", "Z", "z"}
	accepts := map[string]func(string) bool{
		"DesignRef":        func(s string) bool { _, _, err := DesignRef(s).Parse(); return err == nil },
		"MetricGoal":       func(s string) bool { _, err := ParseGoal(MetricGoal(s)); return err == nil },
		"ResolvedSnapshot": func(s string) bool { return SnapshotRef(s).Resolved() },
		"Timestamp":        func(s string) bool { _, err := Timestamp(s).Time(); return err == nil },
	}
	for typ, parse := range accepts {
		t.Run(typ, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(alphabet), 0, 5).Draw(t, "parts"), "")
				findings, err := ValidateValue(typ, canon.String(s))
				if err != nil {
					t.Fatal(err)
				}
				if findings.Valid() != parse(s) {
					t.Fatalf("%q: parser %v, schema %v", s, parse(s), findings)
				}
			})
		})
	}
}

func TestDesignRef(t *testing.T) {
	design, tech, err := DesignRef("gcd@sky130hd").Parse()
	if err != nil || design != "gcd" || tech != "sky130hd" {
		t.Fatal(design, tech, err)
	}
}

func TestTimestamp(t *testing.T) {
	at := time.Date(2026, 3, 1, 13, 0, 0, 250e6, time.FixedZone("", 3600))
	if got := TimestampOf(at); got != "2026-03-01T12:00:00.25Z" {
		t.Fatal(got)
	}
	back, err := TimestampOf(at).Time()
	if err != nil || !back.Equal(at) {
		t.Fatal(back, err)
	}
}

func TestDistanceIsManhattanInMicrons(t *testing.T) {
	from, to := Position{X: 1000, Y: -500}, Position{X: 0, Y: 1500}
	if d := from.Distance(to, 1000); d != 3 {
		t.Fatal(d)
	}
	far := Position{X: math.MaxInt64, Y: 0}
	if d := far.Distance(Position{X: math.MinInt64}, 1); d < 1.8e19 {
		t.Fatal("overflow", d)
	}
}

func TestDirtySetRefRoundTrip(t *testing.T) {
	for _, doc := range []string{`"dirty-1"`, `{"snap":"main","cells":["a"]}`} {
		var ref DirtySetRef
		if err := json.Unmarshal([]byte(doc), &ref); err != nil {
			t.Fatal(err)
		}
		if (ref.Set == nil) == (ref.ID == "") {
			t.Fatalf("%s: %+v", doc, ref)
		}
		out, err := json.Marshal(ref)
		if err != nil || string(out) != doc {
			t.Fatal(string(out), err)
		}
	}
}

func TestParamsHash(t *testing.T) {
	read := func(s string) canon.Value {
		v, _, err := canon.ParseString(s, canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	hash := func(s string) Hash {
		h, err := ParamsHash(read(s))
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	// By sha256sum, of the bytes {"design_ref":"a@b","effort":"quick"}.
	const want = "sha256:62abfd6931e6d2ab8a707a7633122e4d2f995a99fffcc2800c430dbaa9edfc9b"
	base := hash(`{"effort":"quick","design_ref":"a@b"}`)
	if base != want {
		t.Errorf("%s, want %s", base, want)
	}
	if hash(`{"design_ref":"a@b","snap_ref":"main","effort":"quick"}`) != base {
		t.Error("snap_ref counts")
	}
	if hash(`{"design_ref":"a@b","effort":"quick","dirty_hint":"d1"}`) == base {
		t.Error("dirty_hint does not count")
	}
	if hash(`{"design_ref":"a@b","effort":"quick","budget":{"snap_ref":1}}`) == hash(`{"design_ref":"a@b","effort":"quick","budget":{}}`) {
		t.Error("a nested snap_ref is not the request's")
	}
	if _, err := ParamsHash(read(`[1]`)); err == nil {
		t.Error("a list has a parameter hash")
	}
}

func TestCacheKey(t *testing.T) {
	snap := SnapshotRef("sha256:" + strings.Repeat("a", 64))
	key := CacheKey{ParamsHash: "sha256:p", ToolName: "iPL.place", ToolVersion: "1.3.1", Snapshot: snap, ContractVersion: 2, RuleSet: "sha256:r"}
	seen := map[Hash]string{}
	for name, change := range map[string]func(*CacheKey){
		"as it is": func(*CacheKey) {}, "params": func(k *CacheKey) { k.ParamsHash = "sha256:q" },
		"tool": func(k *CacheKey) { k.ToolName = "iPL.legalize" }, "version": func(k *CacheKey) { k.ToolVersion = "1.3.2" },
		"snapshot": func(k *CacheKey) { k.Snapshot = "sha256:" + SnapshotRef(strings.Repeat("b", 64)) },
		"contract": func(k *CacheKey) { k.ContractVersion = 3 }, "rules": func(k *CacheKey) { k.RuleSet = "sha256:s" },
	} {
		k := key
		change(&k)
		h, err := k.Hash()
		if err != nil {
			t.Fatal(name, err)
		}
		if other, taken := seen[h]; taken {
			t.Errorf("%s and %s have one key", name, other)
		}
		seen[h] = name
	}
	for _, bad := range []CacheKey{{Snapshot: "main", ToolName: "x", ToolVersion: "1.0.0"}, {Snapshot: snap}} {
		if _, err := bad.Hash(); err == nil {
			t.Errorf("%+v has a key", bad)
		}
	}
}

func TestDeterminism(t *testing.T) {
	o := func(params, value string, uncertainty *float64) Observation {
		return Observation{ToolName: "iSTA.analyze", ToolVersion: "1.0.0", Snapshot: "s", ParamsHash: Hash(params), ValueHash: Hash(value), Uncertainty: uncertainty}
	}
	zero, some := ptr(0.0), ptr(0.15)
	for name, c := range map[string]struct {
		seen   []Observation
		alarms []int // indices that raise one
	}{
		"same value":                      {[]Observation{o("p", "v", zero), o("p", "v", zero)}, nil},
		"another value":                   {[]Observation{o("p", "v", zero), o("p", "w", zero)}, []int{1}},
		"nothing stated":                  {[]Observation{o("p", "v", nil), o("p", "w", nil)}, nil},
		"uncertain":                       {[]Observation{o("p", "v", some), o("p", "w", some)}, nil},
		"the claim comes second":          {[]Observation{o("p", "v", nil), o("p", "w", zero)}, []int{1}},
		"the claim was first":             {[]Observation{o("p", "v", zero), o("p", "w", nil)}, []int{1}},
		"other parameters":                {[]Observation{o("p", "v", zero), o("q", "w", zero)}, nil},
		"a claim about a value seen once": {[]Observation{o("p", "v", some), o("p", "v", zero), o("p", "w", nil)}, []int{2}},
	} {
		t.Run(name, func(t *testing.T) {
			var d Determinism
			var alarms []int
			for i, seen := range c.seen {
				if alarm := d.Observe(seen); alarm != nil {
					alarms = append(alarms, i)
					if !strings.Contains(alarm.Error(), "iSTA.analyze 1.0.0 is not deterministic") {
						t.Error(alarm)
					}
				}
			}
			if !slices.Equal(alarms, c.alarms) {
				t.Fatal(alarms)
			}
		})
	}
}

func TestGoals(t *testing.T) {
	for _, c := range []struct {
		goal          MetricGoal
		before, after float64
		dir           Direction
		want, reason  string
	}{
		{"-5%", 100, 95, LowerIsBetter, GoalMet, "change -5% <= -5%"},
		{"-5%", 100, 95.1, LowerIsBetter, GoalMissed, "change -4.9% <= -5% does not hold"},
		{"-5%", 0.3, 0.285, LowerIsBetter, GoalMet, "change -5% <= -5%"},
		{"+2%", 100, 101, LowerIsBetter, GoalMet, "change +1% <= +2%"},
		{"+2%", 100, 103, LowerIsBetter, GoalMissed, "change +3% <= +2% does not hold"},
		{"+10%", -0.5, -0.4, HigherIsBetter, GoalMet, "change +20% >= +10%"},
		{"+10%", -0.5, -0.6, HigherIsBetter, GoalMissed, "change -20% >= +10% does not hold"},
		{"+0.1", -0.3, -0.2, HigherIsBetter, GoalMet, "change +0.1 >= +0.1"},
		{"-0.05", -0.3, -0.34, HigherIsBetter, GoalMet, "change -0.04 >= -0.05"},
		{"-3", 7, 4, LowerIsBetter, GoalMet, "change -3 <= -3"},
		{"-5%", 0, 1, LowerIsBetter, GoalUndecidable, "the metric was 0 before"},
		{"-5%", 100, 90, "", GoalUndecidable, "declare its direction"},
		{"-5%", math.NaN(), 90, LowerIsBetter, GoalUndecidable, "before is not a finite number"},
		{"-5%", 100, math.Inf(1), LowerIsBetter, GoalUndecidable, "afterwards is not a finite number"},
		{"+1", -1.7e308, 1.7e308, HigherIsBetter, GoalUndecidable, "change is not a finite number"},
		{"-1", 0, -1, LowerIsBetter, GoalMet, "change -1 <= -1"},
		{"<= 0.5", math.NaN(), 0.5, "", GoalMet, "value 0.5 <= 0.5"},
		{"<0.5", 0, 0.5, "", GoalMissed, "value 0.5 < 0.5 does not hold"},
		{">= -0.1", 0, -0.1, "", GoalMet, "value -0.1 >= -0.1"},
		{"> 0", 0, 0, "", GoalMissed, "value 0 > 0 does not hold"},
		{"== 0", 3, 0, "", GoalMet, "value 0 == 0"},
	} {
		t.Run(string(c.goal)+" "+c.want+" "+c.reason, func(t *testing.T) {
			g, err := ParseGoal(c.goal)
			if err != nil {
				t.Fatal(err)
			}
			got := g.Evaluate(c.before, c.after, c.dir)
			if got.Outcome != c.want || !strings.Contains(got.Reason, c.reason) {
				t.Fatalf("%+v", got)
			}
		})
	}
	for _, bad := range []MetricGoal{"", "5%", "-", "-%", "- 5%", "-5 %", "+05", "-5%%", "=5", "=> 5", "<= +5", "<=", "-1e999%", "better"} {
		if g, err := ParseGoal(bad); err == nil {
			t.Errorf("%q reads as %+v", bad, g)
		}
	}
}

func TestDirections(t *testing.T) {
	for name, want := range map[string]Direction{
		"area": LowerIsBetter, "HPWL": LowerIsBetter, "total_power": LowerIsBetter, "route/drc": LowerIsBetter, "wirelength": LowerIsBetter,
		"wns": HigherIsBetter, "setup_tns": HigherIsBetter, "timing__setup__ws": HigherIsBetter, "core_clk.fmax": HigherIsBetter,
		"utilization": "", "": "", "wns_count": "", "draws": "",
	} {
		if got := DirectionOf(name, nil); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	declared := map[string]Direction{"utilization": HigherIsBetter, "area": HigherIsBetter}
	if DirectionOf("utilization", declared) != HigherIsBetter || DirectionOf("area", declared) != HigherIsBetter {
		t.Error("a declared direction must win")
	}
}

func TestRefusalText(t *testing.T) {
	r := &Refusal{Code: CodeToolOutdated, Tool: "iPL.place", MissingStep: "2->3", Reason: "no_rule"}
	if diff := cmp.Diff("iPL.place: tool_outdated_for_agent (step 2->3 is missing): no_rule", r.Error()); diff != "" {
		t.Error(diff)
	}
	r = &Refusal{Code: CodeTranslationFailed, Tool: "t", Step: "1->2", Path: "/a", Reason: "target_exists"}
	if diff := cmp.Diff("t: translation_failed (step 1->2) at /a: target_exists", r.Error()); diff != "" {
		t.Error(diff)
	}
}
