// Package layout decides where everything on the screen stands. It is one pure function from a size, a view's mode, the
// focus and the sizes that a user gave panes to rectangles; it draws nothing, knows no theme and no content, and imports
// nothing of ours. Moving a border is another pure function, from sizes to sizes.
//
// Four kinds of screen: wide (all panes side by side), medium (two columns), narrow (one pane and a line of tabs) and
// tiny (one pane without a border). Whatever the size and whatever the user gave panes, the rectangles cover the screen,
// do not overlap, the pane that has the focus is there, and every pane keeps a minimum.
package layout

// Rect is a rectangle of cells; X and Y count from the upper left corner of the screen.
type Rect struct{ X, Y, W, H int }

// Empty says that there is no cell in r.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains says whether the cell at x, y lies in r, for the mouse.
func (r Rect) Contains(x, y int) bool { return x >= r.X && x < r.X+r.W && y >= r.Y && y < r.Y+r.H }

// Pane names a place for content. What it shows is the view's business.
type Pane uint8

// The panes of the debug view, and those of all other views.
const (
	Agents Pane = iota
	Events
	Inspector
	Inbox
	Main   // the list or drawing of a view
	Detail // what belongs to the selected thing
)

// String is the pane's name for tabs and titles.
func (p Pane) String() string {
	return [...]string{"Agents", "Events", "Inspector", "Inbox", "Main", "Detail"}[min(p, Detail)]
}

// Mode says which panes a view has.
type Mode uint8

// The modes.
const (
	Debug  Mode = iota // agents, events, inspector over inbox (page 07)
	Split              // a list or drawing beside or over its detail
	Single             // one pane
)

// Panes lists the panes of a mode in the order in which Tab goes through them.
func (m Mode) Panes() []Pane {
	switch m {
	case Debug:
		return []Pane{Agents, Events, Inspector, Inbox}
	case Split:
		return []Pane{Main, Detail}
	}
	return []Pane{Main}
}

// Kind is what fits into a size.
type Kind uint8

// The kinds of screen, smallest first.
const (
	Tiny Kind = iota
	Narrow
	Medium
	Wide
)

// The breakpoints in cells: the smallest width of each kind, and the smallest size that still has borders.
const (
	WideFrom   = 120
	MediumFrom = 61
	NarrowFrom = 20
	BorderFrom = 6 // rows
)

// KindOf is the kind of a screen of w by h cells.
func KindOf(w, h int) Kind {
	switch {
	case w < NarrowFrom || h < BorderFrom:
		return Tiny
	case w < MediumFrom:
		return Narrow
	case w < WideFrom:
		return Medium
	}
	return Wide
}

// Input is what a layout depends on. W and H are in cells; less than zero counts as zero. A focus that the mode does
// not have counts as the mode's first pane.
type Input struct {
	W, H  int
	Mode  Mode
	Focus Pane
	Zoom  bool  // the focused pane has the body to itself
	Sizes Sizes // what the user gave panes; the zero value is the built-in layout
}

// Placed is a pane on the screen.
type Placed struct {
	Pane     Pane
	Outer    Rect // with its border
	Inner    Rect // what content has; may be empty
	Bare     bool // no border: Inner is Outer
	Joined   bool // the top border joins the pane above
	NoBottom bool // the pane below brings the border
}

// Screen is a finished layout. Rectangles that are not there are empty.
type Screen struct {
	Kind   Kind
	Header Rect // one or two lines: flow, mode, position, hash, ledger
	Tabs   Rect // names of the panes of which only one is visible
	Panes  []Placed
	Stop   Rect // why we stopped
	Keys   Rect // the keys that work here

	Dividers []Divider // the borders that can be moved
}

// Find returns the place of a pane; ok is false when it is not visible.
func (s Screen) Find(p Pane) (Placed, bool) {
	for _, x := range s.Panes {
		if x.Pane == p {
			return x, true
		}
	}
	return Placed{}, false
}

// At returns the pane under a cell, for the mouse.
func (s Screen) At(x, y int) (Placed, bool) {
	for _, p := range s.Panes {
		if p.Outer.Contains(x, y) {
			return p, true
		}
	}
	return Placed{}, false
}
