package contractcmd

import (
	"math"
	"strings"

	"flowdbg/contract"
	"flowdbg/contract/design"
)

// Size of one panel of the die map, in characters.
const (
	mapCols    = 34
	mapMaxRows = 17
)

// printMap draws two panels of the die: where the changed cells were, and where they are now.
func (r *deltaReport) printMap(p *linePrinter, ascii bool) {
	from, to := r.places()
	if len(from)+len(to) == 0 {
		return
	}
	box := r.extent(from, to)
	rows := mapRows(box)
	left, right := newMapPanel(box, rows, from), newMapPanel(box, rows, to)
	p.line("")
	p.line("changed cells on the die: %d places before, %d after", len(from), len(to))
	edge := "+" + strings.Repeat("-", mapCols) + "+"
	p.line("  %s   %s", edge, edge)
	a, b := left.draw(ascii), right.draw(ascii)
	for i := range a {
		arrow := "   "
		if i == rows/2 {
			arrow = " > "
		}
		p.line("  |%s|%s|%s|", a[i], arrow, b[i])
	}
	p.line("  %s   %s", edge, edge)
}

// places are where changed cells were and where they are. A place on a site without coordinates is not among them.
func (r *deltaReport) places() (from, to []contract.Position) {
	d := &r.Delta
	for _, c := range d.MovedCells {
		from, to = append(from, c.From), append(to, c.To)
	}
	for _, c := range d.PlacedCells {
		to = append(to, c.To)
	}
	for _, c := range d.UnplacedCells {
		from = append(from, c.From)
	}
	for _, c := range d.AddedCells {
		if c.To != nil {
			to = append(to, *c.To)
		}
	}
	for _, c := range d.RemovedCells {
		if c.From != nil {
			from = append(from, *c.From)
		}
	}
	return from, to
}

type mapBox struct{ x1, y1, x2, y2 float64 }

// extent is the die, widened by what lies outside of it.
func (r *deltaReport) extent(lists ...[]contract.Position) mapBox {
	box := mapBox{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	grow := func(x, y float64) {
		box = mapBox{min(box.x1, x), min(box.y1, y), max(box.x2, x), max(box.y2, y)}
	}
	scale := 1.0
	if r.After.Unit == design.UnitDBU && r.After.DBU > 0 {
		scale = float64(max(r.Before.DBU, r.After.DBU)) / float64(r.After.DBU) // places are in the finer unit
	}
	for _, p := range r.After.Die {
		grow(float64(p.X)*scale, float64(p.Y)*scale)
	}
	for _, list := range lists {
		for _, p := range list {
			grow(float64(p.X), float64(p.Y))
		}
	}
	if box.x2 <= box.x1 {
		box.x1, box.x2 = box.x1-0.5, box.x1+0.5
	}
	if box.y2 <= box.y1 {
		box.y1, box.y2 = box.y1-0.5, box.y1+0.5
	}
	return box
}

// mapRows keeps the die's proportions: a character is about twice as high as wide.
func mapRows(b mapBox) int {
	rows := math.Round((b.y2 - b.y1) / (b.x2 - b.x1) * mapCols / 2)
	return int(min(max(rows, 3), mapMaxRows))
}

// mapPanel counts places on a raster of 2 × 4 dots per character.
type mapPanel struct {
	rows int
	dots []int
}

func newMapPanel(b mapBox, rows int, at []contract.Position) *mapPanel {
	g := &mapPanel{rows: rows, dots: make([]int, mapCols*2*rows*4)}
	w, h := mapCols*2, rows*4
	for _, p := range at {
		x := int((float64(p.X) - b.x1) / (b.x2 - b.x1) * float64(w))
		y := int((b.y2 - float64(p.Y)) / (b.y2 - b.y1) * float64(h))
		g.dots[min(max(y, 0), h-1)*w+min(max(x, 0), w-1)]++
	}
	return g
}

// brailleBits are the dots of a braille character, by row and column.
var brailleBits = [4][2]rune{{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}}

func (g *mapPanel) draw(ascii bool) []string {
	lines := make([]string, g.rows)
	for row := range lines {
		var b strings.Builder
		for col := range mapCols {
			bits, sum := rune(0), 0
			for dy := range 4 {
				for dx := range 2 {
					n := g.dots[(row*4+dy)*mapCols*2+col*2+dx]
					sum += n
					if n > 0 {
						bits |= brailleBits[dy][dx]
					}
				}
			}
			switch {
			case ascii:
				b.WriteByte(mapShade(sum))
			case bits == 0:
				b.WriteByte(' ')
			default:
				b.WriteRune(0x2800 + bits)
			}
		}
		lines[row] = b.String()
	}
	return lines
}

// mapShade is a character for a number of places.
func mapShade(n int) byte {
	switch {
	case n == 0:
		return ' '
	case n == 1:
		return '.'
	case n <= 3:
		return 'o'
	case n <= 9:
		return 'O'
	}
	return '#'
}
