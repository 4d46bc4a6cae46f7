package canon

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// The codes of Error: what sort of trouble it is, for callers that treat one of them differently.
const (
	CodeSyntax     = "syntax"        // not JSON
	CodeTrailing   = "trailing_data" // something after the value
	CodeBOM        = "bom"           // a byte order mark in front
	CodeUTF8       = "utf8"          // bytes that are not UTF-8, or half a surrogate pair
	CodeDuplicate  = "duplicate_key" // a key twice in one object
	CodeDepth      = "depth"         // nested deeper than the limit
	CodeRange      = "number_range"  // a number beyond float64, like 1e400
	CodeBigInteger = "big_integer"   // an integer beyond ±(2^53−1) and below 1e21
	CodeGoValue    = "go_value"      // FromGo: a Go value that has no JSON form
)

// Error says what is wrong with a text, where, and what would be right.
type Error struct {
	Code   string // one of the Code constants
	Offset int    // byte offset; −1 when the value was no text (FromGo)
	Line   int    // from 1; 0 when there is no text
	Col    int    // in code points, from 1; 0 when there is no text
	// Pointer is the JSON Pointer (RFC 6901) of the value in question, "" for the root. As part of untrusted
	// input it may hold any character; Error quotes what a terminal should not see.
	Pointer string
	What    string // what is wrong
	Want    string // what would be right
}

// Error is "line:col pointer: what; want", without the parts that there are not.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		b.WriteString(strconv.Itoa(e.Line))
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(e.Col))
	}
	if e.Pointer != "" {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(ShownPointer(e.Pointer))
	}
	if b.Len() > 0 {
		b.WriteString(": ")
	}
	b.WriteString(e.What)
	if e.Want != "" {
		b.WriteString("; ")
		b.WriteString(e.Want)
	}
	return b.String()
}

// ShownPointer is a JSON Pointer as a message shows it: the end of a long one, with escapes where a character cannot be
// shown.
func ShownPointer(ptr string) string { return printable(tail(ptr)) }

// tail is the end of a pointer, when it is too long for a message.
func tail(ptr string) string {
	const most = 200
	if len(ptr) <= most {
		return ptr
	}
	i := len(ptr) - most
	for i < len(ptr) && !utf8.RuneStart(ptr[i]) {
		i++
	}
	return "…" + ptr[i:]
}

// printable is s when every character can be shown, else s with escapes.
func printable(s string) string {
	for _, r := range s {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			q := strconv.Quote(s)
			return q[1 : len(q)-1]
		}
	}
	return s
}

// quoted is s in quotes with escapes, cut to a length that fits a message.
func quoted(s string) string {
	const most = 40
	if utf8.RuneCountInString(s) <= most {
		return strconv.Quote(s)
	}
	n := 0
	for i := range s {
		if n == most {
			return strconv.Quote(s[:i]) + "…"
		}
		n++
	}
	return strconv.Quote(s)
}

// FindingBigInteger is the kind of the finding about an integer beyond ±(2^53−1).
const FindingBigInteger = "big_integer"

// Finding is something that was accepted but should be told.
type Finding struct {
	Kind    string // FindingBigInteger
	Pointer string // JSON Pointer of the value
	Offset  int    // byte offset in the text that was read
	Text    string // how it was spelled there
}

const bom = "\uFEFF"

// position computes line and column (code points) of a byte offset, both from 1. A byte order mark in front takes no
// column, because no editor shows one.
func position(s string, off int) (line, col int) {
	off = max(0, min(off, len(s)))
	start := strings.LastIndexByte(s[:off], '\n') + 1
	line = 1 + strings.Count(s[:start], "\n")
	return line, column(s, start, off)
}

func column(s string, start, off int) int {
	if start == 0 && off >= len(bom) && strings.HasPrefix(s, bom) {
		start = len(bom)
	}
	return 1 + utf8.RuneCountInString(s[start:off])
}
