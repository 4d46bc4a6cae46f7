package tui

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"

	"flowdbg/trace"
	"flowdbg/ui/tui/app"
	"flowdbg/ui/tui/keymap"
)

// fills waits until the screen shows the texts and fills its window: h lines, none longer than w, and the last one not empty.
// Until the program has drawn the new size, a terminal shows what is left of the old one.
func (x *multiplexer) fills(w, h int, texts ...string) {
	x.t.Helper()
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		screen := x.run("capture-pane", "-t", "d", "-p")
		wrong := ""
		for _, s := range texts {
			if !strings.Contains(screen, s) {
				wrong = "it does not show " + s
			}
		}
		lines := strings.Split(strings.TrimSuffix(screen, "\n"), "\n")
		if len(lines) != h {
			wrong = fmt.Sprintf("it has %d lines, not %d", len(lines), h)
		}
		for _, l := range lines {
			if ansi.StringWidth(l) > w {
				wrong = "a line is too long"
			}
		}
		if strings.TrimSpace(lines[len(lines)-1]) == "" {
			wrong = "its last line is empty"
		}
		if wrong == "" {
			return
		}
		if time.Now().After(end) {
			x.t.Fatalf("%s:\n%s", wrong, screen)
		}
	}
}

// TestTmuxViews shows each view at 60×20, larger, and small again; what was shown is there again.
func TestTmuxViews(t *testing.T) {
	dir, err := filepath.Abs("../../examples/contract-flow")
	if err != nil {
		t.Fatal(err)
	}
	x := startTmux(t, 60, 20, program(t, dir))
	x.shows("contract-flow", "? help")
	x.keys("g", "$", "Enter")
	x.shows("position 23/23")
	for i, title := range []string{"[Events]", "[Graph]", "[Ledger]", "[Contract]", "[Candidates]", "[Delta]", "[Compare]", "[Runs]", "[Problems]"} {
		x.keys(fmt.Sprint(i + 1))
		x.fills(60, 20, title, "? help")
		x.resize(150, 40)
		x.fills(150, 40, "? help", strings.Trim(title, "[]"), "┌", "└", "contract-flow  ")
		x.resize(60, 20)
		x.fills(60, 20, title, "? help")
	}
	x.keys("1", "S")
	x.shows("step 6")
}

// TestTmuxPanels: a panel that lies on top stays there through resizes from small to large to tiny and back, with what was typed.
func TestTmuxPanels(t *testing.T) {
	x := startTmux(t, 60, 20, program(t, example(t)))
	x.shows("research-pipeline", "? help")
	x.keys("sss")
	x.shows("step 3")
	for _, p := range []struct{ open, text, shows string }{
		{":", "break", "Actions"}, {"?", "zoom", "Keys"}, {"/", "mock-f", "Search"}, {"g", "s2", "Go to"}, {"f", "step > 2", "Show only events"}, {"b", "agent", "Breakpoints"},
		{"e", "", "Change, in a new run"}, {"T", "critic", "Watches"}, {"w", "", "Why does"}, {"o", "x.json", "Write to a file"},
	} {
		x.keys(p.open)
		x.shows(p.shows)
		if p.text != "" {
			x.keys("-l", p.text)
		}
		x.resize(200, 60)
		x.fills(200, 60, p.shows, p.text, "Esc cancel")
		x.resize(15, 4)
		x.resize(80, 24)
		x.fills(80, 24, p.shows, p.text, "Esc cancel")
		x.resize(60, 20)
		x.shows(p.shows, p.text)
		x.keys("Escape")
		x.fills(60, 20, "[Events]", "? help")
	}
}

// TestTmuxSearch resizes while a search runs, and stops it.
func TestTmuxSearch(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.trace.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(trace.GenTrace(f, 100_000, 5, 10), f.Close()); err != nil {
		t.Fatal(err)
	}
	x := startTmux(t, 150, 40, program(t, path))
	x.shows("position 0/100000", "? help")
	x.keys("/")
	x.shows("Search")
	x.keys("-l", `=payload != None and len([i for i in range(3000) if i == payload]) > 1`)
	x.keys("Enter")
	x.shows("search", "Esc stops here")
	x.resize(60, 20)
	x.shows("Esc stops here", "[Events]")
	x.resize(200, 60)
	x.fills(200, 60, "Esc stops here", "┌ Agents")
	x.keys("Escape")
	x.shows("search: stopped", "? help")
	x.keys("s")
	x.shows("step 1/")
}

// TestTmuxSuspend goes to the shell and comes back: the screen is as it was, at the size that the window has by then.
func TestTmuxSuspend(t *testing.T) {
	x := startTmux(t, 80, 24, "sh -i")
	x.run("send-keys", "-t", "d", "-l", "PS1='ready> '; "+program(t, example(t)))
	x.keys("Enter")
	x.shows("research-pipeline", "? help")
	x.keys("ss")
	x.shows("step 2")
	table, _ := keymap.New(app.Actions(), nil)
	mouse, _ := table.Get(keymap.Mouse)
	x.keys(mouse.Key())
	x.shows("the mouse is on")
	x.keys("C-z")
	if screen := x.shows("Stopped", "ready> "); strings.Contains(screen, "? help") {
		t.Errorf("the shell does not have the screen:\n%s", screen)
	}
	x.resize(150, 40)
	x.run("send-keys", "-t", "d", "-l", "echo $((6*7)); fg")
	x.keys("Enter")
	x.fills(150, 40, "step 2", "┌ Agents", "Inbox of", "? help")
	if on := strings.TrimSpace(x.run("display-message", "-t", "d", "-p", "#{mouse_any_flag}")); on != "1" {
		t.Errorf("the mouse is not on again: %q", on)
	}
	x.keys("s")
	x.shows("step 3")
	x.keys("q")
	x.shows("42", "ready> ")
}
