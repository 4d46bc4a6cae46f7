// Package graph draws a flow with box characters, as a list, and as a Mermaid diagram. It is pure: a flow's shape and what
// waits in its inboxes go in, lines of text come out. It may hold layout and drawing; it knows no session, no terminal
// and no colour.
package graph

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/ui/tui/cell"
)

// Graph is a flow as it is drawn.
type Graph struct {
	Nodes []Node // in the order of the ids
	Edges []Edge // in the order of the flow
	Input string // the agent that gets the first message, "" for none
	Tag   string // of that message
}

// Node is an agent.
type Node struct {
	ID    string
	Kind  string
	Queue int  // messages that wait
	Next  bool // the schedule picks it
	Ports []Port
}

// Port is where a node's messages leave.
type Port struct {
	Name    string
	Outputs int  // messages that left the flow here
	Wired   bool // edges begin here
}

// Edge carries messages. Active is one that the last step used; Depth is how many of its messages wait to be received.
type Edge struct {
	From, Port, To string
	Active         bool
	Depth          int
}

// maxWaiting bounds how many waiting messages of one inbox are looked at for the depths of edges.
const maxWaiting = 1000

// addDepths counts what waits on each edge.
func (g *Graph) addDepths(view trace.View, first map[[2]string]*Edge) {
	for _, n := range g.Nodes {
		for k := range min(n.Queue, maxWaiting) {
			if msg, ok := view.InboxAt(n.ID, k); ok {
				if e := first[[2]string{msg.From, n.ID}]; e != nil {
					e.Depth++
				}
			}
		}
	}
}

// Of is the graph of a flow; view, if not nil, adds what waits, and active are the events of the step at the position,
// whose edges are marked: the one that its message came over, and those that it sent over.
func Of(f *flow.Flow, view trace.View, active []trace.Event) Graph {
	g := Graph{}
	if f.Input != nil {
		g.Input, g.Tag = f.Input.To, f.Input.Tag
	}
	used := map[Edge]bool{}
	for _, e := range active {
		if e.Type == trace.SendEvent && e.HasTo() {
			used[Edge{From: e.Agent, Port: e.Port, To: e.To}] = true
		}
	}
	wired := map[string][]string{}
	for _, e := range f.Edges {
		edge := Edge{From: e.From, Port: e.Port, To: e.To}
		edge.Active = used[edge]
		g.Edges = append(g.Edges, edge)
		wired[e.From] = appendNew(wired[e.From], e.Port)
	}
	next := ""
	if view != nil {
		next, _ = view.Next()
	}
	for _, i := range f.Order() {
		a := &f.Agents[i]
		n := Node{ID: a.ID, Kind: a.Kind, Next: view != nil && a.ID == next}
		for _, p := range wired[a.ID] {
			n.Ports = append(n.Ports, Port{Name: p, Wired: true})
		}
		for _, p := range a.Ports {
			if !slices.Contains(wired[a.ID], p) {
				n.Ports = append(n.Ports, Port{Name: p})
			}
		}
		if view != nil {
			n.Queue = view.InboxLen(a.ID)
			n.addOutputs(view)
		}
		g.Nodes = append(g.Nodes, n)
	}
	first := g.firstEdges()
	for _, e := range active { // and the edge over which the step's message came
		if e.Type == trace.Receive && e.Message.HasFrom {
			if edge := first[[2]string{e.Message.From, e.Agent}]; edge != nil {
				edge.Active = true
			}
		}
	}
	if view != nil {
		g.addDepths(view, first)
	}
	return g
}

// firstEdges is the first edge between each two agents. A message says its sender and not its port: of several edges
// between two agents it is taken to be the first one's.
func (g *Graph) firstEdges() map[[2]string]*Edge {
	first := make(map[[2]string]*Edge, len(g.Edges))
	for i := len(g.Edges) - 1; i >= 0; i-- {
		e := &g.Edges[i]
		first[[2]string{e.From, e.To}] = e
	}
	return first
}

func appendNew(list []string, s string) []string {
	for _, x := range list {
		if x == s {
			return list
		}
	}
	return append(list, s)
}

// addOutputs notes the messages that left the flow at the node's ports.
func (n *Node) addOutputs(view trace.View) {
	for _, key := range view.OutputKeys() {
		port, ok := strings.CutPrefix(key, n.ID+".")
		if !ok {
			continue
		}
		i := 0
		for ; i < len(n.Ports) && n.Ports[i].Name != port; i++ {
		}
		if i == len(n.Ports) {
			n.Ports = append(n.Ports, Port{Name: port})
		}
		n.Ports[i].Outputs = view.OutputLen(key)
	}
}

// List is the graph as an adjacency list: for narrow places, and for flows that are too large to draw.
func List(g Graph, ascii bool) []string {
	to, out, next := "→", "○", "▶"
	if ascii {
		to, out, next = "->", "o", ">"
	}
	var lines []string
	if g.Input != "" {
		lines = append(lines, fmt.Sprintf("input %s %s %s", clean(g.Tag), to, clean(g.Input)))
	}
	from := map[string][]int{} // a node's edges, so that a flow of 100 000 agents is listed in one pass
	for i := range g.Edges {
		from[g.Edges[i].From] = append(from[g.Edges[i].From], i)
	}
	for i := range g.Nodes {
		n := &g.Nodes[i]
		mark := " "
		if n.Next {
			mark = next
		}
		line := fmt.Sprintf("%s %s  (%s)", mark, clean(n.ID), clean(n.Kind))
		if n.Queue > 0 {
			line += fmt.Sprintf("  %d waiting", n.Queue)
		}
		lines = append(lines, line)
		for _, i := range from[n.ID] {
			e := &g.Edges[i]
			used := ""
			if e.Active {
				used = "  *"
			}
			lines = append(lines, fmt.Sprintf("    %s %s %s%s", clean(e.Port), to, clean(e.To), used))
		}
		for _, p := range n.Ports {
			if !p.Wired {
				lines = append(lines, fmt.Sprintf("    %s %s%s", clean(p.Name), out, count(p.Outputs)))
			}
		}
	}
	return lines
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" %d", n)
}

func clean(s string) string { return cell.Sanitize(s) }

// Mermaid is the graph as a Mermaid flowchart, one statement per line.
func Mermaid(g Graph) []string {
	lines := []string{"flowchart LR"}
	names := map[string]string{}
	for i, n := range g.Nodes {
		names[n.ID] = fmt.Sprintf("n%d", i)
		label := quoted(n.ID)
		if n.Kind != "" {
			label += "<br/>" + quoted(n.Kind)
		}
		if n.Queue > 0 {
			label += fmt.Sprintf("<br/>%d waiting", n.Queue)
		}
		lines = append(lines, fmt.Sprintf("  n%d[\"%s\"]", i, label))
	}
	if g.Input != "" {
		lines = append(lines, fmt.Sprintf("  input([\"%s\"]) --> %s", quoted(g.Tag), names[g.Input]))
	}
	for _, e := range g.Edges {
		arrow := "-->"
		if e.Active {
			arrow = "==>"
		}
		lines = append(lines, fmt.Sprintf("  %s %s|\"%s\"| %s", names[e.From], arrow, quoted(e.Port), names[e.To]))
	}
	outs := 0
	for i, n := range g.Nodes {
		for _, p := range n.Ports {
			if !p.Wired {
				lines = append(lines, fmt.Sprintf("  n%d -->|\"%s\"| out%d([\"%d\"])", i, quoted(p.Name), outs, p.Outputs))
				outs++
			}
		}
	}
	return lines
}

// quoted is a text inside a Mermaid label: its own marks become entities.
func quoted(s string) string {
	return strings.NewReplacer("#", "#35;", "\"", "#quot;", "<", "#lt;", ">", "#gt;", "&", "#amp;").Replace(clean(s))
}

// sorted lists the keys of a map in order.
func sorted[V any](m map[int]V) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Ints(keys)
	return keys
}
