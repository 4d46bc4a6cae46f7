package flow

import (
	"fmt"
	"strings"
)

// suggester proposes a name that was probably meant. One suggester serves a whole reading and stops proposing when its work is
// used up: a flow with 100 000 agents and as many wrong edges must not take minutes to refuse.
type suggester struct {
	left int // steps of work that may still be done, about a nanosecond or two each
}

const (
	suggestWork    = 100_000_000
	suggestPerName = 64 // steps to look at a candidate at all; comparing it costs the product of the lengths on top
)

func newSuggester() *suggester { return &suggester{left: suggestWork} }

// Closest is the candidate that was probably meant by name, "" when none is near enough: the rule that diagnostics use, for
// everything else that a person can misspell.
func Closest(name string, candidates []string) string {
	return newSuggester().nearest(name, candidates)
}

// didYouMean is `did you mean "x"?`, or other when no candidate is near.
func (s *suggester) didYouMean(name string, candidates []string, other string) string {
	if best := s.nearest(name, candidates); best != "" {
		return fmt.Sprintf("did you mean %s?", quote(best))
	}
	return other
}

// nearest is the candidate with the fewest edits from name (case aside), the first among equals, or "" when none is near
// enough: at most one edit in three characters, or one in a name of two.
func (s *suggester) nearest(name string, candidates []string) string {
	const longest = 64
	from := []rune(strings.ToLower(name))
	if len(from) == 0 || len(from) > longest {
		return ""
	}
	// A single letter is near no other letter, only near its other case.
	most := max(min(1, len(from)-1), len(from)/3)
	best := ""
	for _, c := range candidates {
		if s.left <= 0 {
			break
		}
		s.left -= suggestPerName
		if len(c) > 4*longest {
			continue
		}
		to := []rune(strings.ToLower(c))
		if diff := len(to) - len(from); diff > most || -diff > most {
			continue
		}
		s.left -= len(from) * len(to)
		if d := editDistance(from, to); d <= most && (best == "" || d < most) {
			best, most = c, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
func editDistance(a, b []rune) int {
	prev2 := make([]int, len(b)+1)
	prev := make([]int, len(b)+1)
	cur := make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
