package examples

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior/script"
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/tool"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// liveExample is a folder with a flow whose effects go to MCP servers, and the trace of a run of it. It is run as it is.
type liveExample struct {
	dir string
	npm string // the program of an npm package that has to be installed, "" for none
}

var live = []liveExample{{dir: "contract-flow"}, {dir: "filesystem", npm: "mcp-server-filesystem"}}

// ready puts the installed npm packages into the path, or skips.
func (x liveExample) ready(t *testing.T) {
	t.Helper()
	if x.npm == "" {
		return
	}
	dir := os.Getenv("FLOWDBG_MCP_DIR")
	if dir == "" {
		t.Skip("FLOWDBG_MCP_DIR is not set: it names a folder whose node_modules holds the npm package of " + x.npm)
	}
	bin := filepath.Join(dir, "node_modules", ".bin")
	if _, err := os.Stat(filepath.Join(bin, x.npm)); err != nil {
		t.Fatalf("FLOWDBG_MCP_DIR: %v", err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

func scriptMachine(t *testing.T, path string) *engine.Machine {
	t.Helper()
	m, diags := engine.Parse(path, read(t, path), script.Registry(script.Options{Dir: filepath.Dir(path)}), true)
	for _, d := range diags {
		if d.Severity != flow.Lint {
			t.Errorf("%s", d)
		}
	}
	if m == nil {
		t.Fatalf("%s is no valid flow", path)
	}
	return m
}

// record runs a flow live.
func record(t *testing.T, path string) []trace.Event {
	t.Helper()
	m := scriptMachine(t, path)
	opt := effect.Options{Live: effect.LiveAll, Dir: filepath.Dir(path)}
	tool.AddTo(&opt, m.Flow(), path)
	bus, problems := m.Bus().GoLive(opt)
	if bus == nil {
		t.Fatal(problems)
	}
	defer func() {
		if err := bus.Close(); err != nil {
			t.Error(err)
		}
	}()
	r, err := engine.NewRun(m, bus)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	return r.Events
}

// compared is what counts of a run: everything but side.
func compared(events []trace.Event) []canon.Value {
	list := make([]canon.Value, len(events))
	for i := range events {
		list[i] = events[i].Compared()
	}
	return list
}

// TestLiveExamplesAreCurrent runs each against its servers and compares with the recorded trace, all but side.
func TestLiveExamplesAreCurrent(t *testing.T) {
	for _, x := range live {
		t.Run(x.dir, func(t *testing.T) {
			x.ready(t)
			events := record(t, x.dir+"/flow.json")
			file := x.dir + "/trace.json"
			if *update {
				if err := trace.WriteFile(file, events, trace.FormatArray); err != nil {
					t.Fatal(err)
				}
			}
			tr, err := trace.Read(read(t, file))
			if err != nil {
				t.Fatal(err)
			}
			got, want := compared(events), compared(tr.Events)
			for i := range min(len(got), len(want)) {
				if got[i] != want[i] {
					t.Fatalf("event %d is\n%s\nin the file it is\n%s", i, got[i], want[i])
				}
			}
			if len(got) != len(want) {
				t.Fatalf("%d events, %d in the file", len(got), len(want))
			}
			// What was recorded live replays to the same bytes, without any server.
			replays(t, scriptMachine(t, x.dir+"/flow.json"), events)
		})
	}
}

// replays holds that a record replays byte for byte.
func replays(t *testing.T, m *engine.Machine, record []trace.Event) {
	t.Helper()
	rep, err := engine.Replay(context.Background(), m, record)
	if err != nil {
		t.Fatal(err)
	}
	if !rep.Same() || rep.Prefix {
		t.Fatalf("verdict %s: %v", rep.Verdict, rep.Divergence)
	}
	again, err := engine.Events(rep.Log)
	if err != nil {
		t.Fatal(err)
	}
	if string(bytesOf(t, again)) != string(bytesOf(t, record)) {
		t.Error("the replayed bytes are not the recorded ones")
	}
}

// TestLiveExamplesReplay needs nothing but the files.
func TestLiveExamplesReplay(t *testing.T) {
	for _, x := range live {
		t.Run(x.dir, func(t *testing.T) {
			tr, err := trace.Read(read(t, x.dir+"/trace.json"))
			if err != nil {
				t.Fatal(err)
			}
			m := scriptMachine(t, x.dir+"/flow.json")
			replays(t, m, tr.Events)
			if note := engine.FlowNote(m.Flow().SHA256(), trace.MemLog(tr.Events)); note != "" {
				t.Error(note)
			}
			data := read(t, x.dir+"/flow.json")
			if text, err := flow.Format(data); err != nil || string(text) != string(data) {
				t.Errorf("%s/flow.json is not formatted: %v", x.dir, err)
			}
		})
	}
}
