package keymap

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/ui/tui/cell"
)

// Section is a group with its actions, for help.
type Section struct {
	Group   Group
	Actions []Action
}

// Sections gathers the actions by group. Groups come in the order in which they first appear in the table.
func (t *Table) Sections() []Section {
	var out []Section
	for _, a := range t.actions {
		i := slices.IndexFunc(out, func(s Section) bool { return s.Group == a.Group })
		if i < 0 {
			i = len(out)
			out = append(out, Section{Group: a.Group})
		}
		out[i].Actions = append(out[i].Actions, a)
	}
	return out
}

// Find lists the actions that a query in the palette or in help means, best first: the one that is called so, then names that begin with it, then
// names that contain it, then sentences that contain it, then its keys. An empty query means all. Case does not
// matter; several words must all be found.
func (t *Table) Find(query string) []Action {
	words := strings.Fields(strings.ToLower(query))
	type hit struct {
		a    Action
		rank int
	}
	var hits []hit
	for _, a := range t.actions {
		worst := 0
		for _, w := range words {
			worst = max(worst, a.rank(w))
		}
		if worst < noMatch {
			hits = append(hits, hit{a, worst})
		}
	}
	slices.SortStableFunc(hits, func(x, y hit) int { return x.rank - y.rank })
	out := make([]Action, len(hits))
	for i, h := range hits {
		out[i] = h.a
	}
	return out
}

const noMatch = 5

func (a Action) rank(word string) int {
	short, id := strings.ToLower(a.Short), string(a.ID)
	switch {
	case short == word, id == word:
		return 0
	case strings.HasPrefix(short, word), strings.HasPrefix(id, word):
		return 1
	case strings.Contains(short, word), strings.Contains(id, word):
		return 2
	case strings.Contains(strings.ToLower(a.Long), word), strings.Contains(strings.ToLower(string(a.Group)), word):
		return 3
	}
	for _, k := range a.Keys {
		if strings.ToLower(k) == word || strings.ToLower(Label(k, true)) == word {
			return 4
		}
	}
	return noMatch
}

// BarLook is how the bottom bar is drawn.
type BarLook struct {
	Charset   cell.Charset
	Key, Text cell.Style
}

// Bar draws the bottom bar in w cells: the keys of these actions that can be used now, in this order, as many as fit
// whole. The last one is kept before all others, so that the way to help is always there.
func (t *Table) Bar(w int, look BarLook, ids ...ID) string {
	type hint struct{ key, text string }
	var hints []hint
	for _, id := range ids {
		if a, ok := t.Get(id); ok && a.Key() != "" && t.Why(id) == "" {
			hints = append(hints, hint{Label(a.Key(), look.Charset == cell.ASCII), a.Short})
		}
	}
	width := func(h hint) int { return 1 + cell.Width(h.key) + 1 + cell.Width(h.text) + 1 }
	room := w
	if n := len(hints); n > 0 {
		room -= width(hints[n-1])
	}
	var b cell.Builder
	b.Start(look.Charset, w, "")
	for i, h := range hints {
		if last := i == len(hints)-1; !last {
			if room -= width(h); room < 0 {
				hints = append(hints[:i], hints[len(hints)-1])
				break
			}
		}
	}
	for _, h := range hints {
		b.Skip(1)
		b.Put(h.key, look.Key)
		b.Skip(1)
		b.Put(h.text, look.Text)
		b.Skip(1)
	}
	return b.Line()
}

// KeysLabel is all keys of an action as people read them: "s, F10".
func (a Action) KeysLabel(ascii bool) string {
	labels := make([]string, len(a.Keys))
	for i, k := range a.Keys {
		labels[i] = Label(k, ascii)
	}
	return strings.Join(labels, ", ")
}

// Markdown is the list of keys as a document (ui/tui/KEYS.md), written from the table.
func (t *Table) Markdown() string {
	var b strings.Builder
	b.WriteString("# Keys\n\nWritten from the table of actions; do not edit. `?` shows the same list in the program, `:` finds an action\n" +
		"by its name. The configuration gives an action other keys by the name in the last column.\n")
	for _, s := range t.Sections() {
		fmt.Fprintf(&b, "\n## %s\n\n| key | what it does | name |\n|---|---|---|\n", s.Group)
		for _, a := range s.Actions {
			keys := make([]string, len(a.Keys))
			for i, k := range a.Keys {
				keys[i] = code(Label(k, false))
			}
			fmt.Fprintf(&b, "| %s | %s | `%s` |\n", strings.Join(keys, " "), a.Long, a.ID)
		}
	}
	return b.String()
}

// code is a key as a code span in a table cell; a bar would end the cell and a backtick the span.
func code(label string) string {
	if strings.Contains(label, "`") {
		return "`` " + label + " ``"
	}
	return "`" + strings.ReplaceAll(label, "|", `\|`) + "`"
}
