package cell

// Edges are the one-cell glyphs a box is drawn with.
type Edges struct {
	Horizontal, Vertical                       string
	TopLeft, TopRight, BottomLeft, BottomRight string
	JoinLeft, JoinRight                        string
}

// Box describes a frame around content.
type Box struct {
	Edges    Edges
	Style    Style  // of the lines
	Title    []Span // in the top line, after one horizontal glyph and a space
	Note     []Span // at the right end of the top line, left out when there is no room
	Joined   bool   // the top line joins the box above: ├ … ┤ instead of ┌ … ┐
	NoBottom bool   // the box below brings the line

	// ThumbFrom (included) and ThumbTo (not included) are the content lines at which the right border is drawn as Thumb,
	// the part of a scroll bar that is in view. Equal: no scroll bar.
	ThumbFrom, ThumbTo int
	Thumb              string
	ThumbStyle         Style
}

// Draw returns the box in h lines of w cells with content inside. Content lines must have w-2 cells; missing ones are
// blank, superfluous ones are left out. Too small a box is blank.
func (x Box) Draw(c Charset, w, h int, content []string) []string {
	if w <= 0 || h <= 0 {
		return nil
	}
	lines := make([]string, 0, h)
	if w < 2 {
		for range h {
			lines = append(lines, Blank(w))
		}
		return lines
	}
	var b Builder
	lines = append(lines, x.top(&b, c, w))
	side := x.Style.Paint(c, x.Edges.Vertical)
	thumb := ""
	if x.ThumbFrom < x.ThumbTo {
		thumb = x.ThumbStyle.Paint(c, x.Thumb)
	}
	inner := h - 1
	if !x.NoBottom {
		inner--
	}
	for i := range max(inner, 0) {
		mid := Blank(w - 2)
		if i < len(content) {
			mid = content[i]
		}
		right := side
		if i >= x.ThumbFrom && i < x.ThumbTo {
			right = thumb
		}
		lines = append(lines, side+mid+right)
	}
	if !x.NoBottom && len(lines) < h {
		b.Start(c, w, "")
		b.Put(x.Edges.BottomLeft, x.Style)
		b.Repeat(x.Edges.Horizontal, w-2, x.Style)
		b.Put(x.Edges.BottomRight, x.Style)
		lines = append(lines, b.Line())
	}
	return lines
}

func (x Box) top(b *Builder, c Charset, w int) string {
	left, right := x.Edges.TopLeft, x.Edges.TopRight
	if x.Joined {
		left, right = x.Edges.JoinLeft, x.Edges.JoinRight
	}
	b.Start(c, w, "")
	b.Put(left, x.Style)
	if room := w - 4; len(x.Title) > 0 && room > 0 {
		title := spansWidth(c, x.Title)
		note := spansWidth(c, x.Note)
		b.Put(" ", x.Style)
		putWithin(b, c, x.Title, min(title, room))
		b.Put(" ", x.Style)
		if left := w - 1 - b.Col() - note - 2; note > 0 && left >= 1 {
			b.Repeat(x.Edges.Horizontal, left, x.Style)
			b.Put(" ", x.Style)
			putWithin(b, c, x.Note, note)
			b.Put(" ", x.Style)
		}
	}
	b.Repeat(x.Edges.Horizontal, w-1-b.Col(), x.Style)
	b.Put(right, x.Style)
	return b.Line()
}

// putWithin writes spans in at most n cells.
func putWithin(b *Builder, c Charset, spans []Span, n int) {
	for _, s := range spans {
		w := min(c.Width(s.Text), n)
		b.Field(s.Text, w, s.Style)
		n -= w
	}
}

func spansWidth(c Charset, spans []Span) int {
	n := 0
	for _, s := range spans {
		n += c.Width(s.Text)
	}
	return n
}
