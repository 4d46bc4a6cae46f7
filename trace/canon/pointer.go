package canon

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// What Pointer and SetPointer can find wrong.
var (
	ErrPointer  = errors.New("not a JSON Pointer") // no leading slash, or a ~ that is neither ~0 nor ~1
	ErrNotFound = errors.New("nothing at")         // well formed, but there is no such value
)

// Pointer is the value that a JSON Pointer (RFC 6901) names; "" is v itself. The error wraps ErrPointer or
// ErrNotFound.
func (v Value) Pointer(ptr string) (Value, error) {
	cur, rest := v, ptr
	for rest != "" {
		token, next, err := splitPointer(rest)
		if err != nil {
			return Value{}, err
		}
		done := ptr[:len(ptr)-len(next)]
		switch cur.Kind() {
		case KindObject:
			cur = cur.Get(token)
		case KindArray:
			i, ok := arrayIndex(token)
			if !ok {
				return Value{}, notFound(done)
			}
			cur = cur.At(i)
		default:
			return Value{}, notFound(done)
		}
		if cur.IsAbsent() {
			return Value{}, notFound(done)
		}
		rest = next
	}
	if cur.IsAbsent() {
		return Value{}, notFound(ptr)
	}
	return cur, nil
}

func notFound(ptr string) error { return fmt.Errorf("%w %s", ErrNotFound, strconv.Quote(ptr)) }

// splitPointer takes the first reference token off a pointer that is not empty.
func splitPointer(ptr string) (token, rest string, err error) {
	if ptr[0] != '/' {
		return "", "", fmt.Errorf("%w: %s does not begin with /", ErrPointer, quoted(ptr))
	}
	token, rest = ptr[1:], ""
	if i := strings.IndexByte(token, '/'); i >= 0 {
		token, rest = token[:i], token[i:]
	}
	if strings.IndexByte(token, '~') < 0 {
		return token, rest, nil
	}
	for i := 0; i < len(token); i++ {
		if token[i] == '~' && (i+1 == len(token) || token[i+1] != '0' && token[i+1] != '1') {
			return "", "", fmt.Errorf("%w: ~ is followed by neither 0 nor 1 in %s", ErrPointer, quoted(token))
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~1", "/"), "~0", "~"), rest, nil
}

// arrayIndex reads an index as RFC 6901 §4 has it: digits without leading zero.
func arrayIndex(token string) (int, bool) {
	if token == "" || len(token) > 1 && token[0] == '0' || skipDigits(token, 0) != len(token) {
		return 0, false
	}
	i, err := strconv.Atoi(token)
	return i, err == nil
}

// AppendPointer appends one reference token (a key, not escaped yet) to a JSON Pointer.
func AppendPointer(ptr, key string) string { return string(appendToken([]byte(ptr), key)) }

// appendToken appends one reference token to a JSON Pointer.
func appendToken(dst []byte, key string) []byte {
	dst = append(dst, '/')
	for i := 0; i < len(key); i++ {
		switch c := key[i]; c {
		case '~':
			dst = append(dst, '~', '0')
		case '/':
			dst = append(dst, '~', '1')
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

func appendIndex(dst []byte, i int) []byte { return strconv.AppendInt(append(dst, '/'), int64(i), 10) }

// With is the object with one member set; an absent value takes the member out. When v is no object the result is an
// object with that member alone.
func (v Value) With(key string, val Value) Value {
	members := []Member{}
	for k, m := range v.Members() {
		if k != key {
			members = append(members, Member{k, m})
		}
	}
	return Object(append(members, Member{key, val})...)
}

// SetPointer is v with the value at a JSON Pointer replaced. The parent has to exist; a new object member may be
// added, and "-" or the array's length appends an element. An absent val takes the member or element out.
func (v Value) SetPointer(ptr string, val Value) (Value, error) {
	if ptr == "" {
		return val, nil
	}
	token, rest, err := splitPointer(ptr)
	if err != nil {
		return Value{}, err
	}
	switch v.Kind() {
	case KindObject:
		return v.setMember(token, rest, val)
	case KindArray:
		return v.setElem(token, rest, val)
	}
	return Value{}, notFound(ptr)
}

func (v Value) setMember(key, rest string, val Value) (Value, error) {
	child := v.Get(key)
	if rest != "" {
		if child.IsAbsent() {
			return Value{}, notFound(AppendPointer("", key))
		}
		var err error
		if val, err = child.SetPointer(rest, val); err != nil {
			return Value{}, err
		}
	}
	return v.With(key, val), nil
}

func (v Value) setElem(token, rest string, val Value) (Value, error) {
	n := v.Count()
	i, ok := arrayIndex(token)
	if token == "-" {
		i, ok = n, true
	}
	if !ok || i > n || i == n && rest != "" {
		return Value{}, notFound(AppendPointer("", token))
	}
	elems := make([]Value, 0, n+1)
	for _, e := range v.Elems() {
		elems = append(elems, e)
	}
	if i == n {
		return Array(append(elems, val)...), nil
	}
	if rest != "" {
		var err error
		if val, err = elems[i].SetPointer(rest, val); err != nil {
			return Value{}, err
		}
	}
	elems[i] = val
	return Array(elems...), nil
}
