package app

import (
	"bytes"
	"fmt"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/rows"
)

// problemsView lists diagnostics, lints, findings and reloads, and below the list what the selected one says, with the
// line of the file and a caret.
type problemsView struct {
	list     rows.List[int]
	all      []debug.Problem
	own      []debug.Problem // of the app itself: keys, watching
	store    []debug.Problem // what indexing the trace's file noticed
	scrolled int             // lines of the detail that are above the window
	detail   int             // lines of the detail
	showFlow bool            // go to the flow's first error at the next sync
}

func (v *problemsView) sync(m *Model) {
	list := m.s.Problems()
	v.all = append(append(append(v.all[:0], list...), v.own...), v.store...)
	v.list.Update(len(v.all), func(i int) int { return i }, func(k int) (int, bool) { return k, k < len(v.all) })
	if v.showFlow {
		v.showFlow, v.scrolled = false, 0
		for i, p := range v.all {
			if p.Source == "flow" && p.Severity == "error" {
				v.list.SetCursor(i)
				break
			}
		}
	}
}

func (v *problemsView) selected() (debug.Problem, bool) {
	if i := v.list.Cursor(); i < len(v.all) {
		return v.all[i], true
	}
	return debug.Problem{}, false
}

// scroll moves the detail.
func (v *problemsView) scroll(t travel) {
	switch {
	case t.end < 0:
		v.scrolled = 0
	case t.end > 0:
		v.scrolled = v.detail
	default:
		v.scrolled += t.rows + 5*t.pages
	}
	v.scrolled = min(max(v.scrolled, 0), max(v.detail-1, 0))
}

// counts are how many errors and warnings there are, for the header.
func (v *problemsView) counts() (errors, warnings int) {
	for _, p := range v.all {
		switch p.Severity {
		case "error":
			errors++
		case "warning":
			warnings++
		}
	}
	return errors, warnings
}

func (v *problemsView) box() (title, note string) {
	e, w := v.counts()
	var parts []string
	if e > 0 {
		parts = append(parts, plural(e, "error"))
	}
	if w > 0 {
		parts = append(parts, plural(w, "warning"))
	}
	return "Problems", strings.Join(parts, ", ")
}

func (v *problemsView) render(m *Model, w, h int, focus bool) []string {
	if len(v.all) == 0 {
		return []string{cell.Compose(m.th.Charset, w, "", cell.Span{Text: "  nothing to complain about", Style: m.th.Past})}
	}
	return v.list.Render(w, h, m.look(focus), func(i int, selected bool, b *cell.Builder) {
		p := &v.all[i]
		m.putCursor(b, selected)
		mark, style := m.severity(p.Severity)
		b.Put(mark, style)
		b.Skip(1)
		b.Field(p.Severity, 8, style)
		b.Field(p.Source, 7, m.th.Past)
		if at := place(p); at != "" {
			b.Put(at+"  ", m.th.Past)
		}
		b.Put(p.Text, m.th.Text)
	})
}

// severity is the mark and style of a problem.
func (m *Model) severity(s string) (string, cell.Style) {
	g := m.th.Glyph
	switch s {
	case "error":
		return g.Fail, m.th.Bad
	case "warning":
		return "!", m.th.Warn
	case "lint":
		return g.Unsure, m.th.Warn
	}
	return g.Dot, m.th.Past
}

// place is where a problem is: file:line:col, or the event.
func place(p *debug.Problem) string {
	switch {
	case p.File != "" && p.Line > 0:
		return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
	case p.Line > 0:
		return fmt.Sprintf("line %d", p.Line)
	case p.Event >= 0:
		return fmt.Sprintf("event %d", p.Event)
	}
	return p.File
}

// renderDetail draws the selected problem in full: where, the line with its caret, what, and what would be right.
func (v *problemsView) renderDetail(m *Model, w, h int) []string {
	p, ok := v.selected()
	if !ok || w < 3 {
		return nil
	}
	th := m.th
	mark, style := m.severity(p.Severity)
	lines := []string{cell.Compose(th.Charset, w, "", cell.Span{Text: " " + mark + " " + p.Severity, Style: style},
		cell.Span{Text: "  " + place(&p), Style: th.Accent})}
	if source, col, ok := m.sourceOf(&p); ok {
		lines = append(lines, cell.Blank(w))
		lines = append(lines, m.excerpt(source, col, w)...)
	}
	lines = append(lines, cell.Blank(w))
	for _, text := range wrapWords(th.Charset, p.Text, w-2) {
		lines = append(lines, cell.Compose(th.Charset, w, "", cell.Span{Text: " " + text, Style: th.Text}))
	}
	v.detail = len(lines)
	v.scrolled = min(v.scrolled, max(len(lines)-h, 0))
	return lines[v.scrolled:]
}

// sourceOf is the line that a problem of the flow is about, and how many characters stand before the place.
func (m *Model) sourceOf(p *debug.Problem) (line string, col int, ok bool) {
	if source, caret, found := strings.Cut(p.Excerpt, "\n"); found {
		return source, strings.IndexByte(caret, '^'), true
	}
	if p.Source != "flow" || p.Line < 1 {
		return "", 0, false
	}
	data := m.kept
	for range p.Line - 1 {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return "", 0, false
		}
		data = data[i+1:]
	}
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		data = data[:i]
	}
	return strings.TrimRight(cutBytes(string(data[:min(len(data), 8<<10)]), 4<<10), "\r"), p.Col - 1, len(data) > 0
}

// excerpt draws a line of the source and a caret under its col-th character; the window moves so that the caret is in
// it, and the caret stands right under wide characters too.
func (m *Model) excerpt(source string, col, w int) []string {
	cs := m.th.Charset
	r := []rune(source)
	col = min(max(col, 0), len(r))
	from := 0
	for from < col && cs.Width(string(r[from:col])) > (w-4)*2/3 {
		from++
	}
	lead := cs.Width(string(r[from:col]))
	var b cell.Builder
	b.Start(cs, w, "")
	b.Skip(2)
	b.Put(string(r[from:]), m.th.Text)
	first := b.Line()
	b.Start(cs, w, "")
	b.Skip(2 + lead)
	b.Put("^", m.th.Bad)
	return []string{first, b.Line()}
}

// wrapWords breaks text into lines of at most w cells, between words where it can.
func wrapWords(cs cell.Charset, text string, w int) []string {
	if w <= 0 {
		return nil
	}
	var lines []string
	cur, curW := "", 0
	flush := func() {
		if cur != "" {
			lines = append(lines, cur)
		}
		cur, curW = "", 0
	}
	for _, word := range strings.Fields(cs.Sanitize(text)) {
		n := cs.Width(word)
		if curW > 0 && curW+1+n > w {
			flush()
		}
		for n > w {
			head := cs.Cut(word, w)
			if head == "" {
				return lines
			}
			lines = append(lines, head)
			word = word[len(head):]
			n = cs.Width(word)
		}
		if curW > 0 {
			cur, curW = cur+" ", curW+1
		}
		cur, curW = cur+word, curW+n
	}
	flush()
	return lines
}
