package trace

import "context"

// Side names one of two traces that are compared.
type Side int

// The sides.
const (
	RecordedSide Side = iota
	GotSide
)

// AlignedPlace is a place in two traces that were aligned: how many events of each are applied there, and where they part.
type AlignedPlace struct {
	Recorded, Got         int
	PartRecorded, PartGot int  // positions before the first event that differs; the ends when none does
	Differ                bool // an event before this place differs
}

// AlignAt finds the place in both traces where pos events of one side are applied, as Diff aligns them; a pos below 0 is
// the place behind the first event that differs (not in clock fields alone, when there is another).
func AlignAt(ctx context.Context, recorded, got Log, side Side, pos int, progress Progress) (AlignedPlace, error) {
	d := newDiffer(ctx, recorded, got, DiffOptions{MaxHunks: 1, MaxLines: 1}, progress)
	a := aligner{side: side, pos: pos}
	d.each = a.line
	if err := d.run(); err != nil {
		return AlignedPlace{}, err
	}
	d.end()
	return a.end(recorded.Len(), got.Len()), nil
}

// aligner follows the aligned lines up to a place.
type aligner struct {
	side  Side
	pos   int
	at    [2]int // positions behind the last line
	part  [2]int
	apart bool

	place  AlignedPlace
	found  bool
	clocks bool // the place is only behind clock fields so far
}

// line takes the next line; done is true when no further one matters.
func (a *aligner) line(l *DiffLine) (done bool) {
	if a.found && !a.clocks {
		return true
	}
	index := [2]int{l.Recorded, l.Got}
	if a.pos >= 0 && index[a.side] >= a.pos {
		a.found = true
		return true
	}
	if l.Op != OpEqual && !a.apart {
		a.apart, a.part = true, a.at
		for i, n := range index {
			if n >= 0 {
				a.part[i] = n
			}
		}
	}
	for i, n := range index {
		if n >= 0 {
			a.at[i] = n + 1
		}
	}
	switch {
	case a.pos >= 0:
		a.found = index[a.side] == a.pos-1
	case l.Op != OpEqual && (!a.found || l.Op != OpClock):
		a.found, a.clocks = true, l.Op == OpClock
		a.place.Recorded, a.place.Got = a.at[0], a.at[1]
	}
	return a.found && !a.clocks
}

// end is the place, of traces of so many events.
func (a *aligner) end(recorded, got int) AlignedPlace {
	p := a.place
	switch {
	case a.pos >= 0:
		p.Recorded, p.Got = a.at[0], a.at[1]
		if a.side == RecordedSide {
			p.Recorded = a.pos
		} else {
			p.Got = a.pos
		}
	case !a.found:
		p.Recorded, p.Got = recorded, got
	}
	p.PartRecorded, p.PartGot, p.Differ = a.part[0], a.part[1], a.apart
	if !a.apart {
		p.PartRecorded, p.PartGot = p.Recorded, p.Got
	}
	return p
}
