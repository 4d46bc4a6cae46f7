//go:build unix

package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

func parse(t *testing.T, text string) canon.Value {
	t.Helper()
	v, _, err := canon.ParseString(text, canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func bare(t *testing.T) *bench {
	t.Helper()
	return &bench{scratch: t.TempDir(), programs: map[string]string{}}
}

// A program that runs into its budget is killed with all that it started, and none of its files is read.
func TestKilledByBudget(t *testing.T) {
	j, err := bare(t).newJob(parse(t, `{"budget":{"wall_ms":200}}`), map[string][]byte{"in": []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	// The child writes a file later unless it is killed too.
	mark := t.TempDir() + "/mark"
	began := time.Now()
	if err := j.run(context.Background(), "1", "sh", "-c", `echo early >out; (sleep 1; echo late >"`+mark+`") & wait`); err != nil {
		t.Fatal(err)
	}
	if j.status != statusKilled || !strings.Contains(j.reason, "wall_ms 200") || time.Since(began) > 10*time.Second {
		t.Fatalf("%s: %s", j.status, j.reason)
	}
	if _, err := j.output("out"); err == nil {
		t.Error("a file of a killed program was read")
	}
	time.Sleep(1200 * time.Millisecond)
	if _, err := os.Stat(mark); err == nil {
		t.Error("a child of the killed program went on")
	}
}

func TestExitCodeComesBeforeOutput(t *testing.T) {
	j, err := bare(t).newJob(parse(t, `{}`), map[string][]byte{"in": []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	if err := j.run(context.Background(), "1", "sh", "-c", `cat in >out; echo "Warning: careful" >&2; echo "ERROR: no such cell" >&2; exit 255`); err != nil {
		t.Fatal(err)
	}
	if j.status != statusFailed || j.reason != "sh: exit 255: no such cell" || len(j.warnings) != 1 {
		t.Fatalf("%s: %s %v", j.status, j.reason, j.warnings)
	}
	if _, err := j.output("out"); err == nil {
		t.Error("a file of a failed program was read")
	}
}

func TestEndedWell(t *testing.T) {
	j, err := bare(t).newJob(parse(t, `{"budget":{"wall_ms":60000}}`), map[string][]byte{"in": []byte("x")})
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	if err := j.run(context.Background(), "7", "cp", "in", "out"); err != nil {
		t.Fatal(err)
	}
	data, err := j.output("out")
	if err != nil || string(data) != "x" || j.made.Outputs["out"] != j.made.Inputs["in"] || j.made.Programs["cp"] != "7" {
		t.Fatalf("%q %v %+v", data, err, j.made)
	}
	if _, err := j.output("other"); err == nil {
		t.Error("a file that was not written was read")
	}
	if err := j.run(context.Background(), "", "no-such-program-here"); err != nil || j.status != statusFailed {
		t.Errorf("a missing program: %v, %s %s", err, j.status, j.reason)
	}
}

// The log is read also where it breaks off, and later stages replace the estimates of earlier ones.
func TestReadLog(t *testing.T) {
	text := `Info: Checksum: 0x01
Info: Checksum: 0x02
Info:   at iteration #1: temp = 0.000000, timing cost = 63, wirelen = 908
Info:   at iteration #5: temp = 0.000000, timing cost = 53, wirelen = 855
Info: Max frequency for clock 'a': 98.11 MHz (FAIL at 100.00 MHz)
Info: Max frequency for clock 'b': 70.00 MHz (FAIL at 100.00 MHz)
Info: Checksum: 0x03
`
	l := readLog(text)
	if len(l.stages) != 3 || l.stages[2] != (stage{"place", "0x03"}) || *l.wirelength != 855 || *l.fmax != 70 {
		t.Fatalf("%+v", l)
	}
	l = readLog(text + "Info: Routing..\nWarning: Max frequency for clock 'a': 115.11 MHz (PASS at 100.00 MHz)\nInfo: Checksum: 0x04\nInfo: Checksum: 0x05\n")
	if len(l.stages) != 4 || l.stages[3].Name != "route" || *l.fmax != 115.11 {
		t.Fatalf("%+v", l)
	}
	if l := readLog("ERROR: no\n"); l.stages != nil || l.wirelength != nil || l.fmax != nil {
		t.Fatalf("%+v", l)
	}
}

func TestDropSrc(t *testing.T) {
	n := map[string]any{"modules": map[string]any{"m": map[string]any{"attributes": map[string]any{"top": "1", "src": "a.v:1"},
		"cells": map[string]any{"c": map[string]any{"type": "SB_LUT4", "attributes": map[string]any{"src": "a.v:2"}, "connections": map[string]any{"src": []any{"2"}}}}}}}
	if got := dropSrc(n); got != 2 || cellTypes(n)["SB_LUT4"] != 1 {
		t.Fatalf("%d %v", got, n)
	}
	c := topModule(n)["cells"].(map[string]any)["c"].(map[string]any)
	if c["connections"].(map[string]any)["src"] == nil {
		t.Error("a connection of that name went with them")
	}
}

// The tools say what they can in the contract's form, and another program is another version.
func TestCapabilities(t *testing.T) {
	b := bare(t)
	b.programs = map[string]string{"nextpnr-ice40": "0.4-1+b1", "yosys": "0.23"}
	if _, err := b.server(); err != nil {
		t.Fatal(err)
	}
	if v := b.version("ice40.place"); v != "2.0.0+nextpnr-ice40-0-4-1-b1" {
		t.Error(v)
	}
	if v := b.version("ice40.time"); v != "2.0.0+icetime-absent.nextpnr-ice40-0-4-1-b1" {
		t.Error(v)
	}
	if v := versionIn("Yosys 0.23 (git sha1 7ce5011c24b)"); v != "0.23" {
		t.Error(v)
	}
	if v := versionIn(`"nextpnr-ice40" -- Next Generation Place and Route (Version 0.4-1+b1)`); v != "0.4-1+b1" {
		t.Error(v)
	}
	list := parse(t, string(toolsJSON)).Get("tools")
	for i, tool := range list.Elems() {
		findings, err := contract.ValidateValue("ToolCapability", withNames(t, tool.Get("_meta").Get("flowdbg/capability")))
		if err != nil || !findings.Valid() {
			t.Errorf("tool %d: %v %v", i, err, findings)
		}
	}
}

func withNames(t *testing.T, capability canon.Value) canon.Value {
	t.Helper()
	text := strings.Replace(capability.Text(), `"tool_name":""`, `"tool_name":"t"`, 1)
	return parse(t, strings.Replace(text, `"version":""`, `"version":"1.0.0"`, 1))
}
