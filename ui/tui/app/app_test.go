package app

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// TestReverse: step 5, back 2, and the hash is the one after step 3; nothing is asked twice.
func TestReverse(t *testing.T) {
	for _, mode := range []string{"replay", "live"} {
		t.Run(mode, func(t *testing.T) {
			data := seedFlow(t)
			var record []trace.Event
			if mode == "replay" {
				record = recordOf(t, data)
			}
			d := start(t, Config{Session: session(t, data, record)}, 150, 40)
			hashes := []string{d.m.hash}
			for range 5 {
				d.do(keymap.Step)
				hashes = append(hashes, d.m.hash)
			}
			calls := d.m.s.EffectCalls()
			d.do(keymap.StepBack, keymap.StepBack)
			if d.m.hash != hashes[3] || d.m.hash == hashes[5] {
				t.Fatalf("step 5, back 2: hash %s, want %s", d.m.hash, hashes[3])
			}
			if mode == "replay" {
				d.has("step 3/7", "≡ trace")
			}
			d.do(keymap.Step, keymap.Step)
			if d.m.hash != hashes[5] || d.m.s.EffectCalls() != calls {
				t.Fatalf("forward again: hash %s, %d effects asked", d.m.hash, d.m.s.EffectCalls()-calls)
			}
			d.do(keymap.Restart).has("step 0", "before the first event")
			if d.m.hash != hashes[0] {
				t.Fatal("at the start there is another hash")
			}
			d.text("sssss")
			if d.m.hash != hashes[5] {
				t.Fatal("five keys in one message are not five steps")
			}
			d.do(keymap.PrevEvent, keymap.NextEvent)
			if d.m.hash != hashes[5] {
				t.Fatal("an event back and forward is not the same place")
			}
		})
	}
}

func TestBreakpoints(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Breakpoints).text("agent writer").press("enter").has("● #1 agent writer").press("esc")
	d.do(keymap.Continue).has("● breakpoint #1 agent writer", "step 6/7")
	d.do(keymap.Continue).has("step 7/7").do(keymap.Continue).has("end · the run is finished")
	d.do(keymap.ReverseContinue).has("breakpoint", "step 7/7").do(keymap.ReverseContinue).has("step 6/7")
	d.do(keymap.Breakpoints).press("space").has("off").press("esc").do(keymap.ReverseContinue).has("start", "step 0/7")
	d.do(keymap.Breakpoints).press("delete").has("none yet").press("tab").has("new: agent researcher").press("enter", "esc")
	d.do(keymap.BreakHere).has("removed breakpoint #2 agent researcher")
	d.do(keymap.Breakpoints).text("agent nobody").press("enter").has(`there is no agent "nobody"`, "unbound")
	d.text("agent").press("enter").has("cannot read breakpoint")
}

func TestGoto(t *testing.T) {
	for typed, want := range map[string]string{
		"9": "position 9/22", "event 9": "position 10/22", "e9": "position 10/22", "#9": "position 10/22", "s4": "step 4/7  position 12/22", "step 2": "step 2/7  position 6/22", "$": "position 22/22", "s0": "position 0/22", "999": "there is no position 999; there are positions 0 to 22, and $ is the end", "e22": "there is no event 22; there are events 0 to 21",
		"x": "is no position", "-1": "is no position", "s9": "step 9 is not there yet: the last one is 7", "": "is no position",
	} {
		d := open(t, 150, 40)
		d.do(keymap.Goto).text(typed).press("enter").has(want)
	}
	d := open(t, 150, 40)
	d.do(keymap.End).press("k", "enter").has("position 21/22")
	d.do(keymap.Goto).press("esc").has("position 21/22")
}

// TestFollow: the cursor goes along only from where the run stands.
func TestFollow(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Step, keymap.Step)
	if got := d.m.events.list.Cursor(); got != d.m.s.Pos()-1 {
		t.Fatalf("the cursor is at %d, the run at %d", got, d.m.s.Pos())
	}
	d.press("k", "k", "k")
	at := d.m.events.list.Cursor()
	d.do(keymap.Step)
	if got := d.m.events.list.Cursor(); got != at {
		t.Fatalf("the cursor went from %d to %d though it had been moved away", at, got)
	}
	d.do(keymap.Follow, keymap.Step)
	if got := d.m.events.list.Cursor(); got != d.m.s.Pos()-1 {
		t.Fatalf("after follow the cursor is at %d, the run at %d", got, d.m.s.Pos())
	}
	d.press("k", "j").do(keymap.StepBack)
	if got := d.m.events.list.Cursor(); got != d.m.s.Pos()-1 {
		t.Fatalf("moved back to the run, the cursor does not go along")
	}
	// An agent that was chosen stays chosen.
	d.do(keymap.PrevPane).press("end", "home", "j", "j")
	id := d.m.agents.selected(d.m)
	d.do(keymap.Step, keymap.Step)
	if got := d.m.agents.selected(d.m); got != id || id != "writer" {
		t.Fatalf("the cursor is on %s, was on %s", got, id)
	}
}

// TestInspector walks through what can be looked at.
func TestInspector(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Step).has("researcher · state after step 1", "*▾ pending").do(keymap.Inspect).has("event 2 · effect", "request").do(keymap.Inspect)
	d.do(keymap.Continue).has("writer · state after step 7", "was null")
	d.do(keymap.NextPane, keymap.NextPane, keymap.NextPane).press("end").has("output writer.out · 1 message").do(keymap.Toggle)
	if d.m.pane() != layout.Inspector {
		t.Fatalf("the keys are in %s", d.m.pane())
	}
	d.do(keymap.Close).press("home").do(keymap.Close, keymap.Close)
	if d.m.pane() != layout.Agents {
		t.Fatalf("going out of the inspector leads to %s", d.m.pane())
	}
	d.do(keymap.StepBack, keymap.StepBack).has("outputs", "(none yet)", "state after step")
	d.do(keymap.PrevPane).press("j").has("message 2 of writer")
}

// TestDiverged: both sides of the difference are on the screen, named, and the inspector stands where they differ.
func TestDiverged(t *testing.T) {
	d := diverged(t)
	d.do(keymap.Continue).has("≠ diverged", "event_differs at event 12, step 5", "≠ recorded step 5", "≠ got      step 5", "got receive · was = recorded", "≠ at step 5", `was "other`)
	d.do(keymap.StepBack).has("step 3/4", "≡ trace", "state after step 3")
	if why := d.m.why(keymap.Step); why != "" {
		t.Errorf("step is disabled: %s", why)
	}
}

func diverged(t *testing.T) *driver {
	t.Helper()
	data := seedFlow(t)
	record := recordOf(t, data)
	for i := range record {
		if e := &record[i]; e.Type == trace.Receive && e.Step == 5 {
			p := e.Message.Payload
			text, _ := p.Get("text").Str()
			e.Message = trace.NewMessage(e.Message.From, e.Message.Tag, canon.Object(
				canon.Member{Key: "finish_reason", Value: p.Get("finish_reason")}, canon.Member{Key: "json", Value: p.Get("json")}, canon.Member{Key: "text", Value: canon.String("other" + text)}))
		}
	}
	return start(t, Config{Session: session(t, data, record)}, 150, 40)
}

// TestActionsComplete: every action of the table does something, by its key and by the palette, and nothing but the
// table's actions is done.
func TestActionsComplete(t *testing.T) {
	d := open(t, 120, 40)
	known := map[keymap.ID]bool{}
	for _, a := range d.m.keys.Actions() {
		known[a.ID] = true
		if actions[a.ID] == nil {
			t.Errorf("%s is in the table and does nothing", a.ID)
			continue
		}
		var done []string
		old := actions[a.ID]
		actions[a.ID] = func(*Model) tea.Cmd { done = append(done, "done"); return nil }
		d.m.keys.Disabled = nil
		why := d.m.keys
		why.Disabled = func(keymap.ID) string { return "" }
		reach := func(how string, do func()) {
			before := len(done)
			do()
			if why := d.m.why(a.ID); len(done) != before+1 && why == "" {
				t.Errorf("%s is not reached by %s", a.ID, how)
			}
			d.m.over = nil
		}
		for _, k := range a.Keys {
			reach(k, func() { d.press(k) })
		}
		reach("the palette", func() {
			d.m.over = newPalette(d.m)
			d.text(a.Short).press("enter")
		})
		actions[a.ID] = old
	}
	for id := range actions {
		if !known[id] {
			t.Errorf("%s does something and is not in the table", id)
		}
	}
	for _, ids := range [][]keymap.ID{d.m.hints()} {
		for _, id := range ids {
			if !known[id] {
				t.Errorf("the bottom bar offers %s, which is not in the table", id)
			}
		}
	}
}

// TestKeysDocument keeps ui/tui/KEYS.md as the table has it.
func TestKeysDocument(t *testing.T) {
	table, problems := keymap.New(Actions(), nil)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	const path = "../KEYS.md"
	if *update {
		if err := os.WriteFile(path, []byte(table.Markdown()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != table.Markdown() {
		t.Errorf("%s is not what the table says; run the test with -update", path)
	}
}

// TestHelpAndBarSayTheSame: help lists every action, and the bottom bar only such as can be done.
func TestHelpAndBarSayTheSame(t *testing.T) {
	d := open(t, 130, 120)
	d.do(keymap.Help)
	for _, a := range d.m.keys.Actions() {
		d.has(a.KeysLabel(false), a.Long)
	}
	d.press("esc").hasNot("S back").do(keymap.Step).has("S back")
	d.do(keymap.Palette).text("reload").has("not now: no flow file that could be read again").press("enter").has("reload: no flow file")
	d.do(keymap.Continue).press("s").has("step: nothing lies ahead")
}

func TestQuitWorksEverywhere(t *testing.T) {
	for _, over := range []keymap.ID{keymap.Step, keymap.Help, keymap.Palette, keymap.Goto, keymap.Breakpoints, keymap.Write} {
		d := open(t, 80, 24)
		d.do(over).press("ctrl+c")
		if !d.quit {
			t.Errorf("ctrl+c does not leave from %s", over)
		}
	}
	d := open(t, 80, 24)
	d.do(keymap.Goto).press("q")
	if d.quit || d.m.over == nil {
		t.Error("a character typed into a prompt leaves the program")
	}
}

// TestResize: the cursor stays on its event whatever the size becomes.
func TestResize(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Continue).press("k", "k")
	at := d.m.events.list.Cursor()
	for _, s := range [][2]int{{60, 20}, {20, 6}, {5, 3}, {0, 0}, {200, 60}, {80, 24}} {
		d.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
		d.frame()
	}
	if d.m.events.list.Cursor() != at {
		t.Errorf("the cursor went from %d to %d", at, d.m.events.list.Cursor())
	}
	d.has(fmt.Sprintf("event %d ·", at))
}

// TestPlayback: a trace alone has no hash, and the header says so.
func TestPlayback(t *testing.T) {
	d := start(t, Config{Session: session(t, nil, recordOf(t, seedFlow(t))), TraceName: "dir/trace.json"}, 150, 40)
	d.has("trace.json", "playback", "? no flow").do(keymap.Step, keymap.Step).has("step 2/7")
}

func TestNewNeedsASession(t *testing.T) {
	if _, err := New(t.Context(), Config{}); err == nil {
		t.Error("a screen without a session was made")
	}
	d := start(t, Config{Session: session(t, seedFlow(t), nil), Remap: map[string][]string{"step": {"q"}}}, 100, 30)
	d.do(keymap.View(int(viewProblems))).has("keys: quit: q: already means step")
	if !strings.Contains(string(d.m.s.Stop().Reason), string(debug.StopStart)) {
		t.Error("opening moved the session")
	}
}
