package app

import (
	"testing"

	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
)

// TestStepOf: the next and the previous step of one agent, again and again, whichever pane has the keys.
func TestStepOf(t *testing.T) {
	for _, pane := range []layout.Pane{layout.Events, layout.Agents} {
		d := open(t, 150, 40)
		d.do(keymap.Step, keymap.Step, keymap.Step, keymap.Step).has("step 4/7")
		d.m.focus[viewDebug] = pane
		hash := d.m.s.Hash()
		d.do(keymap.NextOf).has("step 5/7", "step done", "critic consumed")
		d.do(keymap.NextOf).has("critic has no step behind position 15")
		d.do(keymap.NextOf).has("next of: nothing lies ahead")
		// The keys stay with the agent, though the cursor is on finish now, which is no agent's.
		d.do(keymap.PrevOf).has("step 5/7").do(keymap.PrevOf)
		if d.m.s.Pos() != 12 || d.m.s.Hash() != hash {
			t.Errorf("%s: there and back, at %d, and the hash is equal: %v", pane, d.m.s.Pos(), d.m.s.Hash() == hash)
		}
	}
	d := open(t, 150, 40)
	d.m.focus[viewDebug] = layout.Agents
	for d.m.cursorAgent() != "writer" {
		d.do(keymap.Down)
	}
	d.do(keymap.NextOf).has("step 6/7", "writer consumed")
	d.do(keymap.PrevOf).has("writer has no step before position 18", "start")
	d.do(keymap.PrevOf).has("previous of: this is the start")
}
