package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
)

// TestLeaveAsksForForks: runs that a person made are not dropped without a word; asked twice, the program ends.
func TestLeaveAsksForForks(t *testing.T) {
	plain := open(t, 150, 40).do(keymap.Step, keymap.Quit)
	if !plain.quit {
		t.Fatal("without runs of one's own there is a question")
	}
	small := open(t, 60, 20)
	edited(small)
	small.press("q").has("1 run is kept nowhere: q leaves, o writes the shown one")
	for _, key := range []string{"q", "ctrl+c"} {
		d := open(t, 150, 40)
		edited(d)
		d.press(key).has("1 run of this session is kept nowhere: q again leaves, o writes the shown run")
		if d.quit {
			t.Fatal("the run is dropped without a question")
		}
		if d.press("j", key); d.quit {
			t.Fatal("a key between is no answer, and yet the program ends")
		}
		if d.press(key); !d.quit {
			t.Fatal("asked twice, it stays")
		}
	}
}

// TestLeaveWritesTheRun: the file is the run's trace, and the run is kept then until it grows.
func TestLeaveWritesTheRun(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Step, keymap.Step, keymap.Step, keymap.Fork, keymap.Step)
	path := filepath.Join(t.TempDir(), "run.json")
	d.press("q", "o").has("run 1 as a trace", "run-1.trace.json").press("ctrl+u").text(path).press("enter").has("wrote run 1 (", path)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Read(data)
	if err != nil || len(tr.Events) != d.m.s.Len() {
		t.Fatalf("%d events written of %d, %v", len(tr.Events), d.m.s.Len(), err)
	}
	d.press("q", "o").press("esc")
	if !d.quit {
		t.Fatal("the run is written, and yet there is a question")
	}
	d.quit = false
	d.do(keymap.Continue).press("q").has("kept nowhere")
	d.press("o", "ctrl+u").text(path).press("enter").has("exists; give another name").press("q").has("kept nowhere")
	if d.quit {
		t.Fatal("what was not written counts as kept")
	}
}

// TestRunsTellTheWhole: what view 8 says of a run is the same wherever its cursor stands.
func TestRunsTellTheWhole(t *testing.T) {
	d := open(t, 150, 40).do(keymap.Step, keymap.View(int(viewRuns))).has("22 events recorded, with the end", "Enter show this run")
	d.do(keymap.Step, keymap.StepBack).has("22 events recorded, with the end")
	d.do(keymap.Fork).press("end").has("so far, can go on", "fork of run 0 · live (mock)").hasNot("live of")
	d.do(keymap.Continue, keymap.StepBack).press("end").has("22 events, ended")
	cut := recordOf(t, seedFlow(t))[:10]
	playback := start(t, Config{Session: session(t, nil, cut)}, 150, 40)
	playback.do(keymap.View(int(viewRuns))).has("10 events recorded, without an end")
	live := start(t, Config{Session: session(t, seedFlow(t), nil)}, 150, 40)
	live.do(keymap.Step, keymap.View(int(viewRuns))).has("so far, can go on")
	live.do(keymap.Continue, keymap.StepBack).has(", ended")
}

// TestCompareClearsBothSides: what stood beside a comparison goes with it.
func TestCompareClearsBothSides(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Step, keymap.Step, keymap.Step, keymap.Edit).press("ctrl+u").text(`inject critic research {"x":1}`).press("enter").do(keymap.Continue)
	d.do(keymap.View(int(viewRuns))).press("home").do(keymap.CompareRuns).has("in run 1")
	d.do(keymap.View(int(viewRuns))).press("enter").do(keymap.View(int(viewCompare)))
	d.has("recorded → run 0", "Both sides").hasNot("in run 1", "payload", "was = ")
}

// TestDeltaWithoutSnapshots: what is not kept is said so, in the list and in place of the delta.
func TestDeltaWithoutSnapshots(t *testing.T) {
	d := example(t, "explorer", false, nil, 150, 40)
	d.m.cfg.SnapDir = t.TempDir()
	d.atEnd(viewDelta).has("snapshot sha256:", "is not kept beside this trace").hasNot("no such file", "open /")
	d.hold = true
	d.do(keymap.PickDelta).has("Show a delta").hasNot("? not kept here") // the list does not wait for the files
	d.release()
	d.has("? not kept here").press("esc")
	v := d.m.deltaView()
	at := 0
	for i := range v.sources {
		if v.sources[i].name == v.name {
			at = i + 1
		}
	}
	d.has(fmt.Sprintf("%d of %d D", at, len(v.sources))).do(keymap.PickDelta).press("up", "enter").has(fmt.Sprintf("%d of %d D", at-1, len(v.sources)))
	d.m.cfg.SnapDir = filepath.Join("..", "..", "..", "examples", "explorer", "snaps")
	kept := 0
	for i := range v.sources {
		if s := &v.sources[i]; s.before != "" && s.kept(d.m.cfg.SnapDir) {
			kept++
		}
	}
	if kept == 0 {
		t.Fatal("no snapshot is found where the example keeps them")
	}
}

// TestFrontNamesEveryone: whoever was driven off the front is named, in a row that goes on below itself and in full beside it.
func TestFrontNamesEveryone(t *testing.T) {
	d := example(t, "explorer", false, nil, 150, 40).atEnd(viewCandidates)
	v := d.m.faces[viewCandidates].(*candidatesView)
	most := v.front[0]
	for _, f := range v.front {
		if len(f.Left) > len(most.Left) {
			most = f
		}
	}
	if len(most.Left) < 2 {
		t.Fatal("the example drives nobody off the front")
	}
	if all := strings.Join(v.frontLines(d.m, 60, 100, &most), "\n"); strings.Contains(all, "more") {
		t.Errorf("with room for all some are left out:\n%s", all)
	} else {
		for _, l := range most.Left {
			if !strings.Contains(all, " - "+l.ID) {
				t.Errorf("%s is missing:\n%s", l.ID, all)
			}
		}
	}
	if n := len(v.frontLines(d.m, 60, 1, &most)); n != 1 {
		t.Errorf("%d lines where one is free", n)
	}
	for range len(v.order) {
		if v.selected().ID == most.ID {
			break
		}
		d.press("j")
	}
	d.has("drove off", leftNames(v.droveOff(most.ID))[:20])
}

// TestBreakDialogFits: what can be typed is there to its end, and so are the keys.
func TestBreakDialogFits(t *testing.T) {
	for _, size := range [][2]int{{150, 40}, {80, 24}, {60, 20}} {
		d := open(t, size[0], size[1])
		d.do(keymap.Breakpoints).has("agent NAME", "agent.", "none yet", "Esc close")
		d.text("agent writer").press("enter").has("#1", "agent.", "Esc close")
	}
}

// TestFilterIsReplaced: a filter that is offered again gives way to what is typed, and stays where the cursor is moved first.
func TestFilterIsReplaced(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Filter).text(`agent == "critic"`).press("enter")
	d.do(keymap.Filter).has("typing replaces this one", "an empty line shows all").text(`agent == "writer"`).press("enter").has(`where agent == "writer" (`)
	d.do(keymap.Filter).press("end").text(` and step > 0`).press("enter").has(`where agent == "writer" and step > 0`)
	d.do(keymap.Filter).press("backspace", "enter").has("all events are shown")
}

// TestEnterIsNamed: the bottom bar says what Enter does where it neither opens nor closes.
func TestEnterIsNamed(t *testing.T) {
	d := example(t, "explorer", false, nil, 150, 40).atEnd(viewCandidates)
	d.has("Enter go to its step").press("enter")
	if d.m.view != viewDebug {
		t.Fatalf("view %d", d.m.view)
	}
}
