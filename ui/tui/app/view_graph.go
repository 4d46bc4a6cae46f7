package app

import (
	"fmt"

	"flowdbg/trace"
	"flowdbg/ui/flowgraph"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// graphView draws the flow: agents, edges, how many messages wait on each, and which edge the last step used. Beside the
// drawing, or in its place where there is no room, stand the edges as a list.
type graphView struct {
	known  bool // a flow is at hand; else the edges are those that were seen
	nodes  []string
	index  map[string]int
	edges  []graphEdge
	find   map[edgeName]int
	seenTo int // events that were looked at for edges, without a flow
	run    int

	rows rows.List[int]
	top  int    // first row of the drawing that is shown
	size [2]int // of the drawing
}

// edgeName tells an edge: the input has no agent and no port.
type edgeName struct{ from, port, to string }

// graphEdge is an edge and what is on it at the position.
type graphEdge struct {
	edgeName
	depth  int
	active bool
}

func (v *graphView) mode() layout.Mode { return layout.Split }

// inputNode stands for where the first message comes from.
const inputNode = "(input)"

func (v *graphView) sync(m *Model) tea.Cmd {
	v.learn(m)
	v.measure(m)
	v.rows.Update(len(v.edges), func(i int) int { return i }, nil)
	return nil
}

// learn finds out nodes and edges: from the flow once, without one from the events that were seen so far.
func (v *graphView) learn(m *Model) {
	run := m.s.CurrentRun()
	if v.index == nil || v.run != run {
		*v = graphView{run: run, rows: v.rows, index: map[string]int{}, find: map[edgeName]int{}}
		if mc := m.s.Machine(); mc != nil {
			v.known = true
			f := mc.Flow()
			if f.Input != nil {
				v.add(edgeName{inputNode, "", f.Input.To})
			}
			for _, a := range f.Agents {
				v.node(a.ID)
			}
			for _, e := range f.Edges {
				v.add(edgeName{e.From, e.Port, e.To})
			}
		}
	}
	if v.known {
		return
	}
	for end := min(m.s.Total(), v.seenTo+atOnce); v.seenTo < end; v.seenTo++ {
		h := m.s.Header(v.seenTo)
		switch {
		case h.Type == trace.Receive && v.seenTo == 0:
			v.add(edgeName{inputNode, "", h.Agent})
		case h.Type == trace.Receive:
			v.node(h.Agent)
		case h.Type == trace.SendEvent && h.To != "":
			v.add(edgeName{h.Agent, m.s.Event(v.seenTo).Port, h.To})
		}
	}
}

func (v *graphView) node(id string) int {
	i, ok := v.index[id]
	if !ok {
		i = len(v.nodes)
		v.index[id] = i
		v.nodes = append(v.nodes, id)
	}
	return i
}

func (v *graphView) add(e edgeName) {
	if _, ok := v.find[e]; !ok {
		v.node(e.from)
		v.node(e.to)
		v.find[e] = len(v.edges)
		v.edges = append(v.edges, graphEdge{edgeName: e})
	}
}

// maxWaiting bounds how many waiting messages of one inbox are looked at.
const maxWaiting = 1000

// measure counts what waits on each edge, and marks those that the step at the position used.
func (v *graphView) measure(m *Model) {
	st := m.s.State()
	for i := range v.edges {
		v.edges[i].depth, v.edges[i].active = 0, false
	}
	from := map[[2]string]int{} // the first edge between two agents; a message does not say its port
	for i := len(v.edges) - 1; i >= 0; i-- {
		from[[2]string{v.edges[i].from, v.edges[i].to}] = i
	}
	between := func(msg trace.Message, to string) (int, bool) {
		sender := inputNode
		if msg.HasFrom {
			sender = msg.From
		}
		i, ok := from[[2]string{sender, to}]
		return i, ok
	}
	for r := st.NextReady(0); r >= 0; r = st.NextReady(r + 1) {
		a := st.AgentAt(r)
		if _, ok := v.index[a.ID]; !ok {
			continue
		}
		for k := range min(a.Inbox, maxWaiting) {
			if msg, ok := st.InboxAt(a.ID, k); ok {
				if i, ok := between(msg, a.ID); ok {
					v.edges[i].depth++
				}
			}
		}
	}
	for i, n := m.s.Pos()-1, 0; i >= 0 && n < lookBack; i, n = i-1, n+1 {
		e := m.s.Event(i)
		switch e.Type {
		case trace.SendEvent:
			if k, ok := v.find[edgeName{e.Agent, e.Port, e.To}]; ok {
				v.edges[k].active = true
			}
		case trace.Receive:
			if k, ok := between(e.Message, e.Agent); ok {
				v.edges[k].active = true
			}
			return
		}
	}
}

// drawing is the picture for a width; ok is false when it does not fit.
func (v *graphView) drawing(m *Model, w int) (flowgraph.Drawing, bool) {
	st := m.s.State()
	next, _ := st.Next()
	nodes := make([]flowgraph.Node, len(v.nodes))
	for i, id := range v.nodes {
		nodes[i] = flowgraph.Node{Name: id, Next: id == next}
		if a, ok := st.Agent(id); ok && a.Inbox > 0 {
			nodes[i].Note = fmt.Sprintf("%d waiting", a.Inbox)
		}
		if id == next {
			nodes[i].Note = m.th.Glyph.Next + " " + nodes[i].Note
		}
	}
	// Edges between the same agents are one line; the list has them all.
	at := map[[2]int]int{}
	var edges []flowgraph.Edge
	for _, e := range v.edges {
		key := [2]int{v.index[e.from], v.index[e.to]}
		i, ok := at[key]
		if !ok {
			i = len(edges)
			at[key] = i
			edges = append(edges, flowgraph.Edge{From: key[0], To: key[1]})
		}
		edges[i].Depth += e.depth
		edges[i].Active = edges[i].Active || e.active
	}
	return flowgraph.Draw(nodes, edges, 0, w, m.th.Charset)
}

func (v *graphView) draw(m *Model, p layout.Pane, w, h int, focus bool) (title, note string, lines []string) {
	if p == layout.Detail {
		return "Edges", plural(len(v.edges), "edge"), v.drawEdges(m, w, h, focus)
	}
	note = "as the events tell"
	if v.known {
		note = plural(len(v.nodes), "node")
	}
	d, ok := v.drawing(m, w-2)
	if !ok {
		return "Graph", "as a list", v.drawEdges(m, w, h, focus)
	}
	v.size = [2]int{d.W, len(d.Rows)}
	v.top = min(max(v.top, 0), max(len(d.Rows)-h, 0))
	pad := max((w-d.W)/2, 1)
	for range max((h-len(d.Rows))/3, 0) {
		lines = append(lines, cell.Blank(w))
	}
	for _, row := range d.Rows[v.top:] {
		var b cell.Builder
		b.Start(m.th.Charset, w, "")
		b.Skip(pad)
		for _, s := range row {
			b.Put(s.Text, m.graphStyle(s.Role))
		}
		lines = append(lines, b.Line())
	}
	return "Graph", note, lines
}

func (m *Model) graphStyle(r flowgraph.Role) cell.Style {
	th := m.th
	switch r {
	case flowgraph.Name:
		return th.Text
	case flowgraph.NextName:
		return th.Next
	case flowgraph.ActiveLine:
		return th.Accent
	case flowgraph.Depth:
		return th.Warn
	case flowgraph.Border, flowgraph.Line:
		return th.Border
	case flowgraph.Note:
		return th.Past
	}
	return ""
}

// drawEdges lists the edges: which are active, from where to where, and how many messages wait.
func (v *graphView) drawEdges(m *Model, w, h int, focus bool) []string {
	th := m.th
	if len(v.edges) == 0 {
		return []string{m.textLine(w, "no edge yet", th.Past)}
	}
	return v.rows.Render(w, h, m.look(focus), func(i int, selected bool, b *cell.Builder) {
		e := &v.edges[i]
		m.putCursor(b, selected)
		mark, style := " ", th.Text
		if e.active {
			mark, style = th.Glyph.Next, th.Accent
		}
		b.Put(mark+" ", th.Accent)
		putName(b, e.from, style)
		if e.port != "" {
			b.Put("."+e.port, th.Past)
		}
		b.Put(" "+th.Glyph.Right+" ", th.Past)
		putName(b, e.to, style)
		if e.depth > 0 {
			putRight(b, fmt.Sprintf("%d waiting", e.depth), th.Warn)
		}
	})
}

func (v *graphView) list(layout.Pane) lister { return &v.rows }

func (v *graphView) head(layout.Pane) int { return 0 }

func (v *graphView) moved(*Model, layout.Pane) {}

// enter shows the receiving agent of the selected edge in the debug view.
func (v *graphView) enter(m *Model, _ layout.Pane) tea.Cmd {
	if i := v.rows.Cursor(); i < len(v.edges) {
		return m.showPlace(v.edges[i].to, "")
	}
	return nil
}

func (v *graphView) picked(*Model, layout.Pane) (selected, bool) {
	i := v.rows.Cursor()
	if i >= len(v.edges) {
		return selected{}, false
	}
	e := v.edges[i]
	return selected{"the edge", "edge.txt", e.from + "." + e.port + ">" + e.to}, true
}

func (v *graphView) hints(*Model) []keymap.ID { return []keymap.ID{keymap.Toggle} }
