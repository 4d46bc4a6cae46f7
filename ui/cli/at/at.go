// Package at is the flag --at of the commands that look at a run as of a position.
package at

import (
	"errors"

	"flowdbg/engine/debug"
	"flowdbg/ui/cli/out"
)

// Usage is the flag's line in help.
const Usage = "the `position`: 12 (12 events are applied, event 12 is next), e12 (behind event 12), start or end (default: end)"

// Place is the value of the flag: any place of a run but the end of a step, which has a flag of its own.
type Place struct{ place debug.Place }

// Set reads what debug.ParsePlace reads, steps excepted.
func (p *Place) Set(text string) error {
	place, err := debug.ParsePlace(text)
	if err == nil && place.Kind == debug.PlaceStep {
		err = errors.New("a step is no position; --step goes to its end where there is that flag")
	}
	p.place = place
	return err
}

// String is the place as it can be set, "" as long as it is none.
func (p *Place) String() string {
	if p.place == (debug.Place{}) {
		return ""
	}
	return p.place.String()
}

// Type is the word for the value in help.
func (p *Place) Type() string { return "position" }

// Pos is the position in a run of total events; it may lie behind what exists.
func (p *Place) Pos(total int) int { return p.place.Pos(total) }

// In is Pos where the position has to be there: an error of usage when it is not.
func (p *Place) In(total int) (int, error) {
	pos := p.place.Pos(total)
	switch {
	case pos <= total:
		return pos, nil
	case p.place.Kind == debug.PlaceEvent:
		return 0, out.Bad("--at %s: there is no such event; there are %d, from 0", p, total)
	}
	return 0, out.Bad("--at %s: there are positions 0 to %d", p, total)
}
