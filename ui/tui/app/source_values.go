package app

import (
	"fmt"
	"strings"

	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/tree"

	tea "github.com/charmbracelet/bubbletea"
)

// sourceValues are the variables of a walk as a tree. They are worked out while they have the keys: that runs the call again.
type sourceValues struct {
	on   bool // they have the keys
	at   int  // the statement that they are of
	tree tree.Tree
	now  canon.Value
	err  error

	whole *wholeValue // one of them in full, nil when none is
}

// wholeValue is one value as its text, wrapped.
type wholeValue struct {
	name, text string
	w          int
	pane       textPane
}

// maxWhole is how much of a value is shown in full, in bytes.
const maxWhole = 1 << 20

// focus gives the variables the keys, or takes them away.
func (p *sourcePanel) focus() {
	p.vars.on = !p.vars.on
	if p.vars.on {
		p.look()
	}
}

// look works the variables out for the statement of the walk; what is not as it was where they were last looked at is marked.
func (p *sourcePanel) look() {
	v := &p.vars
	if !v.now.IsAbsent() && v.at == p.src.At() {
		return
	}
	before := v.now
	v.now, v.err = p.src.Values()
	v.at = p.src.At()
	v.tree.Set(v.now, before, !before.IsAbsent())
}

// valueKey is a key while the variables have the keys; ok is false for one that walks.
func (p *sourcePanel) valueKey(m *Model, k tea.KeyMsg, id keymap.ID) (cmd tea.Cmd, ok bool) {
	v := &p.vars
	if v.whole != nil {
		switch {
		case isCancel(k, id), id == keymap.Toggle, id == keymap.Close:
			v.whole = nil
		case id == keymap.Copy:
			return m.copyText(selected{what: v.whole.name, name: "value.txt", text: v.whole.text}), true
		default:
			walk(&v.whole.pane, id)
		}
		return nil, true
	}
	ptr, val, _, some := v.tree.Selected()
	switch id {
	case keymap.Toggle, keymap.Inspect:
		if !some {
			return nil, true
		}
		if id == keymap.Toggle && (val.Kind() == canon.KindObject || val.Kind() == canon.KindArray) && val.Count() > 0 {
			v.tree.Toggle()
			return nil, true
		}
		v.whole = &wholeValue{name: strings.TrimPrefix(ptr, "/"), text: plainText(val)}
	case keymap.Open:
		v.tree.Open()
	case keymap.Close:
		v.tree.Close()
	case keymap.Copy:
		if some {
			return m.copyText(selected{what: strings.TrimPrefix(ptr, "/"), name: "value.json", text: val.Text()}), true
		}
	default:
		return nil, walk(&v.tree, id)
	}
	return nil, true
}

// plainText is a text as it is, and anything else as JSON.
func plainText(v canon.Value) string {
	if s, ok := v.Str(); ok {
		return s
	}
	return v.Text()
}

// drawValues draws the variables as a tree.
func (p *sourcePanel) drawValues(m *Model, w, h int) []string {
	v := &p.vars
	head := "variables"
	if _, running := p.src.Statement(); !running {
		head = "the call returned"
	}
	lines := []string{m.textLine(w, head, m.th.Accent)}
	if v.err != nil {
		return append(lines, m.textLine(w, v.err.Error(), m.th.Bad))
	}
	if v.tree.Len() == 0 {
		return append(lines, m.textLine(w, "none here", m.th.Past))
	}
	return append(lines, v.tree.Render(w, max(h-1, 0), m.th, true)...)
}

// render draws a value in full.
func (x *wholeValue) render(m *Model, w, h int) []string {
	cs := m.th.Charset
	if x.w != w {
		x.w = w
		var lines []string
		for _, l := range strings.Split(cutBytes(x.text, maxWhole), "\n") {
			rest := cs.Sanitize(strings.ReplaceAll(l, "\t", "    "))
			for {
				head := cs.Cut(rest, max(w-2, 1))
				lines = append(lines, m.textLine(w, head, m.th.Text))
				if rest = rest[len(head):]; rest == "" || head == "" {
					break
				}
			}
		}
		x.pane.set(lines, true)
	}
	title := fmt.Sprintf("%s, %s", x.name, tree.Size(len(x.text)))
	if len(x.text) > maxWhole {
		title += fmt.Sprintf("; the first %s, copying takes all", tree.Size(maxWhole))
	}
	out := append([]string{m.textLine(w, title, m.th.Accent)}, x.pane.render(max(h-2, 1))...)
	for len(out) < h-1 {
		out = append(out, cell.Blank(w))
	}
	return append(out, m.textLine(w, "Esc goes back   "+m.shownKey(keymap.Copy)+" copies it", m.th.Past))
}

// shifted is a line of the source without its first cells.
func (p *sourcePanel) shifted(cs cell.Charset, line string) string {
	text := cs.Sanitize(strings.ReplaceAll(line, "\t", "    "))
	return text[len(cs.Cut(text, p.off)):]
}

// shift moves the source sideways, no further than its longest line goes.
func (p *sourcePanel) shift(cs cell.Charset, by int) {
	longest := 0
	for _, l := range p.lines {
		longest = max(longest, cs.Width(strings.ReplaceAll(cutBytes(l, maxLine), "\t", "    ")))
	}
	p.off = max(min(p.off+by, longest-shiftBy), 0)
}

// shiftBy is how far the source is moved sideways with one key, in cells.
const shiftBy = 16
