package app

import (
	"fmt"
	"strings"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

func problemOf(text string) debug.Problem {
	return debug.Problem{Severity: "warning", Source: "keys", Text: text, Event: -1}
}

// themes are those of a terminal with all colours and a dark background.
func themes(name string, isASCII bool) (*theme.Theme, error) {
	return theme.New(theme.Options{Name: name, Profile: theme.TrueColor, Dark: true, ASCII: isASCII})
}

// TestThemeReachesEverything: after a change of theme and charset every view looks as if it had been opened in it. What
// keeps drawn text would show the old one.
func TestThemeReachesEverything(t *testing.T) {
	to, err := themes("light", true)
	if err != nil {
		t.Fatal(err)
	}
	from := look(t, "dark", false)
	show := func(v viewNo, size [2]int, p layout.Pane, first, then *theme.Theme) string {
		d := explored(t)
		if v == viewContract {
			d = flowed(t).do(keymap.Continue)
		}
		d.m.th = first
		d.send(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
		d.do(keymap.View(int(v)))
		if v == viewDebug {
			d.do(keymap.Raw)
		}
		d.m.focus[v] = p
		d.frame()
		d.m.wear(then, "")
		return d.frame()
	}
	for v := viewDebug; v <= viewProblems; v++ {
		panes := explored(t).do(keymap.View(int(v))).m.mode().Panes()
		same := func(size [2]int, p layout.Pane) {
			want, got := show(v, size, p, to, to), show(v, size, p, from, to)
			if want != got {
				t.Errorf("view %d, %s at %v: the old theme is still seen\n%s", v, p, size, differing(want, got))
			}
		}
		same([2]int{150, 40}, panes[0])
		for _, p := range panes { // where there is room for one only, each has to be looked at
			same([2]int{80, 24}, p)
		}
	}
}

// differing are the lines of two screens that are not equal.
func differing(a, b string) string {
	var out strings.Builder
	x, y := strings.Split(a, "\n"), strings.Split(b, "\n")
	for i := range x {
		if i < len(y) && x[i] != y[i] {
			fmt.Fprintf(&out, "%d %q\n  %q\n", i, x[i], y[i])
		}
	}
	return out.String()
}

// TestTheme: the list shows what the cursor is on at once; Esc takes it back, Enter keeps it, Backspace forgets it.
func TestTheme(t *testing.T) {
	d, path := keeps(t, `{"theme":"dark"}`, 100, 30)
	d.m.cfg.Themes = themes
	d.m.wear(look(t, "dark", false), "dark")
	d.do(keymap.Theme).press("j")
	if d.m.th.Name != "light" {
		t.Errorf("the theme under the cursor is not shown, but %s", d.m.th.Name)
	}
	d.press("space")
	if out := d.frame(); d.m.th.Charset != cell.ASCII || strings.IndexFunc(out, func(r rune) bool { return r > 0x7e }) >= 0 {
		t.Errorf("not ASCII:\n%s", out)
	}
	d.press("esc")
	if d.m.th.Name != "dark" || d.m.th.Charset != cell.Unicode || text(t, path) != `{"theme":"dark"}` {
		t.Errorf("esc leaves %s, %s", d.m.th.Name, text(t, path))
	}
	d.do(keymap.Theme).press("down", "down", "enter").has("theme cvd-dark")
	if got := text(t, path); got != `{"theme":"cvd-dark","version":1}` {
		t.Errorf("kept is %s", got)
	}
	d.do(keymap.Theme).press("space", "enter")
	if got := text(t, path); got != `{"ascii":true,"theme":"cvd-dark","version":1}` {
		t.Errorf("kept is %s", got)
	}
	d.do(keymap.Theme).press("backspace").has("config.json and the terminal decide again")
	if got := text(t, path); got != `{"version":1}` || d.m.th.Name != "dark" || d.m.th.Charset != cell.Unicode {
		t.Errorf("kept is %s, shown %s", got, d.m.th.Name)
	}
}

// TestThemesOfAPoorTerminal: what the terminal makes of a theme stands in the list.
func TestThemesOfAPoorTerminal(t *testing.T) {
	d := open(t, 100, 30)
	d.m.cfg.Themes = func(name string, isASCII bool) (*theme.Theme, error) {
		return theme.New(theme.Options{Name: name, Profile: theme.ANSI16, ASCII: isASCII})
	}
	d.do(keymap.Theme).has("here 16").press("j").frame()
	if d.m.th.Name != "16" || d.m.asksTheme != "cvd" {
		t.Errorf("%s for %s", d.m.th.Name, d.m.asksTheme)
	}
}

// TestKeyConflicts: what is wrong with the keys of the configuration is told at the start.
func TestKeyConflicts(t *testing.T) {
	d := start(t, Config{Session: session(t, seedFlow(t), nil), Remap: map[string][]string{"wider": {"s"}, "narrower": {"s"}, "fly": {"x"}, "taller": {"hyper"}}}, 150, 40)
	d.do(keymap.View(int(viewProblems))).has("keys: fly: there is no such action", "keys: narrower: s: already means wider", "keys: step: s: already means wider", "keys: taller: Hyper: there is no such key")
	if a, ok := d.m.keys.Lookup("s"); !ok || a.ID != keymap.Wider {
		t.Errorf("s means %v", a.ID)
	}
}
