package debug

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestParsePlace(t *testing.T) {
	for text, want := range map[string]Place{
		"12": {Kind: PlacePos, N: 12}, " position 12 ": {Kind: PlacePos, N: 12}, "event 12": {Kind: PlaceEvent, N: 12}, "Event12": {Kind: PlaceEvent, N: 12},
		"e12": {Kind: PlaceEvent, N: 12}, "#12": {Kind: PlaceEvent, N: 12}, "step 4": {Kind: PlaceStep, N: 4}, "s4": {Kind: PlaceStep, N: 4},
		"start": {}, "end": {Kind: PlaceEnd}, "$": {Kind: PlaceEnd},
		"'a": {Kind: PlaceMark, Name: "a"}, " 'Left.1' ": {Kind: PlaceMark, Name: "Left.1"},
	} {
		if got, err := ParsePlace(text); err != nil || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "x", "-1", "event", "event -1", "s", "1.5", "99999999999999", "event 1 2", "start 1"} {
		if got, err := ParsePlace(text); err == nil || !strings.Contains(err.Error(), "is no position") {
			t.Errorf("%q: %v, %v; want a complaint", text, got, err)
		}
	}
}

// Being at an event is standing right behind it, and being at a position is having that event before oneself.
func TestPlacePos(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := Place{Kind: PlaceKind(rapid.IntRange(0, 3).Draw(t, "kind")), N: rapid.IntRange(0, 1<<30).Draw(t, "n")}
		if p.Kind == PlaceEnd {
			p.N = 0
		}
		if got, err := ParsePlace(p.String()); err != nil || got != p {
			t.Fatalf("%q reads as %v, %v", p, got, err)
		}
		if event, pos := (Place{Kind: PlaceEvent, N: p.N}).Pos(0), (Place{Kind: PlacePos, N: p.N}).Pos(0); event != pos+1 || pos != p.N {
			t.Fatalf("event %d is position %d, position %d is %d", p.N, event, p.N, pos)
		}
	})
}
