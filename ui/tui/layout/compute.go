package layout

import "slices"

// Compute places everything on a screen.
func Compute(in Input) Screen {
	in.W, in.H = max(in.W, 0), max(in.H, 0)
	panes := in.Mode.Panes()
	if !slices.Contains(panes, in.Focus) {
		in.Focus = panes[0]
	}
	s := Screen{Kind: KindOf(in.W, in.H)}
	body := s.bars(in, len(panes) > 1)
	switch {
	case body.Empty():
	case s.Kind == Tiny:
		s.Panes = []Placed{{Pane: in.Focus, Outer: body, Inner: body, Bare: true}}
	case s.Kind == Narrow || in.Zoom || in.Mode == Single:
		s.column(body, in.Focus, item{in.Focus, 1})
	case in.Mode == Split:
		s.split(in, body)
	case s.Kind == Medium:
		left := body.W * 45 / 100
		s.column(Rect{body.X, body.Y, left, body.H}, in.Focus, item{Agents, 1}, item{Events, 2})
		s.column(Rect{body.X + left, body.Y, body.W - left, body.H}, in.Focus, item{Inspector, 3}, item{Inbox, 1})
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
	agents := min(max(body.W/5, 24), 36)
	right := body.W * 38 / 100
	s.column(Rect{body.X, body.Y, agents, body.H}, in.Focus, item{Agents, 1})
	s.column(Rect{body.X + agents, body.Y, body.W - agents - right, body.H}, in.Focus, item{Events, 1})
	s.column(Rect{body.X + body.W - right, body.Y, right, body.H}, in.Focus, item{Inspector, 3}, item{Inbox, 1})
}

// split puts the detail beside the main pane where there is room, else below it.
func (s *Screen) split(in Input, body Rect) {
	if s.Kind == Wide {
		left := body.W * 60 / 100
		s.column(Rect{body.X, body.Y, left, body.H}, in.Focus, item{Main, 1})
		s.column(Rect{body.X + left, body.Y, body.W - left, body.H}, in.Focus, item{Detail, 1})
		return
	}
	s.column(body, in.Focus, item{Main, 3}, item{Detail, 2})
}

// item is a pane in a column with its share of the height.
type item struct {
	pane  Pane
	share int
}

// minRows is the least height of a pane in a column: its top border and three lines.
const minRows = 4

// column stacks panes in r. They share the borders between them; when there is no room for all, the focused one (or
// the first) has the column to itself.
func (s *Screen) column(r Rect, focus Pane, items ...item) {
	if r.Empty() {
		return
	}
	if len(items) > 1 && r.H < minRows*len(items)+1 {
		keep := items[0]
		for _, it := range items {
			if it.pane == focus {
				keep = it
			} else if it.share > keep.share && keep.pane != focus {
				keep = it
			}
		}
		items = []item{keep}
	}
	total := 0
	for _, it := range items {
		total += it.share
	}
	// The last line is the bottom border of the last pane; the rest is shared out.
	lines, y := r.H-1, r.Y
	for i, it := range items {
		h := max(lines*it.share/total, minRows)
		last := i == len(items)-1
		if last {
			h = r.Y + r.H - 1 - y
		} else {
			h = min(h, r.Y+r.H-1-y-minRows*(len(items)-1-i))
		}
		p := Placed{Pane: it.pane, Outer: Rect{r.X, y, r.W, h}, Joined: i > 0, NoBottom: !last}
		if last {
			p.Outer.H++
		}
		p.inside()
		s.Panes = append(s.Panes, p)
		y += h
	}
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
