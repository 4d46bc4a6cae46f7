package canon

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"sync"
)

// FromGo makes a Value of a Go tree: nil, bool, string, every integer and float type, json.Number, map[string]any,
// []any, []string, []map[string]any, map[string]string, Value and []Value. An absent Value in a map is left out.
// Refused are NaN and infinities, integers beyond ±(2^53−1) (design: one rule for integers), strings that are not
// UTF-8, nesting deeper than DefaultMaxDepth, and other types. The error is an *Error with a Pointer and no position.
func FromGo(v any) (Value, error) {
	switch x := v.(type) {
	case nil:
		return Null, nil
	case Value:
		if x.IsAbsent() {
			return Value{}, goFault("an absent value", "a JSON value").at(nil)
		}
		return x, nil
	case bool:
		return Bool(x), nil
	}
	w := writers.Get().(*goWriter)
	defer writers.Put(w)
	dst, err := w.tree(w.buf[:0], v)
	if cap(dst) <= 1<<20 {
		w.buf = dst
	}
	if err != nil {
		return Value{}, err
	}
	return Value{string(dst)}, nil
}

// AppendGo appends the canonical text of a Go tree, as FromGo makes it. It allocates nothing when dst has room. On an
// error dst is returned as it was.
func AppendGo(dst []byte, v any) ([]byte, error) {
	w := writers.Get().(*goWriter)
	defer writers.Put(w)
	out, err := w.tree(dst, v)
	if err != nil {
		return dst, err
	}
	return out, nil
}

// goWriter holds what writing a Go tree needs besides the output: a stack of the keys of all open maps.
type goWriter struct {
	buf  []byte
	keys []string
	path []string // reference tokens, filled from the inside out when there is an error
}

var writers = sync.Pool{New: func() any { return new(goWriter) }}

// goError is an error on its way out of the tree, before its pointer is complete.
type goError struct{ code, what, want string }

func goFault(what, want string) *goError { return &goError{CodeGoValue, what, want} }

// at completes the error; tokens come innermost first.
func (e *goError) at(tokens []string) *Error {
	var ptr []byte
	for _, t := range slices.Backward(tokens) {
		ptr = appendToken(ptr, t)
	}
	return &Error{Code: e.code, Offset: -1, Pointer: string(ptr), What: e.what, Want: e.want}
}

func (w *goWriter) tree(dst []byte, v any) ([]byte, error) {
	dst, e := w.value(dst, v, 0)
	if e != nil {
		err := e.at(w.path)
		w.keys, w.path = w.keys[:0], nil
		return dst, err
	}
	return dst, nil
}

func (w *goWriter) value(dst []byte, v any, depth int) ([]byte, *goError) {
	switch x := v.(type) {
	case string:
		return appendGoString(dst, x)
	case map[string]any:
		return writeMap(w, dst, x, depth)
	case []any:
		return writeSlice(w, dst, x, depth)
	case float64:
		return appendGoFloat(dst, x)
	case int:
		return appendGoInt(dst, int64(x))
	case bool:
		return strconv.AppendBool(dst, x), nil
	case nil:
		return append(dst, "null"...), nil
	case Value:
		if x.IsAbsent() {
			return dst, goFault("an absent value", "a JSON value")
		}
		return append(dst, x.text...), nil
	case []Value:
		return writeSlice(w, dst, x, depth)
	case []string:
		return writeSlice(w, dst, x, depth)
	case map[string]Value:
		return writeMap(w, dst, x, depth)
	case map[string]string:
		return writeMap(w, dst, x, depth)
	case []map[string]any:
		return writeSlice(w, dst, x, depth)
	case json.Number:
		return appendGoNumber(dst, x)
	}
	return appendGoScalar(dst, v)
}

// appendGoScalar writes the number types that are rarer than int and float64.
func appendGoScalar(dst []byte, v any) ([]byte, *goError) {
	switch x := v.(type) {
	case int64:
		return appendGoInt(dst, x)
	case int32:
		return appendGoInt(dst, int64(x))
	case int16:
		return appendGoInt(dst, int64(x))
	case int8:
		return appendGoInt(dst, int64(x))
	case uint:
		return appendGoUint(dst, uint64(x))
	case uint64:
		return appendGoUint(dst, x)
	case uint32:
		return appendGoInt(dst, int64(x))
	case uint16:
		return appendGoInt(dst, int64(x))
	case uint8:
		return appendGoInt(dst, int64(x))
	case float32:
		return appendGoFloat(dst, float64(x))
	}
	return dst, goFault(fmt.Sprintf("a Go value of type %T", v), "a map, slice, string, number, boolean or nil")
}

func writeMap[V any](w *goWriter, dst []byte, m map[string]V, depth int) ([]byte, *goError) {
	if depth >= DefaultMaxDepth {
		return dst, depthGoError()
	}
	base := len(w.keys)
	for k := range m {
		w.keys = append(w.keys, k)
	}
	slices.SortFunc(w.keys[base:], CompareKeys)
	dst = append(dst, '{')
	empty := len(dst)
	for i := base; i < base+len(m); i++ {
		key := w.keys[i]
		val := m[key]
		if a, ok := any(val).(Value); ok && a.IsAbsent() {
			continue
		}
		if len(dst) > empty {
			dst = append(dst, ',')
		}
		var e *goError
		if dst, e = appendGoString(dst, key); e == nil {
			dst, e = w.value(append(dst, ':'), val, depth+1)
		}
		if e != nil {
			w.path = append(w.path, key)
			return dst, e
		}
	}
	clear(w.keys[base:])
	w.keys = w.keys[:base]
	return append(dst, '}'), nil
}

func writeSlice[V any](w *goWriter, dst []byte, list []V, depth int) ([]byte, *goError) {
	if depth >= DefaultMaxDepth {
		return dst, depthGoError()
	}
	dst = append(dst, '[')
	for i := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		var e *goError
		if dst, e = w.value(dst, list[i], depth+1); e != nil {
			w.path = append(w.path, strconv.Itoa(i))
			return dst, e
		}
	}
	return append(dst, ']'), nil
}

func depthGoError() *goError {
	f := depthFault(0, DefaultMaxDepth)
	return &goError{f.code, f.what, f.want}
}

func appendGoString(dst []byte, s string) ([]byte, *goError) {
	dst, valid := appendEscaped(append(dst, '"'), s)
	if !valid {
		return dst, &goError{CodeUTF8, "a string that is not UTF-8: " + quoted(s), "write UTF-8"}
	}
	return append(dst, '"'), nil
}

func appendGoInt(dst []byte, i int64) ([]byte, *goError) {
	if i < -MaxSafeInteger || i > MaxSafeInteger {
		return dst, bigGoInteger(strconv.FormatInt(i, 10))
	}
	return strconv.AppendInt(dst, i, 10), nil
}

func appendGoUint(dst []byte, i uint64) ([]byte, *goError) {
	if i > MaxSafeInteger {
		return dst, bigGoInteger(strconv.FormatUint(i, 10))
	}
	return strconv.AppendUint(dst, i, 10), nil
}

func bigGoInteger(spelling string) *goError {
	f := bigIntegerFault(spelling, 0, len(spelling))
	return &goError{f.code, f.what, f.want}
}

func appendGoFloat(dst []byte, f float64) ([]byte, *goError) {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return dst, goFault("the number "+strconv.FormatFloat(f, 'g', -1, 64), "a finite number")
	case isBigInteger(f):
		return dst, bigGoInteger(strconv.FormatFloat(f, 'f', -1, 64))
	}
	return AppendFloat(dst, f), nil
}

func appendGoNumber(dst []byte, n json.Number) ([]byte, *goError) {
	v, _, err := ParseString(string(n), Options{})
	if err == nil && v.Kind() == KindNumber {
		return append(dst, v.text...), nil
	}
	if e, ok := err.(*Error); ok && (e.Code == CodeRange || e.Code == CodeBigInteger) {
		return dst, &goError{e.Code, e.What, e.Want}
	}
	return dst, goFault("the json.Number "+quoted(string(n)), "a JSON number")
}

// ToGo is the value as a Go tree: map[string]any, []any, string, float64, bool, and nil for null and for an absent
// value. The maps and slices are the caller's own.
func (v Value) ToGo() any {
	switch v.Kind() {
	case KindObject:
		m := make(map[string]any)
		for k, e := range v.Members() {
			m[k] = e.ToGo()
		}
		return m
	case KindArray:
		list := make([]any, 0, v.Count())
		for _, e := range v.Elems() {
			list = append(list, e.ToGo())
		}
		return list
	case KindString:
		s, _ := v.Str()
		return s
	case KindNumber:
		f, _ := v.Float()
		return f
	case KindBool:
		return v == True
	}
	return nil
}
