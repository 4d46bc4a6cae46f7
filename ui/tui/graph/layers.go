package graph

import (
	"slices"
	"sort"
)

// vertex is what stands in a layer: a node, the input's name, or a place where a long edge passes a layer.
type vertex struct {
	node  int // index of the node; textVertex, passVertex
	layer int
	place float64 // for ordering within the layer
	next  []int   // vertices that its edges lead to, in the next layer

	x, y, w, h int
	entry      int // row at which edges arrive: always even
	exits      []exit
}

const (
	textVertex = -1
	passVertex = -2
)

// exit is a row at which edges leave: always odd, so that no edge that leaves is taken for one that arrives.
type exit struct {
	port string
	row  int
	to   []link
}

// link is one edge of an exit: to a vertex of the next layer, or back to any vertex.
type link struct {
	vertex int
	back   bool
	active bool
}

// chart is a graph being laid out.
type chart struct {
	g      Graph
	v      []vertex
	layers [][]int
	index  map[string]int // vertex of a node
}

// newChart puts every node into a layer, cuts long edges into pieces, and orders the layers.
func newChart(g Graph) *chart {
	c := &chart{g: g, index: map[string]int{}}
	for i, n := range g.Nodes {
		c.index[n.ID] = i
		v := vertex{node: i}
		for _, p := range n.Ports {
			v.exits = append(v.exits, exit{port: p.Name})
		}
		c.v = append(c.v, v)
	}
	back := c.backEdges()
	c.rank(back)
	c.connect(back)
	c.order()
	return c
}

// backEdges finds the edges that close a cycle, seen from the input and then from each node in order.
func (c *chart) backEdges() []bool {
	back := make([]bool, len(c.g.Edges))
	out := map[string][]int{}
	for i, e := range c.g.Edges {
		out[e.From] = append(out[e.From], i)
	}
	state := map[string]int{} // 1: on the way, 2: done
	var visit func(id string)
	visit = func(id string) {
		state[id] = 1
		for _, i := range out[id] {
			switch to := c.g.Edges[i].To; state[to] {
			case 0:
				visit(to)
			case 1:
				back[i] = true
			}
		}
		state[id] = 2
	}
	roots := []string{c.g.Input}
	for _, n := range c.g.Nodes {
		roots = append(roots, n.ID)
	}
	for _, id := range roots {
		if _, ok := c.index[id]; ok && state[id] == 0 {
			visit(id)
		}
	}
	return back
}

// rank gives each node the layer behind the last of those that lead to it.
func (c *chart) rank(back []bool) {
	for changed := true; changed; {
		changed = false
		for i, e := range c.g.Edges {
			from, to := &c.v[c.index[e.From]], &c.v[c.index[e.To]]
			if !back[i] && to.layer <= from.layer {
				to.layer, changed = from.layer+1, true
			}
		}
	}
	if _, ok := c.index[c.g.Input]; !ok {
		return
	}
	for i := range c.v {
		c.v[i].layer++
	}
	c.v = append(c.v, vertex{node: textVertex, exits: []exit{{}}})
}

// connect makes the links, with a vertex in each layer that a long edge passes.
func (c *chart) connect(back []bool) {
	for i, e := range c.g.Edges {
		from := c.index[e.From]
		x := slices.IndexFunc(c.v[from].exits, func(x exit) bool { return x.port == e.Port })
		if x < 0 {
			continue // a port that the node does not list: no caller makes one
		}
		to := c.index[e.To]
		if back[i] {
			c.v[from].exits[x].to = append(c.v[from].exits[x].to, link{to, true, e.Active})
			continue
		}
		c.chain(from, x, to, e.Active)
	}
	if n := len(c.g.Nodes); n < len(c.v) && c.v[n].node == textVertex {
		c.chain(n, 0, c.index[c.g.Input], false)
	}
	top := 0
	for i := range c.v {
		top = max(top, c.v[i].layer)
	}
	c.layers = make([][]int, top+1)
	for i := range c.v {
		c.layers[c.v[i].layer] = append(c.layers[c.v[i].layer], i)
	}
}

func (c *chart) chain(from, x, to int, active bool) {
	for c.v[from].layer+1 < c.v[to].layer {
		c.v = append(c.v, vertex{node: passVertex, layer: c.v[from].layer + 1, exits: []exit{{}}})
		c.link(from, x, len(c.v)-1, active)
		from, x = len(c.v)-1, 0
	}
	c.link(from, x, to, active)
}

func (c *chart) link(from, x, to int, active bool) {
	c.v[from].exits[x].to = append(c.v[from].exits[x].to, link{to, false, active})
	c.v[from].next = append(c.v[from].next, to)
}

// order sorts each layer by where its neighbours stand, to and fro a few times, which keeps most edges from crossing.
func (c *chart) order() {
	for range 4 {
		for l := 1; l < len(c.layers); l++ {
			c.sweep(l, func(i int) (list []int) {
				for _, p := range c.layers[l-1] {
					if slices.Contains(c.v[p].next, i) {
						list = append(list, p)
					}
				}
				return list
			})
		}
		for l := len(c.layers) - 2; l >= 0; l-- {
			c.sweep(l, func(i int) []int { return c.v[i].next })
		}
	}
}

func (c *chart) sweep(l int, neighbours func(int) []int) {
	places := map[int]float64{}
	for _, layer := range c.layers {
		for p, i := range layer {
			places[i] = float64(p)
		}
	}
	for p, i := range c.layers[l] {
		c.v[i].place = float64(p)
		if near := neighbours(i); len(near) > 0 {
			sum := 0.0
			for _, n := range near {
				sum += places[n]
			}
			c.v[i].place = sum / float64(len(near))
		}
	}
	sort.SliceStable(c.layers[l], func(a, b int) bool { return c.v[c.layers[l][a]].place < c.v[c.layers[l][b]].place })
}
