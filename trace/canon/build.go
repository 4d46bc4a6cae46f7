package canon

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
)

// Member is one member of an object to be built.
type Member struct {
	Key   string
	Value Value
}

// Object makes an object of values that are canonical already: sorting and concatenation, one allocation when the
// members come in canonical order. Absent values are left out (an absent optional key is omitted, never null); of two
// members with the same key the later wins.
func Object(members ...Member) Value {
	if !inOrder(members) {
		members = ordered(members)
	}
	n := 2
	for i := range members {
		n += len(members[i].Key) + len(members[i].Value.text) + 4
	}
	dst := append(make([]byte, 0, n), '{')
	for i := range members {
		if members[i].Value.text == "" {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, members[i].Key)
		dst = append(dst, ':')
		dst = append(dst, members[i].Value.text...)
	}
	return Value{view(append(dst, '}'))}
}

// inOrder says that the members are sorted and each key is there once.
func inOrder(members []Member) bool {
	for i := 1; i < len(members); i++ {
		if CompareKeys(members[i-1].Key, members[i].Key) >= 0 {
			return false
		}
	}
	return true
}

// ordered is a sorted copy without absent values and without earlier duplicates.
func ordered(members []Member) []Member {
	ms := make([]Member, 0, len(members))
	for _, m := range members {
		if m.Value.text != "" {
			ms = append(ms, m)
		}
	}
	slices.SortStableFunc(ms, func(a, b Member) int { return CompareKeys(a.Key, b.Key) })
	out := ms[:0]
	for i, m := range ms {
		if i+1 < len(ms) && ms[i+1].Key == m.Key {
			continue
		}
		out = append(out, m)
	}
	return out
}

// Array makes an array; absent values are left out.
func Array(vals ...Value) Value {
	n := 2
	for _, v := range vals {
		n += len(v.text) + 1
	}
	dst := append(make([]byte, 0, n), '[')
	for _, v := range vals {
		if v.text == "" {
			continue
		}
		if len(dst) > 1 {
			dst = append(dst, ',')
		}
		dst = append(dst, v.text...)
	}
	return Value{view(append(dst, ']'))}
}

// String makes a string. Bytes that are not UTF-8 become U+FFFD (see AppendString).
func String(s string) Value {
	return Value{view(AppendString(make([]byte, 0, len(s)+2), s))}
}

// Bool makes a boolean.
func Bool(b bool) Value {
	if b {
		return True
	}
	return False
}

// Int makes a number. Beyond ±MaxSafeInteger it is rounded to float64, as RFC 8785 has it; who can meet such numbers
// asks FromGo, which refuses them, or sends a string.
func Int(i int64) Value {
	if i < -MaxSafeInteger || i > MaxSafeInteger {
		return Value{string(AppendFloat(nil, float64(i)))}
	}
	return Value{strconv.FormatInt(i, 10)}
}

var (
	errNotFinite = errors.New("NaN and infinities have no JSON form")
	errBigFloat  = errors.New("an integer beyond ±9007199254740991: send it as a string")
)

// Float makes a number. NaN and infinities are errors, and so are integers beyond ±(2^53−1) and below 1e21, which
// the reader would refuse again (design: one rule for integers).
func Float(f float64) (Value, error) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return Value{}, errNotFinite
	case isBigInteger(f):
		return Value{}, errBigFloat
	}
	return Value{string(AppendFloat(nil, f))}, nil
}

// MarshalJSON gives the text; an absent value is null (use omitzero to leave it out). encoding/json rewrites what it
// gets (it escapes <, > and &), so bytes to be hashed come from Text, never from json.Marshal.
func (v Value) MarshalJSON() ([]byte, error) {
	if v.text == "" {
		return []byte("null"), nil
	}
	return []byte(v.text), nil
}

// UnmarshalJSON reads strictly, with the zero Options.
func (v *Value) UnmarshalJSON(data []byte) error {
	got, _, err := Parse(data, Options{})
	if err != nil {
		return err
	}
	*v = got
	return nil
}

var (
	_ json.Marshaler   = Value{}
	_ json.Unmarshaler = (*Value)(nil)
)
