package settings

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/trace/canon"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/theme"
)

// Config is what the user wrote into config.json:
// {"theme": "dark", "ascii": false, "layout": "events", "keys": {"step": ["s", "x"]}}.
type Config struct {
	Path   string // of the file, "" when it is not there
	Theme  string // one of theme.Choices, "" when it says nothing
	ASCII  bool
	Layout string              // a preset to start with, "" when it says nothing
	Keys   map[string][]string // action → keys; the actions are the last column of KEYS.md

	doc      document
	layoutAt int // offset of Layout
}

// configLike is what the file looks like.
const configLike = `{"theme": "dark", "layout": "events", "keys": {"step": ["s", "x"]}}`

func readConfig(path string) (Config, error) {
	data, ok, err := readFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("reading the settings: %w", err)
	}
	if !ok {
		return Config{}, nil
	}
	c, problem := parseConfig(path, data)
	if problem != nil {
		return c, problem
	}
	return c, nil
}

func parseConfig(path string, data []byte) (Config, *Problem) {
	c := Config{Path: path}
	doc, problem := parse(path, data, configLike)
	if problem != nil {
		return c, problem
	}
	c.doc = doc
	for _, m := range doc.Root.Members {
		ok, want := true, ""
		switch m.Key {
		case "theme":
			c.Theme, ok = m.Value.Str()
			ok = ok && slices.Contains(theme.Choices(), c.Theme)
			want = "use " + strings.Join(theme.Choices(), ", ")
		case "ascii":
			c.ASCII, ok = m.Value.Bool()
			want = "use true or false"
		case "layout":
			c.Layout, ok = m.Value.Str()
			ok = ok && c.Layout != ""
			c.layoutAt = m.Value.Off
			want = "use the name of a layout, such as " + presetNames(layout.Presets())
		case "keys":
			c.Keys, ok = readKeys(m.Value)
			want = `write lists of keys by the names of KEYS.md: {"step": ["s", "x"]}`
		default:
			return c, doc.bad(m.KeyOff, fmt.Sprintf("there is no setting %q", m.Key), "use theme, ascii, layout, keys")
		}
		if !ok {
			return c, doc.bad(m.Value.Off, fmt.Sprintf("%s cannot be %s", m.Key, brief(doc, m.Value)), want)
		}
	}
	return c, nil
}

// wrongLayout tells of a layout that is not there.
func (c *Config) wrongLayout(known []layout.Preset) *Problem {
	return c.doc.bad(c.layoutAt, fmt.Sprintf("there is no layout %q", c.Layout), "use "+presetNames(known))
}

func presetNames(list []layout.Preset) string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.Name
	}
	return strings.Join(names, ", ")
}

// brief is a value as it stands in the file, cut short.
func brief(d document, n *canon.Node) string {
	text := []rune(string(d.Data[n.Off:n.End]))
	if len(text) > 40 {
		return string(text[:39]) + "…"
	}
	return string(text)
}

// readKeys reads {action: [key, …]}; an action with an empty list has no key of its own any more.
func readKeys(n *canon.Node) (map[string][]string, bool) {
	if n.Kind != canon.KindObject {
		return nil, false
	}
	keys := map[string][]string{}
	for _, m := range n.Members {
		if m.Value.Kind != canon.KindArray {
			return nil, false
		}
		list := []string{}
		for _, e := range m.Value.Elems {
			k, ok := e.Str()
			if !ok {
				return nil, false
			}
			list = append(list, k)
		}
		keys[m.Key] = list
	}
	return keys, true
}

// KeyAt is where the file gives an action a key, or names the action; ok is false when it does neither.
func (c *Config) KeyAt(action, key string) (line, col int, ok bool) {
	if c.doc.Doc == nil {
		return 0, 0, false
	}
	keys := c.doc.Root.Get("keys")
	if keys == nil {
		return 0, 0, false
	}
	for _, m := range keys.Members {
		if m.Key != action {
			continue
		}
		off := m.KeyOff
		for _, e := range m.Value.Elems {
			if k, _ := e.Str(); k == key {
				off = e.Off
			}
		}
		line, col = c.doc.Position(off)
		return line, col, true
	}
	return 0, 0, false
}

// Text is the file as it was read, for excerpts; nil when it is not there.
func (c *Config) Text() []byte {
	if c.doc.Doc == nil {
		return nil
	}
	return c.doc.Data
}
