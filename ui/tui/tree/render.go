package tree

import (
	"fmt"
	"unicode/utf8"

	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/rows"
	"flowdbg/ui/tui/theme"
)

// Render draws the tree in h lines of w cells. focus says that the pane has the keys, which the selection shows.
func (t *Tree) Render(w, h int, th *theme.Theme, focus bool) []string {
	look := rows.Look{Charset: th.Charset, Select: th.SelectIdle}
	if focus {
		look.Select = th.Select
	}
	return t.list.Render(w, h, look, func(i int, selected bool, b *cell.Builder) {
		t.draw(t.rows[i], selected, b, th)
	})
}

// draw lays a row out as: mark, indent, open or closed, key, value, and at the right what was there before or the
// true size of what had to be cut.
func (t *Tree) draw(r row, selected bool, b *cell.Builder, th *theme.Theme) {
	if selected {
		b.Put(th.Glyph.Select, th.Accent)
	} else {
		b.Skip(1)
	}
	n := r.n
	if r.rest {
		b.Skip(1 + indent(n.depth+1, b))
		b.Put(fmt.Sprintf("  %s more behind %d", th.Glyph.Ellipsis, len(n.kids)), th.Past)
		return
	}
	if t.changed(n) {
		b.Put(th.Glyph.Changed, th.Changed)
	} else {
		b.Skip(1)
	}
	if n.depth >= 0 {
		t.drawKey(n, b, th)
	}
	t.drawValue(n, b, th)
}

// indent is two cells a level, up to half of the line.
func indent(depth int, b *cell.Builder) int { return min(2*depth, (b.Col()+b.Room())/2) }

func (t *Tree) drawKey(n *node, b *cell.Builder, th *theme.Theme) {
	b.Skip(indent(n.depth, b))
	switch {
	case n.gone || !hasKids(n.val):
		b.Skip(1)
	case t.isOpen(n):
		b.Put(th.Glyph.Open, th.Past)
	default:
		b.Put(th.Glyph.Closed, th.Past)
	}
	b.Skip(1)
	style := th.Text
	switch {
	case n.gone || n.index:
		style = th.Past
	case t.changed(n):
		style = th.Changed
	}
	// Keys of one node are padded to the widest of them; a longer one pushes its value away, up to half of the line.
	key := n.label()
	width := min(n.parent.keyW, b.Room()/2)
	width = max(width, min(b.Room()/2, b.Charset().Width(b.Charset().Cut(key, b.Room()))), 1)
	if n.index {
		b.FieldRight(key, width, style)
	} else {
		b.Field(key, width, style)
	}
	b.Skip(1)
}

// right writes text at the right end of a row, one cell away from what stands beside the tree.
func right(b *cell.Builder, text string, st cell.Style) {
	if n := b.Charset().Width(text); n > 0 && b.Room() >= n+2 {
		b.Skip(b.Room() - n - 1)
		b.Put(text, st)
	}
}

func (t *Tree) drawValue(n *node, b *cell.Builder, th *theme.Theme) {
	room := max(b.Room()-1, 0)
	was := t.was(n, room, b.Charset())
	if w := b.Charset().Width(was); w > 0 && room-w-2 >= 8 {
		room -= w + 2
	} else {
		was = ""
	}
	if n.gone {
		b.Put("gone", th.Past)
	} else {
		t.drawPreview(n, room, was == "", b, th)
	}
	right(b, was, th.Past)
}

// was tells what the value was before, when it changed and the change is not inside of it.
func (t *Tree) was(n *node, room int, cs cell.Charset) string {
	switch {
	case !t.changed(n):
		return ""
	case n.prev.IsAbsent():
		return "new"
	case hasKids(n.val) && n.prev.Kind() == n.val.Kind():
		return ""
	}
	most := max(room/3, 4)
	text, whole := preview(n.prev, most)
	if !whole || cs.Width(text) > most {
		text = cs.Cut(text, most-1) + cs.Ellipsis()
	}
	return "was " + text
}

// drawPreview draws the value in room cells. What is cut has its true size behind it.
func (t *Tree) drawPreview(n *node, room int, sized bool, b *cell.Builder, th *theme.Theme) {
	style := th.Text
	if t.changed(n) {
		style = th.Changed
	}
	if hasKids(n.val) {
		text := brackets(n)
		b.Put(text, th.Past)
		if !t.isOpen(n) && sized {
			drawInside(n.val, room-len(text)-1, b, th)
		}
		return
	}
	text, whole := preview(n.val, room)
	width := b.Charset().Width(text)
	if whole && width <= room {
		b.Put(text, style)
		return
	}
	size := Size(n.val.Len())
	if !sized || room-len(size)-1 < 8 {
		b.Field(text, room, style)
		return
	}
	b.Field(text, room-len(size)-1, style)
	right(b, size, th.Past)
}

// drawInside draws the start of a closed container in room cells, with its true size when it is cut.
func drawInside(v canon.Value, room int, b *cell.Builder, th *theme.Theme) {
	if room < 8 {
		return
	}
	b.Skip(1)
	text, whole := preview(v, room)
	if whole && b.Charset().Width(text) <= room {
		b.Put(text, th.Past)
		return
	}
	size := Size(v.Len())
	b.Field(text, max(room-len(size)-1, 0), th.Past)
	right(b, size, th.Past)
}

// brackets is {3} or [12], with … for a number that would cost too much.
func brackets(n *node) string {
	format := "{%s}"
	if n.val.Kind() == canon.KindArray {
		format = "[%s]"
	}
	if c, ok := n.children(); ok {
		return fmt.Sprintf(format, indexKey(c))
	}
	return fmt.Sprintf(format, "..")
}

// preview is the start of a value as text, enough for w cells: strings without escapes in quotes, containers as
// their canonical text. whole says that nothing was left out. It reads no more than the start.
func preview(v canon.Value, w int) (text string, whole bool) {
	// Sixteen bytes are a character with all its marks.
	most := 16*max(w, 0) + 64
	switch {
	case v.IsAbsent():
		return "nothing", true
	case v.Len() <= most && v.Kind() != canon.KindString:
		return v.Text(), true
	case v.Kind() != canon.KindString:
		return cutRunes(v.Text(), most), false
	}
	raw := v.Text()
	if len(raw) > most {
		s, _ := canon.Raw(cutString(raw, most) + `"`).Str()
		return `"` + s, false
	}
	s, _ := v.Str()
	return `"` + s + `"`, true
}

// cutRunes is the start of s in at most n bytes that tears no character.
func cutRunes(s string, n int) string {
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

// cutString is the start of a canonical JSON string, in about n bytes, that tears neither an escape nor a character.
func cutString(s string, n int) string {
	i := 1
	for i < n && i < len(s)-1 {
		switch {
		case s[i] != '\\':
			i++
		case s[i+1] == 'u':
			i += 6
		default:
			i += 2
		}
	}
	return cutRunes(s, min(i, len(s)-1))
}

// Size writes a number of bytes with its unit, in at most seven cells: "412 B", "9.5 MB". Units are decimal.
func Size(n int) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 999_500:
		return scaled(float64(n)/1e3, "kB")
	case n < 999_500_000:
		return scaled(float64(n)/1e6, "MB")
	}
	return scaled(float64(n)/1e9, "GB")
}

func scaled(x float64, unit string) string {
	if x < 9.95 {
		return fmt.Sprintf("%.1f %s", x, unit)
	}
	return fmt.Sprintf("%.0f %s", x, unit)
}
