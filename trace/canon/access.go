package canon

import (
	"iter"
	"strings"
)

// skipString returns the index after the closing quote of the canonical string whose opening quote is at s[i-1].
func skipString(s string, i int) int {
	for {
		n := strings.IndexByte(s[i:], '"')
		if n < 0 {
			return len(s)
		}
		j := i + n
		back := 0
		for j-1-back >= i && s[j-1-back] == '\\' {
			back++
		}
		i = j + 1
		if back&1 == 0 {
			return i
		}
	}
}

// skipValue returns the index after the canonical value that begins at s[i].
func skipValue(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	switch s[i] {
	case '"':
		return skipString(s, i+1)
	case '{', '[':
		return skipContainer(s, i+1)
	}
	for i++; i < len(s); i++ {
		if c := s[i]; c == ',' || c == '}' || c == ']' {
			break
		}
	}
	return i
}

// skipContainer returns the index after the bracket that closes the one at s[i-1].
func skipContainer(s string, i int) int {
	depth := 1
	for i < len(s) {
		c := s[i]
		i++
		switch c {
		case '"':
			i = skipString(s, i)
		case '{', '[':
			depth++
		case '}', ']':
			depth--
			if depth == 0 {
				return i
			}
		}
	}
	return i
}

// Get is the member of an object, or absent when there is none or v is no object. It allocates nothing unless the
// key needs escapes longer than a small buffer.
func (v Value) Get(key string) Value {
	s := v.text
	if len(s) < 2 || s[0] != '{' {
		return Value{}
	}
	// Escaping is unique in canonical text, so keys are compared as they are written.
	var buf [64]byte
	plain := isPlain(key)
	if !plain {
		escaped, _ := appendEscaped(buf[:0], key)
		key = view(escaped)
	}
	i := 1
	for i+1 < len(s) && s[i] == '"' {
		i++
		if len(s)-i > len(key) && s[i+len(key)] == '"' && s[i:i+len(key)] == key {
			i = min(i+len(key)+2, len(s))
			return Value{s[i:skipValue(s, i)]}
		}
		// Members are sorted: past the key's place there is nothing to find. Escapes and bytes above ASCII do not
		// sort as they are written, so only plain first bytes are looked at.
		if c := s[i]; plain && c < 0x80 && c != '\\' && c != '"' && key != "" && key[0] < c {
			return Value{}
		}
		i = skipValue(s, skipString(s, i)+1)
		if i < len(s) && s[i] == ',' {
			i++
		}
	}
	return Value{}
}

// At is the element of an array, or absent when i is outside it or v is no array. It scans from the front.
func (v Value) At(i int) Value {
	if i < 0 {
		return Value{}
	}
	for k, e := range v.Elems() {
		if k == i {
			return e
		}
	}
	return Value{}
}

// Count is the number of elements or members; 0 for everything that is no container. It scans the text.
func (v Value) Count() int {
	s := v.text
	if len(s) <= 2 || (s[0] != '[' && s[0] != '{') {
		return 0
	}
	n := 1
	for i := 1; i < len(s)-1; {
		i = skipValue(s, i)
		if i >= len(s)-1 {
			break
		}
		if s[i] == ',' {
			n++
		}
		i++ // the comma, or the colon after a key
	}
	return n
}

// Elems ranges over the elements of an array in order; over nothing when v is no array.
func (v Value) Elems() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		s := v.text
		if len(s) <= 2 || s[0] != '[' {
			return
		}
		for i, k := 1, 0; i < len(s); k++ {
			end := skipValue(s, i)
			if !yield(k, Value{s[i:end]}) {
				return
			}
			i = end + 1
			if end >= len(s)-1 {
				return
			}
		}
	}
}

// Members ranges over the members of an object in canonical order, keys without escapes; over nothing when v is no
// object.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		s := v.text
		if len(s) <= 2 || s[0] != '{' {
			return
		}
		for i := 1; i < len(s)-1; {
			keyEnd := skipString(s, i+1)
			if keyEnd+1 > len(s) {
				return
			}
			end := skipValue(s, keyEnd+1)
			if !yield(unescape(s[i+1:keyEnd-1]), Value{s[keyEnd+1 : end]}) {
				return
			}
			i = end + 1
		}
	}
}

// Depth is how deep arrays and objects nest: 0 for everything else, 1 for [] and {}.
func (v Value) Depth() int {
	s, depth, most := v.text, 0, 0
	for i := 0; i < len(s); {
		c := s[i]
		i++
		switch c {
		case '"':
			i = skipString(s, i)
		case '{', '[':
			depth++
			most = max(most, depth)
		case '}', ']':
			depth--
		}
	}
	return most
}
