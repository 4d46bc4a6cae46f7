package cell

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

var update = flag.Bool("update", false, "rewrite generated and golden files")

// TestWideTable compares wide.go with what x/ansi measures; -update rewrites it, which is how it is made.
func TestWideTable(t *testing.T) {
	var spans []span
	for r := rune(0x80); r <= 0x10ffff; r++ {
		if r >= 0xd800 && r <= 0xdfff || ansi.StringWidth(string(r)) != 2 {
			continue
		}
		if n := len(spans); n > 0 && spans[n-1].hi == r-1 {
			spans[n-1].hi = r
		} else {
			spans = append(spans, span{r, r})
		}
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "package cell\n\n// wide lists the code points of two cells, as charmbracelet/x/ansi measures them.\n")
	fmt.Fprintf(&b, "// Written by: go test ./ui/tui/cell -run TestWideTable -update\nvar wide = []span{")
	for i, s := range spans {
		if i%6 == 0 {
			b.WriteString("\n\t")
		}
		fmt.Fprintf(&b, "{%#x, %#x}, ", s.lo, s.hi)
	}
	b.WriteString("\n}\n")
	want, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile("wide.go", want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile("wide.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("wide.go differs from x/ansi; run with -update")
	}
}
