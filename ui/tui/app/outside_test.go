package app

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/flow"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// outsider is a session with an editor that is a shell script; it runs without a terminal.
func outsider(t *testing.T, script string) (d *driver, dir string) {
	t.Helper()
	dir = t.TempDir()
	ed := filepath.Join(dir, "vi") // known by its name: it is given +LINE
	if err := os.WriteFile(ed, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	data := seedFlow(t)
	path := filepath.Join(dir, "flow.json")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	d = start(t, Config{
		Session: session(t, data, recordOf(t, data)), FlowName: path, TraceName: "trace.json", WatchPath: path,
		Reload: func(context.Context) (*engine.Machine, []flow.Diagnostic, []byte, error) {
			now, err := os.ReadFile(path)
			if err != nil {
				return nil, nil, nil, err
			}
			mc, diags := engine.Parse(path, now, behavior.Builtin(), false)
			return mc, diags, now, nil
		},
		Exec: func(c *exec.Cmd, done tea.ExecCallback) tea.Cmd { return func() tea.Msg { return done(c.Run()) } },
	}, 150, 40)
	d.m.cfg.Getenv = func(name string) string { return map[string]string{"EDITOR": ed}[name] }
	return d, dir
}

// leftovers are the folders that the editor's files lay in.
func leftovers(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "flowdbg-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func TestEditOutside(t *testing.T) {
	d, dir := outsider(t, `cat "$1" > "$0.seen"; printf '{\n  "note": "from outside",\n  "n": [1, 2]\n}\n' > "$1"`)
	d.do(keymap.Step, keymap.Step, keymap.Step, keymap.Step, keymap.Edit).press("ctrl+x")
	d.has("taken over from the editor", `state critic {"n":[1,2],"note":"from outside"}`)
	seen, err := os.ReadFile(filepath.Join(dir, "vi.seen"))
	if err != nil || !strings.Contains(string(seen), "{\n  \"last\": null,\n") {
		t.Errorf("the editor began with %q, %v", seen, err)
	}
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("the editor's files stay: %q", left)
	}
	d.press("ctrl+_").hasNot("from outside").press("ctrl+x", "enter").has("run 1 begins at event 12 of run 0")
	a, _ := d.m.s.State().Agent("critic")
	if want := canon.Raw(`{"n":[1,2],"note":"from outside"}`); a.State != want {
		t.Errorf("the new run's state is %s", a.State.Text())
	}
}

// A value that no line could hold goes through the editor whole.
func TestEditOutsideLong(t *testing.T) {
	d, _ := outsider(t, `if [ -e "$0.long" ]; then sed s/xy/yx/ "$1" > "$0.tmp" && cat "$0.tmp" > "$1"; else
  awk 'BEGIN { printf "{\"t\":\""; for (i = 0; i < 9000; i++) printf "xy"; print "\"}" }' > "$1"; : > "$0.long"; fi`)
	d.do(keymap.Step, keymap.Edit).press("ctrl+x").has("the value from the editor, 18 kB", "state researcher").press("enter").has("run 1 begins at")
	state := func() string { a, _ := d.m.s.State().Agent("researcher"); return a.State.Text() }
	if got := state(); len(got) != 18008 || !strings.HasPrefix(got, `{"t":"xyxy`) {
		t.Fatalf("the state has %d bytes: %.40s", len(got), got)
	}
	d.do(keymap.Edit).has("are too long for one line: Ctrl+X opens them in the editor").press("ctrl+x", "enter").has("run 2 begins at")
	if got := state(); len(got) != 18008 || !strings.HasPrefix(got, `{"t":"yxxy`) {
		t.Fatalf("the state has %d bytes: %.40s", len(got), got)
	}
}

// What is no JSON is told with its place, and the editor opens on it again.
func TestEditOutsideWrong(t *testing.T) {
	d, dir := outsider(t, `if grep -q oops "$1"; then printf '{"mended": true}' > "$1"; else printf '{\n  oops\n}' > "$1"; fi`)
	d.do(keymap.Step, keymap.Edit).press("ctrl+x").has("no JSON came from the editor, Ctrl+X opens it again: 2:3: ")
	d.press("enter").has("opens it again: 2:3: ", "Change, in a new run")
	d.press("ctrl+x").has(`state researcher {"mended":true}`).press("enter").has("run 1 begins at")
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("the editor's files stay: %q", left)
	}
}

func TestEditOutsideFails(t *testing.T) {
	d, dir := outsider(t, `echo '{}' > "$1"; exit 3`)
	d.do(keymap.Step, keymap.Edit).press("ctrl+x").has("exit status 3; nothing was taken over", `"stage":"search"}]}`)
	if left := leftovers(t, dir); len(left) > 0 {
		t.Errorf("the editor's files stay: %q", left)
	}
	d.m.cfg.Getenv = func(string) string { return "" }
	d.press("ctrl+x").has("no editor is set; set $VISUAL or $EDITOR")
}

// Layout is no change: a value that is the same begins no run.
func TestEditSame(t *testing.T) {
	d, _ := outsider(t, `cat "$1" > "$0.tmp"; sed 's/^ *//' "$0.tmp" > "$1"`)
	d.do(keymap.Step, keymap.Edit).press("ctrl+x").has("nothing was changed in the editor").press("enter").has("nothing would be different in a new run")
	for range 4 {
		d.press("tab")
	}
	if n := len(d.m.s.Runs()); n != 1 {
		t.Errorf("%d runs", n)
	}
	d.press("esc").do(keymap.Edit).press("shift+tab").has("the budget").press("enter").has("nothing would be different in a new run")
}

// While a value is typed, what is wrong with it stands below, with the column.
func TestEditWhileTyping(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Step, keymap.Edit).press("ctrl+u").text(`state writer {"a":}`).has("column 19: ")
	d.press("left").text("1").hasNot("column ").press("ctrl+_").has("column 19: ")
	d.press("ctrl+left").text("b").has(`{"b|a":}`)
}

func TestEditSource(t *testing.T) {
	d, dir := outsider(t, `echo "$@" > "$0.args"; sed 's/"tokens": *10000/"tokens": 9000/' "$2" > "$0.tmp" && cat "$0.tmp" > "$2"`)
	args := func() string {
		t.Helper()
		data, err := os.ReadFile(filepath.Join(dir, "vi.args"))
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(strings.ReplaceAll(string(data), dir, "DIR"))
	}
	line := func(agent string) string {
		f := d.m.s.Machine().Flow()
		n, _ := f.Pos(f.AgentPointer(agent, ""))
		return fmt.Sprintf("+%d DIR/flow.json", n)
	}
	d.do(keymap.Step, keymap.EditSource)
	if got := args(); got != line("researcher") {
		t.Errorf("the editor was called with %q, want %q", got, line("researcher"))
	}
	if b := d.m.s.State().Budget(); b == nil || *b.Tokens != 9000 {
		t.Errorf("what was saved was not read again: %+v", b)
	}
	d.do(keymap.Breakpoints).text("agent critic").press("enter").do(keymap.EditSource)
	if got := args(); got != line("critic") {
		t.Errorf("from a breakpoint the editor was called with %q, want %q", got, line("critic"))
	}
}

// TestMouseAfterEditor: a program that had the terminal leaves the mouse off; it is switched on again when it was on.
func TestMouseAfterEditor(t *testing.T) {
	d, _ := outsider(t, "true")
	d.do(keymap.Mouse, keymap.Step, keymap.Edit)
	d.asked = nil
	if d.press("ctrl+x"); !slices.Contains(d.asked, "tea.enableMouseCellMotionMsg") {
		t.Errorf("asked for %v", d.asked)
	}
}
