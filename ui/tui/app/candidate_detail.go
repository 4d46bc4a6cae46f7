package app

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/engine/typed"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/plot"
)

// candidateDrawn is everything that the text about a candidate depends on.
type candidateDrawn struct {
	gen, w int
	id     string
}

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

func (v *candidatesView) drawDetail(m *Model, w, h int) []string {
	sh := v.scatterHeight(h)
	var lines []string
	if sh > 0 && w > gutter+12 {
		lines = v.drawScatter(m, w, sh)
	}
	v.describe(m, w)
	return append(lines, v.detail.render(h-len(lines))...)
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
	sc := plot.Scatter{Width: w, Height: h}
	add := func(k int) {
		c := &v.ex.Candidates[k]
		px, okX := c.Metrics[x]
		py, okY := c.Metrics[y]
		if okX && okY {
			sc.Points = append(sc.Points, plot.Point{X: px, Y: py, Mark: '●'})
			s.shown = append(s.shown, k)
		}
	}
	chosen := -1
	if i := v.rows.Cursor(); i < len(v.order) {
		chosen = v.order[i]
		add(chosen) // of two at one place the first is drawn
	}
	first := len(s.shown)
	for _, k := range v.order { // by rank
		if k != chosen {
			add(k)
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
	b.Start(th.Charset, w, "")
	b.Skip(gutter)
	b.Put(g.Digits[0], th.Accent)
	b.Put(" front  ", th.Past)
	b.Put(g.Digits[1]+g.Digits[2], th.Text)
	b.Put(" behind it  ", th.Past)
	b.Put(g.Fail, th.Past)
	b.Put(" no rank", th.Past)
	return append(lines, b.Line())
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

func (l *pointList) Page(d int)            { l.v.detail.Page(d) }
func (l *pointList) Home()                 { l.Move(-len(l.v.order)) }
func (l *pointList) End()                  { l.Move(len(l.v.order)) }
func (l *pointList) Scroll(d int)          { l.v.detail.Scroll(d) }
func (l *pointList) Thumb() (from, to int) { return 0, 0 }
func (l *pointList) RowAt(int) (int, bool) { return 0, false }
func (l *pointList) SetCursor(i int)       { l.v.rows.SetCursor(i) }
func (l *pointList) Len() int              { return len(l.v.order) }

// describe writes all that was said of the selected candidate.
func (v *candidatesView) describe(m *Model, w int) {
	now := candidateDrawn{gen: v.gen, w: w}
	x := v.selected()
	if x != nil {
		now.id = x.ID
	}
	if now == v.drawn {
		return
	}
	top := now.id != v.drawn.id
	v.drawn = now
	p := &prose{m: m, w: w}
	if w >= nameWidth+8 && v.ex != nil {
		if x != nil {
			v.describeOne(p, x)
		}
		for _, n := range v.ex.Notes {
			p.say(m.th.Warn, "! %s", n)
		}
	}
	v.detail.set(p.lines, top)
}

func (v *candidatesView) describeOne(p *prose, x *typed.Candidate) {
	th := p.m.th
	p.head(x.ID)
	p.field("status", string(x.Status), th.Text)
	if x.Why != "" {
		p.field("why", x.Why, th.Warn)
	}
	if x.Intent != "" {
		p.field("intent", x.Intent, th.Past)
	}
	for i := range x.Goals {
		v.goal(p, &x.Goals[i])
	}
	v.standing(p, x)
	if len(x.Checks) > 0 {
		p.head("gate " + x.Gate)
	}
	for i := range x.Checks {
		c := &x.Checks[i]
		mark, st := th.Glyph.Pass, th.Good
		switch c.Verdict {
		case contract.CheckFail:
			mark, st = th.Glyph.Fail, th.Bad
		case contract.CheckWarn:
			mark, st = "!", th.Warn
		case contract.CheckMissing, contract.CheckNotComparable:
			mark, st = th.Glyph.Unknown, th.Warn
		}
		text := fmt.Sprintf("%s %s %g", c.Metric, c.Op, c.Limit)
		if c.Actual != nil {
			text += fmt.Sprintf("  is %s", figure(*c.Actual))
		}
		if c.Margin != nil {
			text += fmt.Sprintf(", margin %s", figure(*c.Margin))
		}
		if c.Reason != "" {
			text += ": " + c.Reason
		}
		p.say(st, "%s %s", mark, text)
	}
	v.certificate(p, x)
	deltas(p, x)
	p.head("recognised")
	for i := range x.Items {
		it := &x.Items[i]
		p.say(th.Text, "event %d  %s", it.Event, it.Kind)
		p.say(th.Past, "  %s", it.How)
	}
	if len(x.Items) == 0 {
		p.say(th.Past, "only in candidate sets, which are requests of judge")
	}
}

func (v *candidatesView) goal(p *prose, g *typed.Goal) {
	th := p.m.th
	mark, st := th.Glyph.Dot, th.Past
	switch g.Outcome {
	case contract.GoalMet:
		mark, st = th.Glyph.Pass, th.Good
	case contract.GoalMissed:
		mark, st = th.Glyph.Fail, th.Bad
	}
	text := g.Metric + " " + string(g.Claim)
	switch {
	case g.Before != nil && g.After != nil:
		text += fmt.Sprintf("  %s → %s", figure(*g.Before), figure(*g.After))
	case g.After != nil:
		text += "  is " + figure(*g.After)
	}
	if g.Outcome == contract.GoalUndecidable {
		text += "  undecidable: " + g.Reason
	}
	p.field("goal", mark+" "+text, st)
}

// standing is where the candidate stands among the others.
func (v *candidatesView) standing(p *prose, x *typed.Candidate) {
	th := p.m.th
	if x.Rank != nil {
		text := fmt.Sprintf("%d", *x.Rank)
		if x.Crowding != nil {
			text += fmt.Sprintf(", crowding %.3g", *x.Crowding)
		} else {
			text += ", at the edge of its front"
		}
		p.field("rank", text, th.Text)
	}
	if x.Regret != nil {
		p.field("regret", fmt.Sprintf("%.3f", *x.Regret), th.Text)
	}
	if len(x.Alike) > 0 {
		p.field("alike", "not resolved from "+strings.Join(x.Alike, ", "), th.Warn)
	}
	names := make([]string, 0, len(x.Metrics))
	for name := range x.Metrics {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		p.field(map[bool]string{true: "measured"}[i == 0], name+" "+figure(x.Metrics[name]), th.Text)
	}
}

func (v *candidatesView) certificate(p *prose, x *typed.Candidate) {
	c := x.Certificate
	if c == nil {
		return
	}
	th := p.m.th
	p.head("certificate")
	p.field("signed by", c.SignedBy+" at "+string(c.SignedAt), th.Text)
	rank := "none"
	if c.ParetoPosition.Rank != nil {
		rank = fmt.Sprint(*c.ParetoPosition.Rank)
	}
	p.field("said", fmt.Sprintf("%s, rank %s among %d then", c.GateResult.Verdict, rank, c.ParetoPosition.Candidates), th.Text)
	p.field("id", c.ID, th.Past)
	if c.ToolName != "" {
		p.field("tool", strings.TrimSpace(c.ToolName+" "+c.ToolVersion), th.Past)
	}
}

// deltas sum up what was claimed of the design and what was measured.
func deltas(p *prose, x *typed.Candidate) {
	if x.Claimed == nil && x.Delta == nil {
		return
	}
	p.head("design delta")
	for _, d := range []struct {
		name  string
		delta *contract.DesignDelta
	}{{"claimed", x.Claimed}, {"measured", x.Delta}} {
		if d.delta != nil {
			p.field(d.name, deltaText(d.delta), p.m.th.Text)
		}
	}
}

// deltaText is a delta in one line.
func deltaText(d *contract.DesignDelta) string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{len(d.MovedCells), "moved"}, {len(d.ResizedCells), "resized"}, {len(d.PlacedCells), "placed"}, {len(d.UnplacedCells), "unplaced"},
		{len(d.AddedCells), "added"}, {len(d.RemovedCells), "removed"}, {len(d.RenamedCells), "renamed"}, {len(d.NewNets), "nets"},
		{len(d.TimingChanges), "timing"}, {len(d.DRCChanges), "DRC"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	text := strings.Join(parts, ", ")
	if text == "" {
		text = "changes nothing"
	}
	if len(d.NotMeasured) > 0 {
		text += "; not measured: " + strings.Join(d.NotMeasured, ", ")
	}
	return text
}
