package app

import (
	"strings"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/keymap"
)

// joined is the text of the screen in one line, without frames.
func joined(d *driver) string {
	text := strings.NewReplacer("│", " ", "┃", " ", "…", "…").Replace(d.frame())
	return strings.Join(strings.Fields(text), " ")
}

// TestGotoErrorIsWhole: what is wrong with a position is told to its end, at every usual size.
func TestGotoErrorIsWhole(t *testing.T) {
	_, err := debug.ParsePlace("x5")
	for _, size := range [][2]int{{80, 24}, {100, 30}, {150, 40}} {
		d := open(t, size[0], size[1])
		d.do(keymap.Zoom, keymap.Goto).text("x5").press("enter")
		for _, word := range strings.Split(err.Error(), ", ") {
			if !strings.Contains(joined(d), word) {
				t.Errorf("%v: no %q in\n%s", size, word, d.frame())
			}
		}
	}
}

// TestHelpIsWhole: on a small screen each description is told to its end, too.
func TestHelpIsWhole(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {60, 20}, {150, 40}} {
		d := open(t, size[0], size[1])
		d.do(keymap.Help)
		h := d.m.over.(*help)
		for _, a := range d.m.keys.Actions() {
			h.input = newLine(a.Long)
			h.find(d.m)
			screen := joined(d)
			for _, word := range strings.Fields(a.Long) {
				if !strings.Contains(screen, word) {
					t.Errorf("%v: %s: no %q in\n%s", size, a.ID, word, d.frame())
				}
			}
		}
	}
}
