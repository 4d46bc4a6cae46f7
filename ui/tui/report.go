package tui

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"flowdbg/ui/cli"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/tui/app"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/settings"
	"flowdbg/ui/tui/theme"
)

// Settings is the cli.Config's Settings of the program: what Open would start with. It asks no terminal and writes nothing.
func Settings() *cli.Settings { return report(os.Getenv) }

func report(env func(string) string) *cli.Settings {
	set, err := settings.Load(env)
	s := &cli.Settings{ASCII: set.ASCII(), Problems: []cli.SettingsProblem{}}
	if dir := settings.Folder(env); dir != "" {
		s.Config, s.Kept = settingsFile(filepath.Join(dir, "config.json")), settingsFile(filepath.Join(dir, "layout.json"))
	}
	var wrong *settings.Problem
	switch {
	case errors.As(err, &wrong):
		s.Problems = append(s.Problems, told("error", wrong))
	case err != nil:
		s.Problems = append(s.Problems, cli.SettingsProblem{Severity: "error", File: s.Config.Path, Text: err.Error()})
	}
	for _, p := range set.Problems {
		s.Problems = append(s.Problems, told("warning", p))
	}
	s.Theme = themeOf(&set, env)
	reportLayouts(s, &set)
	reportKeys(s, &set)
	s.OK = len(s.Problems) == 0
	return s
}

func settingsFile(path string) cli.SettingsFile {
	_, err := os.Lstat(path)
	return cli.SettingsFile{Path: path, Exists: err == nil}
}

func told(severity string, p *settings.Problem) cli.SettingsProblem {
	return cli.SettingsProblem{Severity: severity, File: p.Path, Line: p.Line, Col: p.Col, Text: p.Text, Excerpt: out.Excerpt(p.Data, p.Line, p.Col)}
}

// source is the name of the file that something comes from.
func source(path string) string {
	if path == "" {
		return "built in"
	}
	return filepath.Base(path)
}

func themeOf(set *settings.Start, env func(string) string) cli.SettingsTheme {
	name, path := set.Theme()
	profile := theme.Detect(env)
	t := cli.SettingsTheme{Asked: name, From: source(path), Profile: profile.String()}
	if name == "" {
		t.Asked = "auto"
	}
	if byBackground(name) && profile >= theme.ANSI256 {
		return t
	}
	if th, err := theme.New(theme.Options{Name: name, Profile: profile, Dark: true}); err == nil {
		t.Shown = th.Name
	}
	return t
}

func reportLayouts(s *cli.Settings, set *settings.Start) {
	name, sizes := set.Layout(), set.Sizes()
	s.Layout = cli.SettingsLayout{Name: name, From: "built in", Sizes: named(sizes)}
	switch {
	case set.Kept.Preset == name || set.Kept.Sized:
		s.Layout.From = source(s.Kept.Path)
	case set.Config.Layout == name:
		s.Layout.From = source(s.Config.Path)
	}
	builtin := len(layout.Presets())
	for i, p := range set.Layouts() {
		s.Layouts = append(s.Layouts, cli.SettingsPreset{Name: p.Name, Builtin: i < builtin, For: p.For, Sizes: named(p.Sizes)})
		if p.Name == name {
			s.Layout.Changed = p.Sizes != sizes
		}
	}
}

// named is sizes by the names of borders, those that are not built in.
func named(sizes layout.Sizes) map[string]int {
	m := map[string]int{}
	for _, b := range layout.Borders() {
		if sizes[b] != 0 {
			m[b.String()] = sizes[b]
		}
	}
	return m
}

func reportKeys(s *cli.Settings, set *settings.Start) {
	plain, _ := keymap.New(app.Actions(), nil)
	table, problems := keymap.New(app.Actions(), set.Config.Keys)
	for _, a := range table.Actions() {
		before, _ := plain.Get(a.ID)
		s.Keys = append(s.Keys, cli.SettingsKey{Action: string(a.ID), Keys: append([]string{}, a.Keys...), Does: a.Long, Changed: !slices.Equal(a.Keys, before.Keys)})
	}
	for _, p := range problems {
		x := cli.SettingsProblem{Severity: "warning", File: s.Config.Path, Text: p.String()}
		if line, col, ok := set.Config.KeyAt(string(p.Action), p.Key); ok {
			x.Line, x.Col, x.Excerpt = line, col, out.Excerpt(set.Config.Text(), line, col)
		}
		s.Problems = append(s.Problems, x)
	}
}
