package app

import (
	"strings"
	"testing"

	"flowdbg/ui/tui/keymap"
)

// TestPrint: an expression at the position, as a tree; in a script's frame, over its variables.
func TestPrint(t *testing.T) {
	d := open(t, 150, 40).do(keymap.Step, keymap.Print).text(`[agent, payload]`).press("enter").has("at position 3", "researcher")
	d.press("ctrl+u").text(`{"outer": {"inner": agent}}`).press("enter")
	open1 := d.plain()
	if shut := d.press("enter").plain(); shut == open1 || d.press("enter").plain() != open1 {
		t.Errorf("Enter does not open and close:\n%s", shut)
	}
	d.press("ctrl+u").text(`[agent, payload]`).press("enter", "esc")
	d.do(keymap.Print).has("[agent, payload]", "typing replaces this one").text("nobody +").press("enter").has("column").press("esc")
	d.do(keymap.Print).text("state_of(\"researcher\") + nobody").press("enter").has("undefined: nobody")

	d = scripted(t, 150, 40).do(keymap.Step, keymap.Source, keymap.Step, keymap.Step, keymap.Print)
	d.text("[n, msg.payload]").press("enter").has("sum.star:", "in act").press("esc").has("sum.star · adder, step 1")
	d.press("esc").hasNot("sum.star · adder")
}

// TestPrintScrolls: a long value is moved in.
func TestPrintScrolls(t *testing.T) {
	d := open(t, 100, 24).do(keymap.Step, keymap.Print).text("[i for i in range(300)]").press("enter")
	first := d.plain()
	d.press("pgdown", "pgdown")
	if now := d.plain(); now == first || strings.Contains(now, " 0: 0") {
		t.Errorf("the value does not scroll:\n%s", now)
	}
}

// TestBreakHereKeepsConditions: one key takes no condition away.
func TestBreakHereKeepsConditions(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Breakpoints).text("agent researcher when step > 1").press("enter", "esc")
	d.do(keymap.BreakHere).has("off: breakpoint #1 agent researcher when step > 1")
	d.do(keymap.BreakHere).has("on: breakpoint #1 agent researcher when step > 1")
	if all := d.m.s.Breakpoints(); len(all) != 1 || !all[0].Enabled {
		t.Errorf("%v", all)
	}
}
