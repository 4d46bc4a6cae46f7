package graph

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/ui/tui/cell"
)

var update = flag.Bool("update", false, "write the drawings anew")

// parse reads a graph in words: "a.out>b" is an edge, "a.out>b!" a used one, "a.out" an output, "a:2" two messages
// waiting, "a^" the next agent, "in>a" the input.
func parse(text string) Graph {
	var g Graph
	node := func(id string) *Node {
		for i := range g.Nodes {
			if g.Nodes[i].ID == id {
				return &g.Nodes[i]
			}
		}
		g.Nodes = append(g.Nodes, Node{ID: id, Kind: "echo"})
		return &g.Nodes[len(g.Nodes)-1]
	}
	port := func(n *Node, name string) *Port {
		for i := range n.Ports {
			if n.Ports[i].Name == name {
				return &n.Ports[i]
			}
		}
		n.Ports = append(n.Ports, Port{Name: name})
		return &n.Ports[len(n.Ports)-1]
	}
	for _, w := range strings.Fields(text) {
		w, active := strings.CutSuffix(w, "!")
		from, to, edge := strings.Cut(w, ">")
		id, p, hasPort := strings.Cut(from, ".")
		switch {
		case from == "in":
			g.Input, g.Tag = to, "task"
			node(to)
		case edge:
			port(node(id), p).Wired = true
			node(to)
			g.Edges = append(g.Edges, Edge{From: id, Port: p, To: to, Active: active})
		case hasPort:
			port(node(id), p).Outputs++
		case strings.HasSuffix(w, "^"):
			node(strings.TrimSuffix(w, "^")).Next = true
		default:
			id, n, _ := strings.Cut(w, ":")
			fmt.Sscan(n, &node(id).Queue)
		}
	}
	return g
}

var drawings = map[string]string{
	"one":                   "a",
	"chain":                 "in>researcher researcher.out>critic critic.out>writer writer.out critic:1 critic^",
	"loop":                  "in>writer writer.draft>critic critic.again>writer critic.done>editor editor.out",
	"self":                  "in>a a.out>a a:3",
	"fan":                   "in>r r.left>a r.mid>b r.right>c a.out>join b.out>join! c.out>join join.out join.out",
	"long":                  "in>a a.x>b b.x>c c.x>d a.y>d a.z>c d.back>a",
	"split":                 "in>a b.out>c",
	"broad":                 "in>s s.all>a s.all>b s.all>c s.all>d",
	"two back":              "in>a a.o>b b.o>c c.r>a c.s>b b.q>a",
	"unicode":               "in>研究 研究.out>критик критик.out>e\u0301 e\u0301.\u202eout",
	"long back to the side": "in>a a.o>b! b.o>c c.o>d d.o>b c.p>a",
}

// TestDrawings compares with drawings that were looked at; each line of a drawing has no control characters.
func TestDrawings(t *testing.T) {
	for name, text := range drawings {
		t.Run(name, func(t *testing.T) {
			g := parse(text)
			var b strings.Builder
			for _, ascii := range []bool{false, true} {
				lines, ok := Draw(g, 150, ascii)
				if !ok {
					t.Fatal("it does not fit")
				}
				for _, l := range append(lines, "") {
					if cell.Sanitize(l) != l {
						t.Errorf("unsafe line %q", l)
					}
					b.WriteString(l + "\n")
				}
			}
			b.WriteString(strings.Join(append(List(g, false), Mermaid(g)...), "\n") + "\n")
			path := filepath.Join("testdata", strings.ReplaceAll(name, " ", "_")+".txt")
			if *update {
				if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if b.String() != string(want) {
				t.Errorf("got\n%s", b.String())
			}
		})
	}
}

func TestWhatDoesNotFit(t *testing.T) {
	g := parse(drawings["chain"])
	lines, ok := Draw(g, 150, false)
	w := 0
	for _, l := range lines {
		w = max(w, cell.Width(l))
	}
	if !ok {
		t.Fatal("it fits in 150")
	}
	if _, ok := Draw(g, w, false); !ok {
		t.Errorf("it fits in its own width %d", w)
	}
	if _, ok := Draw(g, w-1, false); ok {
		t.Errorf("it does not fit in %d", w-1)
	}
	if _, ok := Draw(Graph{}, 100, false); ok {
		t.Error("nothing is no drawing")
	}
	var many Graph
	for i := range MaxNodes + 1 {
		many.Nodes = append(many.Nodes, Node{ID: fmt.Sprint(i)})
	}
	if _, ok := Draw(many, 1<<20, false); ok {
		t.Error("too many nodes are drawn")
	}
}

// Whatever the graph: every agent and port is in the drawing, boxes do not cut each other, and every edge arrives.
func TestDrawAnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		var words []string
		arrive := map[string]bool{}
		for i := range n {
			words = append(words, fmt.Sprintf("n%02d:0", i))
		}
		if rapid.Bool().Draw(t, "input") {
			words = append(words, "in>n00")
			arrive["n00"] = true
		}
		for i := range rapid.IntRange(0, 20).Draw(t, "edges") {
			to := fmt.Sprintf("n%02d", rapid.IntRange(0, n-1).Draw(t, "to"))
			arrive[to] = true
			words = append(words, fmt.Sprintf("n%02d.p%d>%s", rapid.IntRange(0, n-1).Draw(t, "from"), i%3, to))
		}
		g := parse(strings.Join(words, " "))
		lines, ok := Draw(g, 1<<20, false)
		if !ok {
			t.Fatal("no drawing")
		}
		all := strings.Join(lines, "\n")
		arrows := strings.Count(all, "▶")
		if arrows != len(arrive) {
			t.Fatalf("%d arrows for %d targets\n%s", arrows, len(arrive), all)
		}
		corners := strings.Count(all, "▶│")
		if corners != len(arrive) {
			t.Fatalf("an arrow does not end at a box\n%s", all)
		}
		for _, node := range g.Nodes {
			if strings.Count(all, "│ "+node.ID) != 1 {
				t.Fatalf("%s is not there once\n%s", node.ID, all)
			}
		}
	})
}

func BenchmarkDraw(b *testing.B) {
	var words []string
	for i := range MaxNodes {
		words = append(words, fmt.Sprintf("n%02d.a>n%02d n%02d.b>n%02d", i, (i*7+1)%MaxNodes, i, (i*3+2)%MaxNodes))
	}
	g := parse(strings.Join(words, " "))
	b.ReportAllocs()
	for b.Loop() {
		Draw(g, 1<<20, false)
	}
}

// What waits stands where the edges of a port begin, and is left out before the drawing is given up.
func TestDepths(t *testing.T) {
	g := Graph{Input: "a", Tag: "t", Nodes: []Node{
		{ID: "a", Ports: []Port{{Name: "out", Wired: true}, {Name: "log", Wired: true}}},
		{ID: "b", Queue: 12}, {ID: "c", Queue: 3},
	}, Edges: []Edge{
		{From: "a", Port: "out", To: "b", Depth: 12, Active: true}, {From: "a", Port: "out", To: "c", Depth: 2}, {From: "a", Port: "log", To: "c"},
	}}
	lines, ok := Draw(g, 60, false)
	if !ok {
		t.Fatal("it does not fit")
	}
	text := strings.Join(lines, "\n")
	if !strings.Contains(text, "out ├14") || strings.Contains(text, "log ├0") {
		t.Errorf("14 messages wait on the edges of out and none on those of log:\n%s", text)
	}
	width := 0
	for _, l := range lines {
		width = max(width, cell.Width(l))
	}
	lines, ok = Draw(g, width-1, false)
	if text = strings.Join(lines, "\n"); !ok || strings.Contains(text, "14") {
		t.Errorf("one cell less, and there is no drawing without the number: %v\n%s", ok, text)
	}
}
