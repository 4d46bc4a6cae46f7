package app

import (
	"flowdbg/contract"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/theme"
)

// deltaDrawn is everything that the text beside the list depends on.
type deltaDrawn struct {
	th     *theme.Theme
	model  *deltaModel
	w, row int
	name   string
}

// Marks of the die map, one bit each.
const (
	leftHere uint8 = 1 << iota // a change takes a cell away
	cameHere                   // a change brings a cell
	fromHere                   // of the selected change
	toHere
)

// die draws where the changes take cells away and where they bring them, and the way of the selected one. A filter holds
// here too.
func (v *deltaView) die(p *prose, x *deltaModel) {
	if !x.placed || p.w < 24 {
		return
	}
	th := p.m.th
	w, h := min(p.w-4, 44), 12
	box := x.box
	if x.unit == "tiles" { // a few tiles around, or a swap of neighbours would be all of the die
		box = [4]int64{max(box[0]-2, min(box[0], 0)), box[1] + 2, max(box[2]-2, min(box[2], 0)), box[3] + 2}
	}
	dx, dy := box[1]-box[0]+1, box[3]-box[2]+1
	if dx < int64(w)/2 && x.unit == "tiles" {
		w = int(dx) * 2 // a tile is two characters wide, which is about square
	}
	h = int(min(int64(h), max(dy, 1)))
	field := make([]uint8, w*h)
	put := func(at *contract.Position, mark uint8) {
		if at == nil {
			return
		}
		cx := int((at.X - box[0]) * int64(w) / dx)
		cy := int((box[3] - at.Y) * int64(h) / dy)
		field[min(max(cy, 0), h-1)*w+min(max(cx, 0), w-1)] |= mark
	}
	for _, i := range v.shown {
		put(x.rows[i].from, leftHere)
		put(x.rows[i].to, cameHere)
	}
	if r := v.selected(); r != nil {
		put(r.from, fromHere)
		put(r.to, toHere)
	}
	p.head("die")
	g := th.Glyph
	both := "◉"
	if th.Charset == cell.ASCII {
		both = "8"
	}
	var b cell.Builder
	for y := range h {
		b.Start(th.Charset, p.w, "")
		b.Skip(2)
		for _, mark := range field[y*w : (y+1)*w] {
			switch {
			case mark&toHere != 0:
				b.Put("T", th.Next.Over(th.Select))
			case mark&fromHere != 0:
				b.Put("F", th.Next.Over(th.Select))
			case mark&(leftHere|cameHere) == leftHere|cameHere:
				b.Put(both, th.Text)
			case mark&cameHere != 0:
				b.Put(g.Break, th.Accent)
			case mark&leftHere != 0:
				b.Put(g.BreakOff, th.Past)
			default:
				b.Put(g.Dot, th.Border)
			}
		}
		p.lines = append(p.lines, b.Line())
	}
	p.spans(cell.Span{Text: "  " + g.BreakOff + " left  ", Style: th.Past}, cell.Span{Text: g.Break + " arrived  ", Style: th.Accent},
		cell.Span{Text: both + " both  ", Style: th.Text}, cell.Span{Text: "F" + g.Right + "T selected", Style: th.Next})
}
