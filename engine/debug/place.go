package debug

import (
	"fmt"
	"strconv"
	"strings"

	"flowdbg/trace"
)

// PlaceKind is how a place in a run was written.
type PlaceKind int

// The kinds of places.
const (
	PlacePos   PlaceKind = iota // a position: so many events are applied
	PlaceEvent                  // behind an event, so that what it did is there
	PlaceStep                   // the end of a step
	PlaceEnd                    // the end
	PlaceMark                   // a mark
)

// Place is a place in a run as a person writes it. Two numbers are told apart everywhere (page 04, "Positions are event
// indices"): "position 12" is where 12 events are applied and event 12 comes next; "event 12" is the event with index 12,
// from 0. To be at an event is to stand behind it, at position 13, where its effect can be seen (ours).
type Place struct {
	Kind PlaceKind
	N    int    // the number, from 0; 0 for PlaceEnd and PlaceMark
	Name string // of the mark
}

// placeWords are the words before a number, longest first.
var placeWords = []struct {
	word string
	kind PlaceKind
}{
	{"position", PlacePos}, {"event", PlaceEvent}, {"step", PlaceStep}, {"e", PlaceEvent}, {"#", PlaceEvent}, {"s", PlaceStep},
}

// ParsePlace reads "12" or "position 12", "event 12", "e12" or "#12", "step 4" or "s4", "start", "end" or "$", and 'NAME for a mark.
func ParsePlace(text string) (Place, error) {
	if name, ok := MarkName(text); ok {
		return Place{Kind: PlaceMark, Name: name}, CheckMarkName(name)
	}
	t := strings.ToLower(strings.TrimSpace(text))
	switch t {
	case "start":
		return Place{}, nil
	case "end", "$":
		return Place{Kind: PlaceEnd}, nil
	}
	kind, number := PlacePos, t
	for _, w := range placeWords {
		if rest, ok := strings.CutPrefix(t, w.word); ok {
			kind, number = w.kind, strings.TrimSpace(rest)
			break
		}
	}
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return Place{}, fmt.Errorf("%q is no position; write a number of events applied, event N, step K, start, end or 'MARK", text)
	}
	return Place{Kind: kind, N: int(n)}, nil
}

// Pos is the position of a place that is none of a step or a mark, in a run of total events; it may lie behind what exists.
func (p Place) Pos(total int) int {
	switch p.Kind {
	case PlaceEvent:
		return p.N + 1
	case PlaceEnd:
		return total
	}
	return p.N
}

// Whole is true when the events of the shown run all exist: it has a finish, or it is played back from a trace, so that
// nothing can lie behind Total.
func (s *Session) Whole() bool {
	n := s.Total()
	return s.mode == Playback || n > 0 && s.Header(n-1).Type == trace.FinishEvent
}

// NoPosition says which positions there are instead of one behind the end.
func (s *Session) NoPosition(p Place) error {
	n := s.Total()
	if p.Kind == PlaceEvent {
		return fmt.Errorf("there is no event %d; there are events 0 to %d, and $ is the end", p.N, n-1)
	}
	return fmt.Errorf("there is no position %d; there are positions 0 to %d, and $ is the end", p.N, n)
}

// String writes the place so that ParsePlace reads it.
func (p Place) String() string {
	switch p.Kind {
	case PlaceEvent:
		return fmt.Sprintf("event %d", p.N)
	case PlaceStep:
		return fmt.Sprintf("step %d", p.N)
	case PlaceEnd:
		return "end"
	case PlaceMark:
		return "'" + p.Name
	}
	return strconv.Itoa(p.N)
}
