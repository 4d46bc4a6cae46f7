package tui

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/ui/tui/app"
	"flowdbg/ui/tui/keymap"
)

func TestSettings(t *testing.T) {
	home := t.TempDir()
	env := func(k string) string { return map[string]string{"HOME": home}[k] }
	if s, err := readSettings(env); err != nil || s.theme != "" || s.keys != nil {
		t.Fatalf("without a file: %+v %v", s, err)
	}
	path := filepath.Join(home, ".config", "flowdbg", "config.json")
	if settingsPath(env) != path {
		t.Fatal(settingsPath(env))
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"theme": "light", "ascii": true, "keys": {"step": ["x", "s"]}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := readSettings(env)
	if err != nil || s.theme != "light" || !s.ascii || fmt.Sprint(s.keys) != "map[step:[s x]]" {
		t.Fatalf("%+v %v", s, err)
	}
	table, problems := keymap.New(app.Actions(), s.keys)
	if a, ok := table.Lookup("x"); !ok || a.ID != keymap.Step || len(problems) != 0 {
		t.Fatalf("%v %v", a, problems)
	}
	xdg := func(k string) string { return map[string]string{"HOME": home, "XDG_CONFIG_HOME": "/elsewhere"}[k] }
	if got := settingsPath(xdg); got != "/elsewhere/flowdbg/config.json" {
		t.Fatal(got)
	}
}

func TestBadSettings(t *testing.T) {
	for text, want := range map[string]string{
		`{"theme": 1}`:              "1:11: theme has another type",
		`{"colour": "x"}`:           `1:12: there is no setting "colour"`,
		`[]`:                        "1:1: the settings are no object",
		`{"keys": {"step": "s"}}`:   "1:10: the keys are not lists",
		"{\n \"theme\": \"dark\",}": "2:",
	} {
		if _, err := parseSettings([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
