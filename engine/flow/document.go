package flow

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"flowdbg/trace/canon"
)

// readDocument reads the text as JSON with positions: of syntax errors the first, of the others all. The document is nil when
// there is no tree to go on with.
func (r *reader) readDocument(data []byte) *canon.Doc {
	doc, errs := canon.ParseDoc(data)
	r.doc = doc
	r.unreadable = make(map[int]bool, len(errs))
	for _, e := range errs {
		r.unreadable[e.Offset] = true
		r.reportAt(Error, Code(e.Code), e.Offset, e.Pointer, e.What, e.Want)
	}
	if doc.Root == nil {
		return nil
	}
	return doc
}

// locate turns the offsets of all diagnostics into lines and columns, walking the text once: a flow on a single line with
// many errors must not be walked from its start for each of them.
func (r *reader) locate() {
	byOffset := make([]int, len(r.diags))
	for i := range byOffset {
		byOffset[i] = i
	}
	slices.SortFunc(byOffset, func(a, b int) int { return cmp.Compare(r.offsets[a], r.offsets[b]) })
	at, line, col := -1, 0, 0
	for _, i := range byOffset {
		off := r.offsets[i]
		switch {
		case off == at:
		case at <= 0 || bytes.IndexByte(r.doc.Data[at:off], '\n') >= 0:
			line, col = r.doc.Position(off)
		default:
			col += utf8.RuneCount(r.doc.Data[at:off])
		}
		at = off
		r.diags[i].Line, r.diags[i].Col = line, col
	}
}

// line names the line where a value starts, for messages that point at an earlier place.
func (r *reader) line(n *canon.Node) string {
	if r.lines == nil {
		r.lines = []int{}
		for i, c := range r.doc.Data {
			if c == '\n' {
				r.lines = append(r.lines, i)
			}
		}
	}
	i, _ := slices.BinarySearch(r.lines, n.Off)
	return fmt.Sprintf("line %d", i+1)
}
