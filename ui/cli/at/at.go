// Package at is the flag --at of the commands that look at a run as of a position.
package at

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/cli/out"
)

// Usage is the flag's line in help.
const Usage = "the `position`: 12 (12 events are applied, event 12 is next), e12 (behind event 12), start, end, or a mark by its name (default: end)"

// Place is the value of the flag: any place of a run but the end of a step, which has a flag of its own.
type Place struct {
	place debug.Place
	mark  *debug.Mark // that the place names, once it was found
	bare  error       // why a mark's name without its quote is no other place
}

// Set reads what debug.ParsePlace reads, steps excepted. A mark needs no quote before its name: a shell takes it away.
func (p *Place) Set(text string) error {
	place, err := debug.ParsePlace(text)
	if err != nil && debug.CheckMarkName(text) == nil {
		p.bare = err
		place, err = debug.Place{Kind: debug.PlaceMark, Name: text}, nil
	}
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

// Find looks a mark up among those that are kept; without one nothing is read. It comes before Pos and In.
func (p *Place) Find(kept func() ([]debug.Mark, error)) error {
	if p.place.Kind != debug.PlaceMark {
		return nil
	}
	list, err := kept()
	if err != nil {
		return out.Bad("--at %s: %w", p, err)
	}
	var names []string
	for i := range list {
		if list[i].Name == p.place.Name {
			p.mark = &list[i]
			return nil
		}
		names = append(names, list[i].Name)
	}
	none := fmt.Errorf("there is no mark of that name%s; flowdbg marks lists them", out.DidYouMean(p.place.Name, names))
	if p.bare != nil {
		return out.Bad("--at: %w; %w", p.bare, none)
	}
	return out.Bad("--at %s: %w", p, none)
}

// Complete makes the shell's completion of the flag: the names of marks, with what they name. kept reads the marks for
// the arguments that are there already; what it cannot read completes nothing.
func Complete(kept func(args []string) ([]debug.Mark, error)) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		list := []string{"start", "end"}
		if len(args) == 0 || slices.Contains(args, "-") { // standard input is not the shell's to read
			return list, cobra.ShellCompDirectiveNoFileComp
		}
		marks, _ := kept(args)
		for i := range marks {
			if _, err := debug.ParsePlace(marks[i].Name); err != nil { // another place of that name goes first
				list = append(list, cobra.CompletionWithDesc(marks[i].Name, marks[i].Where()))
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// Note is what has to be told although the place is there: the marked event has other values now. "" is nothing.
func (p *Place) Note(log trace.Log) string {
	if p.mark == nil || p.mark.In(log) != debug.MarkDiffers {
		return ""
	}
	return fmt.Sprintf("--at %s: %s, has other values than the one that was marked", p, p.mark.Where())
}

// Pos is the position in a run of total events; it may lie behind what exists.
func (p *Place) Pos(total int) int {
	if p.mark != nil {
		return p.mark.Pos()
	}
	return p.place.Pos(total)
}

// In is Pos where the position has to be there: an error of usage when it is not, or when a mark's event is another one.
func (p *Place) In(log trace.Log) (int, error) {
	total := log.Len()
	pos := p.Pos(total)
	switch {
	case p.mark != nil && p.mark.In(log) == debug.MarkGone:
		return 0, out.Bad("--at %s: %w", p, fmt.Errorf("%s, is %w", p.mark.Where(), debug.ErrMarkGone))
	case pos <= total:
		return pos, nil
	case p.place.Kind == debug.PlaceEvent:
		return 0, out.Bad("--at %s: there is no such event; there are %d, from 0", p, total)
	}
	return 0, out.Bad("--at %s: there are positions 0 to %d", p, total)
}
