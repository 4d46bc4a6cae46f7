package tui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/ui/cli"
	"flowdbg/ui/tui/settings"
	"flowdbg/ui/tui/theme"
)

// TestReportSaysWhatOpens: the theme that is reported is the one that the screen is built with, whatever the terminal.
func TestReportSaysWhatOpens(t *testing.T) {
	for _, term := range []string{"", "dumb", "vt100", "linux", "xterm-256color", "xterm-direct"} {
		for _, name := range append([]string{""}, theme.Choices()...) {
			dir := t.TempDir()
			env := func(k string) string { return map[string]string{"XDG_CONFIG_HOME": dir, "TERM": term}[k] }
			text := `{"theme": "` + name + `"}`
			if name == "" {
				text = "{}"
			}
			if err := os.Mkdir(filepath.Join(dir, "flowdbg"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, "flowdbg", "config.json"), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			got := report(env)
			if byBackground(name) && theme.Detect(env) >= theme.ANSI256 {
				if got.Theme.Shown != "" {
					t.Errorf("%s, %s: %+v is said, and the background decides", term, name, got.Theme)
				}
				continue // Open would ask this terminal
			}
			th, err := theme.New(look(cli.Opened{Theme: name}, env))
			if err != nil || th.Name != got.Theme.Shown || !got.OK {
				t.Errorf("%s, %s: %+v is said and %v opens (%v, %v)", term, name, got.Theme, th, err, got.Problems)
			}
		}
	}
}

// TestProblemsHavePlaces: what is wrong with layout.json reaches the Problems view with its line, column and excerpt.
func TestProblemsHavePlaces(t *testing.T) {
	dir := t.TempDir()
	env := func(k string) string { return map[string]string{"XDG_CONFIG_HOME": dir}[k] }
	if err := os.Mkdir(filepath.Join(dir, "flowdbg"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "flowdbg", "layout.json"), []byte("{\n\"theme\": \"\x1b[31m\"}"), 0o600); err != nil {
		t.Fatal(err)
	}
	set, err := settings.Load(env)
	list := problems(set.Problems)
	if err != nil || len(list) != 1 {
		t.Fatal(err, list)
	}
	p := list[0]
	if p.Line != 2 || p.Col != 11 || p.Severity != "warning" || !strings.HasSuffix(p.File, "layout.json") || !strings.HasPrefix(p.Excerpt, `"theme": "`) || strings.Contains(p.Excerpt, "\x1b") {
		t.Errorf("%+v", p)
	}
}
