package flowgraph

import (
	"sort"

	"flowdbg/ui/tui/cell"
)

// plan is where everything stands. Nodes beyond the graph's own are bends of edges that cross a layer.
type plan struct {
	layer []int // of each node and bend
	slot  []int // place in the layer, from the top
	own   int   // how many are real nodes
	edges []Edge
	back  []bool // of each edge: it leads to the same layer or to one before
	rank  []int  // order in which the walk from the root came to a node

	routes []route

	left, boxW    []int // of each layer: column and width of its boxes
	width, height int
}

// route is the line of one edge between two layers, or all of an edge that leads back.
type route struct {
	edge     int
	from, to int // nodes or bends
	track    int // column of its vertical part
	back     bool
	track2   int // back: column of the vertical part before its target
	lane     int // back: row below all boxes
}

// layer gives each node a layer by the longest way from the root, without the edges that close a cycle.
func layer(n int, edges []Edge, root int) *plan {
	p := &plan{layer: make([]int, n), own: n, edges: edges, back: make([]bool, len(edges)), rank: make([]int, n)}
	out := make([][]int, n)
	for i, e := range edges {
		out[e.From] = append(out[e.From], i)
	}
	const fresh, open, done = 0, 1, 2
	state := make([]int, n)
	var post []int
	var walk func(v int)
	walk = func(v int) {
		state[v] = open
		p.rank[v] = len(post)
		for _, i := range out[v] {
			switch w := edges[i].To; state[w] {
			case fresh:
				walk(w)
			case open:
				p.back[i] = true
			}
		}
		state[v] = done
		post = append(post, v)
	}
	walk(root)
	for v := range n {
		if state[v] == fresh {
			walk(v)
		}
	}
	for i := len(post) - 1; i >= 0; i-- {
		for _, k := range out[post[i]] {
			if e := edges[k]; !p.back[k] {
				p.layer[e.To] = max(p.layer[e.To], p.layer[e.From]+1)
			}
		}
	}
	p.bend()
	return p
}

// bend cuts edges that cross layers into routes from layer to layer.
func (p *plan) bend() {
	for i, e := range p.edges {
		if p.back[i] {
			p.routes = append(p.routes, route{edge: i, from: e.From, to: e.To, back: true})
			continue
		}
		at := e.From
		for l := p.layer[e.From] + 1; l < p.layer[e.To]; l++ {
			p.layer = append(p.layer, l)
			b := len(p.layer) - 1
			p.routes = append(p.routes, route{edge: i, from: at, to: b})
			at = b
		}
		p.routes = append(p.routes, route{edge: i, from: at, to: e.To})
	}
}

// order puts the nodes of each layer in an order with few crossings: each goes to the middle of its neighbours, from left
// to right and back, a few times.
func (p *plan) order() {
	layers := p.layers()
	p.slot = make([]int, len(p.layer))
	for _, l := range layers {
		for i, v := range l {
			p.slot[v] = i
		}
	}
	before, behind := make([][]int, len(p.layer)), make([][]int, len(p.layer))
	for _, r := range p.routes {
		if !r.back {
			before[r.to], behind[r.from] = append(before[r.to], r.from), append(behind[r.from], r.to)
		}
	}
	settle := func(l []int, near [][]int) {
		mid := map[int]float64{}
		for _, v := range l {
			mid[v] = float64(p.slot[v])
			if len(near[v]) > 0 {
				sum := 0
				for _, w := range near[v] {
					sum += p.slot[w]
				}
				mid[v] = float64(sum) / float64(len(near[v]))
			}
		}
		sort.SliceStable(l, func(i, j int) bool { return mid[l[i]] < mid[l[j]] })
		for i, v := range l {
			p.slot[v] = i
		}
	}
	for range 4 {
		for i := range layers {
			settle(layers[i], before)
		}
		for i := len(layers) - 1; i >= 0; i-- {
			settle(layers[i], behind)
		}
	}
	most := 0
	for _, l := range layers {
		most = max(most, len(l))
	}
	for _, l := range layers {
		for i, v := range l {
			p.slot[v] = i + (most-len(l))/2
		}
	}
	p.height = most*slotRows - 1
}

// layers lists the nodes and bends of each layer.
func (p *plan) layers() [][]int {
	n := 0
	for _, l := range p.layer {
		n = max(n, l+1)
	}
	out := make([][]int, n)
	for v, l := range p.layer {
		out[l] = append(out[l], v)
	}
	return out
}

// place gives boxes and lines their columns. Each line has a column of its own in the channel that it turns in.
func (p *plan) place(nodes []Node, cs cell.Charset) {
	layers := p.layers()
	p.boxW, p.left = make([]int, len(layers)), make([]int, len(layers))
	for l, list := range layers {
		p.boxW[l] = 1
		for _, v := range list {
			if v < p.own {
				p.boxW[l] = max(p.boxW[l], 4+min(max(cs.Width(nodes[v].Name), cs.Width(nodes[v].Note)), maxName))
			}
		}
	}
	// channels[l+1] is right of layer l; channels[0] is left of all.
	channels := make([][]*int, len(layers)+1)
	lane := p.height
	for i := range p.routes {
		r := &p.routes[i]
		channels[p.layer[r.from]+1] = append(channels[p.layer[r.from]+1], &r.track)
		if r.back {
			channels[p.layer[r.to]] = append(channels[p.layer[r.to]], &r.track2)
			lane++
			r.lane = lane - 1
		}
	}
	p.height = lane
	x := 0
	for l := range channels {
		if l > 0 {
			p.left[l-1] = x
			x += p.boxW[l-1]
		}
		n := len(channels[l])
		switch {
		case n > 0:
			x++
			for _, t := range channels[l] {
				*t = x
				x += 2
			}
			x += 2
		case l > 0 && l < len(layers):
			x += 3
		}
	}
	p.width = x
}
