package flow

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		name       string
		candidates []string
		want       string
	}{
		{"critik", []string{"writer", "critic"}, "critic"},
		{"CRITIC", []string{"critic"}, "critic"},
		{"wirter", []string{"writer"}, "writer"}, // neighbours swapped are one edit
		{"budgets", []string{"budget"}, "budget"},
		{"ab", []string{"ac"}, "ac"},
		{"a", []string{"b"}, ""},
		{"a", []string{"A"}, "A"},
		{"router", []string{"counter", "echo"}, "counter"}, // two edits in six characters
		{"gate", []string{"echo"}, ""},
		{"", []string{"a"}, ""},
		{"abx", []string{"aby", "abz"}, "aby"}, // the first of equals
		{"研究所", []string{"研究者"}, "研究者"},
	} {
		if got := newSuggester().nearest(c.name, c.candidates); got != c.want {
			t.Errorf("nearest(%q, %q) = %q, want %q", c.name, c.candidates, got, c.want)
		}
	}
}

// TestSuggesterStops bounds the work on a flow made to waste it.
func TestSuggesterStops(t *testing.T) {
	s := &suggester{left: 3 * suggestPerName}
	if got := s.nearest("critik", []string{"a", "b", "c", "critic"}); got != "" {
		t.Errorf("compared more than it may: %q", got)
	}
	if got := s.nearest("critik", []string{"critic"}); got != "" {
		t.Errorf("went on after its work was used up: %q", got)
	}
}

func TestEditDistanceAgainstDefinition(t *testing.T) {
	word := rapid.SliceOfN(rapid.RuneFrom([]rune("abc")), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := editDistance(a, b)
		if d != editDistance(b, a) {
			t.Fatal("not symmetric")
		}
		if (d == 0) != slices.Equal(a, b) {
			t.Fatalf("distance %d", d)
		}
		if diff := len(a) - len(b); d < max(diff, -diff) || d > max(len(a), len(b)) {
			t.Fatalf("distance %d of lengths %d and %d", d, len(a), len(b))
		}
		if want := definedDistance(a, b); d != want {
			t.Fatalf("distance %d, by definition %d", d, want)
		}
	})
}

// definedDistance is optimal string alignment as it is defined, on prefixes, without a table.
func definedDistance(a, b []rune) int {
	if len(a) == 0 || len(b) == 0 {
		return len(a) + len(b)
	}
	i, j := len(a)-1, len(b)-1
	replaced := definedDistance(a[:i], b[:j])
	if a[i] == b[j] {
		return replaced // keeping an equal last letter is never worse
	}
	best := 1 + min(replaced, definedDistance(a[:i], b), definedDistance(a, b[:j]))
	if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
		best = min(best, 1+definedDistance(a[:i-1], b[:j-1]))
	}
	return best
}

func TestComponentsAgainstReachability(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 9).Draw(t, "n")
		next := make([][]int, n)
		for range rapid.IntRange(0, 20).Draw(t, "edges") {
			from := rapid.IntRange(0, n-1).Draw(t, "from")
			next[from] = append(next[from], rapid.IntRange(0, n-1).Draw(t, "to"))
		}
		reach := closure(next)
		group := components(next)
		for a := range n {
			for b := range n {
				if want := a == b || reach[a][b] && reach[b][a]; (group[a] == group[b]) != want {
					t.Fatalf("%v: groups %v, but %d and %d together: %v", next, group, a, b, want)
				}
				if group[a] != group[b] {
					continue
				}
				path := shortestPath(next, group, a, b)
				if path[0] != a || path[len(path)-1] != b {
					t.Fatalf("path %v from %d to %d", path, a, b)
				}
				for i := 1; i < len(path); i++ {
					if !slices.Contains(next[path[i-1]], path[i]) {
						t.Fatalf("path %v is none in %v", path, next)
					}
				}
			}
		}
	})
}

// closure is reachability by at least one edge (Warshall).
func closure(next [][]int) [][]bool {
	reach := make([][]bool, len(next))
	for i := range reach {
		reach[i] = make([]bool, len(next))
		for _, j := range next[i] {
			reach[i][j] = true
		}
	}
	for k := range next {
		for i := range next {
			for j := range next {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	return reach
}

func TestComponentsOfALongChain(t *testing.T) {
	next := make([][]int, 200_000)
	for i := range next {
		next[i] = []int{(i + 1) % len(next)}
	}
	group := components(next)
	if group[0] != group[len(group)-1] {
		t.Error("one circle is not one component")
	}
	if got := len(shortestPath(next, group, 1, 0)); got != len(next) {
		t.Error(fmt.Sprint("path of ", got))
	}
}
