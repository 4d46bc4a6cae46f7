package layout

import "slices"

// Compute places everything on a screen.
func Compute(in Input) Screen {
	in.W, in.H = max(in.W, 0), max(in.H, 0)
	all := in.Mode.Panes()
	if !slices.Contains(all, in.Focus) {
		in.Focus = all[0]
	}
	s := Screen{Kind: KindOf(in.W, in.H)}
	body := s.bars(in, len(all) > 1)
	switch {
	case body.Empty():
	case s.Kind == Tiny:
		s.Panes = []Placed{{Pane: in.Focus, Outer: body, Inner: body, Bare: true}}
	case s.Kind == Narrow || in.Zoom || in.Mode == Single:
		s.column(body, in, nBorders, item{in.Focus, 1})
	case in.Mode == Split:
		s.split(in, body)
	case s.Kind == Medium:
		s.medium(in, body)
	default:
		s.wide(in, body)
	}
	return s
}

// bars takes the lines above and below the body. The fewer lines there are, the fewer of them are bars: the header
// goes first on a screen of one line, then the keys, then why we stopped.
func (s *Screen) bars(in Input, several bool) (body Rect) {
	body = Rect{0, 0, in.W, in.H}
	if in.W == 0 || in.H == 0 {
		return body
	}
	top := func(n int) (r Rect) {
		r = Rect{0, body.Y, in.W, n}
		body.Y, body.H = body.Y+n, body.H-n
		return r
	}
	bottom := func() (r Rect) {
		body.H--
		return Rect{0, body.Y + body.H, in.W, 1}
	}
	if in.H >= 2 {
		header := 1
		if s.Kind >= Narrow && s.Kind < Wide && in.H >= 20 {
			header = 2 // position and ledger do not fit into one line there
		}
		s.Header = top(header)
	}
	if in.H >= 3 {
		s.Keys = bottom()
	}
	if in.H >= 5 {
		s.Stop = bottom()
	}
	if s.Kind == Narrow && several && in.H >= 8 {
		s.Tabs = top(1)
	}
	return body
}

// wide has three columns: agents, events, inspector over inbox.
func (s *Screen) wide(in Input, body Rect) {
	right := cells(in.Sizes[RightWidth], body.W, body.W*38/100, minCols, body.W-2*minCols)
	agents := cells(in.Sizes[AgentsWidth], body.W, min(max(body.W/5, 24), 36), minCols, body.W-right-minCols)
	if agents+minCols > body.W-right { // the built-in width beside a right column that was made wide
		agents = body.W - right - minCols
	}
	s.stand(Divider{Border: AgentsWidth, before: panes(Agents), after: panes(Events), At: body.X + agents,
		Min: body.X + minCols, Max: body.X + body.W - right - minCols}, body)
	s.stand(Divider{Border: RightWidth, before: panes(Events), after: panes(Inspector, Inbox), At: body.X + body.W - right,
		Min: body.X + agents + minCols, Max: body.X + body.W - minCols, Reversed: true}, body)
	s.column(Rect{body.X, body.Y, agents, body.H}, in, nBorders, item{Agents, 1})
	s.column(Rect{body.X + agents, body.Y, body.W - agents - right, body.H}, in, nBorders, item{Events, 1})
	s.column(Rect{body.X + body.W - right, body.Y, right, body.H}, in, InspectorHeight, item{Inspector, 3}, item{Inbox, 1})
}

// medium has two columns: agents over events, inspector over inbox.
func (s *Screen) medium(in Input, body Rect) {
	left := cells(in.Sizes[LeftWidth], body.W, body.W*45/100, minCols, body.W-minCols)
	s.stand(Divider{Border: LeftWidth, before: panes(Agents, Events), after: panes(Inspector, Inbox), At: body.X + left,
		Min: body.X + minCols, Max: body.X + body.W - minCols}, body)
	s.column(Rect{body.X, body.Y, left, body.H}, in, AgentsHeight, item{Agents, 1}, item{Events, 2})
	s.column(Rect{body.X + left, body.Y, body.W - left, body.H}, in, InspectorHeight, item{Inspector, 3}, item{Inbox, 1})
}

// split puts the detail beside the main pane where there is room, else below it.
func (s *Screen) split(in Input, body Rect) {
	if s.Kind != Wide {
		s.column(body, in, MainHeight, item{Main, 3}, item{Detail, 2})
		return
	}
	left := cells(in.Sizes[MainWidth], body.W, body.W*60/100, minCols, body.W-minCols)
	s.stand(Divider{Border: MainWidth, before: panes(Main), after: panes(Detail), At: body.X + left,
		Min: body.X + minCols, Max: body.X + body.W - minCols}, body)
	s.column(Rect{body.X, body.Y, left, body.H}, in, nBorders, item{Main, 1})
	s.column(Rect{body.X + left, body.Y, body.W - left, body.H}, in, nBorders, item{Detail, 1})
}

// stand notes an upright border between two columns of the body. Both columns have an edge there.
func (s *Screen) stand(d Divider, body Rect) {
	d.Vertical, d.from, d.span = true, body.X, body.W
	d.Rect = Rect{d.At - 1, body.Y, 2, body.H}
	s.Dividers = append(s.Dividers, d)
}

// item is a pane in a column with its share of the height.
type item struct {
	pane  Pane
	share int
}

// column stacks one or two panes in r; border is what stands between two. They share the lines of that border; when there
// is no room for both, the focused one (or the one with the greater built-in share) has the column to itself.
func (s *Screen) column(r Rect, in Input, border Border, items ...item) {
	if r.Empty() {
		return
	}
	if len(items) > 1 && r.H < minRows*len(items)+1 {
		keep := items[0]
		for _, it := range items {
			if it.pane == in.Focus {
				keep = it
			} else if it.share > keep.share && keep.pane != in.Focus {
				keep = it
			}
		}
		items = []item{keep}
	}
	if len(items) == 1 {
		s.place(Placed{Pane: items[0].pane, Outer: r})
		return
	}
	// The last line is the bottom border of the lower pane; the rest is shared out.
	upper, lower, lines := items[0], items[1], r.H-1
	least, most := minRows, lines-minRows
	builtin := min(max(lines*upper.share/(upper.share+lower.share), least), most)
	h := cells(in.Sizes[border], lines, builtin, least, most)
	s.place(Placed{Pane: upper.pane, Outer: Rect{r.X, r.Y, r.W, h}, NoBottom: true})
	s.place(Placed{Pane: lower.pane, Outer: Rect{r.X, r.Y + h, r.W, r.H - h}, Joined: true})
	s.Dividers = append(s.Dividers, Divider{Border: border, before: panes(upper.pane), after: panes(lower.pane), At: r.Y + h,
		Min: r.Y + least, Max: r.Y + most, from: r.Y, span: lines, Rect: Rect{r.X, r.Y + h, r.W, 1}})
}

// place adds a pane to the screen.
func (s *Screen) place(p Placed) {
	p.inside()
	s.Panes = append(s.Panes, p)
}

// inside works out what a border leaves; a pane too small for one is bare.
func (p *Placed) inside() {
	o := p.Outer
	if o.W < 3 || o.H < 3 {
		p.Bare, p.Joined, p.NoBottom, p.Inner = true, false, false, o
		return
	}
	p.Inner = Rect{o.X + 1, o.Y + 1, o.W - 2, o.H - 2}
	if p.NoBottom {
		p.Inner.H++
	}
}
