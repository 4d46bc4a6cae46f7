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

// Tear is the place behind the last whole event of a torn trace.
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
			b.WriteString(" " + e.Pointer)
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
// object with agents is a flow (ours). Bytes that are neither count as a trace when they begin an array.
func LooksLikeTrace(data []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	if len(text) == 0 || text[0] == '[' {
		return len(text) > 0
	}
	end := elementEnd(text, 0)
	if end < 0 {
		return false
	}
	v, _, err := canon.Parse(text[:end], canon.Options{Integers: canon.IntegersAccept, MaxDepth: readNesting})
	return err == nil && IsEvent(v)
}

// Read reads a whole trace. A fault in the last event only tears it: the whole events before it are returned with
// Tear set. A fault that whole events follow is an error.
func Read(data []byte) (*Trace, error) {
	r := &reader{data: data, out: &Trace{Format: FormatLines}}
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		return nil, r.errorAt(0, -1, "", "the file begins with a byte order mark", "save it as UTF-8 without one")
	}
	r.space()
	if r.at < len(data) && data[r.at] == '[' {
		r.out.Format = FormatArray
		r.at++
	}
	if err := r.all(); err != nil {
		return nil, err
	}
	Normalise(r.out.Events)
	if r.out.Tear == nil && r.out.Finish() == nil {
		r.out.Findings = append(r.out.Findings, Finding{Kind: FindNoFinish, Event: -1, Text: "the trace ends without finish: it is a prefix of a run"})
	}
	return r.out, nil
}

type reader struct {
	data []byte
	at   int
	out  *Trace
}

func (r *reader) space() {
	for r.at < len(r.data) {
		switch r.data[r.at] {
		case ' ', '\t', '\r', '\n':
			r.at++
		default:
			return
		}
	}
}

func (r *reader) all() error {
	array := r.out.Format == FormatArray
	for first := true; ; first = false {
		r.space()
		sepAt := r.at
		if r.at == len(r.data) {
			if array {
				r.tear(sepAt, "the array is not closed")
			}
			return nil
		}
		if array {
			if r.data[r.at] == ']' {
				r.at++
				return r.trailing()
			}
			if !first {
				if r.data[r.at] != ',' {
					return r.fault(sepAt, "", "a comma or ] is expected", "separate events with commas")
				}
				r.at++
				r.space()
			}
		}
		if done, err := r.element(sepAt); done || err != nil {
			return err
		}
	}
}

// element reads one event; done is true when the trace is torn here. Everything from sepAt on is then dropped.
func (r *reader) element(sepAt int) (done bool, err error) {
	start := r.at
	end := elementEnd(r.data, start)
	if end < 0 {
		if eventFollows(r.data, start) {
			return true, r.errorAt(start, len(r.out.Events), "", "this event's brackets or quotes do not close, and whole events follow", "the file is damaged here")
		}
		r.tear(sepAt, "the last event is cut off")
		return true, nil
	}
	index := len(r.out.Events)
	v, finds, perr := canon.Parse(r.data[start:end], canon.Options{Integers: canon.IntegersAccept, MaxDepth: readNesting})
	if perr != nil {
		off, ptr, what, want := start, "", perr.Error(), ""
		if ce, ok := perr.(*canon.Error); ok {
			off, ptr, what, want = start+ce.Offset, ce.Pointer, ce.What, ce.Want
		}
		return true, r.fault(off, ptr, what, want)
	}
	ev, odd, derr := DecodeEvent(v, index)
	if derr != nil {
		if de, ok := derr.(*DecodeError); ok {
			return true, r.errorAt(start, index, de.Pointer, de.What, de.Want)
		}
		return true, derr
	}
	for _, f := range finds {
		odd = append(odd, Finding{Kind: FindBigInteger, Event: index, Pointer: f.Pointer, Text: "an integer beyond ±(2^53−1): its value is rounded here"})
	}
	r.out.Events = append(r.out.Events, ev)
	r.out.Findings = append(r.out.Findings, odd...)
	r.at = end
	return false, nil
}

func (r *reader) trailing() error {
	r.space()
	if r.at < len(r.data) {
		return r.errorAt(r.at, -1, "", "there is text behind the array", "end the file after ]")
	}
	return nil
}

// fault is an error, or a tear when no whole event follows the place.
func (r *reader) fault(off int, ptr, what, want string) error {
	index := len(r.out.Events)
	if index > 0 && !eventFollows(r.data, off) {
		r.tear(off, what)
		return nil
	}
	return r.errorAt(off, index, ptr, what, want)
}

func (r *reader) tear(off int, what string) {
	line, _ := lineCol(r.data, off)
	r.out.Tear = &Tear{Offset: off, Line: line, Dropped: len(bytes.TrimRight(r.data[off:], " \t\r\n")), What: what}
}

func (r *reader) errorAt(off, index int, ptr, what, want string) error {
	line, col := lineCol(r.data, off)
	return &ReadError{Line: line, Col: col, Event: index, Pointer: ptr, What: what, Want: want}
}

// eventFollows looks for a whole event that begins on a later line.
func eventFollows(data []byte, off int) bool {
	for rest := data[min(off, len(data)):]; ; {
		nl := bytes.IndexByte(rest, '\n')
		if nl < 0 {
			return false
		}
		rest = rest[nl+1:]
		line := bytes.TrimLeft(rest, ", \t\r")
		if len(line) == 0 || line[0] != '{' {
			continue
		}
		end := elementEnd(line, 0)
		if end < 0 {
			continue
		}
		v, _, err := canon.Parse(line[:end], canon.Options{Integers: canon.IntegersAccept, MaxDepth: readNesting})
		if err != nil {
			continue
		}
		if ev, _, err := DecodeEvent(v, 0); err == nil && (ev.Type.Known() || ev.Type.IsExtension()) {
			return true
		}
	}
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
