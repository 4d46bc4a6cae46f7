package show

import (
	"fmt"
	"strings"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// States is what differs between the states of two traces at a place, for texts and for programs.
type States struct {
	Recorded    string       `json:"recorded"` // what the sides are called
	Got         string       `json:"got"`
	RecordedPos int          `json:"recorded_position"` // so many events are applied
	GotPos      int          `json:"got_position"`
	Equal       bool         `json:"equal"`
	Differences []StateValue `json:"differences"`
	More        bool         `json:"more,omitempty"`        // places that differ beyond those listed
	MoreAgents  int          `json:"more_agents,omitempty"` // agents that differ beyond those listed
}

// StateValue is one place in the state document; a side that has nothing there is left out.
type StateValue struct {
	Path     string      `json:"path"`
	Recorded canon.Value `json:"recorded,omitzero"`
	Got      canon.Value `json:"got,omitzero"`
}

// maxStateValues bounds the places that are listed (ours).
const maxStateValues = 500

// StatesOf lists what differs at a place.
func StatesOf(d trace.StateDifference, recorded, got string, at trace.AlignedPlace) *States {
	s := &States{Recorded: recorded, Got: got, RecordedPos: at.Recorded, GotPos: at.Got, Equal: d.Equal(), Differences: []StateValue{}, MoreAgents: d.More}
	list := trace.Differences(d.Recorded, d.Got, maxStateValues+1)
	if s.More = len(list) > maxStateValues; s.More {
		list = list[:maxStateValues]
	}
	for _, x := range list {
		s.Differences = append(s.Differences, StateValue{x.Pointer, x.Recorded, x.Got})
	}
	return s
}

// Text says it line by line.
func (s *States) Text() string {
	var b strings.Builder
	verdict := "the states differ"
	if s.Equal {
		verdict = "the states are equal"
	}
	fmt.Fprintf(&b, "%s: %s at position %d, %s at position %d", verdict, s.Recorded, s.RecordedPos, s.Got, s.GotPos)
	w := max(len(s.Recorded), len(s.Got))
	for _, d := range s.Differences {
		x, y := PreviewPair(d.Recorded, d.Got, 2*PreviewLen)
		fmt.Fprintf(&b, "\n%s\n  %-*s  %s\n  %-*s  %s", Clean(d.Path), w, s.Recorded, orNone(d.Recorded, x), w, s.Got, orNone(d.Got, y))
	}
	if s.More {
		b.WriteString("\n… more places differ")
	}
	if s.MoreAgents > 0 {
		fmt.Fprintf(&b, "\n… %s more", Plural(s.MoreAgents, "agent"))
	}
	return b.String()
}

func orNone(v canon.Value, text string) string {
	if v.IsAbsent() {
		return "(nothing)"
	}
	return text
}
