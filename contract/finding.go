package contract

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// Severities of a Finding.
const (
	SeverityError   = "error"
	SeverityWarning = "warning"
)

// Finding is one thing that validation has to say. Pointer (RFC 6901) is the place in the instance: of a missing or an
// unknown member it is the place where the member would stand or stands. Rule is stable; texts may change.
type Finding struct {
	Severity string `json:"severity"`
	Pointer  string `json:"pointer"`
	Rule     string `json:"rule"`
	Message  string `json:"message"`
}

// Rules that are not keywords of JSON Schema. The other values of Finding.Rule are the keywords themselves ("type",
// "required", "pattern", …), and "unknown" for a member that nothing declares.
const (
	RuleUnknown     = "unknown"
	RuleRecount     = "recount" // a summary differs from its lists
	RuleNotMeasured = "not_measured"
	RuleOrder       = "order"       // not sorted, not unique, or a box inside out
	RuleTime        = "time"        // no date of the calendar
	RuleDifference  = "difference"  // a stated difference is not the difference
	RuleConsistency = "consistency" // two members contradict each other
	RuleSchema      = "schema"      // a Schema is none
	RuleNumber      = "number"      // a number that does not fit
	RuleUnstated    = "unstated"    // allowed, but nothing can be decided from it
)

// Findings is what one validation says, in the order of pointers.
type Findings []Finding

// Valid says that no finding is an error.
func (f Findings) Valid() bool {
	return !slices.ContainsFunc(f, func(x Finding) bool { return x.Severity == SeverityError })
}

// Err is nil when the document is valid, else an error that lists every error.
func (f Findings) Err() error {
	if f.Valid() {
		return nil
	}
	return &InvalidError{f}
}

// InvalidError is an invalid document as an error.
type InvalidError struct{ Findings Findings }

// Error lists every error, one per line.
func (e *InvalidError) Error() string {
	var lines []string
	for _, f := range e.Findings {
		if f.Severity == SeverityError {
			lines = append(lines, f.String())
		}
	}
	return strings.Join(lines, "\n")
}

// String is `pointer: message`; the root is written as "(root)".
func (f Finding) String() string {
	pointer := f.Pointer
	if pointer == "" {
		pointer = "(root)"
	}
	return pointer + ": " + f.Message
}

// sorted puts findings into the order of their pointers (array elements by number) and drops repetitions.
func (f Findings) sorted() Findings {
	slices.SortStableFunc(f, func(a, b Finding) int {
		if c := comparePointers(a.Pointer, b.Pointer); c != 0 {
			return c
		}
		return strings.Compare(a.Rule+"\x00"+a.Message, b.Rule+"\x00"+b.Message)
	})
	return slices.Compact(f)
}

func comparePointers(a, b string) int {
	for {
		ta, restA, moreA := strings.Cut(a, "/")
		tb, restB, moreB := strings.Cut(b, "/")
		if ta != tb {
			return compareTokens(ta, tb)
		}
		if !moreA || !moreB {
			return len(a) - len(b)
		}
		a, b = restA, restB
	}
}

// compareTokens puts array indices in front, by number, and the rest by bytes.
func compareTokens(a, b string) int {
	na, errA := strconv.ParseUint(a, 10, 32)
	nb, errB := strconv.ParseUint(b, 10, 32)
	switch {
	case errA == nil && errB == nil && na != nb:
		return cmp.Compare(na, nb)
	case errA == nil && errB != nil:
		return -1
	case errA != nil && errB == nil:
		return 1
	}
	return strings.Compare(a, b)
}
