package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/trace/canon"
)

const osu035 = "/usr/share/qflow/tech/osu035/osu035_stdcells.lib"

func started(t *testing.T) *sizing {
	t.Helper()
	if _, err := exec.LookPath("sta"); err != nil {
		t.Skip("OpenSTA is not installed")
	}
	if _, err := os.Stat(osu035); err != nil {
		t.Skip("qflow-tech-osu035 is not installed")
	}
	netlist, err := filepath.Abs("../gcd.v")
	if err != nil {
		t.Fatal(err)
	}
	z, err := start(context.Background(), config{lib: osu035, netlist: netlist, top: "gcd", clock: "clk", period: "4.15", load: "0.05"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(z.s.close)
	return z
}

func what(t *testing.T, z *sizing, cell, master, more string) (whatIfValue, error) {
	t.Helper()
	args, _, err := canon.ParseString(`{"cell":"`+cell+`","master":"`+master+`","snap_ref":"`+string(z.snapshot())+`"`+more+`}`, canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	v, _, err := z.whatIf(context.Background(), args)
	w, _ := v.(whatIfValue)
	return w, err
}

// A what-if leaves nothing behind, a kept one is another state, and going back is the old state again.
func TestWhatIf(t *testing.T) {
	z := started(t)
	before := z.snapshot()
	base, err := z.s.number(context.Background(), "worst_ns")
	if err != nil || base >= 0 {
		t.Fatalf("%g %v", base, err)
	}
	w, err := what(t, z, "INVX1_64", "INVX4", "")
	if err != nil || w.Status != "ok" || w.Snap != before || *w.WNS <= base {
		t.Fatalf("%+v %v", w, err)
	}
	if again, _ := z.s.number(context.Background(), "worst_ns"); again != base {
		t.Errorf("the what-if left %g instead of %g", again, base)
	}
	if k, err := what(t, z, "INVX1_64", "INVX4", `,"keep":true`); err != nil || !k.Kept || k.Snap == before || *k.WNS != *w.WNS {
		t.Errorf("%+v %v", k, err)
	}
	if k, err := what(t, z, "INVX1_64", "INVX1", `,"keep":true`); err != nil || k.Snap != before || *k.WNS != base {
		t.Errorf("back again: %+v %v", k, err)
	}
}

// OpenSTA raises no error for most of these.
func TestRefusals(t *testing.T) {
	z := started(t)
	before := z.snapshot()
	if w, err := what(t, z, "INVX1_64", "NOPE", ""); err != nil || w.Status != "failed" {
		t.Errorf("an unknown master: %+v %v", w, err)
	}
	for cell, master := range map[string]string{"NOSUCH": "INVX2", "INVX1_64]; exit; [list": "INVX2", "INVX1_1": "INVX2; exit"} {
		if w, err := what(t, z, cell, master, ""); err == nil {
			t.Errorf("%s %s: %+v", cell, master, w)
		}
	}
	args, _, _ := canon.ParseString(`{"cell":"INVX1_64","master":"INVX2","snap_ref":"sha256:0"}`, canon.Options{})
	if _, _, err := z.whatIf(context.Background(), args); err == nil || !strings.Contains(err.Error(), "stands at") {
		t.Errorf("another state: %v", err)
	}
	if _, err := z.s.ask(context.Background(), "no such command"); !errors.Is(err, errTcl) {
		t.Errorf("%v", err)
	}
	if z.snapshot() != before {
		t.Error("a refusal changed the state")
	}
	if err := z.s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = z.s.ask(context.Background(), "worst_ns") // whether it was still read is a matter of luck
	if _, err := z.s.ask(context.Background(), "worst_ns"); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("after the end: %v", err)
	}
}

func BenchmarkWhatIf(b *testing.B) {
	if _, err := exec.LookPath("sta"); err != nil {
		b.Skip("OpenSTA is not installed")
	}
	netlist, err := filepath.Abs("../gcd.v")
	if err != nil {
		b.Fatal(err)
	}
	z, err := start(context.Background(), config{lib: osu035, netlist: netlist, top: "gcd", clock: "clk", period: "4.15", load: "0.05"})
	if err != nil {
		b.Skip(err)
	}
	defer z.s.close()
	args, _, err := canon.ParseString(`{"cell":"INVX1_64","master":"INVX4","snap_ref":"`+string(z.snapshot())+`"}`, canon.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := z.whatIf(context.Background(), args); err != nil {
			b.Fatal(err)
		}
	}
}
