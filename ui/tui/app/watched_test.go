package app

import (
	"strings"
	"testing"

	"flowdbg/ui/tui/keymap"
)

// TestWatchedBelowTheAgents: watched values are seen while stepping, with their marks; a low screen keeps its agents.
func TestWatchedBelowTheAgents(t *testing.T) {
	d := open150(t).do(keymap.Palette).text("watch critic /last/score").press("enter")
	d.has("   watched", "  critic …/score")
	d.do(keymap.Goto).text("s5").press("enter").has("* critic …/score 0.57")
	d.do(keymap.Step).has("  critic …/score 0.57").hasNot("* critic …").do(keymap.StepBack).has("* critic …/score")
	for _, line := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		d.do(keymap.Palette).text("watch writer /" + line).press("enter")
	}
	d.has("watched, 2 more in T", "writer /e").hasNot("writer /f")
	d.do(keymap.Watches).has("writer /g").press("esc")
	low := open(t, 150, 14).do(keymap.Palette).text("watch critic").press("enter").do(keymap.Step)
	if screen := low.plain(); strings.Contains(screen, "   watched") || !strings.Contains(screen, "researcher") {
		t.Errorf("a low screen has watches in place of agents:\n%s", screen)
	}
}
