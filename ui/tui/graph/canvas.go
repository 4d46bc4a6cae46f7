package graph

import (
	"strings"

	"flowdbg/ui/tui/cell"
)

// glyphs is what a graph is drawn with. lines and heavies are indexed by the directions that a cell's lines take.
type glyphs struct {
	nw, ne, sw, se, line, bar, tee, arrow, next, out string
	lines, heavies                                   [16]string
}

// The directions of a line from the middle of a cell.
const (
	north = 1 << iota
	east
	south
	west
)

var light = glyphs{nw: "┌", ne: "┐", sw: "└", se: "┘", line: "─", bar: "│", tee: "├", arrow: "▶", next: "▶", out: "○",
	lines:   [16]string{" ", "│", "─", "└", "│", "│", "┌", "├", "─", "┘", "─", "┴", "┐", "┤", "┬", "┼"},
	heavies: [16]string{" ", "┃", "━", "┗", "┃", "┃", "┏", "┣", "━", "┛", "━", "┻", "┓", "┫", "┳", "╋"}}

var plain = glyphs{nw: "+", ne: "+", sw: "+", se: "+", line: "-", bar: "|", tee: "+", arrow: ">", next: ">", out: "o",
	lines:   [16]string{" ", "|", "-", "+", "|", "|", "+", "+", "-", "+", "-", "+", "+", "+", "+", "+"},
	heavies: [16]string{" ", "#", "=", "#", "#", "#", "#", "#", "=", "#", "=", "#", "#", "#", "#", "#"}}

// canvas is a grid of cells that lines and texts are put on.
type canvas struct {
	w, h  int
	set   *glyphs
	dirs  []uint8
	bold  []bool
	text  []string // what begins in a cell; "" for none
	under []bool   // the cell belongs to a text that begins to its left
	heavy bool     // lines drawn now are those of used edges
}

func newCanvas(w, h int, set *glyphs) *canvas {
	return &canvas{w: w, h: h, set: set, dirs: make([]uint8, w*h), bold: make([]bool, w*h), text: make([]string, w*h), under: make([]bool, w*h)}
}

func (c *canvas) add(x, y int, dir uint8) {
	if x < 0 || y < 0 || x >= c.w || y >= c.h {
		return
	}
	c.dirs[y*c.w+x] |= dir
	c.bold[y*c.w+x] = c.bold[y*c.w+x] || c.heavy
}

func (c *canvas) horizontal(x1, x2, y int) {
	if x1 > x2 {
		x1, x2 = x2, x1
	}
	for x := x1; x < x2; x++ {
		c.add(x, y, east)
		c.add(x+1, y, west)
	}
}

func (c *canvas) vertical(x, y1, y2 int) {
	if y1 > y2 {
		y1, y2 = y2, y1
	}
	for y := y1; y < y2; y++ {
		c.add(x, y, south)
		c.add(x, y+1, north)
	}
}

// put writes a text over whatever is there.
func (c *canvas) put(x, y int, s string) {
	if x < 0 || y < 0 || y >= c.h {
		return
	}
	s = cell.Cut(s, c.w-x)
	w := cell.Width(s)
	for i := x; i < x+w && i < c.w; i++ {
		c.under[y*c.w+i], c.text[y*c.w+i] = true, ""
	}
	if w > 0 {
		c.under[y*c.w+x], c.text[y*c.w+x] = false, s
	}
}

// lines are the rows without the blanks at their ends, and without empty rows around.
func (c *canvas) lines() (rows []string, above int) {
	for y := range c.h {
		var b strings.Builder
		for x := range c.w {
			i := y*c.w + x
			switch {
			case c.text[i] != "":
				b.WriteString(c.text[i])
			case c.under[i]:
			case c.bold[i]:
				b.WriteString(c.set.heavies[c.dirs[i]])
			default:
				b.WriteString(c.set.lines[c.dirs[i]])
			}
		}
		rows = append(rows, strings.TrimRight(b.String(), " "))
	}
	for len(rows) > 0 && rows[0] == "" {
		rows = rows[1:]
		above++
	}
	for len(rows) > 0 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows, above
}
