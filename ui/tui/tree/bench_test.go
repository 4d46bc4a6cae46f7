package tree

import (
	"fmt"
	"strings"
	"testing"

	"flowdbg/trace/canon"
)

// megabyte is an object of about n bytes with one member a line, as a state with many notes would be.
func megabyte(n, salt int) canon.Value {
	var b strings.Builder
	b.WriteString(`{"notes":[`)
	for i := 0; b.Len() < n; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"score":0.%d,"text":"Interaction nets are a graph rewriting formalism"}`, i, 1+(i*salt)%9)
	}
	b.WriteString(`],"step":` + fmt.Sprint(salt) + `}`)
	return canon.Raw(b.String())
}

// BenchmarkRender1MB draws 40 rows of an opened value of 1 MB.
func BenchmarkRender1MB(b *testing.B) {
	var tr Tree
	tr.Set(megabyte(1<<20, 1), megabyte(1<<20, 2), true)
	tr.Open()
	th := plain(b, false)
	b.ReportAllocs()
	for b.Loop() {
		tr.Move(3)
		tr.Render(60, 40, th, true)
	}
}

// BenchmarkSet1MB takes a new value of 1 MB, opened, and draws the first frame of it: what a step costs.
func BenchmarkSet1MB(b *testing.B) {
	x, y := megabyte(1<<20, 1), megabyte(1<<20, 2)
	th := plain(b, false)
	var tr Tree
	tr.Set(x, y, true)
	tr.Open()
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		if i&1 == 0 {
			tr.Set(y, x, true)
		} else {
			tr.Set(x, y, true)
		}
		tr.Render(60, 40, th, true)
	}
}

// BenchmarkLongString draws a value that is one string of 10 MB.
func BenchmarkLongString(b *testing.B) {
	var tr Tree
	tr.Set(canon.Object(canon.Member{Key: "text", Value: canon.String(strings.Repeat("payload \n", 10<<20/9))}), canon.Value{}, false)
	th := plain(b, false)
	b.ReportAllocs()
	for b.Loop() {
		tr.Render(60, 40, th, true)
	}
}
