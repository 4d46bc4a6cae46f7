package tui

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sort"

	"flowdbg/trace/canon"
)

// settings is what a user keeps for every session, in $XDG_CONFIG_HOME/flowdbg/config.json, or ~/.config/flowdbg on
// every Unix: {"theme": "dark", "ascii": false, "keys": {"step": ["s", "x"]}}. Flags come before it, detection after.
type settings struct {
	theme string
	ascii bool
	keys  map[string][]string // action → keys; the actions are the last column of KEYS.md
}

// settingsPath is where the settings lie; "" when the environment names no home.
func settingsPath(env func(string) string) string {
	dir := env("XDG_CONFIG_HOME")
	if dir == "" || !filepath.IsAbs(dir) {
		home := env("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "flowdbg", "config.json")
}

// readSettings reads the file; none is no error. A file that cannot be understood is an error with its place, because a
// key that silently is another one is worse than no start.
func readSettings(env func(string) string) (settings, error) {
	path := settingsPath(env)
	if path == "" {
		return settings{}, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return settings{}, nil
	}
	if err != nil {
		return settings{}, fmt.Errorf("reading the settings: %w", err)
	}
	s, err := parseSettings(data)
	if err != nil {
		return s, fmt.Errorf("%s:%w", path, err)
	}
	return s, nil
}

func parseSettings(data []byte) (settings, error) {
	doc, faults := canon.ParseDoc(data)
	if len(faults) > 0 {
		return settings{}, faults[0]
	}
	var s settings
	bad := func(n *canon.Node, what, want string) error {
		line, col := doc.Position(n.Off)
		return fmt.Errorf("%d:%d: %s; %s", line, col, what, want)
	}
	if doc.Root.Kind != canon.KindObject {
		return s, bad(doc.Root, "the settings are no object", `write {"theme": "dark", "keys": {…}}`)
	}
	for _, m := range doc.Root.Members {
		ok := true
		switch m.Key {
		case "theme":
			s.theme, ok = m.Value.Str()
		case "ascii":
			s.ascii, ok = m.Value.Bool()
		case "keys":
			if s.keys, ok = readKeys(m.Value); !ok {
				return s, bad(m.Value, "the keys are not lists of names by action", `write {"step": ["s", "x"]}`)
			}
		default:
			return s, bad(m.Value, fmt.Sprintf("there is no setting %q", m.Key), "use theme, ascii, keys")
		}
		if !ok {
			return s, bad(m.Value, fmt.Sprintf("%s has another type", m.Key), "theme is a text, ascii true or false")
		}
	}
	return s, nil
}

// readKeys reads {action: [key, …]}; an action with an empty list has no key of its own any more.
func readKeys(n *canon.Node) (map[string][]string, bool) {
	if n.Kind != canon.KindObject {
		return nil, false
	}
	keys := map[string][]string{}
	for _, m := range n.Members {
		list := []string{}
		for _, e := range m.Value.Elems {
			k, ok := e.Str()
			if !ok {
				return nil, false
			}
			list = append(list, k)
		}
		if m.Value.Kind != canon.KindArray {
			return nil, false
		}
		sort.Strings(list)
		keys[m.Key] = list
	}
	return keys, true
}
