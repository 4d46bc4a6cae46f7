package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
)

// TestFollowTrace: a file that grows is read on, and who stood at its end stands there again; one that shrinks or is
// replaced is told, and the screen goes on.
func TestFollowTrace(t *testing.T) {
	record := longRecord(200, 3)
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	put := func(n int) {
		var b strings.Builder
		if err := trace.Write(&b, record[:n], trace.FormatLines); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(300)
	store, err := trace.OpenStore(path, trace.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := debug.New(debug.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	d := start(t, Config{Session: s, TraceName: path}, 120, 30)
	d.run(d.m.indexOn())
	d.has("position 0/300").do(keymap.End)
	put(310)
	d.run(d.m.poll())
	if i, _ := d.m.events.list.Key(); i != 309 {
		t.Errorf("the cursor stands on event %d of 310", i)
	}
	put(320)
	d.do(keymap.Up)
	d.run(d.m.poll())
	if i, _ := d.m.events.list.Key(); i != 308 {
		t.Errorf("a cursor that does not stand at the end moved to event %d", i)
	}
	d.has("position 0/320").do(keymap.Goto).text("$").press("enter").has("position 320/320")
	put(450)
	d.run(d.m.poll())
	d.has("position 450/450")
	d.do(keymap.PrevEvent, keymap.PrevEvent)
	put(600)
	d.run(d.m.poll())
	d.has("position 448/600")
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	d.run(d.m.poll())
	d.has("trace: ")
	put(30)
	d.run(d.m.poll())
	d.has("trace: ").do(keymap.Step).has("position 4")
	if n := len(d.m.problems.own); n != 2 {
		t.Errorf("%d problems, want that the file is gone and that another has its name", n)
	}
	if err := os.Truncate(path+".old", 100); err != nil {
		t.Fatal(err)
	}
	d.run(d.m.poll())
	d.do(keymap.StepBack, keymap.StepBack).frame()
}

// TestTraceIsCut: a file that loses its end under the screen keeps what is before; one row tells what is lost.
func TestTraceIsCut(t *testing.T) {
	record := longRecord(200, 3)
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	var b strings.Builder
	if err := trace.Write(&b, record, trace.FormatLines); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := trace.OpenStore(path, trace.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := debug.New(debug.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	d := start(t, Config{Session: s, TraceName: path}, 150, 40)
	d.run(d.m.indexOn())
	d.do(keymap.Goto).text("$").press("enter").has("position 600/600")

	lines := strings.SplitAfter(b.String(), "\n")
	keep := strings.Join(lines[:401], "") // event 400 has its line
	if err := os.Truncate(path, int64(len(keep)+10)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // told once, however often the file is looked at
		d.run(d.m.poll())
	}
	const lost = "events 401 to 599 are lost: the file was cut"
	d.has("position 401/600", "✗ "+lost, "step 133").hasNot("x-damage")
	if n := len(d.m.problems.own); n != 1 {
		t.Errorf("%d problems, want that events are lost", n)
	}
	d.do(keymap.Step).has(lost, "position 401/600")
	d.do(keymap.Goto).text("500").press("enter").has("position 401/600")
	d.do(keymap.End).has("✗ " + lost).do(keymap.StepBack).has("position 399/600").do(keymap.Step).has("position 401/600").hasNot("x-damage")
	if n := d.m.events.list.Len(); n != 402 {
		t.Errorf("the list has %d rows, want those of 401 events and one for what is lost", n)
	}
	d.do(keymap.Restart).has("position 0/600")
}
