package out

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

func runeLen(b []byte) int {
	_, n := utf8.DecodeRune(b)
	return n
}

// Closest is the candidate that was probably meant by name: the fewest edits, case aside, and at most a third of the
// name's letters (one in a name of two). It is "" when none is near enough.
func Closest(name string, candidates []string) string {
	from := []rune(strings.ToLower(name))
	if len(from) == 0 || len(from) > 64 {
		return ""
	}
	best, fewest := "", max(min(1, len(from)-1), len(from)/3)+1
	for _, c := range candidates {
		to := []rune(strings.ToLower(c))
		if len(to)-len(from) >= fewest || len(from)-len(to) >= fewest {
			continue
		}
		if d := edits(from, to); d < fewest {
			best, fewest = c, d
		}
	}
	return best
}

// DidYouMean is ` (did you mean "x"?)`, or "" when no candidate is near.
func DidYouMean(name string, candidates []string) string {
	if best := Closest(name, candidates); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return ""
}

// edits counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
func edits(a, b []rune) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	older, prev, cur := rows[0], rows[1], rows[2]
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
				cur[j] = min(cur[j], older[j-2]+1)
			}
		}
		older, prev, cur = prev, cur, older
	}
	return prev[len(b)]
}
