// Package keymap is the table of everything that a key can do: dispatch, bottom bar, help, palette and the generated
// list of keys all read it, so they cannot disagree. It says what an action is called and which keys it has; what it
// does, and whether it can be done now, is the app's business. Bubble Tea's key types stop here.
package keymap

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// ID names an action, for dispatch and for the configuration: "step-back".
type ID string

// Group gathers actions in help.
type Group string

// Action is one thing that can be done.
type Action struct {
	ID    ID
	Keys  []string // as Bubble Tea names them ("s", "f10", "shift+tab"); the first one is shown; space is "space"
	Group Group
	Short string // for the bottom bar: one or two words
	Long  string // for help: one sentence without a full stop
}

// Key is the key that is shown for the action, "" when it has none.
func (a Action) Key() string {
	if len(a.Keys) == 0 {
		return ""
	}
	return a.Keys[0]
}

// Table is a set of actions and the keys that lead to them.
type Table struct {
	// Disabled says why an action cannot be done now, "" when it can. nil means that everything can be done.
	Disabled func(ID) string

	actions []Action
	byKey   map[string]int
	byID    map[ID]int
}

// Problem is something wrong with a key binding. The table works all the same; problems are reported at start.
type Problem struct {
	Action ID     // that was asked for
	Key    string // "" when the action itself is unknown
	What   string
}

// String is the problem as one line.
func (p Problem) String() string {
	if p.Key == "" {
		return fmt.Sprintf("keys: %s: %s", p.Action, p.What)
	}
	return fmt.Sprintf("keys: %s: %s: %s", p.Action, Label(p.Key, false), p.What)
}

// New builds a table from actions and a configuration that gives actions other keys (an empty list takes all keys
// away). When two actions want a key, a configured wish beats a built-in one, and among equals the earlier action
// wins; each loss is a Problem, and so are names of actions and keys that do not exist.
func New(actions []Action, remap map[string][]string) (*Table, []Problem) {
	t := &Table{byKey: map[string]int{}, byID: map[ID]int{}}
	var problems []Problem
	for _, a := range actions {
		if _, double := t.byID[a.ID]; double {
			problems = append(problems, Problem{a.ID, "", "is in the table twice"})
			continue
		}
		t.byID[a.ID] = len(t.actions)
		a.Keys = slices.Clone(a.Keys)
		t.actions = append(t.actions, a)
	}
	for _, id := range sortedKeys(remap) {
		if _, known := t.byID[ID(id)]; !known {
			problems = append(problems, Problem{ID(id), "", "there is no such action"})
		}
	}
	configured := func(i int) bool { _, ok := remap[string(t.actions[i].ID)]; return ok }
	for _, mine := range []bool{true, false} {
		for i := range t.actions {
			if configured(i) == mine {
				problems = append(problems, t.bind(i, remap)...)
			}
		}
	}
	return t, problems
}

// bind gives action i its keys, as far as they are free.
func (t *Table) bind(i int, remap map[string][]string) (problems []Problem) {
	a := &t.actions[i]
	wanted, fromConfig := remap[string(a.ID)]
	if !fromConfig {
		wanted = a.Keys
	}
	a.Keys = nil
	for _, key := range wanted {
		name, ok := Normal(key)
		if !ok {
			problems = append(problems, Problem{a.ID, key, "there is no such key"})
			continue
		}
		if j, taken := t.byKey[name]; taken {
			if j != i {
				problems = append(problems, Problem{a.ID, name, fmt.Sprintf("already means %s", t.actions[j].ID)})
			}
			continue
		}
		t.byKey[name] = i
		a.Keys = append(a.Keys, name)
	}
	return problems
}

func sortedKeys(m map[string][]string) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Actions lists all actions in the order of the table.
func (t *Table) Actions() []Action { return slices.Clone(t.actions) }

// Get returns an action by its ID.
func (t *Table) Get(id ID) (Action, bool) {
	i, ok := t.byID[id]
	if !ok {
		return Action{}, false
	}
	return t.actions[i], true
}

// Why is the reason why an action cannot be done now, "" when it can.
func (t *Table) Why(id ID) string {
	if t.Disabled == nil {
		return ""
	}
	return t.Disabled(id)
}

// Lookup finds the action of a key by its name.
func (t *Table) Lookup(key string) (Action, bool) {
	name, ok := Normal(key)
	if !ok {
		return Action{}, false
	}
	i, ok := t.byKey[name]
	if !ok {
		return Action{}, false
	}
	return t.actions[i], true
}

// LookupMsg finds the action of a key press. Pasted text is no key press. The message must be split before.
func (t *Table) LookupMsg(msg tea.KeyMsg) (Action, bool) {
	if msg.Paste {
		return Action{}, false
	}
	return t.Lookup(msg.String())
}

// aliases are other spellings that people write into configurations.
var aliases = map[string]string{
	" ": "space", "spacebar": "space", "escape": "esc", "return": "enter", "pgdn": "pgdown", "pagedown": "pgdown", "pageup": "pgup",
	"del": "delete", "ins": "insert", "backtab": "shift+tab", "ctrl+i": "tab", "ctrl+m": "enter", "ctrl+[": "esc",
}

// names are the keys that are not characters, as Bubble Tea names them.
var names = func() map[string]bool {
	m := map[string]bool{"space": true}
	for k := tea.KeyType(-128); k <= 127; k++ {
		if s := k.String(); s != "" && s != " " && s != "runes" {
			m[s] = true
		}
	}
	return m
}()

// Normal is the one spelling of a key's name that the table uses; ok is false when there is no such key. Names of
// keys are the same in upper and lower case, characters are not.
func Normal(key string) (name string, ok bool) {
	alt := ""
	if rest, found := strings.CutPrefix(key, "alt+"); found && rest != "" {
		alt, key = "alt+", rest
	}
	if utf8.RuneCountInString(key) != 1 {
		key = strings.ToLower(key)
	}
	if other, found := aliases[key]; found {
		key = other
	}
	if utf8.RuneCountInString(key) == 1 {
		r, _ := utf8.DecodeRuneInString(key)
		return alt + key, r > 0x20 && r != 0x7f && r != utf8.RuneError
	}
	return alt + key, names[key]
}

// Label is a key as it is shown to people: "Ctrl+Z", "F10", "↓" (or "Down" in ASCII).
func Label(key string, ascii bool) string {
	if !ascii {
		if arrow, ok := map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}[key]; ok {
			return arrow
		}
	}
	switch key {
	case "pgup":
		return "PgUp"
	case "pgdown":
		return "PgDn"
	}
	if utf8.RuneCountInString(key) == 1 {
		return key
	}
	parts := strings.Split(key, "+")
	for i, p := range parts {
		// Alt keeps the case of its character, because it makes a difference there; Ctrl does not.
		if p != "" && (len(parts) == 1 || utf8.RuneCountInString(p) > 1 || strings.HasPrefix(key, "ctrl+")) {
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		}
	}
	return strings.Join(parts, "+")
}
