//go:build unix

package main

import (
	"context"
	"fmt"
	"os/exec"
	"testing"

	"flowdbg/contract"
)

// installed is a bench with the real programs and a store of its own, or the test is skipped.
func installed(t *testing.T) *bench {
	t.Helper()
	for _, p := range []string{"yosys", "nextpnr-ice40", "icetime"} {
		if _, err := exec.LookPath(p); err != nil {
			t.Skipf("%s is not installed", p)
		}
	}
	b, err := newBench("../rtl", t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.close)
	return b
}

func synthesised(t *testing.T, b *bench, recipe string) contract.SnapshotRef {
	t.Helper()
	a, err := b.answered(context.Background(), "ice40.synth", b.synth, parse(t, `{"design_ref":"gcd@ice40-hx1k","options":{"recipe":[`+recipe+`]}}`))
	if err != nil {
		t.Fatal(err)
	}
	v := a.Value.(*synthValue)
	if v.Status != statusOK || v.Dropped == 0 || a.Provenance.InputSnap == "" || v.Cells["SB_LUT4"] == 0 {
		t.Fatalf("%+v", v)
	}
	return v.Snap
}

func placed(t *testing.T, b *bench, netlist contract.SnapshotRef, format string, args ...any) (*answer, *placeValue) {
	t.Helper()
	text := fmt.Sprintf(`{"design_ref":"gcd@ice40-hx1k","snap_ref":"%s",`, netlist) + fmt.Sprintf(format, args...) + `}`
	a, err := b.answered(context.Background(), "ice40.place", b.place, parse(t, text))
	if err != nil {
		t.Fatal(err)
	}
	return a, a.Value.(*placeValue)
}

// The same seed gives the same snapshot, another one another; the frequency that is asked for changes nothing.
func TestLiveSeeds(t *testing.T) {
	b := installed(t)
	netlist := synthesised(t, b, "")
	if again := synthesised(t, b, ""); again != netlist {
		t.Fatalf("two syntheses: %s and %s", netlist, again)
	}
	a, v := placed(t, b, netlist, `"options":{"seed":1}`)
	if v.Status != statusOK || v.FmaxMHz == nil || v.Snap == "" || *a.Uncertainty != 0 || float64(*v.Wirelength) != *v.HPWL || a.Cost.CPUMS == 0 {
		t.Fatalf("%+v", v)
	}
	if _, same := placed(t, b, netlist, `"options":{"seed":1}`); same.Snap != v.Snap || *same.FmaxMHz != *v.FmaxMHz {
		t.Errorf("the same seed: %+v", same)
	}
	if _, other := placed(t, b, netlist, `"options":{"seed":2}`); other.Snap == v.Snap {
		t.Error("another seed gave the same placement")
	}
	faster, knob := placed(t, b, netlist, `"options":{"seed":1,"freq_mhz":150}`)
	if knob.Snap != v.Snap || faster.Provenance.InputParamsHash == a.Provenance.InputParamsHash {
		t.Errorf("a knob without effect: %+v", knob)
	}
	guess, quick := placed(t, b, netlist, `"effort":"quick","options":{"seed":1}`)
	if !quick.Estimated || quick.FmaxMHz == nil || guess.Uncertainty == nil || *guess.Uncertainty <= 0 || quick.LastGoodStage != "place" {
		t.Errorf("quick: %+v", quick)
	}
	timed, err := b.answered(context.Background(), "ice40.time", b.time, parse(t, `{"design_ref":"gcd@ice40-hx1k","period_ns":10,"snap_ref":"`+string(v.Snap)+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	if r := timed.Value.(*timeValue); r.Status != statusOK || r.WNS <= 0 || r.TNS != 0 || timed.Provenance.InputSnap != v.Snap {
		t.Errorf("timed: %+v %+v", r, r.TimingReport)
	}
}

// A router that goes round in circles runs into its budget: a failed result that names the last good stage and holds no number.
func TestLiveBudget(t *testing.T) {
	b := installed(t)
	a, v := placed(t, b, synthesised(t, b, `"retime"`), `"budget":{"wall_ms":800},"options":{"seed":1,"router":"router2"}`)
	if v.Status != statusKilled || !a.failed || v.Snap != "" || v.FmaxMHz != nil || a.Uncertainty != nil || len(a.Made.Outputs) > 0 {
		t.Errorf("%+v", v)
	}
}

// Several seeds: the fastest is the answer, and how far they lie apart its uncertainty.
func TestExhaustive(t *testing.T) {
	b := installed(t)
	netlist := synthesised(t, b, "")
	_, v := placed(t, b, netlist, `"options":{"seed":1}`)
	several, best := placed(t, b, netlist, `"effort":"exhaustive","options":{"seed":1}`)
	if len(best.Seeds) != exhaustiveSeeds || *best.FmaxMHz < *v.FmaxMHz || several.Uncertainty == nil || len(several.Made.Commands) != exhaustiveSeeds {
		t.Errorf("exhaustive: %+v", best)
	}
}
