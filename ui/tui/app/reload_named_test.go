package app

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

const platformFlow = `{"version":1,"id":"p","agents":[{"id":"a","kind":"echo"}],"edges":[],"budget":{"steps":4},"input":{"to":"a","tag":"t","payload":0},
 "contracts":{"version":1,"platform":"platform.json","rules":["rules","more/one.json"]}}`

// namedOf lists what a flow's text names, as the command line does.
func namedOf(path string) NamedFiles {
	return func(text []byte) (platform.Named, bool) {
		f, _ := flow.Parse(path, text, flow.Options{})
		if f == nil {
			return platform.Named{}, false
		}
		return platform.Files(f, path), true
	}
}

// TestWatchNamed: the platform's file, its snapshots, its rules and the lock are watched, in folders of their own and also
// where they are not there yet; what else is kept beside the flow is not.
func TestWatchNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "flow.json")
	write(t, path, platformFlow)
	w, err := newWatcher(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	again := func() {
		t.Helper()
		n, ok := namedOf(path)([]byte(platformFlow))
		if !ok {
			t.Fatal("the flow is not valid")
		}
		w.named(n)()
	}
	again()
	put := func(name string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		text := "{}"
		if name == "platform.json" {
			text = `{"platform":1,"contracts":{"1":"snap/1.json"}}`
		}
		rename(t, filepath.Join(dir, name), []byte(text))
	}
	round := 0
	// seen is whether something that counts happened before the end of the round, which a file of no flow marks.
	seen := func() (yes bool) {
		t.Helper()
		round++
		end := filepath.Join(dir, "end"+strconv.Itoa(round))
		write(t, end, "x")
		for {
			select {
			case e := <-w.fs.Events:
				if e.Name == end {
					return yes
				}
				yes = w.sees(e) || yes
			case err := <-w.fs.Errors:
				t.Fatal(err)
			case <-time.After(20 * time.Second):
				t.Fatal("the round does not end")
			}
		}
	}
	for _, x := range []struct {
		name string
		want bool
	}{
		{"flow.dbg/breaks.json", false},
		{"flow.dbg/marks.json", false},
		{"flow.dbg/platform.lock.json", true},
		{"flow.dbg/watches.json", false},
		{"other/one.json", false},
		{"platform.json", true},
		{"snap/1.json", true},
		{"snap/2.json", false},
		{"rules/a.json", true},
		{"rules/b.json", true},
		{"rules/notes.txt", false},
		{"more/one.json", true},
		{"more/two.json", false},
	} {
		put(x.name)
		if got := seen(); got != x.want {
			t.Errorf("%s: seen %v, want %v", x.name, got, x.want)
		}
		again() // as every reading does
		seen()  // closing what is left of the round
	}
	// A folder that goes and comes again, as when a branch is checked out.
	if err := os.RemoveAll(filepath.Join(dir, "rules")); err != nil {
		t.Fatal(err)
	}
	if !seen() {
		t.Error("the rules are gone, and nothing is seen")
	}
	put("rules/a.json")
	if !seen() {
		t.Error("the rules are back, and nothing is seen")
	}
}

// TestReloadNamed: the same flow beside another platform is no unchanged flow.
func TestReloadNamed(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "flow.json")
	write(t, path, platformFlow)
	read := func(context.Context) (*engine.Machine, []flow.Diagnostic, []byte, error) {
		data, err := os.ReadFile(path)
		m, diags := engine.Parse(path, data, behavior.Builtin(), false)
		return m, diags, data, err
	}
	m, diags, _, err := read(context.Background())
	if err != nil || m == nil {
		t.Fatal(err, diags)
	}
	s, err := debug.New(debug.Options{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	d := start(t, Config{Session: s, Reload: read, WatchPath: path, Named: namedOf(path)}, 150, 40)
	w, err := newWatcher(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.close()
	d.m.watch = w
	d.run(d.m.load(atStart))
	d.do(keymap.Reload).has("the file has not changed")
	got := make(chan tea.Msg, 1)
	go func() { got <- w.next()() }()
	if err := os.Mkdir(filepath.Join(dir, "flow.dbg"), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "flow.dbg", "watches.json"), "[]")
	rename(t, filepath.Join(dir, "flow.dbg", "platform.lock.json"), []byte("{  }"))
	select {
	case msg := <-got:
		if _, ok := msg.(changedMsg); !ok {
			t.Fatalf("%#v", msg)
		}
	case <-time.After(20 * time.Second):
		t.Fatal("a new lock is not seen")
	}
	d.m.settleID++
	d.send(settledMsg{d.m.settleID})
	d.has("reloaded")
	for _, name := range []string{"platform.json", "rules/a.json", "flow.dbg/platform.lock.json"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"{}", "{ }"} {
			before := len(d.m.s.Runs())
			rename(t, filepath.Join(dir, name), []byte(text))
			d.do(keymap.Reload).has("reloaded")
			if len(d.m.s.Runs()) != before+1 {
				t.Errorf("%s with %s makes no new run", name, text)
			}
			d.do(keymap.Reload).has("the file has not changed")
		}
	}
	write(t, filepath.Join(dir, "flow.dbg", "breaks.json"), "[]")
	d.do(keymap.Reload).has("the file has not changed")
}
