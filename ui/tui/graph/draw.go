package graph

import (
	"fmt"
	"strings"

	"flowdbg/ui/tui/cell"
)

// MaxNodes is how many nodes are drawn; a larger flow is a list (ours).
const MaxNodes = 60

// maxName bounds a name in a box, in cells.
const maxName = 28

// Draw is the graph in boxes, from left to right, at most width cells wide. How many messages wait on the edges of a port
// stands where they begin, when there is room for it. ok is false when it does not fit, or has too
// many nodes: show it as a List then.
func Draw(g Graph, width int, ascii bool) (lines []string, ok bool) {
	lines, _, ok = DrawBoxes(g, width, ascii)
	return lines, ok
}

// Box is where a node stands in a drawing: cells of its lines, borders included.
type Box struct {
	ID         string
	X, Y, W, H int
}

// DrawBoxes is Draw, and tells where the nodes stand.
func DrawBoxes(g Graph, width int, ascii bool) (lines []string, boxes []Box, ok bool) {
	if len(g.Nodes) == 0 || len(g.Nodes) > MaxNodes {
		return nil, nil, false
	}
	p := &painter{chart: newChart(g), set: &light}
	if ascii {
		p.set = &plain
	}
	p.waits = map[[2]string]int{}
	for _, e := range g.Edges {
		p.waits[[2]string{e.From, e.Port}] += e.Depth
	}
	p.size()
	if p.place(); p.right > width { // without the numbers it may fit
		p.waits = nil
		p.place()
	}
	if p.right > width {
		return nil, nil, false
	}
	p.paint()
	lines, above := p.c.lines()
	for i := range p.v {
		if v := &p.v[i]; v.node >= 0 {
			boxes = append(boxes, Box{ID: g.Nodes[v.node].ID, X: v.x, Y: v.y - above, W: v.w, H: v.h})
		}
	}
	return lines, boxes, true
}

// painter turns a chart into lines.
type painter struct {
	*chart
	set    *glyphs
	lane   map[[2]int]int    // (vertex, exit) → column of its vertical line
	under  map[int]int       // vertex that an edge leads back to → row below all boxes
	waits  map[[2]string]int // (agent, port) → messages that wait on its edges; nil where there is no room for them
	enter  map[int]int       // the same vertex → column of the vertical line that leads up to it
	right  int
	bottom int
	c      *canvas
}

func (p *painter) text(v *vertex) (title string, ports []string) {
	if v.node == textVertex {
		return cell.Cut(clean(p.g.Tag), maxName), nil
	}
	n := &p.g.Nodes[v.node]
	title = cell.Cut(clean(n.ID), maxName)
	if n.Next {
		title = p.set.next + " " + title
	}
	if n.Queue > 0 {
		title += fmt.Sprintf("  %d", n.Queue)
	}
	for _, port := range n.Ports {
		name := cell.Cut(clean(port.Name), maxName)
		if !port.Wired {
			name += " " + p.set.out + count(port.Outputs)
		}
		ports = append(ports, name)
	}
	return title, ports
}

// depth is the number at the beginning of an exit's edges, "" where nothing waits.
func (p *painter) depth(v *vertex, k int) string {
	if v.node < 0 {
		return ""
	}
	if n := p.waits[[2]string{p.g.Nodes[v.node].ID, v.exits[k].port}]; n > 0 {
		return fmt.Sprint(n)
	}
	return ""
}

// size gives every vertex its width and height.
func (p *painter) size() {
	for i := range p.v {
		v := &p.v[i]
		if v.node == passVertex {
			v.w, v.h = 1, 3
			continue
		}
		title, ports := p.text(v)
		switch v.node {
		case textVertex:
			v.w, v.h = cell.Width(title)+1, 3
		default:
			v.w = cell.Width(title) + 4
			for _, port := range ports {
				v.w = max(v.w, cell.Width(port)+4)
			}
			v.h = 3 + max(0, 2*len(ports)-1)
			if len(ports) > 0 {
				v.h = 2 + 2*len(ports)
			}
		}
	}
}

// place gives every vertex its corner, and every exit its row and column.
func (p *painter) place() {
	p.lane, p.under, p.enter = map[[2]int]int{}, map[int]int{}, map[int]int{}
	backTo := map[int]bool{}
	for i := range p.v {
		for _, x := range p.v[i].exits {
			for _, l := range x.to {
				backTo[l.vertex] = backTo[l.vertex] || l.back
			}
		}
	}
	x := 0
	p.bottom = 0
	for _, layer := range p.layers {
		for _, i := range layer { // lines that lead back into this layer
			if backTo[i] {
				p.enter[i] = x
				x += 2
			}
		}
		x += 2 // the arrow
		y, w := 1, 0
		for _, i := range layer {
			v := &p.v[i]
			v.x, v.y = x, y
			v.entry = y + 1
			for k := range v.exits {
				v.exits[k].row = y + 2 + 2*k
			}
			y += v.h + 1
			y |= 1
			w = max(w, v.w)
			p.bottom = max(p.bottom, v.y+v.h)
		}
		for _, i := range layer {
			if p.v[i].node >= 0 {
				p.v[i].w = w // boxes of a layer are equally wide
			}
		}
		x += w
		pad := 0
		for _, i := range layer {
			for k := range p.v[i].exits {
				pad = max(pad, cell.Width(p.depth(&p.v[i], k)))
			}
		}
		x += pad
		for _, i := range layer {
			for k, e := range p.v[i].exits {
				if len(e.to) > 0 {
					x += 2
					p.lane[[2]int{i, k}] = x - 1
				}
			}
		}
	}
	for n, i := range sorted(backTo) {
		if backTo[i] {
			p.under[i] = p.bottom + n
		}
	}
	p.right = x
}

func (p *painter) paint() {
	p.c = newCanvas(p.right, p.bottom+len(p.under)+len(p.v), p.set)
	for _, active := range []bool{false, true} {
		for i := range p.v {
			for k := range p.v[i].exits {
				p.edges(i, k, active)
			}
		}
	}
	for i := range p.v {
		p.box(&p.v[i])
	}
}

// edges draws the lines of one exit.
func (p *painter) edges(i, k int, active bool) {
	v := &p.v[i]
	e := &v.exits[k]
	lane := p.lane[[2]int{i, k}]
	start := v.x + v.w - 1
	switch v.node {
	case passVertex: // comes in at its even row and leaves at its odd one
		start = v.x
	case textVertex:
		start = v.x + v.w
	}
	for _, l := range e.to {
		if l.active != active {
			continue
		}
		p.c.heavy = active
		if v.node == passVertex {
			p.c.vertical(v.x, v.entry, e.row)
		}
		to := &p.v[l.vertex]
		p.c.horizontal(start, lane, e.row)
		if l.back {
			row, up := p.under[l.vertex], p.enter[l.vertex]
			p.c.vertical(lane, e.row, row)
			p.c.horizontal(up, lane, row)
			p.c.vertical(up, to.entry, row)
			p.arrow(up, to)
			continue
		}
		p.c.vertical(lane, e.row, to.entry)
		if to.node == passVertex {
			p.c.horizontal(lane, to.x, to.entry)
			continue
		}
		p.arrow(lane, to)
	}
	p.c.heavy = false
}

// arrow draws the last piece of an edge, from a column to the box.
func (p *painter) arrow(from int, to *vertex) {
	p.c.horizontal(from, to.x-1, to.entry)
	p.c.put(to.x-1, to.entry, p.set.arrow)
}

func (p *painter) box(v *vertex) {
	if v.node == passVertex {
		return
	}
	title, ports := p.text(v)
	if v.node == textVertex {
		p.c.put(v.x, v.exits[0].row, title)
		return
	}
	g := p.set
	blank := strings.Repeat(" ", v.w-2)
	p.c.put(v.x, v.y, g.nw+strings.Repeat(g.line, v.w-2)+g.ne)
	for y := v.y + 1; y < v.y+v.h-1; y++ {
		p.c.put(v.x, y, g.bar+blank+g.bar)
	}
	p.c.put(v.x, v.y+v.h-1, g.sw+strings.Repeat(g.line, v.w-2)+g.se)
	p.c.put(v.x, v.entry, g.bar+" "+title+strings.Repeat(" ", v.w-3-cell.Width(title))+g.bar)
	for k, name := range ports {
		right := g.bar
		if len(v.exits[k].to) > 0 {
			right = g.tee
		}
		p.c.put(v.x, v.exits[k].row, g.bar+strings.Repeat(" ", v.w-3-cell.Width(name))+name+" "+right)
		if n := p.depth(v, k); n != "" && right == g.tee {
			p.c.put(v.x+v.w, v.exits[k].row, n)
		}
	}
}
