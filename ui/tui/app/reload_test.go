package app

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// reader reads a file as the command line does.
func reader(path string) Reloader {
	return func(context.Context) (*engine.Machine, []flow.Diagnostic, []byte, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, nil, err
		}
		m, diags := engine.Parse("flow.json", data, behavior.Builtin(), false)
		return m, diags, data, nil
	}
}

func editable(t *testing.T) (d *driver, path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "flow.json")
	data := seedFlow(t)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return start(t, Config{Session: session(t, data, nil), Reload: reader(path), WatchPath: path}, 150, 40), path
}

// rename saves as most editors do: a new file is written and renamed over the old one.
func rename(t *testing.T, path string, data []byte) {
	t.Helper()
	tmp := path + "~"
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(tmp, path); err != nil {
		t.Fatal(err)
	}
}

// TestReload: a valid flow leads to the first event that differs; one with errors leaves the session and shows where.
func TestReload(t *testing.T) {
	d, path := editable(t)
	d.do(keymap.Continue).has("step 7/7")
	calls := d.m.s.EffectCalls()
	rename(t, path, bytes.Replace(seedFlow(t), []byte("mock-strong"), []byte("mock-other"), 1))
	d.do(keymap.Reload).has("reloaded ≠ step 4", "request_differs at event 10, step 4", "/effect/input/model", `before "mock-strong"`, "act · was = before the reload", `"mock-other"`)
	if d.m.s.Pos() != 11 || d.m.s.EffectCalls()-calls > 1 {
		t.Errorf("at %d; %d answers were bought again", d.m.s.Pos(), d.m.s.EffectCalls()-calls)
	}
	pos := d.m.s.Pos()
	rename(t, path, bytes.Replace(seedFlow(t), []byte(`"kind": "critic"`), []byte(`"kind": "critik"`), 1))
	d.do(keymap.Reload).has("the session stays as it was", "reload: 1 error", "the flow has 1 error, first at flow.json:6:31; the", `unknown kind "critik"`, "^")
	d.send(tea.WindowSizeMsg{Width: 160, Height: 40})
	d.has("reload: 1 error: flow.json:6:31 ")
	d.send(tea.WindowSizeMsg{Width: 200, Height: 40})
	d.has("reload: 1 error: flow.json:6:31, 9 shows it")
	d.send(tea.WindowSizeMsg{Width: 80, Height: 24})
	d.has("reload: 1 error")
	d.send(tea.WindowSizeMsg{Width: 150, Height: 40})
	if d.m.s.Pos() != pos || d.m.view != viewProblems {
		t.Errorf("at %d in view %d", d.m.s.Pos(), d.m.view)
	}
	d.do(keymap.Reload).has("the session stays as it was", "reload: 1 error", `unknown kind "critik"`).hasNot("has not changed")
	rename(t, path, seedFlow(t))
	d.do(keymap.Reload).has("Agents", "reloaded")
	if d.m.view != viewDebug {
		t.Error("the Problems view stays although the flow is right again")
	}
	d.do(keymap.Reload).has("the file has not changed")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	d.do(keymap.Reload).has("flow not readable")
}

// TestAtStart: the file is read once at the start, for excerpts; when it was changed since it was opened, that is a reload.
func TestAtStart(t *testing.T) {
	d, _ := editable(t)
	d.run(d.m.load(atStart))
	if d.m.kept == nil || d.m.s.Stop().Reason != debug.StopStart {
		t.Fatalf("reading at the start did %s", d.m.s.Stop().Reason)
	}
	d.do(keymap.Reload).has("the file has not changed")
	d, path := editable(t)
	rename(t, path, bytes.Replace(seedFlow(t), []byte("mock-strong"), []byte("mock-other"), 1))
	d.run(d.m.load(atStart))
	d.has("reloaded")

	// A flow with errors beside a trace: the trace is played back, the error has its line and its caret.
	bad := bytes.Replace(seedFlow(t), []byte(`"kind": "critic"`), []byte(`"kind": "critik"`), 1)
	rename(t, path, bad)
	_, diags := engine.Parse("flow.json", bad, behavior.Builtin(), false)
	s, err := debug.New(debug.Options{Diagnostics: diags, Trace: &trace.Trace{Events: recordOf(t, seedFlow(t))}})
	if err != nil {
		t.Fatal(err)
	}
	d = start(t, Config{Session: s, Reload: reader(path)}, 150, 40)
	d.run(d.m.load(atStart))
	d.do(keymap.View(int(viewProblems))).has("1 problem", `{ "id": "critic", "kind": "critik"`, "^")
}

// TestReloadUnderAMove: what was read while a move runs stops the move; an answer that came too late is dropped.
func TestReloadUnderAMove(t *testing.T) {
	d, path := editable(t)
	d.hold = true
	d.do(keymap.Reload)
	late := d.m.loadID
	d.do(keymap.Reload)
	m, diags := engine.Parse(path, seedFlow(t), behavior.Builtin(), false)
	d.send(loadedMsg{id: late, machine: m, diags: diags, data: []byte("x")})
	if d.m.kept != nil {
		t.Fatal("a stale answer was taken")
	}
	stopped := false
	d.m.run = &move{id: 99, verb: "continue", stop: func() { stopped = true }, finish: func(*Model) tea.Cmd { return nil }}
	d.send(loadedMsg{id: d.m.loadID, machine: m, diags: diags, data: []byte("y")})
	if !stopped || d.m.run != nil || d.m.kept == nil || d.m.s.Stop().Reason != debug.StopReload {
		t.Fatal("the move runs on")
	}
}

// TestWatch: saves by writing and by renaming are seen; other files, and our own, are not.
func TestWatch(t *testing.T) {
	d, path := editable(t)
	w, err := newWatcher(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	got := make(chan tea.Msg, 16)
	next := func() {
		go func() { got <- w.next()() }()
	}
	wait := func(what string) {
		t.Helper()
		select {
		case msg := <-got:
			if _, ok := msg.(changedMsg); !ok {
				t.Fatalf("%s: %#v", what, msg)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s is not seen", what)
		}
	}
	next()
	for _, other := range []string{"trace.json", ".flow.json.swp", "flow.json.dbg"} {
		if err := os.WriteFile(filepath.Join(filepath.Dir(path), other), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	// What is not seen is known once something that comes later is: then nothing else may have come before.
	rename(t, path, []byte("{}"))
	wait("a rename")
	if len(got) > 0 {
		t.Fatal("one save is seen twice, or another file is")
	}
	for range 2 { // a watch on the file itself would be dead by now
		next()
		rename(t, path, []byte("{}"))
		wait("another rename")
	}
	next()
	if err := os.WriteFile(path, []byte("{ }"), 0o600); err != nil {
		t.Fatal(err)
	}
	wait("a write")

	// The model waits until the file is quiet.
	d.m.watch = w
	d.hold = true
	d.send(changedMsg{})
	first := settledMsg{d.m.settleID}
	d.send(changedMsg{})
	d.waiting = nil
	d.send(first)
	if d.m.loadID != 0 {
		t.Error("a file that is still being written was read")
	}
	d.send(settledMsg{d.m.settleID})
	if d.m.loadID != 1 {
		t.Error("a file that is quiet was not read")
	}
}

// TestIndexing: a trace that is opened before it was read is read on, and the screen has all of it in the end.
func TestIndexing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	record := longRecord(40_000, 3)
	if err := trace.WriteFile(path, record, trace.FormatArray); err != nil {
		t.Fatal(err)
	}
	store, err := trace.OpenStore(path, trace.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s, err := debug.New(debug.Options{Store: store})
	if err != nil {
		t.Fatal(err)
	}
	d := start(t, Config{Session: s, TraceName: path}, 120, 30)
	d.hold = true
	cmd := d.m.Init()
	if !d.m.indexing {
		t.Fatal("a file that was not read is not read on")
	}
	d.has("indexing")
	d.hold = false
	d.run(cmd)
	d.hasNot("indexing").has("position 0/120000")
	d.do(keymap.Goto).text("60000").press("enter").has("position 60000/120000", "agent-0", "step 20000")
	if !d.m.tooFar() || d.m.hash != "" {
		t.Error("a hash was computed over 60 000 events")
	}
	d.send(indexedMsg{err: trace.ErrChanged})
	d.has("reading the trace")
}

func TestWatchFails(t *testing.T) {
	d, path := editable(t)
	if msg, ok := startWatch(filepath.Join(path, "no", "folder"))().(watchMsg); !ok || msg.err == nil {
		t.Fatalf("watching nothing gave %#v", msg)
	}
	d.send(watchMsg{err: errors.New("too many watches")})
	d.has("not watched").do(keymap.View(int(viewProblems))).has("too many watches")
	d.send(doneMsg{err: errors.New("disk full")})
	d.has("disk full")
}

// TestTraceRewritten: of a trace in memory it is told, once, that its file is not what was read any more.
func TestTraceRewritten(t *testing.T) {
	for name, x := range map[string]struct {
		change func(t *testing.T, path string)
		want   string
	}{
		"untouched":    {func(*testing.T, string) {}, ""},
		"shorter":      {func(t *testing.T, path string) { write(t, path, "[") }, "the file was written to"},
		"renamed over": {func(t *testing.T, path string) { rename(t, path, []byte("[]")) }, "another file has taken this name"},
		"removed":      {func(t *testing.T, path string) { _ = os.Remove(path) }, "the file was removed"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "trace.json")
			write(t, path, "[\n]\n")
			s, err := debug.New(debug.Options{Trace: &trace.Trace{Events: recordOf(t, seedFlow(t))}})
			if err != nil {
				t.Fatal(err)
			}
			d := start(t, Config{Session: s, TraceName: path}, 150, 40)
			w, err := newWatcher(path)
			if err != nil {
				t.Fatal(err)
			}
			d.m.traceWatch = w
			x.change(t, path)
			for range 2 {
				d.send(d.m.poll()())
			}
			if x.want == "" {
				d.hasNot("1 problem")
				return
			}
			d.has("1 problem", x.want)
		})
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
