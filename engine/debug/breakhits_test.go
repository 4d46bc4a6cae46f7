package debug

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Hits are counted by event, whatever the order in which they are met, and each once.
func TestHitsAreCountedByEvent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var l hitList
		var plain []int
		for range rapid.IntRange(1, 60).Draw(t, "hits") {
			e := rapid.IntRange(0, 40).Draw(t, "event")
			at, known := slices.BinarySearch(plain, e)
			if !known {
				plain = slices.Insert(plain, at, e)
			}
			if got := l.add(e); got != at+1 {
				t.Fatalf("event %d of %v is hit %d, want %d", e, plain, got, at+1)
			}
		}
	})
}

// A search towards the start notes n hits without moving the ones it has.
func TestHitsBackwardMoveNothing(t *testing.T) {
	var l hitList
	l.add(1 << 20)
	for e := 1<<20 - 1; e > 1<<20-5_000; e-- {
		if n := l.add(e); n != 1 {
			t.Fatalf("event %d is hit %d from the front", e, n)
		}
	}
	if len(l.above) != 1 || !slices.IsSortedFunc(l.below, func(a, b int) int { return b - a }) {
		t.Fatalf("%d above, %d below", len(l.above), len(l.below))
	}
}
