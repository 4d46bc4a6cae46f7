package flowgraph

import (
	"strconv"

	"flowdbg/ui/tui/cell"
)

// The four directions of a line in a cell.
const (
	up uint8 = 1 << iota
	down
	left
	right
)

// mark is what stands in a cell: lines in some directions, or a character.
type mark struct {
	bits, heavy uint8
	char        string // instead of lines
	role        Role
}

// text lies over cells of a row.
type text struct {
	x, w int
	s    string
	role Role
}

type canvas struct {
	w     int
	cells [][]mark
	texts [][]text
}

func newCanvas(w, h int) *canvas {
	c := &canvas{w: w, cells: make([][]mark, h), texts: make([][]text, h)}
	for y := range c.cells {
		c.cells[y] = make([]mark, w)
	}
	return c
}

// box draws a node.
func (c *canvas) box(x, y, w int, n Node, cs cell.Charset) {
	for i := x; i < x+w; i++ {
		for _, row := range []int{y, y + slotRows - 2} {
			c.line(i, row, 0, false)
			m := &c.cells[row][i]
			m.role = Border
			if i > x {
				m.bits |= left
			}
			if i < x+w-1 {
				m.bits |= right
			}
		}
	}
	for row := y; row < y+slotRows-1; row++ {
		for _, i := range []int{x, x + w - 1} {
			m := &c.cells[row][i]
			m.role = Border
			if row > y {
				m.bits |= up
			}
			if row < y+slotRows-2 {
				m.bits |= down
			}
		}
	}
	role := Name
	if n.Next {
		role = NextName
	}
	c.texts[y+outRow] = append(c.texts[y+outRow], text{x + 2, w - 4, cs.Fit(n.Name, w-4), role})
	c.texts[y+inRow] = append(c.texts[y+inRow], text{x + 2, w - 4, cs.Fit(n.Note, w-4), Note})
}

// line adds directions to a cell.
func (c *canvas) line(x, y int, bits uint8, heavy bool) {
	if y < 0 || y >= len(c.cells) || x < 0 || x >= c.w {
		return
	}
	m := &c.cells[y][x]
	m.bits |= bits
	if bits == 0 {
		return
	}
	if heavy {
		m.heavy |= bits
		m.role = ActiveLine
	} else if m.role == Blank {
		m.role = Line
	}
}

// across draws a horizontal line between two cells, both included.
func (c *canvas) across(x0, x1, y int, heavy bool) {
	if x0 > x1 {
		x0, x1 = x1, x0
	}
	for x := x0; x <= x1; x++ {
		bits := uint8(0)
		if x > x0 {
			bits |= left
		}
		if x < x1 {
			bits |= right
		}
		c.line(x, y, bits, heavy)
	}
}

// along draws a vertical line.
func (c *canvas) along(x, y0, y1 int, heavy bool) {
	if y0 > y1 {
		y0, y1 = y1, y0
	}
	for y := y0; y <= y1; y++ {
		bits := uint8(0)
		if y > y0 {
			bits |= up
		}
		if y < y1 {
			bits |= down
		}
		c.line(x, y, bits, heavy)
	}
}

// route draws one line, with its arrow and its depth when it reaches a box.
func (c *canvas) route(p *plan, r *route, e Edge) {
	lf, lt := p.layer[r.from], p.layer[r.to]
	y0, y1 := p.slot[r.from]*slotRows+outRow, p.slot[r.to]*slotRows+inRow
	x0 := p.left[lf] + p.boxW[lf] - 1
	x1 := p.left[lt]
	if r.from >= p.own {
		x0 = p.left[lf] + p.boxW[lf]/2
		c.along(x0, y0, p.slot[r.from]*slotRows+inRow, e.Active)
	}
	c.across(x0, r.track, y0, e.Active)
	at := r.track
	if r.back {
		c.along(r.track, y0, r.lane, e.Active)
		c.across(r.track, r.track2, r.lane, e.Active)
		c.along(r.track2, r.lane, y1, e.Active)
		at = r.track2
	} else {
		c.along(r.track, y0, y1, e.Active)
	}
	if r.to >= p.own {
		c.across(at, p.left[lt]+p.boxW[lt]/2, y1, e.Active)
		return
	}
	c.across(at, x1-1, y1, e.Active)
	m := &c.cells[y1][x1-1]
	m.char = "▶"
	if m.role = Line; e.Active || m.heavy != 0 {
		m.role = ActiveLine
	}
	if e.Depth > 0 {
		n := strconv.Itoa(min(e.Depth, 99))
		if at+1+len(n) < x1-1 || len(n) == 1 {
			c.texts[y1] = append(c.texts[y1], text{at + 1, len(n), n, Depth})
		}
	}
}

// glyphs of lines by their directions; the heavy ones for edges that are active.
var (
	light = [16]string{" ", "│", "│", "│", "─", "┘", "┐", "┤", "─", "└", "┌", "├", "─", "┴", "┬", "┼"}
	heavy = [16]string{" ", "┃", "┃", "┃", "━", "┛", "┓", "┫", "━", "┗", "┏", "┣", "━", "┻", "┳", "╋"}
)

// glyph is the character of a cell.
func (m mark) glyph(cs cell.Charset) string {
	if cs == cell.ASCII {
		return m.ascii()
	}
	switch {
	case m.char != "":
		return m.char
	case m.heavy == 0:
		return light[m.bits]
	case m.bits == up|down|left|right && m.heavy == left|right:
		return "┿"
	case m.bits == up|down|left|right && m.heavy == up|down:
		return "╂"
	}
	return heavy[m.bits]
}

// ascii is the character in ASCII; active lines are = and #.
func (m mark) ascii() string {
	const horizontal, vertical = left | right, up | down
	switch {
	case m.char != "":
		return ">"
	case m.bits == 0:
		return " "
	case m.bits&^uint8(horizontal) == 0 && m.heavy != 0:
		return "="
	case m.bits&^uint8(horizontal) == 0:
		return "-"
	case m.bits&^uint8(vertical) == 0 && m.heavy != 0:
		return "#"
	case m.bits&^uint8(vertical) == 0:
		return "|"
	}
	return "+"
}

// rows puts lines and texts together.
func (c *canvas) rows(cs cell.Charset) [][]Span {
	out := make([][]Span, len(c.cells))
	for y, row := range c.cells {
		over := make([]*text, c.w)
		for i := range c.texts[y] {
			t := &c.texts[y][i]
			for x := max(t.x, 0); x < min(t.x+t.w, c.w); x++ {
				over[x] = t
			}
		}
		var spans []Span
		add := func(s string, r Role) {
			if n := len(spans); n > 0 && spans[n-1].Role == r {
				spans[n-1].Text += s
				return
			}
			spans = append(spans, Span{s, r})
		}
		for x := 0; x < c.w; x++ {
			if t := over[x]; t != nil {
				if x == t.x {
					add(t.s, t.role)
				}
				continue
			}
			add(row[x].glyph(cs), row[x].role)
		}
		out[y] = spans
	}
	return out
}
