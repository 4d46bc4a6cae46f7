package out

import (
	"fmt"
	"unicode/utf8"

	"flowdbg/engine/flow"
)

func runeLen(b []byte) int {
	_, n := utf8.DecodeRune(b)
	return n
}

// Closest is the candidate that was probably meant by name, by the rule of a flow's diagnostics; "" when none is near.
func Closest(name string, candidates []string) string { return flow.Closest(name, candidates) }

// DidYouMean is ` (did you mean "x"?)`, or "" when no candidate is near.
func DidYouMean(name string, candidates []string) string {
	if best := Closest(name, candidates); best != "" {
		return fmt.Sprintf(" (did you mean %q?)", best)
	}
	return ""
}
