package session

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/cli/show"
)

// sideName is what a side of a comparison is called.
func sideName(id int) string {
	if id == debug.RecordSide {
		return "recorded"
	}
	return fmt.Sprintf("run %d", id)
}

const statesUsage = "write compare [A [B]] states, then at PLACE for another place than behind the first difference, and in A or in B for whose place it is (B's without)"

// compareStates says what differs in the state documents: behind the first event that differs, or at a place.
func (in *Interp) compareStates(ctx context.Context, sides []string, args string) (answer, error) {
	ids := [2]int{debug.RecordSide, in.s.CurrentRun()}
	if len(sides) > 2 {
		return answer{}, errors.New(statesUsage)
	}
	if run, record, ok := in.s.Beside(); ok && !record {
		ids[0] = run
	}
	for i, text := range sides {
		id, err := strconv.Atoi(text)
		if err != nil || in.s.RunTrace(id) == nil {
			return answer{}, fmt.Errorf("there is no run %q; runs lists them", text)
		}
		ids[i] = id
	}
	if ids[0] == ids[1] {
		return answer{}, fmt.Errorf("%s is the same run on both sides; runs lists them", sideName(ids[0]))
	}
	a, b := in.s.Sides(ids[0], ids[1])
	if a == nil || b == nil {
		return answer{}, errors.New("no recorded trace is run again here; name two runs")
	}
	side, pos, err := in.statesAt(args, ids, [2]trace.Log{a, b})
	if err != nil {
		return answer{}, err
	}
	at, err := trace.AlignAt(ctx, a, b, side, pos, nil)
	if err != nil {
		return answer{}, err
	}
	pair := trace.NewStatePair(a, b, in.s.RunSetup(ids[0]), in.s.RunSetup(ids[1]), at.PartRecorded, at.PartGot)
	if err := pair.Fold(ctx, at.Recorded, at.Got, nil); err != nil {
		return answer{}, fmt.Errorf("the states of %s and %s: %w", sideName(ids[0]), sideName(ids[1]), err)
	}
	d := show.StatesOf(pair.Difference(), sideName(ids[0]), sideName(ids[1]), at)
	return answer{d.Text(), d}, nil
}

// statesAt reads "at PLACE [in SIDE]"; without it the position is below 0.
func (in *Interp) statesAt(args string, ids [2]int, logs [2]trace.Log) (trace.Side, int, error) {
	if args == "" {
		return trace.GotSide, -1, nil
	}
	text, ok := strings.CutPrefix(args, "at ")
	if !ok {
		return 0, 0, errors.New(statesUsage)
	}
	side := trace.GotSide
	if place, name, ok := strings.Cut(text, " in "); ok {
		switch name = strings.TrimPrefix(strings.TrimSpace(name), "run "); name {
		case strings.TrimPrefix(sideName(ids[0]), "run "):
			side = trace.RecordedSide
		case strings.TrimPrefix(sideName(ids[1]), "run "):
		default:
			return 0, 0, fmt.Errorf("%q is no side of this comparison; they are %s and %s", name, sideName(ids[0]), sideName(ids[1]))
		}
		text = place
	}
	p, err := debug.ParsePlace(text)
	if err != nil {
		return 0, 0, err
	}
	switch p.Kind {
	case debug.PlaceMark:
		m, err := in.s.MarkOf(p.Name)
		if err != nil {
			return 0, 0, err
		}
		p = debug.Place{N: m.Pos()}
	case debug.PlaceStep:
		return 0, 0, errors.New("a step has its place in one run only; write a position or an event")
	}
	total := logs[side].Len()
	if pos := p.Pos(total); pos <= total {
		return side, pos, nil
	}
	return 0, 0, fmt.Errorf("%s: %s has %s, and positions 0 to %d", p, sideName(ids[side]), show.Plural(total, "event"), total)
}
