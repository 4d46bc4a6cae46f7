package app

import (
	"os"
	"path/filepath"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/providers"
	"flowdbg/ui/tui/keymap"
)

// A person may have typed the value of a secret: neither copying nor writing puts it into a file.
func TestSecretsAreNotWritten(t *testing.T) {
	const secret = "planted-secret-value"
	m := machineOf(t, []byte(`{"version":1,"id":"f","agents":[{"id":"a","kind":"echo"}],"edges":[],"budget":{"steps":9},
		"effects":{"llm":{"provider":"openai","base_url":"http://127.0.0.1:9/v1","model":"m","api_key":{"$secret":"PLANTED"}}},
		"input":{"to":"a","tag":"task","payload":{"text":"`+secret+`"}}}`))
	opt := effect.Options{Live: effect.LiveAll, Providers: providers.All(), LookupEnv: func(n string) (string, bool) { return secret, n == "PLANTED" }}
	if diags := m.GoLive(opt); len(diags) > 0 {
		t.Fatal(diags)
	}
	defer m.Bus().Close()
	s, err := debug.New(debug.Options{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	d := start(t, Config{Session: s, FlowName: "flow.json", StoreDir: dir}, 120, 40)
	d.do(keymap.NextEvent, keymap.Copy)
	d.has("holds the value of the secret PLANTED")
	path := filepath.Join(dir, "out.json")
	d.do(keymap.Write)
	d.m.over.(*writePrompt).input = newLine(path)
	d.press("enter")
	d.has("holds the value of the secret PLANTED")
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Fatalf("written: %v", files)
	}
}
