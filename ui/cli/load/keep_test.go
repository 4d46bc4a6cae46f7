package load_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/load"
)

func playback(t *testing.T) *debug.Session {
	t.Helper()
	s, err := debug.New(debug.Options{Trace: &trace.Trace{Events: []trace.Event{{Type: trace.Receive, Step: 1, Agent: "a", Message: trace.NewInput("t", canon.Null)}}}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestKeeper: of two writes the later one stays, in whatever order they come; a file that cannot be read is told and
// never written over, and the others are kept all the same.
func TestKeeper(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "flow.dbg")
	k := load.NewKeeper(dir)
	s := playback(t)
	if wrong := k.Restore(s); wrong != nil {
		t.Fatal(wrong)
	}
	for _, n := range []uint64{2, 1, 3, 2} {
		if err := k.Write("marks.json", n, []byte{'[', byte('0' + n), ']'}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "marks.json")
	if data, err := os.ReadFile(path); string(data) != "[3]" || err != nil {
		t.Fatalf("%s %v", data, err)
	}
	again, other := load.NewKeeper(dir), playback(t)
	wrong := again.Restore(other)
	if len(wrong) != 1 || !strings.Contains(wrong[0].Error(), path+" stays as it is: reading the saved marks: ") {
		t.Fatal(wrong)
	}
	if _, _, err := other.Mark("a", 0, ""); err != nil {
		t.Fatal(err)
	}
	if err := other.Watch(debug.Watch{Agent: "a"}); err != nil {
		t.Fatal(err)
	}
	if err := again.Write("marks.json", 9, []byte("[]")); err == nil || !strings.Contains(err.Error(), "stays as it is") {
		t.Errorf("written over: %v", err)
	}
	if err := again.Save(other); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(path); string(data) != "[3]" {
		t.Errorf("the file is %s", data)
	}
	if data, _ := os.ReadFile(filepath.Join(dir, "watches.json")); !strings.Contains(string(data), `"agent": "a"`) {
		t.Errorf("the watches are %s", data)
	}
}

// TestTwoDebuggers: the one that leaves last takes nothing from the other, and what one takes away is not brought back.
func TestTwoDebuggers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "flow.dbg")
	begin := func() (*debug.Session, *load.Keeper) {
		s, k := playback(t), load.NewKeeper(dir)
		if wrong := k.Restore(s); wrong != nil {
			t.Fatal(wrong)
		}
		return s, k
	}
	save := func(s *debug.Session, k *load.Keeper) {
		t.Helper()
		if err := k.Save(s); err != nil {
			t.Fatal(err)
		}
	}
	set := func(s *debug.Session, text, mark string) {
		t.Helper()
		b, err := debug.ParseBreakpoint(text)
		if err == nil {
			_, err = s.Break(b)
		}
		if err == nil {
			_, _, err = s.Mark(mark, 0, "")
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	one, first := begin()
	two, second := begin()
	set(one, "agent a", "x")
	set(two, "error", "y")
	save(one, first)
	save(two, second)
	three, third := begin()
	if len(three.Breakpoints()) != 2 || len(three.Marks()) != 2 {
		t.Fatalf("%v %v", three.Breakpoints(), three.Marks())
	}
	for _, b := range three.Breakpoints() {
		if b.Name == "a" {
			three.Unbreak(b.ID)
			break
		}
	}
	set(two, "tag t", "z")
	save(two, second)
	save(three, third)
	save(two, second)
	four, _ := begin()
	if len(four.Breakpoints()) != 2 || len(four.Marks()) != 3 {
		t.Errorf("%v %v", four.Breakpoints(), four.Marks())
	}
}

// TestKeepDir: beside the flow, else beside the trace; nowhere without a file.
func TestKeepDir(t *testing.T) {
	file := func(path string) *load.File { return &load.File{Path: path} }
	for want, targets := range map[string]load.Targets{
		"d/a.dbg": {Flow: file("d/a.json"), Trace: file("e/b.json")},
		"e/b.dbg": {Trace: file("e/b.json")},
		"":        {Flow: file(""), Trace: file("e/b.json")},
	} {
		if got := filepath.ToSlash(targets.KeepDir()); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestKeepersAtOnce: debuggers that write at the same time lose none of each other's entries, also in a folder that none
// of them found; what a killed one left goes.
func TestKeepersAtOnce(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "flow.dbg")
	const n = 12
	keepers := make([]*load.Keeper, n)
	for i := range keepers {
		keepers[i] = load.NewKeeper(dir)
		if wrong := keepers[i].Restore(playback(t)); wrong != nil {
			t.Fatal(wrong)
		}
	}
	var wg sync.WaitGroup
	for i, k := range keepers {
		wg.Go(func() {
			if err := k.Write("marks.json", 1, fmt.Appendf(nil, `[{"name":"m%d","event":0}]`, i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	path := filepath.Join(dir, "marks.json")
	data, err := os.ReadFile(path)
	if got := strings.Count(string(data), `"name"`); got != n || err != nil {
		t.Fatalf("%d of %d marks: %s %v", got, n, data, err)
	}
	left := filepath.Join(dir, ".marks.json.77")
	if err := os.WriteFile(left, data, 0o600); err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-time.Hour)
	if err := os.Chtimes(left, long, long); err != nil {
		t.Fatal(err)
	}
	if err := load.NewKeeper(dir).Write("marks.json", 1, []byte(`[{"name":"last","event":0}]`)); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(left); !os.IsNotExist(err) {
		t.Errorf("the file of a killed write is left: %v", err)
	}
}
