package app

import (
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/rows"
	"flowdbg/ui/tui/tree"
)

// rawBytes bounds how much of a value is shown as text; all of it can be written to a file.
const rawBytes = 256 << 10

// rawText shows a value as its canonical text, broken into lines. Lines are cut once for a width.
type rawText struct {
	list  rows.List[int]
	value canon.Value
	width int
	cs    cell.Charset
	lines []string
}

func (t *rawText) set(v canon.Value) {
	if t.value != v {
		t.value, t.width = v, 0
	}
}

// wrap cuts the text into lines of w cells.
func (t *rawText) wrap(cs cell.Charset, w int) {
	if t.width == w && t.cs == cs || w <= 0 {
		return
	}
	t.width, t.cs, t.lines = w, cs, t.lines[:0]
	text := t.value.Text()
	if len(text) > rawBytes {
		text = cutBytes(text, rawBytes)
	}
	for safe := cs.Sanitize(text); safe != ""; {
		head := cs.Cut(safe, w)
		if head == "" { // a wide character in a window of one cell
			break
		}
		t.lines = append(t.lines, head)
		safe = safe[len(head):]
	}
	if len(text) < t.value.Len() {
		t.lines = append(t.lines, "… "+tree.Size(t.value.Len())+" in all; o writes them to a file")
	}
	t.list.Update(len(t.lines), func(i int) int { return i }, nil)
}

func (t *rawText) render(m *Model, w, h int, focus bool) []string {
	t.wrap(m.th.Charset, w-2)
	return t.list.Render(w, h, m.look(focus), func(i int, selected bool, b *cell.Builder) {
		m.putCursor(b, selected)
		b.Skip(1)
		b.Put(t.lines[i], m.th.Text)
	})
}

// cutBytes is the start of s in at most n bytes that tears no character.
func cutBytes(s string, n int) string {
	if n >= len(s) {
		return s
	}
	for n > 0 && s[n]&0xc0 == 0x80 {
		n--
	}
	return s[:n]
}
