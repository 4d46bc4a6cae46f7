package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/settings"

	tea "github.com/charmbracelet/bubbletea"
)

// keeps opens the replay of the seed's flow with a settings folder, in which layout.json holds a text; "" is no file.
func keeps(t *testing.T, kept string, w, h int) (*driver, string) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "flowdbg", "layout.json")
	if kept != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(kept), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return again(t, path, w, h), path
}

// again opens another session with the same settings folder.
func again(t *testing.T, path string, w, h int) *driver {
	t.Helper()
	set, err := settings.Load(func(k string) string {
		return map[string]string{"XDG_CONFIG_HOME": filepath.Dir(filepath.Dir(path))}[k]
	})
	if err != nil {
		t.Fatal(err)
	}
	var problems []debug.Problem
	for _, p := range set.Problems {
		problems = append(problems, debug.Problem{Severity: "warning", Source: "layout", Text: p.Text, File: p.Path, Line: p.Line, Col: p.Col, Event: -1})
	}
	data := seedFlow(t)
	theme, _ := set.Theme()
	return start(t, Config{Session: session(t, data, recordOf(t, data)), Settings: set, ThemeName: theme, Problems: problems}, w, h)
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(strings.Fields(string(b)), "")
}

// TestLayoutsAreKept: what was resized, chosen and saved is there in the next session; what was deleted is not.
func TestLayoutsAreKept(t *testing.T) {
	d, path := keeps(t, "", 150, 40)
	d.do(keymap.Wider)
	if got := text(t, path); got != `{"preset":"balanced","sizes":{"right-width":367},"version":1}` {
		t.Errorf("after resizing: %s", got)
	}
	d.do(keymap.ResetSizes)
	if got := text(t, path); got != `{"preset":"balanced","version":1}` {
		t.Errorf("after resetting: %s", got)
	}
	d.do(keymap.NextLayout, keymap.Wider)
	d.do(keymap.Layouts).has("* changed").text("mine").has("Enter keeps the sizes of now as mine").press("enter").has("layout mine: saved")
	was := d.facts().sizes
	d = again(t, path, 150, 40)
	if now := d.facts().sizes; fmt.Sprint(now) != fmt.Sprint(was) || d.m.arr.changed() {
		t.Errorf("the next session has %v, not %v", now, was)
	}
	d.do(keymap.NextLayout).has("layout balanced") // it goes round
	d.do(keymap.Layouts).text("mine").press("enter")
	if now := d.facts().sizes; fmt.Sprint(now) != fmt.Sprint(was) {
		t.Errorf("Enter on the name gives %v, not %v", now, was)
	}
	d.do(keymap.NextLayout).has("layout balanced")
	d.do(keymap.Layouts).text("mine").has("Enter takes it; Tab keeps the sizes of now in place of mine").press("tab")
	if d = again(t, path, 150, 40); fmt.Sprint(d.facts().sizes) != fmt.Sprint(open150(t).facts().sizes) {
		t.Error("an own layout is not replaced")
	}
	d.do(keymap.Layouts).press("delete").has("save as:").hasNot("mine").press("delete").has("agents is built in and stays").press("esc")
	if got := text(t, path); got != `{"preset":"balanced","version":1}` {
		t.Errorf("after deleting: %s", got)
	}
}

// TestLayoutNames: a name that cannot be is refused with a reason, and nothing is written.
func TestLayoutNames(t *testing.T) {
	d, path := keeps(t, "", 150, 40)
	for name, want := range map[string]string{"events": "events is built in; take another name", " x": "without blanks", strings.Repeat("x", 41): "at most 40"} {
		d.do(keymap.Layouts).text(name).press("enter").has(want).press("esc")
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("something was written: %v", err)
	}
}

// TestChangesWhileWriting: changes that come while the file is written follow it, in their order; leaving waits for them.
func TestChangesWhileWriting(t *testing.T) {
	d, path := keeps(t, "", 150, 40)
	d.hold = true
	d.do(keymap.Wider, keymap.Wider, keymap.NextLayout, keymap.NextLayout).press("q")
	writes := 0
	for _, c := range d.waiting {
		if c != nil {
			writes++
		}
	}
	if writes != 1 || d.quit {
		t.Fatalf("%d commands at a time, quit %v", writes, d.quit)
	}
	d.release()
	if got := text(t, path); got != `{"preset":"inspector","version":1}` || !d.quit {
		t.Errorf("%s, quit %v", got, d.quit)
	}
	// Whoever asks twice is not made to wait.
	d, _ = keeps(t, "", 150, 40)
	d.hold = true
	d.do(keymap.Wider).press("q", "q")
	if last := d.waiting[len(d.waiting)-1]; last == nil {
		t.Error("the second time it still waits")
	} else if _, ok := last().(tea.QuitMsg); !ok {
		t.Error("the second time it does not leave")
	}
}

// TestBrokenLayoutFile: it is told with its place, the defaults are taken, and the file stays until the layout is changed.
func TestBrokenLayoutFile(t *testing.T) {
	d, path := keeps(t, "{\n \"sizes\": {\"agents-width\": \"wide\"}\n}", 150, 40)
	d.do(keymap.View(int(viewProblems))).has("layout.json:2:28", `agents-width cannot be "wide"; use thousandths`)
	d.do(keymap.Step, keymap.View(int(viewDebug)))
	if got := text(t, path); got != `{"sizes":{"agents-width":"wide"}}` {
		t.Errorf("it was touched: %s", got)
	}
	d.do(keymap.Wider).has("could not be understood; it is kept as", "layout.json.bak")
	if got := text(t, path+".bak"); got != `{"sizes":{"agents-width":"wide"}}` {
		t.Errorf("aside lies %s", got)
	}
	if d = again(t, path, 150, 40); len(d.m.problems.own) != 0 {
		t.Errorf("%+v", d.m.problems.own)
	}
}

// TestNewerLayoutFile: a file of a later version stays; that nothing is kept is told once.
func TestNewerLayoutFile(t *testing.T) {
	d, path := keeps(t, `{"version":9}`, 150, 40)
	d.do(keymap.View(int(viewProblems))).has("this file is of version 9").do(keymap.View(int(viewDebug)))
	d.do(keymap.Wider).has("of a newer flowdbg", "last as long as the session").do(keymap.Wider).hasNot("of a newer flowdbg")
	if got := text(t, path); got != `{"version":9}` {
		t.Errorf("it was touched: %s", got)
	}
	if !d.m.arr.changed() {
		t.Error("in the session the layout does not change")
	}
	if d.press("q"); !d.quit {
		t.Error("it cannot be left")
	}
}

// TestTwoScreens: two sessions that save layouts keep each other's.
func TestTwoScreens(t *testing.T) {
	a, path := keeps(t, "", 150, 40)
	b := again(t, path, 150, 40)
	a.do(keymap.Wider, keymap.Layouts).text("of a").press("enter")
	b.do(keymap.NextLayout, keymap.Layouts).text("of b").press("enter")
	a.do(keymap.Narrower)
	again(t, path, 150, 40).do(keymap.Layouts).has("of a", "of b")
}

// TestFramesOfLayouts: whatever sizes panes were given, every frame of every view has its size.
func TestFramesOfLayouts(t *testing.T) {
	extremes := map[string]layout.Sizes{}
	for _, share := range []int{1, layout.Whole} {
		var s layout.Sizes
		for i := range s {
			s[i] = share
		}
		extremes[fmt.Sprint(share)] = s
	}
	for _, p := range layout.Presets()[1:] {
		extremes[p.Name] = p.Sizes
	}
	for name, sizes := range extremes {
		for v := viewDebug; v <= viewProblems; v++ {
			d := start(t, Config{Session: session(t, nil, hostileRecord()), Theme: look(t, "dark", false), TraceName: hostile}, 120, 30)
			d.do(keymap.Continue, keymap.View(int(v)))
			d.m.arr.sizes = sizes
			for i, s := range sizesOf(v) {
				d.m.w, d.m.h = s[0], s[1]
				if out := d.m.View(); frameError(out, s[0], s[1]) != nil {
					t.Fatalf("%s, view %d, size %d: %v", name, v, i, frameError(out, s[0], s[1]))
				}
			}
		}
	}
}

// sizesOf is a third of all test sizes; the views have different thirds, and the debug view has all.
func sizesOf(v viewNo) (list [][2]int) {
	for i, s := range sizes() {
		if v == viewDebug || i%3 == int(v)%3 {
			list = append(list, s)
		}
	}
	return list
}
