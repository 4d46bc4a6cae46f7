package cell

import "strings"

// Style is a list of SGR parameters ("1;38;5;33"); the empty one is plain. It holds no escape bytes, so that a whole
// line can be composed from parameters without taking strings apart. ui/tui/theme makes them.
type Style string

// Over returns base with s on top: where both set the same thing, s wins.
func (s Style) Over(base Style) Style {
	switch {
	case base == "":
		return s
	case s == "" || s == base:
		return base
	}
	return base + ";" + s
}

// Paint returns the safe form of text between the codes that turn the style on and off, for the rare place that needs
// one styled string; lines are composed with a Builder.
func (s Style) Paint(c Charset, text string) string {
	text = c.Sanitize(text)
	if s == "" || text == "" {
		return text
	}
	return "\x1b[" + string(s) + "m" + text + reset
}

const reset = "\x1b[m"

// Span is a piece of a line: text, which need not be safe, in one style.
type Span struct {
	Text  string
	Style Style
}

// Compose returns spans as one line of exactly w cells.
func Compose(c Charset, w int, base Style, spans ...Span) string {
	var b Builder
	b.Start(c, w, base)
	for _, s := range spans {
		b.Put(s.Text, s.Style)
	}
	return b.Line()
}

// Builder composes one line of exactly w cells out of untrusted text and styles, without boxes and without measuring
// anything twice. Its buffer is kept between lines; the zero Builder is ready for Start. What does not fit is cut
// with an ellipsis and everything after it is left out.
type Builder struct {
	buf   []byte
	cs    Charset
	w, x  int
	base  Style // under every span of the line, such as the selection
	cur   Style // what is switched on over base
	curOn bool  // base and cur are switched on
}

// Start begins a line of w cells (below zero counts as zero) on top of base.
func (b *Builder) Start(c Charset, w int, base Style) {
	b.buf, b.cs, b.w, b.x, b.base, b.cur, b.curOn = b.buf[:0], c, max(w, 0), 0, base, "", false
}

// Room is the number of cells that are still free.
func (b *Builder) Room() int { return b.w - b.x }

// Col is the number of cells written so far.
func (b *Builder) Col() int { return b.x }

// Charset is the one the line is written in.
func (b *Builder) Charset() Charset { return b.cs }

// Put writes text, cut at the end of the line.
func (b *Builder) Put(text string, st Style) {
	if text == "" || b.x >= b.w {
		return
	}
	b.style(st)
	var n int
	b.buf, n = b.cs.appendCut(b.buf, text, b.w-b.x)
	b.x += n
}

// Field writes text in exactly w cells, or in what is left if that is less.
func (b *Builder) Field(text string, w int, st Style) {
	if w = min(w, b.w-b.x); w <= 0 {
		return
	}
	b.style(st)
	b.buf = b.cs.appendFit(b.buf, text, w)
	b.x += w
}

// FieldRight is Field with the text at the right end, for numbers.
func (b *Builder) FieldRight(text string, w int, st Style) {
	if w = min(w, b.w-b.x); w <= 0 {
		return
	}
	b.style(st)
	b.buf = b.cs.appendFitRight(b.buf, text, w)
	b.x += w
}

// Right writes text so that it ends at the end of the line, with at least one blank cell before it when something
// stands there. Without room for all of it nothing is written: half a number is worse than none.
func (b *Builder) Right(text string, st Style) {
	n := b.cs.Width(text)
	gap := b.w - b.x - n
	if n == 0 || gap < 0 || gap == 0 && b.x > 0 {
		return
	}
	b.Skip(gap)
	b.Put(text, st)
}

// Skip writes n blank cells in the base style.
func (b *Builder) Skip(n int) { b.Fill(n, "") }

// Fill writes n blank cells in a style, which shows when the style has a background.
func (b *Builder) Fill(n int, st Style) {
	if n = min(n, b.w-b.x); n <= 0 {
		return
	}
	b.style(st)
	b.buf = appendSpaces(b.buf, n)
	b.x += n
}

// Repeat writes a glyph of one cell n times.
func (b *Builder) Repeat(glyph string, n int, st Style) {
	for n = min(n, b.w-b.x); n > 0; n-- {
		b.Put(glyph, st)
	}
}

// To goes on at column x, with blanks in between; it does nothing when that column lies behind.
func (b *Builder) To(x int) { b.Skip(x - b.x) }

// Line ends the line and returns it: exactly w cells, with every style switched off at its end.
func (b *Builder) Line() string {
	b.Skip(b.w - b.x)
	b.off()
	return string(b.buf)
}

// style switches to base and st unless they are on already. Each switch starts from a clean state, so that no
// attribute of the span before can leak.
func (b *Builder) style(st Style) {
	if b.curOn && st == b.cur || !b.curOn && st == "" && b.base == "" {
		return
	}
	if st == "" && b.base == "" {
		b.off()
		return
	}
	if b.curOn {
		b.buf = append(b.buf, "\x1b[0;"...)
	} else {
		b.buf = append(b.buf, "\x1b["...)
	}
	b.buf = append(b.buf, b.base...)
	if b.base != "" && st != "" {
		b.buf = append(b.buf, ';')
	}
	b.buf = append(b.buf, st...)
	b.buf = append(b.buf, 'm')
	b.cur, b.curOn = st, true
}

func (b *Builder) off() {
	if b.curOn {
		b.buf = append(b.buf, reset...)
		b.cur, b.curOn = "", false
	}
}

// Blank is a line of w blank cells.
func Blank(w int) string {
	if w <= len(blank) {
		return blank[:max(w, 0)]
	}
	return strings.Repeat(" ", w)
}
