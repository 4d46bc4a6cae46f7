package show

import (
	"strings"
	"testing"
)

// TestCleanBounds: a name of any length makes a line that can be read, and says how long it is.
func TestCleanBounds(t *testing.T) {
	for _, x := range []struct{ in, want string }{
		{"writer", "writer"},
		{strings.Repeat("é", nameLen), strings.Repeat("é", nameLen)},
		{strings.Repeat("é", nameLen) + "x", strings.Repeat("é", nameLen) + "… (1001 bytes)"},
		{strings.Repeat("k", 3_000_000), strings.Repeat("k", nameLen) + "… (2.9 MiB)"},
	} {
		if got := Clean(x.in); got != x.want {
			t.Errorf("%d bytes in, %d out: …%s", len(x.in), len(got), got[max(0, len(got)-20):])
		}
	}
}
