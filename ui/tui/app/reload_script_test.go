package app

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"flowdbg/engine"
	"flowdbg/engine/behavior/script"
	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

const scriptFlow = `{"version":1,"id":"s","agents":[{"id":"a","kind":"script","config":{"script":"lib/a.star"}}],"edges":[{"from":"a","port":"out","to":"a"}],"budget":{"steps":4},"input":{"to":"a","tag":"t","payload":0}}`

func scriptAdding(n string) string {
	return "load('b.star', 'more')\ndef act(msg, state, config):\n    return result(state=msg.payload, send=[send('out', 't', more(msg.payload) + " + n + ")])\n"
}

// TestReloadScript: a script is a part of its flow. Changing it makes the run again; a broken one leaves the session, and
// the same flow with the script set right is no unchanged file.
func TestReloadScript(t *testing.T) {
	dir := t.TempDir()
	path, star := filepath.Join(dir, "flow.json"), filepath.Join(dir, "lib", "a.star")
	if err := os.Mkdir(filepath.Dir(star), 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, path, scriptFlow)
	write(t, star, scriptAdding("1"))
	write(t, filepath.Join(dir, "lib", "b.star"), "def more(n):\n    return n\n")
	read := func(context.Context) (*engine.Machine, []flow.Diagnostic, []byte, error) {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, nil, nil, err
		}
		m, diags := engine.Parse("flow.json", data, script.Registry(script.Options{Dir: dir}), false)
		return m, diags, data, nil
	}
	m, diags, _, err := read(context.Background())
	if err != nil || m == nil {
		t.Fatal(err, diags)
	}
	s, err := debug.New(debug.Options{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	d := start(t, Config{Session: s, Reload: read, WatchPath: path}, 150, 40)
	d.run(d.m.load(atStart))
	d.do(keymap.Continue).has("finish")
	d.do(keymap.Reload).has("the file has not changed")

	write(t, star, scriptAdding("2"))
	d.do(keymap.Reload).has("reloaded ≠ step 1", "event_differs")
	d.do(keymap.Reload).has("the file has not changed")
	write(t, star, "def act(")
	d.do(keymap.Reload).has("the session stays as it was", "reload: 1 error", "lib/a.star:1:9")
	write(t, star, scriptAdding("2"))
	d.do(keymap.Reload).has("reloaded")
	if d.m.view != viewDebug {
		t.Error("the Problems view stays although the script is right again")
	}
}

// TestWatchScripts: what a flow is made of is watched too, in folders of its own, and so is any script beside the flow: it
// may be the one that is missing.
func TestWatchScripts(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "flow.json")
	write(t, path, "{}")
	if err := os.Mkdir(filepath.Join(dir, "lib"), 0o700); err != nil {
		t.Fatal(err)
	}
	msg, ok := startWatch(path)().(watchMsg)
	if !ok || msg.err != nil {
		t.Fatal(msg.err)
	}
	w := msg.w
	defer w.close()
	w.also([]string{"lib/a.py"})()
	got := make(chan tea.Msg, 16)
	for _, name := range []string{"lib/a.py", "new.star"} {
		go func() { got <- w.next()() }()
		write(t, filepath.Join(dir, "notes.txt"), "x") // no part of the flow
		rename(t, filepath.Join(dir, name), []byte("x"))
		select {
		case msg := <-got:
			if _, ok := msg.(changedMsg); !ok {
				t.Fatalf("%s: %#v", name, msg)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s is not seen", name)
		}
	}
}
