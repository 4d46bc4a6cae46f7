package app

import (
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/contract"
	"flowdbg/engine/typed"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
)

// written writes what the cursor is on, after turns to other things, and returns the file.
func written(d *driver, turns int) string {
	d.t.Helper()
	path := filepath.Join(d.t.TempDir(), "out")
	d.do(keymap.Write)
	for range turns {
		d.press("tab")
	}
	d.press("ctrl+u").text(path).press("enter").has("wrote ")
	data, err := os.ReadFile(path)
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}

// copied is the file of the last copy.
func copied(d *driver) string {
	d.t.Helper()
	d.do(keymap.Copy).has("copied ")
	data, err := os.ReadFile(filepath.Join(d.m.cfg.StoreDir, "copy.txt"))
	if err != nil {
		d.t.Fatal(err)
	}
	return string(data)
}

// TestWriteRun: a run is written and copied as its trace, also one that was not run again, and one that is not shown.
func TestWriteRun(t *testing.T) {
	d := open(t, 150, 40).do(keymap.View(int(viewRuns)))
	d.do(keymap.Write).has("run 0 as a trace, 22 events", "run-0.trace.json").press("esc")
	for _, text := range []string{written(d, 0), copied(d)} {
		if tr, err := trace.Read([]byte(text)); err != nil || len(tr.Events) != 22 {
			t.Fatalf("no trace of 22 events: %v\n%s", err, text)
		}
	}
	d.do(keymap.View(int(viewDebug)))
	edited(d)
	d.do(keymap.View(int(viewRuns)), keymap.Home)
	own := d.m.s.Runs()[1].Total
	d.do(keymap.Down)
	tr, err := trace.Read([]byte(written(d, 0)))
	if err != nil || len(tr.Events) != own {
		t.Fatalf("%d events of run 1 written, it has %d: %v", len(tr.Events), own, err)
	}
	if d.m.unkept() != 0 {
		t.Error("the run is in a file and counts as kept nowhere")
	}
	path := filepath.Join(t.TempDir(), "there")
	if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	d.do(keymap.Write).press("ctrl+u").text(path).press("enter").has("exists; give another name")
}

// TestWriteThings: what is written is the thing, not the line that tells of it.
func TestWriteThings(t *testing.T) {
	d := explored(t)
	x := d.m.faces[viewCandidates].(*candidatesView).selected()
	var said []string
	for _, it := range x.Items {
		said = append(said, it.Value.Text())
	}
	if got := copied(d); got != strings.Join(said, "\n")+"\n" {
		t.Errorf("of a candidate there is copied\n%s", got)
	}
	var cert contract.Certificate
	if err := json.Unmarshal([]byte(written(d, 1)), &cert); err != nil || cert.Digest != x.Certificate.Digest {
		t.Errorf("no certificate of %s: %v", x.ID, err)
	}
	n := len(d.m.things())
	var table typed.Exploration
	if err := json.Unmarshal([]byte(written(d, n-1)), &table); err != nil || len(table.Candidates) != len(d.m.faces[viewCandidates].(*candidatesView).order) {
		t.Errorf("no table: %v, %d candidates", err, len(table.Candidates))
	}
	in(layout.Detail)(d)
	if err := json.Unmarshal([]byte(copied(d)), &cert); err != nil || cert.ProposalID != x.Certificate.ProposalID {
		t.Errorf("beside the table no certificate is copied: %v", err)
	}

	d.do(keymap.View(int(viewDelta)))
	var delta contract.DesignDelta
	if err := json.Unmarshal([]byte(copied(d)), &delta); err != nil {
		t.Errorf("no delta: %v", err)
	}

	d = flowed(t).do(keymap.Continue, keymap.View(int(viewContract)))
	for d.m.faces[viewContract].(*contractView).event(d.m) < 0 {
		d.do(keymap.Down)
	}
	var call map[string]json.RawMessage
	if err := json.Unmarshal([]byte(copied(d)), &call); err != nil || len(call["sent"]) == 0 || len(call["received"]) == 0 || len(call["asked"]) == 0 {
		t.Errorf("no documents of the call: %v %v", err, call)
	}
	var event map[string]json.RawMessage
	if err := json.Unmarshal([]byte(written(d, 1)), &event); err != nil || len(event["type"]) == 0 {
		t.Errorf("no event: %v", err)
	}

	d = open(t, 150, 40).do(keymap.Step, keymap.View(int(viewGraph)))
	if got := copied(d); got != `{"from":"input","to":"researcher"}` && !strings.Contains(got, `"port":"out"`) {
		t.Errorf("of an edge there is copied %s", got)
	}
}

// TestWriteAsksOnce: a name that was typed stays when something else is chosen.
func TestWriteAsksOnce(t *testing.T) {
	d := explored(t).do(keymap.Write).press("tab").has("-certificate.json").press("ctrl+u").text("mine").press("tab").has("file: mine")
	d.press("shift+tab", "shift+tab").has("file: mine", "what was said of")
}

// TestWriteFails: half of a file does not stay, and a file that was there is not touched.
func TestWriteFails(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	full := errors.New("no room is left")
	err := createNew(path, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half"); err != nil {
			t.Fatal(err)
		}
		return full
	})
	if _, gone := os.Stat(path); !errors.Is(err, full) || !errors.Is(gone, fs.ErrNotExist) {
		t.Errorf("after %v the file: %v", err, gone)
	}
	if err := writeNew(path, "whole"); err != nil {
		t.Fatal(err)
	}
	if err := writeNew(path, "other"); err == nil || !strings.Contains(err.Error(), "exists; give another name") {
		t.Errorf("written over: %v", err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "whole" {
		t.Errorf("the file holds %q, %v", data, err)
	}
}
