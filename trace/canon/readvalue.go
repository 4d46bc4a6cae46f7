package canon

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// value reads one value; r.pos stands on its first byte.
func (r *reader) value() bool {
	switch c := r.peek(); c {
	case '"':
		_, ok := r.str()
		return ok
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return r.number()
	}
	n := literal(r.src, r.pos)
	if n == 0 {
		return r.fail(&fault{r.pos, CodeSyntax, unexpected(r.src, r.pos), "expected a JSON value"}, false)
	}
	from := r.pos
	r.pos += n
	r.emit(from)
	return true
}

// enter opens a container; leave closes it.
func (r *reader) enter(index int) bool {
	if len(r.frames) >= r.maxDepth {
		return r.fail(depthFault(r.pos, r.maxDepth), false)
	}
	r.frames = append(r.frames, frame{len(r.members), index})
	r.take()
	return true
}

func depthFault(off, limit int) *fault {
	return &fault{off, CodeDepth, "nested deeper than " + strconv.Itoa(limit), "allowed are " + strconv.Itoa(limit) + " levels"}
}

func (r *reader) leave() bool {
	r.take()
	r.frames = r.frames[:len(r.frames)-1]
	return true
}

func (r *reader) array() bool {
	if !r.enter(0) {
		return false
	}
	if r.peek() == ']' {
		return r.leave()
	}
	depth := len(r.frames) - 1
	for {
		if !r.value() {
			return false
		}
		switch r.peek() {
		case ',':
			r.take()
			r.frames[depth].index++
		case ']':
			return r.leave()
		default:
			return r.fail(&fault{r.pos, CodeSyntax, unexpected(r.src, r.pos), "expected a comma or ]"}, true)
		}
	}
}

func (r *reader) object() bool {
	if !r.enter(-1) {
		return false
	}
	base, sorted := len(r.members), true
	if r.peek() == '}' {
		return r.leave()
	}
	for {
		if r.peek() != '"' {
			return r.fail(&fault{r.pos, CodeSyntax, unexpected(r.src, r.pos), "expected a key in double quotes"}, true)
		}
		if !r.memberKey(base, &sorted) {
			return false
		}
		if r.peek() != ':' {
			return r.fail(&fault{r.pos, CodeSyntax, unexpected(r.src, r.pos), "expected a colon"}, false)
		}
		r.take()
		if !r.value() {
			return false
		}
		r.members[len(r.members)-1].end = r.out()
		switch r.peek() {
		case ',':
			r.take()
			continue
		case '}':
		default:
			return r.fail(&fault{r.pos, CodeSyntax, unexpected(r.src, r.pos), "expected a comma or }"}, true)
		}
		if !sorted && !r.sort(base) {
			return false
		}
		r.members = r.members[:base]
		return r.leave()
	}
}

// memberKey reads a key and notes whether the members are still in order.
func (r *reader) memberKey(base int, sorted *bool) bool {
	m := member{start: r.out(), src: r.pos}
	escaped, ok := r.str()
	if !ok {
		r.err.Pointer = r.pointer(true)
		return false
	}
	m.keyEnd = r.out()
	if escaped {
		raw := r.key(&m)
		m.escaped, m.decoded = true, unescape(raw)
		r.escapedKeys = true
	}
	r.members = append(r.members, m)
	if n := len(r.members); *sorted && n-1 > base {
		c := CompareKeys(r.key(&r.members[n-2]), r.key(&r.members[n-1]))
		if c == 0 {
			return r.fail(duplicateFault(m.src, r.key(&m)), false)
		}
		*sorted = c < 0
	}
	return true
}

func duplicateFault(off int, key string) *fault {
	return &fault{off, CodeDuplicate, "the key " + quoted(key) + " a second time in one object", "write each key once"}
}

// sort puts the members from base on, which are the end of what was read, in canonical order.
func (r *reader) sort(base int) bool {
	r.deviate(r.pos)
	ms := r.members[base:]
	first, end := ms[0].start, len(r.dst)
	slices.SortFunc(ms, func(a, b member) int {
		if c := CompareKeys(r.key(&a), r.key(&b)); c != 0 {
			return c
		}
		return a.src - b.src
	})
	var dup *member
	for i := 1; i < len(ms); i++ {
		if r.key(&ms[i-1]) == r.key(&ms[i]) && (dup == nil || ms[i].src < dup.src) {
			dup = &ms[i]
		}
	}
	if dup != nil {
		key := r.key(dup)
		r.fail(duplicateFault(dup.src, key), true)
		r.err.Pointer = string(appendToken([]byte(r.err.Pointer), key))
		return false
	}
	for i := range ms {
		if i > 0 {
			r.dst = append(r.dst, ',')
		}
		r.dst = append(r.dst, r.dst[ms[i].start:ms[i].end]...)
	}
	n := copy(r.dst[first:], r.dst[end:])
	r.dst = r.dst[:first+n]
	return true
}

// str reads the string at r.pos. escaped says that its canonical form holds a backslash.
func (r *reader) str() (escaped, ok bool) {
	s, from := r.src, r.pos
	i := from + 1
	for {
		i = plainRun(s, i)
		if i >= len(s) {
			return false, r.fail(&fault{len(s), CodeSyntax, "the text ends inside a string", "expected a closing quote"}, false)
		}
		switch class[s[i]] {
		case quoteByte:
			r.pos = i + 1
			r.emit(from)
			return escaped, true
		case highByte:
			n := runeLen(s, i)
			if n == 0 {
				return false, r.fail(utf8Fault(s, i), false)
			}
			i += n
		case ctrlByte:
			return false, r.fail(controlFault(s, i), false)
		default:
			c, end, f := scanEscape(s, i)
			if f != nil {
				return false, r.fail(f, false)
			}
			if canonicalEscape(s[i:end], c) {
				escaped = true
			} else {
				r.deviate(from)
				r.pos = i
				r.emit(from)
				if c < 0x20 || c == '"' || c == '\\' {
					r.dst = appendEscape(r.dst, byte(c))
					escaped = true
				} else {
					r.dst = utf8.AppendRune(r.dst, c)
				}
				from = end
			}
			i = end
		}
	}
}

// canonicalEscape says that esc is how canonical text writes c.
func canonicalEscape(esc string, c rune) bool {
	if c >= 0x20 && c != '"' && c != '\\' {
		return false
	}
	var buf [8]byte
	return string(appendEscape(buf[:0], byte(c))) == esc
}

func utf8Fault(s string, i int) *fault {
	return &fault{i, CodeUTF8, "the byte 0x" + string(hexDigits[s[i]>>4]) + string(hexDigits[s[i]&15]) + " is not UTF-8", "write UTF-8"}
}

func controlFault(s string, i int) *fault {
	return &fault{i, CodeSyntax, "a raw control character 0x" + string(hexDigits[s[i]>>4]) + string(hexDigits[s[i]&15]) +
		" in a string", "write an escape such as " + string(appendEscape(nil, s[i]))}
}

// number reads the number at r.pos.
func (r *reader) number() bool {
	from := r.pos
	n, f := scanNumber(r.src, from)
	if f != nil {
		return r.fail(f, false)
	}
	r.pos = n.end
	if n.canonical {
		r.emit(from)
		return true
	}
	if isBigInteger(n.value) {
		if r.integers == IntegersRefuse {
			return r.fail(bigIntegerFault(r.src, from, n.end), false)
		}
		spelling := r.src[from:n.end]
		r.findings = append(r.findings, Finding{Kind: FindingBigInteger, Pointer: r.pointer(false), Offset: from,
			Text: strings.Clone(spelling)})
		if r.integers == IntegersAsString {
			r.deviate(from)
			r.dst = append(r.dst, '"')
			r.dst = append(r.dst, spelling...)
			r.dst = append(r.dst, '"')
			return true
		}
	}
	var buf [32]byte
	text := AppendFloat(buf[:0], n.value)
	if string(text) == r.src[from:n.end] {
		r.emit(from)
		return true
	}
	r.deviate(from)
	r.dst = append(r.dst, text...)
	return true
}
