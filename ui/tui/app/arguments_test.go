package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/ui/tui/keymap"
)

// TestPaletteArguments: what stands behind an action's name is what its dialog would ask for; a session's words do too.
func TestPaletteArguments(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		line  string
		shows []string
		from  func(*testing.T) *driver
	}{
		{line: "goto 5", shows: []string{"position 5/22"}},
		{line: "goto s4", shows: []string{"step 4/7"}},
		{line: "goto 99x", shows: []string{"Go to", "position: 99x"}},
		{line: "step 3", shows: []string{"step 3/7"}},
		{line: "step 99", shows: []string{"the run is finished"}},
		{line: "step x", shows: []string{`step: "x" is no number`}},
		{line: "next 4", shows: []string{"position 4/22"}},
		{line: "next event 2", shows: []string{"position 2/22"}},
		{line: "back 2", shows: []string{"position 18/22"}, from: ended},
		{line: "prev 2", shows: []string{"position 20/22"}, from: ended},
		{line: "next of critic", shows: []string{"step 4/7"}},
		{line: "next-of nobody", shows: []string{`there is no agent "nobody"`}},
		{line: "next of critik", shows: []string{"did you mean critic?"}},
		{line: "prev of critic", shows: []string{"step 5/7"}, from: ended},
		{line: "mark a", shows: []string{"mark a is set"}, from: ended},
		{line: "break error", shows: []string{"breakpoint #1 error"}},
		{line: "breakpoints op llm once", shows: []string{"breakpoint #1 op llm"}},
		{line: "break usd much", shows: []string{"Breakpoints", "new: usd much"}},
		{line: "watch critic /last", shows: []string{"watched: critic /last"}},
		{line: "watch nobody", shows: []string{"Watches", "there is no agent"}},
		{line: "why 8", shows: []string{"Why does event 8 exist?"}},
		{line: "why e8", shows: []string{"Why does event 8 exist?"}},
		{line: "why writer.out[0]", shows: []string{"Why does writer.out[0] exist?"}, from: ended},
		{line: "why 99", shows: []string{"there is no event 99; the last one is 21"}},
		{line: "came of 2", shows: []string{"What came of event 2?"}},
		{line: "who changed writer /last", shows: []string{"was changed by event 19"}, from: ended},
		{line: "who-changed writer last", shows: []string{"is no pointer"}, from: ended},
		{line: "print 40 + 2", shows: []string{"Print", "42"}},
		{line: "find mock-strong", shows: []string{"is in event"}},
		{line: `search =agent == "critic"`, shows: []string{"is in event"}},
		{line: `filter agent == "critic"`, shows: []string{"events of 22"}},
		{line: "edit budget {}", shows: []string{"run 1 begins at event"}, from: ended},
		{line: "edit budgt", shows: []string{"Change, in a new run", "budgt"}, from: ended},
		{line: "answer {}", shows: []string{"answer: decided"}, from: held},
		{line: "answer {", shows: []string{"An effect waits", "the answer is no JSON"}, from: held},
		{line: "run 0", shows: []string{"run 0 is shown"}, from: forkedRun},
		{line: "run 9", shows: []string{`there is no run "9"`}, from: forkedRun},
		{line: "compare with 0", shows: []string{"run 0 → run 1"}, from: forkedRun},
		{line: "compare-runs 1", shows: []string{"choose another"}, from: forkedRun},
		{line: "choose delta base.s3", shows: []string{"Delta: ", "base.s3"}, from: explored},
		{line: "state critic", shows: []string{"critic · state"}},
		{line: "inspect critic /pending", shows: []string{"critic · state"}},
		{line: "write " + filepath.Join(dir, "x"), shows: []string{"wrote event"}},
		{line: "layout messages", shows: []string{"layout messages"}},
		{line: "layouts nonsense", shows: []string{"there are balanced, events"}},
		{line: "theme light", shows: []string{"theme plain"}},
		{line: "theme nonsense", shows: []string{`there is no theme "nonsense"; there are auto`}},
		{line: "help wider", shows: []string{"Keys", "at the cost of the one beside it"}},
	} {
		from := c.from
		if from == nil {
			from = open150
		}
		d := from(t)
		d.do(keymap.Palette).text(c.line).press("enter")
		t.Run(c.line, func(t *testing.T) { d.t = t; d.has(c.shows...) })
	}
	if _, err := os.Stat(filepath.Join(dir, "x")); err != nil {
		t.Error(err)
	}
}

func ended(t *testing.T) *driver { return open150(t).do(keymap.Continue) }

func forkedRun(t *testing.T) *driver {
	d := open150(t)
	edited(d)
	return d
}

// TestEveryArgument: each action that takes something is tried above by one of its names.
func TestEveryArgument(t *testing.T) {
	data, err := os.ReadFile("arguments_test.go")
	if err != nil {
		t.Fatal(err)
	}
	d := open150(t)
	for _, x := range arguments {
		a, ok := d.m.keys.Get(x.id)
		if !ok {
			t.Errorf("there is no action %s", x.id)
			continue
		}
		found := false
		for _, name := range called(a) {
			found = found || strings.Contains(string(data), `line: "`+name+" ") || strings.Contains(string(data), "line: `"+name+" ")
		}
		if !found {
			t.Errorf("%s takes %s and is given nothing in TestPaletteArguments", x.id, x.takes)
		}
	}
}

// TestPaletteHints: the palette says what an action takes, completes its name, and knows the nearest one.
func TestPaletteHints(t *testing.T) {
	d := open150(t).do(keymap.Palette).text("goto").has("goto takes 12, e12, s4, $ or the name of a mark")
	d.press("tab").text("5").has("Enter gives it 5").press("enter").has("position 5/22")
	d.do(keymap.Palette).text("gtoo").has("no action is called that; Tab takes the nearest: goto").press("tab").has("goto takes").press("esc")
	d.do(keymap.Palette).text("gtoo 5").has("the nearest: goto").press("esc")
	d.do(keymap.Palette).text("find").has("search").press("esc")
	d.do(keymap.Palette).text("qqqqq").has("no action is called that").hasNot("nearest").press("esc")
	// The names of other actions are no argument.
	was := d.m.pane()
	if d.do(keymap.Palette).text("next pane").press("enter"); d.m.over != nil || d.m.pane() == was {
		t.Error("next pane is taken for an argument")
	}
	d.do(keymap.Palette).text("who changed writer /x").hasNot("not now")
}
