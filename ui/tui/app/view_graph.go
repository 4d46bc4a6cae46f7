package app

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/graph"
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

	rows   rows.List[int]
	scroll *scroller // of the drawing, nil while the list stands in its place

	made     pictureKey
	measured pictureKey
	lines    []string
	boxes    []graph.Box
	corner   [2]int // where the drawing's first cell stands in the pane, scrolled

	clicked string // the agent whose box was clicked on, as long as the cursor is on the row it went to
	at      int
}

// pictureKey is what a drawing was made of.
type pictureKey struct {
	run, pos, total, w int
	charset            cell.Charset
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
	if key := (pictureKey{run: m.s.CurrentRun(), pos: m.s.Pos(), total: m.s.Total()}); key != v.measured {
		v.measured = key
		v.measure(m)
	}
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

// picture is the drawing for a width, made once for a position; ok is false when it does not fit.
func (v *graphView) picture(m *Model, w int) ([]string, bool) {
	key := pictureKey{m.s.CurrentRun(), m.s.Pos(), m.s.Total(), w, m.th.Charset}
	if v.made == key {
		return v.lines, v.lines != nil
	}
	v.made, v.lines, v.boxes = key, nil, nil
	if lines, boxes, ok := graph.DrawBoxes(v.graph(m), w, m.th.Charset == cell.ASCII); ok {
		v.lines, v.boxes = lines, boxes
	}
	return v.lines, v.lines != nil
}

// graph is what is drawn: the nodes and edges with what waits at the position.
func (v *graphView) graph(m *Model) graph.Graph {
	st := m.s.State()
	next, _ := st.Next()
	var g graph.Graph
	ports := map[string][]graph.Port{}
	known := map[[2]string]bool{}
	for _, e := range v.edges {
		if e.from == inputNode {
			g.Input, g.Tag = e.to, "input"
			continue
		}
		g.Edges = append(g.Edges, graph.Edge{From: e.from, Port: e.port, To: e.to, Active: e.active, Depth: e.depth})
		if key := [2]string{e.from, e.port}; !known[key] {
			known[key] = true
			ports[e.from] = append(ports[e.from], graph.Port{Name: e.port, Wired: true})
		}
	}
	for _, key := range st.OutputKeys() {
		if i := strings.LastIndexByte(key, '.'); i > 0 && !known[[2]string{key[:i], key[i+1:]}] {
			ports[key[:i]] = append(ports[key[:i]], graph.Port{Name: key[i+1:], Outputs: st.OutputLen(key)})
		}
	}
	for _, id := range v.nodes {
		if id == inputNode {
			continue
		}
		a, _ := st.Agent(id)
		g.Nodes = append(g.Nodes, graph.Node{ID: id, Kind: a.Kind, Queue: a.Inbox, Next: id == next, Ports: ports[id]})
	}
	return g
}

func (v *graphView) draw(m *Model, p layout.Pane, w, h int, focus bool) (title, note string, lines []string) {
	if p == layout.Detail {
		return "Edges", plural(len(v.edges), "edge"), v.drawEdges(m, w, h, focus)
	}
	note = "as the events tell"
	if v.known {
		note = plural(len(v.nodes)-1, "agent")
	}
	rows, ok := v.picture(m, w)
	if !ok {
		v.scroll = nil
		return "Graph", "as a list", v.drawEdges(m, w, h, focus)
	}
	if v.scroll == nil {
		v.scroll = &scroller{}
	}
	v.scroll.fit(len(rows), h)
	wide := 0
	for _, r := range rows {
		wide = max(wide, m.th.Charset.Width(r))
	}
	above := max((h-len(rows))/3, 0)
	v.corner = [2]int{max((w-wide)/2, 0), above - v.scroll.top}
	for range above {
		lines = append(lines, cell.Blank(w))
	}
	for _, row := range rows[v.scroll.top:] {
		var b cell.Builder
		b.Start(m.th.Charset, w, "")
		b.Skip(v.corner[0])
		m.putLines(&b, row)
		lines = append(lines, b.Line())
	}
	return "Graph", note, lines
}

// putLines writes a row of the drawing: lines dim, those that the last step used and what comes next in the accent.
func (m *Model) putLines(b *cell.Builder, row string) {
	const heavy, light = "━┃┏┓┗┛┣┫┳┻╋┿╂", "─│┌┐└┘├┤┬┴┼"
	style := func(r, before rune) cell.Style {
		switch {
		case strings.ContainsRune(heavy, r), r == '▶' && !strings.ContainsRune(light, before):
			return m.th.Accent
		case r == '▶':
			return m.th.Border
		case strings.ContainsRune(light, r):
			return m.th.Border
		}
		return m.th.Text
	}
	start, cur, before := 0, cell.Style(""), ' '
	for i, r := range row {
		st := style(r, before)
		before = r
		if i == 0 || st != cur && r != ' ' {
			b.Put(row[start:i], cur)
			start, cur = i, st
		}
	}
	b.Put(row[start:], cur)
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

func (v *graphView) list(p layout.Pane) lister {
	if p == layout.Main && v.scroll != nil {
		return v.scroll
	}
	return &v.rows
}

func (v *graphView) head(layout.Pane) int { return 0 }

func (v *graphView) moved(*Model, layout.Pane) {}

// click selects the agent whose box is at a place of the drawing, and an edge of it in the list: one that it sends on,
// else one that leads to it.
func (v *graphView) click(m *Model, p layout.Pane, x, y int) (done bool) {
	if p != layout.Main || v.scroll == nil {
		return false
	}
	x, y = x-v.corner[0], y-v.corner[1]
	i := slices.IndexFunc(v.boxes, func(b graph.Box) bool { return x >= b.X && x < b.X+b.W && y >= b.Y && y < b.Y+b.H })
	if i < 0 {
		return true
	}
	id := v.boxes[i].ID
	edge := slices.IndexFunc(v.edges, func(e graphEdge) bool { return e.from == id })
	if edge < 0 {
		edge = slices.IndexFunc(v.edges, func(e graphEdge) bool { return e.to == id })
	}
	if edge >= 0 {
		v.rows.SetCursor(edge)
	}
	v.clicked, v.at = id, v.rows.Cursor()
	if r := m.s.State().Rank(id); r >= 0 {
		m.agents.list.SetCursor(r)
		m.agents.inOuts = false
		m.agents.moved(m)
	}
	m.say("%s is selected", id)
	return true
}

// enter shows the agent that was clicked on, else the receiving agent of the selected edge, in the debug view.
func (v *graphView) enter(m *Model, _ layout.Pane) tea.Cmd {
	i := v.rows.Cursor()
	switch {
	case v.clicked != "" && i == v.at:
		return m.showPlace(v.clicked, "")
	case i < len(v.edges):
		return m.showPlace(v.edges[i].to, "")
	}
	return nil
}

// selectedAgent is the agent that was clicked on, else the one that sends on the selected edge; of the input's edge, the one that receives.
func (v *graphView) selectedAgent() string {
	i := v.rows.Cursor()
	switch {
	case v.clicked != "" && i == v.at:
		return v.clicked
	case i >= len(v.edges):
		return ""
	case v.edges[i].from == inputNode:
		return v.edges[i].to
	}
	return v.edges[i].from
}

func (v *graphView) picked(*Model, layout.Pane) (selected, bool) {
	i := v.rows.Cursor()
	if i >= len(v.edges) {
		return selected{}, false
	}
	e := v.edges[i]
	from := canon.Member{Key: "from", Value: canon.String(e.from)}
	if e.from == inputNode {
		from.Value = canon.String("input")
	}
	// As the flow has it: the input's edge has no port.
	value := canon.Object(from, canon.Member{Key: "to", Value: canon.String(e.to)})
	if e.port != "" {
		value = canon.Object(from, canon.Member{Key: "port", Value: canon.String(e.port)}, canon.Member{Key: "to", Value: canon.String(e.to)})
	}
	return selected{what: "the edge", name: "edge.json", text: value.Text()}, true
}

func (v *graphView) hints(*Model) []keymap.ID { return []keymap.ID{keymap.Toggle} }
