package layout

// Border is a line between panes that can be moved. Each belongs to one arrangement: what is chosen for a wide screen does
// not change a narrow one.
type Border uint8

// The borders. A width is a share of the body's width, a height one of a column's lines.
const (
	AgentsWidth     Border = iota // the column of agents, on wide screens
	RightWidth                    // the column of inspector and inbox, on wide screens
	LeftWidth                     // the column of agents and events, on medium screens
	AgentsHeight                  // agents above events, on medium screens
	InspectorHeight               // inspector above inbox
	MainWidth                     // the main pane beside its detail, on wide screens
	MainHeight                    // the main pane above its detail, on smaller ones
	nBorders
)

var borderNames = [nBorders]string{"agents-width", "right-width", "left-width", "agents-height", "inspector-height", "main-width", "main-height"}

// String is the border's name in files: what it gives a size, and in which direction.
func (b Border) String() string {
	if b >= nBorders {
		return "border"
	}
	return borderNames[b]
}

// Borders lists all borders in the order of their constants.
func Borders() []Border {
	list := make([]Border, nBorders)
	for i := range list {
		list[i] = Border(i)
	}
	return list
}

// Whole is the share that stands for all of a width or height.
const Whole = 1000

// Sizes are the shares that a user gave panes, by border, in thousandths of what is shared; 0 is the built-in size. Any
// number is harmless: a pane never gets less than its minimum.
type Sizes [nBorders]int

// The least that a pane in a column or row keeps, in cells, its border included.
const (
	minRows = 4  // the top border and three lines
	minCols = 16 // a border, a mark and a short name
)

// cells is a share of n cells, within bounds; 0 takes the built-in size, which is within them by its own rule.
func cells(share, n, builtin, least, most int) int {
	if share == 0 {
		return builtin
	}
	share = min(max(share, 0), Whole)
	return min(max(n*share/Whole, least), max(most, least))
}

// shareOf is the least share that gives size of n cells. It is exact for all screens narrower than a thousand cells.
func shareOf(size, n int) int { return min(max((size*Whole+n-1)/max(n, 1), 1), Whole) }

// Divider is a border as it stands on a screen.
type Divider struct {
	Border   Border
	Vertical bool // it stands upright and moves left and right
	Reversed bool // the share belongs to what is right of it or below it
	Rect     Rect // the cells of the border, for the mouse; an upright one has both panes' edges
	At       int  // the first column (or row) of what is after it
	Min, Max int  // where At may go
	from     int  // of the area that is shared: where it begins
	span     int  // and how many cells are shared
	before   paneSet
	after    paneSet
}

// paneSet has a bit for each pane.
type paneSet uint8

func panes(list ...Pane) (set paneSet) {
	for _, p := range list {
		set |= 1 << p
	}
	return set
}

// place is the share that puts the divider at a column or row.
func (d Divider) place(at int) int {
	at = min(max(at, d.Min), d.Max)
	if d.Reversed {
		return shareOf(d.from+d.span-at, d.span)
	}
	return shareOf(at-d.from, d.span)
}

// Move gives the sizes with which the divider stands at a column (or row), as near as the panes beside it allow.
func (d Divider) Move(s Sizes, at int) Sizes {
	if at = min(max(at, d.Min), d.Max); at != d.At {
		s[d.Border] = d.place(at)
	}
	return s
}

// DividerAt finds the border under a cell, for the mouse. Where two meet, the upright one counts.
func (s Screen) DividerAt(x, y int) (Divider, bool) {
	for _, vertical := range []bool{true, false} {
		for _, d := range s.Dividers {
			if d.Vertical == vertical && d.Rect.Contains(x, y) {
				return d, true
			}
		}
	}
	return Divider{}, false
}

// Divider finds a border of the screen; ok is false when it does not stand there.
func (s Screen) Divider(b Border) (Divider, bool) {
	for _, d := range s.Dividers {
		if d.Border == b {
			return d, true
		}
	}
	return Divider{}, false
}

// Beside says how many borders of a pane can be moved sideways and up or down.
func (s Screen) Beside(p Pane) (vertical, horizontal int) {
	for _, d := range s.Dividers {
		if side := d.side(p); side != 0 && d.Vertical {
			vertical++
		} else if side != 0 {
			horizontal++
		}
	}
	return vertical, horizontal
}

// side is -1 for a pane before the divider, 1 for one behind it, 0 for one that does not touch it.
func (d Divider) side(p Pane) int {
	switch bit := paneSet(1) << p; {
	case d.before&bit != 0:
		return -1
	case d.after&bit != 0:
		return 1
	}
	return 0
}

// Resize makes the focused pane dw columns wider and dh lines taller, at the cost of what is after it or, where that has
// nothing left to give, of what is before it. ok is false when nothing could be moved.
func Resize(in Input, dw, dh int) (s Sizes, ok bool) {
	s = in.Sizes
	for _, way := range []struct {
		by       int
		vertical bool
	}{{dw, true}, {dh, false}} {
		if way.by == 0 {
			continue
		}
		sc := Compute(in)
		for _, side := range []int{-1, 1} { // the border after the pane first
			moved := false
			for _, d := range sc.Dividers {
				if d.Vertical != way.vertical || d.side(in.Focus) != side {
					continue
				}
				next := d.Move(s, d.At-side*way.by)
				moved = moved || next != s
				s = next
			}
			if moved {
				ok = true
				break
			}
		}
		in.Sizes = s
	}
	return s, ok
}
