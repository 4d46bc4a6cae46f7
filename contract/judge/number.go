package judge

import (
	"math"
	"strconv"
	"strings"
)

// Code says why a value cannot be used. The empty code means that it can.
type Code string

// The reasons that keep a candidate out of the ranking (ours; the cases are met in real tool output).
const (
	Missing       Code = "missing"        // the metric is absent, or was invented by a translation
	DuplicateKey  Code = "duplicate_key"  // the file gives the metric more than once
	NumberAsText  Code = "number_as_text" // "12.5" in quotes
	NotANumber    Code = "not_a_number"   // text, null, a list …
	NonFinite     Code = "non_finite"     // NaN, Infinity, or beyond the range of a double
	Denormal      Code = "denormal"       // below 2.2e-308 and not 0: memory that nobody wrote to
	Sentinel      Code = "sentinel"       // -1, 9e99, 1e30, 2147483647: the tool's way to say "no value"
	Negative      Code = "negative"       // below 0 where the quantity cannot be
	UnknownUnit   Code = "unknown_unit"   // a unit that is in no table
	UnitMismatch  Code = "unit_mismatch"  // a known unit of another quantity
	RunNotOK      Code = "run_not_ok"     // the run failed, was killed or timed out
	Unreadable    Code = "unreadable"     // the metrics file could not be read
	smallestPlain      = 0x1p-1022        // smallest normal double
	largestPlain       = 1e30             // from here on a value means "none": OpenSTA writes 1e30, others 9e99
)

// parseNumber reads a number as tools write it: JSON numbers, and also NaN, Inf, +1.5, .5 and 5. — the code is
// NotANumber, NonFinite, Denormal or empty. An underflow to 0 is a denormal.
func parseNumber(s string) (float64, Code) {
	switch strings.ToLower(strings.TrimLeft(s, "+-")) {
	case "nan", "inf", "infinity":
		return math.NaN(), NonFinite
	}
	if strings.ContainsAny(s, "xXpP_") || s != strings.TrimSpace(s) {
		return 0, NotANumber
	}
	v, err := strconv.ParseFloat(s, 64)
	switch {
	case err != nil && math.IsInf(v, 0):
		return v, NonFinite
	case err != nil:
		return 0, NotANumber
	case v == 0 && strings.ContainsAny(mantissa(s), "123456789"):
		return 0, Denormal
	case v != 0 && math.Abs(v) < smallestPlain:
		return v, Denormal
	}
	return v, ""
}

func mantissa(s string) string {
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		return s[:i]
	}
	return s
}

// isSentinel says whether a finite value is one that tools write for "no value". -1 is one only where the quantity
// cannot be negative: a worst slack of -1 ns is a result.
func isSentinel(v float64, signed bool) bool {
	switch {
	case math.Abs(v) >= largestPlain:
		return true
	case v == math.MaxInt32 || v == math.MinInt32 || v == math.MaxInt64 || v == math.MinInt64 || v == math.MaxUint32:
		return true
	case v == -1:
		return !signed
	}
	return false
}
