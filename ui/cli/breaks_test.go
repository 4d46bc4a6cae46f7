package cli

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"flowdbg/engine/debug"
)

// TestBreakpointsAreKept: what the screen sets is there the next time, beside the flow, and goes along in a bundle. A
// session without breakpoints writes nothing.
func TestBreakpointsAreKept(t *testing.T) {
	t.Setenv("TERM", "xterm")
	dir := t.TempDir()
	data, err := os.ReadFile(examples(t, "research-pipeline.json"))
	if err != nil {
		t.Fatal(err)
	}
	flow := filepath.Join(dir, "flow.json")
	if err := os.WriteFile(flow, data, 0o644); err != nil {
		t.Fatal(err)
	}
	shown := func(args ...string) (list []string) {
		t.Helper()
		r := execute(t, terminal(func(_ context.Context, s *debug.Session, _ Opened) error {
			for _, b := range s.Breakpoints() {
				list = append(list, b.String())
			}
			return nil
		}), args...)
		if r.code != 0 || r.stderr != "" {
			t.Fatalf("%+v", r)
		}
		return list
	}
	if list := shown(flow); len(list) != 0 {
		t.Fatal(list)
	}
	if _, err := os.Stat(filepath.Join(dir, "flow.dbg")); !os.IsNotExist(err) {
		t.Error("a folder is made for nothing")
	}
	r := execute(t, terminal(func(_ context.Context, s *debug.Session, o Opened) error {
		b, err := debug.ParseBreakpoint("agent critic when payload.score > 0.5")
		if err != nil {
			return err
		}
		if _, err := s.Break(b); err != nil {
			return err
		}
		data, err := s.SaveBreaks()
		if err != nil {
			return err
		}
		return o.Keep("breaks.json", 1, data) // at once, not only at the end
	}), flow)
	if r.code != 0 {
		t.Fatalf("%+v", r)
	}
	want := "#1 agent critic when payload.score > 0.5"
	if list := shown(flow); len(list) != 1 || list[0] != want {
		t.Errorf("%v", list)
	}
	bundle := filepath.Join(dir, "b.json")
	if r := execute(t, Config{}, "bundle", flow, "-o", bundle); r.code != 0 {
		t.Fatalf("%+v", r)
	}
	if list := shown(bundle); len(list) != 1 || list[0] != want {
		t.Errorf("of the bundle: %v", list)
	}
	if err := os.WriteFile(filepath.Join(dir, "flow.dbg", "breaks.json"), []byte(`[{"kind":"when","when":"(","enabled":true}]`), 0o644); err != nil {
		t.Fatal(err)
	}
	kept := filepath.Join(dir, "flow.dbg", "breaks.json")
	before, _ := os.ReadFile(kept)
	if r := execute(t, terminal(func(context.Context, *debug.Session, Opened) error { return nil }), flow); r.code != 0 || r.stderr == "" {
		t.Errorf("a breakpoint that cannot be read is not told: %+v", r)
	}
	if after, err := os.ReadFile(kept); err != nil || string(after) != string(before) {
		t.Errorf("breakpoints that cannot be read are lost: %s", after)
	}
}

// TestSessionsAtOnce: sessions on one flow that keep their lists at the same moment lose none of each other's entries.
func TestSessionsAtOnce(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(examples(t, "research-pipeline.json"))
	if err != nil {
		t.Fatal(err)
	}
	flow := filepath.Join(dir, "flow.json")
	if err := os.WriteFile(flow, data, 0o644); err != nil {
		t.Fatal(err)
	}
	const n = 6
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() {
			r := execute(t, Config{}, "session", flow, "--breaks", "-e", fmt.Sprintf("step 2; mark m%d; break tag t%d; watch critic /x%d", i, i, i))
			if r.code != 0 {
				t.Errorf("%+v", r)
			}
		})
	}
	wg.Wait()
	for file, member := range map[string]string{"marks.json": `"name": "m`, "breaks.json": `"name": "t`, "watches.json": `"pointer": "/x`} {
		data, err := os.ReadFile(filepath.Join(dir, "flow.dbg", file))
		if got := strings.Count(string(data), member); got != n || err != nil {
			t.Errorf("%s has %d of %d entries: %v", file, got, n, err)
		}
	}
}
