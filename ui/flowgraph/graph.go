// Package flowgraph draws a directed graph with box characters: layers from left to right, edges in the channels between
// them, edges that lead back below. It knows names and numbers only; what they mean, and the colours, are the caller's
// business. It may import ui/tui/cell for widths and nothing else of ours.
package flowgraph

import "flowdbg/ui/tui/cell"

// Node is one box: its name and a second line. Both may be untrusted text.
type Node struct {
	Name, Note string
	Next       bool // told by the role of its name
}

// Edge leads from a node to a node, by their index. Depth is shown on it when it is not 0.
type Edge struct {
	From, To int
	Depth    int
	Active   bool // drawn with heavy lines
}

// Role says what a piece of the drawing is, for colours. A state is also told by its characters.
type Role uint8

// The roles.
const (
	Blank Role = iota
	Border
	Name
	NextName
	Note
	Line
	ActiveLine
	Depth
)

// Span is a piece of a row.
type Span struct {
	Text string
	Role Role
}

// Drawing is rows of W cells.
type Drawing struct {
	W    int
	Rows [][]Span
}

// Bounds of what is drawn; larger graphs are better read as a list (ours).
const (
	MaxNodes = 60
	MaxEdges = 160
	maxName  = 22
)

// slotRows is the height of a box and the blank line below it. Edges leave a box in its first inner row and reach one in
// its second, so that lines that leave and lines that arrive never lie over each other.
const (
	slotRows = 5
	outRow   = 1
	inRow    = 2
)

// Draw draws the graph; root is the node that the drawing begins with (0 when nothing is known). ok is false when it
// needs more than maxW cells (0: any number), or is too large to be read.
func Draw(nodes []Node, edges []Edge, root, maxW int, cs cell.Charset) (d Drawing, ok bool) {
	if len(nodes) == 0 || len(nodes) > MaxNodes || len(edges) > MaxEdges || root < 0 || root >= len(nodes) {
		return Drawing{}, false
	}
	for _, e := range edges {
		if e.From < 0 || e.From >= len(nodes) || e.To < 0 || e.To >= len(nodes) {
			return Drawing{}, false
		}
	}
	p := layer(len(nodes), edges, root)
	p.order()
	p.place(nodes, cs)
	if maxW > 0 && p.width > maxW {
		return Drawing{}, false
	}
	c := newCanvas(p.width, p.height)
	for i, n := range nodes {
		c.box(p.left[p.layer[i]], p.slot[i]*slotRows, p.boxW[p.layer[i]], n, cs)
	}
	// Active edges come last, so that they lie on top.
	for _, active := range []bool{false, true} {
		for i := range p.routes {
			if r := &p.routes[i]; edges[r.edge].Active == active {
				c.route(p, r, edges[r.edge])
			}
		}
	}
	return Drawing{p.width, c.rows(cs)}, true
}
