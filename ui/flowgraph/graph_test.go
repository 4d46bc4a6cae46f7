package flowgraph

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/ui/tui/cell"

	"pgregory.net/rapid"
)

var update = flag.Bool("update", false, "rewrite the golden drawings")

func plain(d Drawing) string {
	var b strings.Builder
	for _, row := range d.Rows {
		line := ""
		for _, s := range row {
			line += s.Text
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func names(s string) (out []Node) {
	for _, n := range strings.Fields(s) {
		out = append(out, Node{Name: n})
	}
	return out
}

// TestDrawings compares drawings with files.
func TestDrawings(t *testing.T) {
	for name, c := range map[string]struct {
		nodes []Node
		edges []Edge
		cs    cell.Charset
	}{
		"one":      {names("alone"), nil, cell.Unicode},
		"pipeline": {names("input researcher critic writer"), []Edge{{0, 1, 0, false}, {1, 2, 2, true}, {2, 3, 0, false}}, cell.Unicode},
		"ascii":    {names("input researcher critic writer"), []Edge{{0, 1, 0, false}, {1, 2, 2, true}, {2, 3, 0, false}, {3, 1, 1, true}}, cell.ASCII},
		"loop":     {names("input draft critic"), []Edge{{0, 1, 0, false}, {1, 2, 1, false}, {2, 1, 12, true}, {2, 2, 0, false}}, cell.Unicode},
		"diamond":  {names("router a b c join"), []Edge{{0, 1, 0, false}, {0, 2, 0, true}, {0, 3, 0, false}, {1, 4, 0, false}, {2, 4, 3, true}, {3, 4, 0, false}, {0, 4, 0, false}}, cell.Unicode},
	} {
		t.Run(name, func(t *testing.T) {
			d, ok := Draw(c.nodes, c.edges, 0, 0, c.cs)
			if !ok {
				t.Fatal("it was not drawn")
			}
			got, file := plain(d), filepath.Join("testdata", name+".txt")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			if _, ok := Draw(c.nodes, c.edges, 0, d.W-1, c.cs); ok {
				t.Error("it was drawn in less than it needs")
			}
		})
	}
}

func TestRefused(t *testing.T) {
	for name, draw := range map[string]func() bool{
		"nothing":   func() bool { _, ok := Draw(nil, nil, 0, 0, cell.Unicode); return ok },
		"bad edge":  func() bool { _, ok := Draw(names("a"), []Edge{{From: 0, To: 1}}, 0, 0, cell.Unicode); return ok },
		"bad root":  func() bool { _, ok := Draw(names("a"), nil, 1, 0, cell.Unicode); return ok },
		"too large": func() bool { _, ok := Draw(make([]Node, MaxNodes+1), nil, 0, 0, cell.Unicode); return ok },
	} {
		if draw() {
			t.Errorf("%s was drawn", name)
		}
	}
}

// TestAnyGraph: every row has the width of the drawing, every node is there, and every edge reaches a box by an arrow.
func TestAnyGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "nodes")
		nodes := make([]Node, n)
		for i := range nodes {
			nodes[i] = Node{Name: rapid.SampledFrom([]string{"a", "critic", "中文字", "\x1b[31m", "a-very-long-name-that-is-cut-somewhere"}).Draw(t, "name"), Note: "n"}
		}
		edges := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Edge {
			return Edge{rapid.IntRange(0, n-1).Draw(t, "from"), rapid.IntRange(0, n-1).Draw(t, "to"), rapid.IntRange(0, 200).Draw(t, "depth"), rapid.Bool().Draw(t, "active")}
		}), 0, 20).Draw(t, "edges")
		cs := rapid.SampledFrom([]cell.Charset{cell.Unicode, cell.ASCII}).Draw(t, "charset")
		d, ok := Draw(nodes, edges, 0, 0, cs)
		if !ok {
			t.Fatal("it was not drawn")
		}
		reached := map[int]bool{}
		for _, e := range edges {
			reached[e.To] = true
		}
		arrows := 0
		for y, row := range d.Rows {
			w := 0
			for _, s := range row {
				w += cs.Width(s.Text)
				if s.Role == Line || s.Role == ActiveLine {
					arrows += strings.Count(s.Text, map[cell.Charset]string{cell.Unicode: "▶", cell.ASCII: ">"}[cs])
				}
			}
			if w != d.W {
				t.Fatalf("row %d has %d cells of %d", y, w, d.W)
			}
		}
		if arrows != len(reached) {
			t.Fatalf("%d arrows for %d nodes that edges lead to:\n%s", arrows, len(reached), plain(d))
		}
	})
}

func BenchmarkDraw(b *testing.B) {
	nodes := make([]Node, 40)
	var edges []Edge
	for i := range nodes {
		nodes[i].Name = strings.Repeat("n", 1+i%12)
		edges = append(edges, Edge{From: i, To: (i*7 + 3) % 40}, Edge{From: i, To: (i + 1) % 40})
	}
	b.ReportAllocs()
	for b.Loop() {
		Draw(nodes, edges, 0, 0, cell.Unicode)
	}
}
