package app

import (
	"slices"

	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/plot"
)

// scatterDrawn is a drawn field and what it depends on.
type scatterDrawn struct {
	gen, w, h int
	id        string
	axes      [2]string

	field  [][]plot.Cell
	shown  []int // candidates, by the point's number
	bounds [4]float64
	x, y   int // of the selected point, -1 when it has none
}

// gutter is the room for the numbers left of the field.
const gutter = 8

// scatterHeight is how many lines of the pane the scatter has, axes included.
func (v *candidatesView) scatterHeight(h int) int {
	x, y := v.axisNames()
	if h < 8 || x == "" || y == "" {
		return 0
	}
	return min(h*45/100, 16)
}

// axisNames are the metrics of the scatter.
func (v *candidatesView) axisNames() (x, y string) {
	obj := v.objectives()
	x, y = v.axes[0], v.axes[1]
	if y == "" && len(obj) > 0 {
		y = obj[0].Metric
	}
	if x == "" && len(obj) > 1 {
		x = obj[1].Metric
	}
	return x, y
}

// scatterPoints are the candidates that have both metrics of the scatter, by rank.
type scatterPoints struct {
	gen  int
	axes [2]string
	of   []int // candidates
	at   []plot.Point
}

// locate finds the points once for what is known: a cursor that moves only changes which of them is drawn first.
func (v *candidatesView) locate(x, y string) {
	p := &v.points
	if p.of != nil && p.gen == v.gen && p.axes == [2]string{x, y} {
		return
	}
	*p = scatterPoints{gen: v.gen, axes: [2]string{x, y}, of: make([]int, 0, len(v.order)), at: make([]plot.Point, 0, len(v.order))}
	for _, k := range v.order {
		c := &v.ex.Candidates[k]
		px, okX := c.Metrics[x]
		py, okY := c.Metrics[y]
		if okX && okY {
			p.of, p.at = append(p.of, k), append(p.at, plot.Point{X: px, Y: py, Mark: '●'})
		}
	}
}

// plotted makes the field of the scatter, unless it is the one that is there.
func (v *candidatesView) plotted(w, h int) *scatterDrawn {
	x, y := v.axisNames()
	id := ""
	if c := v.selected(); c != nil {
		id = c.ID
	}
	s := &v.scatter
	if s.gen == v.gen && s.w == w && s.h == h && s.id == id && s.axes == [2]string{x, y} {
		return s
	}
	*s = scatterDrawn{gen: v.gen, w: w, h: h, id: id, axes: [2]string{x, y}, x: -1, y: -1}
	v.locate(x, y)
	chosen := -1
	if i := v.rows.Cursor(); i < len(v.order) {
		chosen = v.order[i]
	}
	at := slices.Index(v.points.of, chosen)
	first := 0
	sc := plot.Scatter{Width: w, Height: h, Points: make([]plot.Point, 0, len(v.points.of))}
	s.shown = make([]int, 0, len(v.points.of))
	if at >= 0 { // of two at one place the first is drawn
		sc.Points, s.shown, first = append(sc.Points, v.points.at[at]), append(s.shown, chosen), 1
	}
	for i, k := range v.points.of {
		if i != at {
			sc.Points, s.shown = append(sc.Points, v.points.at[i]), append(s.shown, k)
		}
	}
	s.field = sc.Field()
	s.bounds[0], s.bounds[1], s.bounds[2], s.bounds[3] = sc.Bounds()
	for r, row := range s.field {
		for c := range row {
			if first == 1 && row[c].Point == 0 {
				s.x, s.y = c, r
			}
		}
	}
	return s
}

// drawScatter draws the field with its axes; the selected point is named by marks on both axes, so that it is found without
// colour.
func (v *candidatesView) drawScatter(m *Model, w, h int) []string {
	th, g := m.th, m.th.Glyph
	fw, fh := w-gutter-2, h-3
	s := v.plotted(fw, fh)
	var b cell.Builder
	var lines []string
	for r, row := range s.field {
		b.Start(th.Charset, w, "")
		switch r {
		case 0:
			b.FieldRight(figure(s.bounds[3]), gutter-1, th.Past)
		case fh - 1:
			b.FieldRight(figure(s.bounds[2]), gutter-1, th.Past)
		default:
			b.Skip(gutter - 1)
		}
		if r == s.y {
			b.Put(g.Next, th.Accent)
		} else {
			b.Put(g.Edges.Vertical, th.Border)
		}
		for c, x := range row {
			if x.Point < 0 {
				b.Skip(1)
				continue
			}
			k := &v.ex.Candidates[s.shown[x.Point]]
			st := m.rankStyle(k)
			if r == s.y && c == s.x {
				st = th.Next.Over(th.Select)
			}
			b.Put(m.rankGlyph(k), st)
		}
		lines = append(lines, b.Line())
	}
	b.Start(th.Charset, w, "")
	b.Skip(gutter - 1)
	b.Put(g.Edges.BottomLeft, th.Border)
	for c := range fw {
		if c == s.x {
			b.Put(g.Up, th.Accent)
		} else {
			b.Put(g.Edges.Horizontal, th.Border)
		}
	}
	lines = append(lines, b.Line())
	b.Start(th.Charset, w, "")
	b.Skip(gutter)
	if len(s.shown) > 0 {
		b.Put(figure(s.bounds[0]), th.Past)
		hi := figure(s.bounds[1])
		b.To(gutter + fw - len(hi))
		b.Put(hi, th.Past)
	}
	lines = append(lines, b.Line())
	return append(lines, m.rankLegend(w))
}

// rankLegend says what the signs of the scatter mean.
func (m *Model) rankLegend(w int) string {
	th, g := m.th, m.th.Glyph
	// A digit between words reads as a number of things; in brackets it reads as a sign.
	sign := func(rank int) string {
		if th.Charset == cell.ASCII {
			return "(" + g.Digits[rank] + ")"
		}
		return g.Digits[rank]
	}
	var b cell.Builder
	b.Start(th.Charset, w, "")
	b.Skip(gutter)
	b.Put(sign(0), th.Accent)
	b.Put(" rank 0, the front  ", th.Past)
	b.Put(sign(1)+sign(2), th.Text)
	b.Put(" behind it  ", th.Past)
	b.Put(g.Fail, th.Past)
	b.Put(" no rank", th.Past)
	return b.Line()
}

// click selects the candidate of a point of the scatter.
func (v *candidatesView) click(_ *Model, p layout.Pane, x, y int) bool {
	s := &v.scatter
	c := x - gutter
	if p != layout.Detail || v.ex == nil || s.gen != v.gen || y < 0 || y >= len(s.field) || c < 0 || c >= len(s.field[y]) || s.field[y][c].Point < 0 {
		return false
	}
	if i := slices.Index(v.order, s.shown[s.field[y][c].Point]); i >= 0 {
		v.rows.SetCursor(i)
	}
	return true
}

// pointList walks the points of the scatter from left to right, and scrolls the text below by pages.
type pointList struct{ v *candidatesView }

// byX are the rows of the table whose candidates have a point, by x and then y.
func (l *pointList) byX() []int {
	v := l.v
	x, y := v.axisNames()
	var list []int
	for i, k := range v.order {
		c := &v.ex.Candidates[k]
		if _, ok := c.Metrics[x]; ok {
			if _, ok := c.Metrics[y]; ok {
				list = append(list, i)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b int) int {
		p, q := v.ex.Candidates[v.order[a]].Metrics, v.ex.Candidates[v.order[b]].Metrics
		switch {
		case p[x] != q[x]:
			return map[bool]int{true: -1, false: 1}[p[x] < q[x]]
		case p[y] != q[y]:
			return map[bool]int{true: -1, false: 1}[p[y] < q[y]]
		}
		return 0
	})
	return list
}

// Move goes to the next point.
func (l *pointList) Move(d int) {
	if l.v.ex == nil {
		return
	}
	list := l.byX()
	if len(list) == 0 {
		l.v.rows.Move(d)
		return
	}
	at := slices.Index(list, l.v.rows.Cursor())
	l.v.rows.SetCursor(list[min(max(at+d, 0), len(list)-1)])
}

func (l *pointList) Page(d int) { l.v.detail.Page(d) }

func (l *pointList) Home() { l.Move(-len(l.v.order)) }

func (l *pointList) End() { l.Move(len(l.v.order)) }

func (l *pointList) Scroll(d int) { l.v.detail.Scroll(d) }

func (l *pointList) Thumb() (from, to int) { return 0, 0 }

func (l *pointList) RowAt(int) (int, bool) { return 0, false }

func (l *pointList) SetCursor(i int) { l.v.rows.SetCursor(i) }

func (l *pointList) Len() int { return len(l.v.order) }
