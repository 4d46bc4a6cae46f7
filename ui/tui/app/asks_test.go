package app

import (
	"testing"

	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
)

// TestRowsNameTheTool: what is asked of a tool is told by its name, in every row that tells of it.
func TestRowsNameTheTool(t *testing.T) {
	d := flowed(t).do(keymap.Step)
	d.has("asks tool iPL.place", "effect tool iPL.place", "asked tool iPL.place", "effect of tool iPL.place")
	in(layout.Events)(d)
	d.do(keymap.Why).has("placer asked tool iPL.place")
	d = open(t, 150, 40).do(keymap.Step)
	d.has("asks search", "effect of search").do(keymap.Step).has("effect of llm mock-fast")
}
