package app

import (
	"errors"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
)

// folder is a folder of kept runs.
type folder struct {
	list  []debug.KeptRun
	files map[string][]trace.Event
	wrong error
}

func (f *folder) Keep(events []trace.Event) (string, error) {
	if f.wrong != nil {
		return "", f.wrong
	}
	path := "runs/" + debug.KeptName(events)
	if f.files == nil {
		f.files = map[string][]trace.Event{}
	}
	if f.files[path] == nil {
		f.list = append(f.list, debug.KeptRun{Path: path, Bytes: int64(1000 * len(events))})
		f.files[path] = events
	}
	return path, nil
}

func (f *folder) List() ([]debug.KeptRun, error) { return f.list, nil }

func (f *folder) Open(path string) ([]trace.Event, error) {
	if f.files[path] == nil {
		return nil, errors.New("it is gone")
	}
	return f.files[path], nil
}

func keepingIn(t *testing.T, f *folder) *driver {
	data := seedFlow(t)
	d := start(t, Config{Session: session(t, data, recordOf(t, data)), FlowName: "flow.json", TraceName: "trace.json", Runs: f}, 150, 40)
	d.run(d.m.listKept())
	return d
}

func keepsRuns(t *testing.T) *driver { return keepingIn(t, &folder{}) }

// reopened is a session on a flow beside which a fork was kept before.
func reopened(t *testing.T) *driver {
	f := &folder{}
	d := keepingIn(t, f)
	edited(d)
	d.do(keymap.KeepRun).has("kept run 1 (")
	return keepingIn(t, f)
}

// TestKeptRuns: a run is kept in a file, listed when the flow is opened again, and shown and compared from there.
func TestKeptRuns(t *testing.T) {
	f := &folder{}
	d := keepingIn(t, f)
	edited(d)
	own := d.m.s.Total()
	d.do(keymap.KeepRun).has("kept run 1 (", "in runs/run-").do(keymap.KeepRun)
	if len(f.files) != 1 || d.m.unkept() != 0 {
		t.Fatalf("%d files, %d runs kept nowhere", len(f.files), d.m.unkept())
	}
	d.do(keymap.View(int(viewRuns)), keymap.End).has("2 runs", "kept in runs/run-").hasNot("1 kept", "kept run-")
	f.wrong = errors.New("the disk is full")
	d.do(keymap.KeepRun).has("keep run: this run is kept already")
	d.do(keymap.Home, keymap.KeepRun).has("keeping run 0: the disk is full")

	again := keepingIn(t, f).do(keymap.View(int(viewRuns))).has("1 run, 1 kept", "kept run-")
	again.do(keymap.End).has("Enter opens it").do(keymap.Toggle).has("run 1 is shown", "kept run-", "2 runs")
	if again.m.s.CurrentRun() != 1 || again.m.s.Total() != own {
		t.Fatalf("run %d of %d events is shown", again.m.s.CurrentRun(), again.m.s.Total())
	}
	again.do(keymap.View(int(viewDebug)), keymap.Continue).has("the run is finished")
	if again.m.unkept() != 0 {
		t.Error("a kept run counts as kept nowhere")
	}
	keepingIn(t, f).do(keymap.Continue, keymap.View(int(viewRuns)), keymap.End, keymap.CompareRuns).has("run 1 → run 0", "run 1 and run 0 are the same")

	gone := keepingIn(t, f)
	f.files = nil
	gone.do(keymap.View(int(viewRuns)), keymap.End, keymap.Toggle).has("the kept run: it is gone")
}
