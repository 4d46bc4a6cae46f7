// Package canon holds JSON values as their canonical text (RFC 8785) and everything that makes, reads, compares and
// hashes such texts: a strict reader with positions, a writer, accessors that share the text, and the check against
// an independent canonicaliser.
//
// It is the ground floor: it may know JSON and nothing else. It must not know events, flows, tools or a screen, must
// not read files or the clock, and imports no other package of this program.
package canon

import (
	"strconv"
	"strings"
)

// Value is an immutable canonical JSON text. Two values are equal exactly when they are == (design: canonical
// values). The zero Value is absent, which is not null: it is what Get returns for a missing member, and what Object
// leaves out. Values taken out of a Value share its text, so they cost nothing and keep the whole text alive.
type Value struct{ text string }

// The values that need no reading.
var (
	Null        = Value{"null"}
	True        = Value{"true"}
	False       = Value{"false"}
	EmptyObject = Value{"{}"}
	EmptyArray  = Value{"[]"}
)

// MaxSafeInteger is 2^53−1, the largest n such that every integer up to ±n is a distinct float64. Integers beyond it
// (and below 1e21) come under IntegerRule.
const MaxSafeInteger = 1<<53 - 1

// Kind says which of the JSON types a value or node is.
type Kind uint8

// The kinds. Absent is the kind of the zero Value.
const (
	Absent Kind = iota
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

var kindNames = [...]string{"absent", "null", "boolean", "number", "string", "array", "object"}

// String is the JSON name of the kind: "null", "boolean", "number", "string", "array", "object", or "absent".
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "kind " + strconv.Itoa(int(k))
}

// Raw makes a Value of a text that the caller guarantees to be canonical (or empty, for absent): a text that this
// package wrote, or a part of one. Nothing is checked; a text that is not canonical makes wrong hashes.
func Raw(text string) Value { return Value{text} }

// Text is the canonical text, "" when absent. It is the value's identity: hash it, compare it, write it.
func (v Value) Text() string { return v.text }

// String is Text, so that a Value prints as itself.
func (v Value) String() string { return v.text }

// Len is the number of bytes of the text, which is what the limits of version 1 count.
func (v Value) Len() int { return len(v.text) }

// IsAbsent says that there is no value at all.
func (v Value) IsAbsent() bool { return v.text == "" }

// IsZero is IsAbsent, under the name that encoding/json's omitzero asks for.
func (v Value) IsZero() bool { return v.text == "" }

// IsNull says that the value is null; an absent value is not.
func (v Value) IsNull() bool { return v.text == "null" }

// Kind is read off the first byte.
func (v Value) Kind() Kind {
	if v.text == "" {
		return Absent
	}
	switch v.text[0] {
	case '{':
		return KindObject
	case '[':
		return KindArray
	case '"':
		return KindString
	case 't', 'f':
		return KindBool
	case 'n':
		return KindNull
	}
	return KindNumber
}

// Bool is the boolean, and whether the value is one.
func (v Value) Bool() (b, ok bool) {
	switch v.text {
	case "true":
		return true, true
	case "false":
		return false, true
	}
	return false, false
}

// Float is the number, and whether the value is one. Canonical numbers are always finite.
func (v Value) Float() (float64, bool) {
	if i, ok := smallInt(v.text); ok {
		return float64(i), true
	}
	if v.Kind() != KindNumber {
		return 0, false
	}
	f, err := strconv.ParseFloat(v.text, 64)
	return f, err == nil
}

// Int is the number when it is an integer written without exponent that fits an int64; otherwise ok is false.
func (v Value) Int() (int64, bool) {
	if i, ok := smallInt(v.text); ok {
		return i, true
	}
	if v.Kind() != KindNumber {
		return 0, false
	}
	i, err := strconv.ParseInt(v.text, 10, 64)
	return i, err == nil
}

// smallInt reads up to 15 digits with an optional minus, which int64 and float64 both hold exactly.
func smallInt(s string) (int64, bool) {
	neg := false
	if len(s) > 0 && s[0] == '-' {
		neg, s = true, s[1:]
	}
	if len(s) == 0 || len(s) > 15 {
		return 0, false
	}
	var n int64
	for i := 0; i < len(s); i++ {
		d := s[i] - '0'
		if d > 9 {
			return 0, false
		}
		n = n*10 + int64(d)
	}
	if neg {
		n = -n
	}
	return n, true
}

// Str is the string without quotes and escapes, and whether the value is one. It allocates only when the text holds
// an escape.
func (v Value) Str() (string, bool) {
	if len(v.text) < 2 || v.text[0] != '"' {
		return "", false
	}
	return unescape(v.text[1 : len(v.text)-1]), true
}

// unescape decodes the inside of a canonical string.
func unescape(raw string) string {
	i := strings.IndexByte(raw, '\\')
	if i < 0 {
		return raw
	}
	buf := make([]byte, 0, len(raw))
	for i >= 0 {
		buf = append(buf, raw[:i]...)
		c, n := unescapeOne(raw[i:])
		buf = append(buf, c)
		raw = raw[i+n:]
		i = strings.IndexByte(raw, '\\')
	}
	return view(append(buf, raw...))
}

// unescapeOne decodes the escape that s begins with. Canonical text knows only two-letter escapes and \u00xx, so
// the result is one byte; n is the length of the escape.
func unescapeOne(s string) (c byte, n int) {
	if len(s) < 2 {
		return '\\', len(s)
	}
	switch s[1] {
	case 'b':
		return '\b', 2
	case 't':
		return '\t', 2
	case 'n':
		return '\n', 2
	case 'f':
		return '\f', 2
	case 'r':
		return '\r', 2
	case 'u':
		if len(s) >= 6 {
			return byte(hexDigit(s[4])<<4 | hexDigit(s[5])), 6
		}
	}
	return s[1], 2
}
