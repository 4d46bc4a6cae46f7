package app

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// TestMarks: mark an event, go away, come back by name, by the list, and by goto: the state is the one that was marked.
func TestMarks(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Step, keymap.Step, keymap.Step, keymap.Step)
	hash := d.m.s.Hash()
	d.do(keymap.Mark).has("Mark event 11").press("enter").has("mark a is set; ' lists the marks", "▶", "◆a   effect")
	d.do(keymap.Continue).press("home", "j").do(keymap.Mark).has("Mark event 1").text("asked the first question").press("enter").has("◆asked   act")
	back := func(how string, keys func()) {
		t.Helper()
		d.do(keymap.Restart)
		if keys(); d.m.s.Pos() != 12 || d.m.s.Hash() != hash || d.m.over != nil {
			t.Errorf("%s leads to %d\n%s", how, d.m.s.Pos(), d.plain())
		}
	}
	back("the name", func() { d.do(keymap.Marks).text("a").press("enter") })
	back("the list", func() { d.do(keymap.Marks).has("asked", "event 1", "the first question").press("down", "enter") })
	back("the name with its quote", func() { d.do(keymap.Marks).text("'a").press("enter") })
	back("goto", func() { d.do(keymap.Goto).text("'a").press("enter") })
	back("another view", func() { d.do(keymap.View(int(viewLedger)), keymap.Marks).text("a").press("enter") })

	d.do(keymap.Marks).text("nobody").press("enter").has(`there is no mark "nobody"; there are asked, a`).press("esc")
	d.do(keymap.Goto).text("'nobody").press("enter").has(`there is no mark "nobody"`).press("esc")
	d.do(keymap.Mark).text("9").press("enter").has("is no name of a mark").press("ctrl+u").text("asked").has("asked is at event 1, act of researcher in step 1 now; Enter moves it").press("enter")
	d.hasNot("◆asked   act").do(keymap.Mark).has("name: a").press("esc")

	d.do(keymap.Marks).press("delete").has("Ctrl+R brings back a").hasNot("event 11  step 4  critic  effect  the first").press("delete").press("ctrl+r", "ctrl+r").has("asked", "event 11  step 4  critic  effect").press("esc")
	if n := len(d.m.s.Marks()); n != 2 {
		t.Errorf("%d marks are left", n)
	}
	d.do(keymap.Restart, keymap.Mark).press("esc")
	in(layout.Agents)(d)
	d.do(keymap.Mark).has("Mark the start").text("begin").press("enter").do(keymap.Continue, keymap.Marks).text("be").has("▌◆ begin").press("backspace", "backspace").text("begin").press("enter").has("step 0/7")
}

// TestMarkNotHere: where the run has something else a mark stays listed, says so, is not gone to, and comes back.
func TestMarkNotHere(t *testing.T) {
	d, path := editable(t)
	d.do(keymap.Continue).press("home").press("j", "j", "j", "j", "j").do(keymap.Mark).text("here a note").press("enter").has("◆here   effect")
	rename(t, path, bytes.Replace(seedFlow(t), []byte(`"to": "researcher"`), []byte(`"to": "critic"`), 1))
	d.do(keymap.Reload, keymap.Continue).hasNot("◆here")
	at := d.m.s.Pos()
	d.do(keymap.Marks).has("⊘ here", "not in this run", "a note").press("enter").has("mark here (event 5, effect of researcher in step 2) is not in this run").press("esc")
	d.do(keymap.Goto).text("'here").press("enter").has("is not in this run").press("esc")
	if d.m.s.Pos() != at {
		t.Errorf("the session went to %d", d.m.s.Pos())
	}
	rename(t, path, bytes.Replace(seedFlow(t), []byte(`"mock-fast"`), []byte(`"mock-slow"`), 1))
	d.do(keymap.Reload, keymap.Continue).has("◆here").do(keymap.Marks).has("≠ here", "differs now").press("enter").has("mark here: the event has other values")
	rename(t, path, seedFlow(t))
	d.do(keymap.Reload, keymap.Continue).do(keymap.Marks).has("◆ here").hasNot("differs now").press("esc")

	live := start(t, Config{Session: session(t, seedFlow(t), nil)}, 150, 40)
	live.m.s.Remark(d.m.s.Marks()[0])
	live.do(keymap.Marks).has("↓ here", "not reached yet").press("enter").has("position 6")
	gone := d.m.s.Marks()[0]
	gone.Event = 40
	live.m.s.Remark(gone)
	live.do(keymap.Marks).press("enter").has("mark here (event 40, effect of researcher in step 2) is not in this run", "step 7/7")
}

// keeper is what a session's lists are written to, newest last.
type keeper struct {
	mu    sync.Mutex
	files map[string][]string
	n     uint64
	err   error
}

func (k *keeper) write(file string, n uint64, data []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if n <= k.n {
		return fmt.Errorf("number %d comes behind %d", n, k.n)
	}
	k.n = n
	k.files[file] = append(k.files[file], string(data))
	return k.err
}

// TestKeep: each change of breakpoints, watches and marks is written at once, and nothing else is; what cannot be written
// is told.
func TestKeep(t *testing.T) {
	k := &keeper{files: map[string][]string{}}
	s := session(t, seedFlow(t), recordOf(t, seedFlow(t)))
	if _, _, err := s.Mark("kept", 3, ""); err != nil {
		t.Fatal(err)
	}
	d := start(t, Config{Session: s, Keep: k.write}, 150, 40)
	d.do(keymap.Step, keymap.Continue, keymap.Restart)
	if len(k.files) > 0 {
		t.Fatalf("written without a change: %v", k.files)
	}
	last := func(file string, n int, want string) {
		t.Helper()
		list := k.files[file]
		if len(list) != n || !strings.Contains(list[n-1], want) {
			t.Fatalf("%s: %d writes, expected %d that end in %q: %v", file, len(list), n, want, list)
		}
	}
	d.do(keymap.BreakHere)
	last("breaks.json", 1, `"researcher"`)
	d.do(keymap.Breakpoints).press("space", "esc")
	last("breaks.json", 2, `"enabled": false`)
	d.do(keymap.Mark).press("enter")
	last("marks.json", 1, `"a"`)
	d.do(keymap.Marks).press("delete", "esc")
	last("marks.json", 2, `"kept"`)
	d.m.s.Step(d.m.ctx)
	d.do(keymap.Watches).text("researcher /pending").press("enter", "esc")
	last("watches.json", 1, "/pending")
	k.err = errors.New("the disk is full")
	d.do(keymap.BreakHere).has("the breakpoints are not kept: the disk is full")
	d.send(tea.WindowSizeMsg{Width: 100, Height: 30})
	last("breaks.json", 3, "[]")
}

// Marks cost a row nothing that grows with their number.
func BenchmarkMarkedRows(b *testing.B) {
	s := session(b, nil, longRecord(10_000, 5))
	for i := range 1000 {
		if _, _, err := s.Mark(fmt.Sprintf("m%d", i), i*9, ""); err != nil {
			b.Fatal(err)
		}
	}
	d := start(b, Config{Session: s}, 200, 60)
	for b.Loop() {
		d.m.View()
	}
}
