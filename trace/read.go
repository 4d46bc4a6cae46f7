package trace

import (
	"bytes"
	"fmt"
	"strings"

	"flowdbg/trace/canon"
)

// Format is how a trace file is laid out.
type Format string

// The layouts that can be read.
const (
	FormatArray Format = "array" // a JSON array of events in any layout (seed 002 §5)
	FormatLines Format = "lines" // one event per line
)

// Trace is a trace that was read whole.
type Trace struct {
	Events   []Event
	Format   Format
	Findings []Finding
	Tear     *Tear // where reading had to stop, nil when it reached the end
}

// Tear is where a torn trace has to be cut: Offset is the byte behind the last whole event, Line the 1-based line on
// which the text begins that is no whole event, and Dropped how many bytes it has, white space at the file's end aside:
// 0 when only the array's ] is missing.
type Tear struct {
	Offset  int    `json:"offset"`
	Line    int    `json:"line"`
	Dropped int    `json:"dropped_bytes"`
	What    string `json:"what"`
}

// Finish is the body of the finish event, nil when the trace has none.
func (t *Trace) Finish() *Finish {
	for i := len(t.Events) - 1; i >= 0; i-- {
		if t.Events[i].Type == FinishEvent {
			return t.Events[i].Finish
		}
	}
	return nil
}

// ReadError is a trace that cannot be read: place, what is wrong, what would be right. Line and Col are 1-based, in
// code points; Event is the index of the bad event, -1 when there is none.
type ReadError struct {
	Line, Col, Event    int
	Pointer, What, Want string
}

// Error is "line:col: event N pointer: what; want".
func (e *ReadError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d:%d: ", e.Line, e.Col)
	if e.Event >= 0 {
		fmt.Fprintf(&b, "event %d", e.Event)
		if e.Pointer != "" {
			b.WriteString(" " + canon.ShownPointer(e.Pointer))
		}
		b.WriteString(": ")
	}
	b.WriteString(e.What)
	if e.Want != "" {
		b.WriteString("; " + e.Want)
	}
	return b.String()
}

// LooksLikeTrace tells a trace from a flow by content: an array, or a first object with a string type, is a trace; an
// object with agents is a flow (ours). Bytes that are neither count as a trace when they begin an array, but not one of arrays.
func LooksLikeTrace(data []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(text) == 0 || text[0] == '[' {
		// An array in an array is no torn event: nothing in it can be read as the beginning of one.
		return len(text) > 0 && !bytes.HasPrefix(bytes.TrimLeft(text[1:], " \t\r\n"), []byte("["))
	}
	end := elementEnd(text, 0)
	if end < 0 {
		return false
	}
	v, _, err := canon.Parse(text[:end], canon.Options{Integers: canon.IntegersAccept, MaxDepth: readNesting})
	return err == nil && IsEvent(v)
}

// Read reads a whole trace. Text that is no event and stands before a whole one is damage: an event of type XDamage
// stands for it, and nothing behind it can be verified. Text that is no whole event and ends the file is a tear: the
// events before it are returned with Tear set. A file that is no trace, or that holds no event but other text, is an
// error (*ReadError). A Store that has verified its file says the same of the same bytes.
func Read(data []byte) (*Trace, error) {
	format, err := formatOf(data)
	if err != nil {
		return nil, err
	}
	r := &reader{data: data, out: &Trace{Format: format}, cut: newCutter(format)}
	r.cut.window(data, 0, true)
	last := r.pieces()
	if err := r.noTrace(last); err != nil {
		return nil, err
	}
	r.end(last)
	Normalise(r.out.Events)
	return r.out, nil
}

// byteOrderMark begins a file of some editors; JSON has none.
const byteOrderMark = "\xef\xbb\xbf"

// formatOf tells the layout by the first byte that is no white space; a trace begins with [ or {.
func formatOf(head []byte) (Format, error) {
	if bytes.HasPrefix(head, []byte(byteOrderMark)) {
		return "", &ReadError{Line: 1, Col: 1, Event: -1, What: "the file begins with a byte order mark", Want: "save it as UTF-8 without one"}
	}
	text := bytes.TrimLeft(head, " \t\r\n")
	switch {
	case len(text) == 0 || text[0] == '{':
		return FormatLines, nil
	case text[0] == '[':
		return FormatArray, nil
	}
	line, col := lineCol(head, len(head)-len(text))
	return "", &ReadError{Line: line, Col: col, Event: -1, What: "this is not a trace", Want: "a trace is a JSON array of events, or one event per line"}
}

type reader struct {
	data []byte
	cut  *cutter
	out  *Trace
	held []damage // the text, if any, that is no event and that no whole event follows so far
	from int64    // behind the last whole event
}

// pieces takes every event; what it returns is how the file ends.
func (r *reader) pieces() piece {
	for {
		switch p := r.cut.next(); p.kind {
		case pieceEvent:
			r.event(p)
		case pieceDamage:
			r.held = hold(r.held, damage{offset: p.start, size: p.size, line: p.line, why: p.why})
		default:
			return p
		}
	}
}

func (r *reader) event(p piece) {
	ev, odd, err := decodeUnit(p.text, len(r.out.Events)+len(r.held))
	if err != nil || ev.Type == XDamage {
		r.held = hold(r.held, damage{offset: p.start, size: p.size, line: p.line, why: whyText(err), err: err})
		return
	}
	for _, d := range r.held {
		d.text = r.data[d.offset:][:d.size]
		r.out.Findings = append(r.out.Findings, d.finding(len(r.out.Events)))
		r.out.Events = append(r.out.Events, d.event())
	}
	r.held = nil
	if p.odd != "" {
		r.out.Findings = addSeparatorFinding(r.out.Findings, len(r.out.Events), p)
	}
	r.out.Events = append(r.out.Events, ev)
	r.out.Findings = append(r.out.Findings, odd...)
	r.from = p.start + p.size
}

// noTrace is the error of a file that holds no event at all but text that should be one.
func (r *reader) noTrace(last piece) error {
	if len(r.out.Events) > 0 {
		return nil
	}
	if len(r.held) > 0 {
		return r.held[0].readError(r.data)
	}
	if last.kind == pieceTorn && !last.cut {
		d := damage{offset: last.start, why: last.why}
		return d.readError(r.data)
	}
	return nil
}

// end says how the file ends.
func (r *reader) end(last piece) {
	var first *damage
	if len(r.held) > 0 {
		first = &r.held[0]
	}
	r.out.Tear = r.cut.tear(last, first, r.from)
	if text := r.cut.oddEnd(); text != "" && r.out.Tear == nil {
		r.out.Findings = append(r.out.Findings, Finding{Kind: FindSeparator, Event: -1, Text: text})
	}
	if r.out.Tear == nil && r.out.Finish() == nil {
		r.out.Findings = append(r.out.Findings, Finding{Kind: FindNoFinish, Event: -1, Text: "the trace ends without finish: it is a prefix of a run"})
	}
}

// Complete is true for the record of a whole run: nothing torn, nothing damaged, and the one finish is the last event
// beside lines of ours.
func (t *Trace) Complete() bool {
	if t.Tear != nil || t.Damage() >= 0 {
		return false
	}
	finishes, last := 0, Type("")
	for i := range t.Events {
		if e := &t.Events[i]; !e.Type.IsExtension() {
			if last = e.Type; last == FinishEvent {
				finishes++
			}
		}
	}
	return finishes == 1 && last == FinishEvent
}

// Damage is the index of the first event that stands for damage, -1 when there is none.
func (t *Trace) Damage() int {
	for i := range t.Events {
		if t.Events[i].Type == XDamage {
			return i
		}
	}
	return -1
}

// elementEnd is the index behind the JSON value that begins at start, judged by brackets and strings alone, or -1 when
// the data ends first.
func elementEnd(data []byte, start int) int {
	depth := 0
	for i := start; i < len(data); i++ {
		switch data[i] {
		case '"':
			if i = closingQuote(data, i+1); i < 0 {
				return -1
			}
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth == 0 && scalarEnd(data, i) {
				return i + 1
			}
			continue
		}
		if depth <= 0 {
			return i + 1
		}
	}
	return -1
}

// closingQuote is the index of the quote that ends a string whose text begins at i, or -1. A quote behind an odd number
// of backslashes belongs to the string.
func closingQuote(data []byte, i int) int {
	for from := i; i < len(data); i++ {
		q := bytes.IndexByte(data[i:], '"')
		if q < 0 {
			return -1
		}
		i += q
		b := i
		for b > from && data[b-1] == '\\' {
			b--
		}
		if (i-b)%2 == 0 {
			return i
		}
	}
	return -1
}

// scalarEnd is true at the last byte of a bare word or number.
func scalarEnd(data []byte, i int) bool {
	return i+1 == len(data) || bytes.IndexByte([]byte(" \t\r\n,]}"), data[i+1]) >= 0
}

// lineCol is the 1-based line and column, in code points, of a byte offset.
func lineCol(data []byte, off int) (line, col int) {
	off = min(off, len(data))
	line = 1 + bytes.Count(data[:off], []byte{'\n'})
	start := bytes.LastIndexByte(data[:off], '\n') + 1
	return line, 1 + len([]rune(string(data[start:off])))
}
