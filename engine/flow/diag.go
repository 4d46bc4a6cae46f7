package flow

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Severity says what a diagnostic means for the flow.
type Severity string

// The severities. With at least one error nothing runs; warnings and lints never stop a run.
const (
	Error   Severity = "error"   // the flow does not hold to the specification
	Warning Severity = "warning" // something in the file has no effect or contradicts itself
	Lint    Severity = "lint"    // allowed, but seldom meant
)

// Diagnostic is one finding about a flow, at a place in its file.
type Diagnostic struct {
	Severity Severity `json:"severity"`
	Code     Code     `json:"code"`           // stable, see Codes
	File     string   `json:"file"`           // as given to Parse
	Line     int      `json:"line"`           // 1-based
	Col      int      `json:"col"`            // 1-based, in code points
	Pointer  string   `json:"pointer"`        // RFC 6901; "" is the whole document
	Message  string   `json:"message"`        // what is wrong
	Want     string   `json:"want,omitempty"` // what would be right
}

// String is "file:line:col: severity: pointer: message; want [code]". The pointer is left out at the document's root, and a
// very long one is cut in its middle.
// Names from the file are quoted with escapes, so no control character of the file comes through.
func (d Diagnostic) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d:%d: %s: ", printable(d.File), d.Line, d.Col, d.Severity)
	if d.Pointer != "" {
		b.WriteString(printable(shorten(d.Pointer)) + ": ")
	}
	b.WriteString(d.Message)
	if d.Want != "" {
		b.WriteString("; " + d.Want)
	}
	fmt.Fprintf(&b, " [%s]", d.Code)
	return b.String()
}

// HasErrors tells whether nothing may run.
func HasErrors(ds []Diagnostic) bool {
	return slices.ContainsFunc(ds, func(d Diagnostic) bool { return d.Severity == Error })
}

// SortDiagnostics orders by place in the file, then errors before warnings before lints, then code and text.
func SortDiagnostics(ds []Diagnostic) {
	rank := map[Severity]int{Error: 0, Warning: 1, Lint: 2}
	slices.SortStableFunc(ds, func(a, b Diagnostic) int {
		return cmp.Or(
			cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Col, b.Col),
			cmp.Compare(rank[a.Severity], rank[b.Severity]),
			cmp.Compare(a.Code, b.Code), cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Message, b.Message),
		)
	})
}

// maxQuoted bounds how much of a name from the file a message repeats, in code points.
const maxQuoted = 60

// quote shows a string of the file: escaped, so that nothing unprintable comes through, and cut when it is long.
func quote(s string) string {
	cut := 0
	for i := range s {
		if cut == maxQuoted {
			return strconv.Quote(s[:i]) + "…"
		}
		cut++
	}
	return strconv.Quote(s)
}

// printable is s itself unless it holds something that does not print; then it is quoted.
func printable(s string) string {
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	return s
}

// shorten cuts the middle out of a long pointer, such as the one to a value nested too deeply.
func shorten(ptr string) string {
	const most = 200
	runes := []rune(ptr)
	if len(runes) <= most {
		return ptr
	}
	return string(runes[:most/2]) + "…" + string(runes[len(runes)-most/2:])
}

// quoteAll lists strings of the file, at most eight of them.
func quoteAll(list []string) string {
	const most = 8
	var b strings.Builder
	for i, s := range list {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(list)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(quote(s))
	}
	return b.String()
}
