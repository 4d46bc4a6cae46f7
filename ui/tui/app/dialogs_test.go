package app

import (
	"context"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/keymap"
)

// TestEditTakesWhatIsSaid: a session's word before the edit and "message" are understood, the caption says what is typed, and an
// error leaves the keys in sight.
func TestEditTakesWhatIsSaid(t *testing.T) {
	for _, line := range []string{`e state writer {"x":1}`, `edit state writer {"x":1}`, `state writer {"x":1}`, `message critic 0 {"text":"another"}`} {
		d := open150(t).do(keymap.Goto).text("s3").press("enter").do(keymap.Edit).has("edit: ")
		d.press("ctrl+u").text(line).press("enter").has("run 1 begins at event")
	}
	d := open150(t).do(keymap.Goto).text("s3").press("enter").do(keymap.Edit, keymap.NextPane, keymap.NextPane, keymap.NextPane, keymap.NextPane)
	d.press("ctrl+u").text("inject critic note {").has("one message more: inject AGENT TAG JSON").hasNot(" of 3)", " of 5)")
	d.press("enter").has("no JSON", "Enter begins the run", "Esc closes")
	d.press("ctrl+u").text("nonsense").has("state, answer, drop, inject or budget").press("enter").has("unknown edit", "Esc closes")
	d.press("tab").has("of ")
	low := open(t, 60, 20).do(keymap.Step, keymap.Edit).press("ctrl+u").text("x").press("enter").has("unknown edit", "Esc closes")
	low.press("esc")
}

// TestAnswerOffersWhatThereIs: no mock where the op has none, and an error hides neither the line nor the keys.
func TestAnswerOffersWhatThereIs(t *testing.T) {
	d := held(t).do(keymap.Answer).has("answer  type", "mock    the mock", "send    it goes")
	d.press("ctrl+u").text("{").press("enter").has("the answer is no JSON", "JSON: {", "Enter decides")
	tool := example(t, "contract-flow", true, nil, 150, 40)
	s, err := debug.New(debug.Options{Machine: tool.m.s.Machine()})
	if err != nil {
		t.Fatal(err)
	}
	w := start(t, Config{Session: s}, 150, 40)
	w.do(keymap.Continue)
	if s.Pending() == nil {
		t.Fatalf("nothing waits: %s", w.plain())
	}
	w.do(keymap.Answer).has("asks tool iPL.place", "answer  type", "send    it goes").hasNot("mock    the mock")
	w.press("tab").press("tab").has("JSON: ")
}

// TestCompareAfterLiveReload: a live run that a reload or a fork made is compared with the run that it came of.
func TestCompareAfterLiveReload(t *testing.T) {
	s := session(t, seedFlow(t), nil)
	d := start(t, Config{Session: s}, 150, 40).do(keymap.Continue, keymap.View(int(viewCompare))).has("nothing to compare")
	d.do(keymap.View(int(viewDebug)), keymap.Goto).text("s3").press("enter").do(keymap.Fork, keymap.Continue, keymap.View(int(viewCompare)))
	d.has("run 0 and run 1 are the same")
	if stop := s.Goto(0).Run(context.Background()); stop.Err != nil {
		t.Fatal(stop.Err)
	}
}
