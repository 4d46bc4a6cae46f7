package translate

import (
	"fmt"
	"strconv"
	"strings"
)

// segment is one step of a path: a member name, or every element of an array.
type segment struct {
	name string
	raw  string // the name as JSON spells it, made once
	star bool
}

// path addresses a member of an object, possibly in every element of arrays.
type path struct {
	text string
	segs []segment
}

func (p path) parent() []segment { return p.segs[:len(p.segs)-1] }
func (p path) last() string      { return p.segs[len(p.segs)-1].name }

// member is a member named as the path ends.
func (p path) member(val *node) member { return p.segs[len(p.segs)-1].member(val) }

func (s segment) member(val *node) member { return member{name: s.name, raw: s.raw, val: val} }

// sibling is the path of another member of the same object.
func (p path) sibling(name string) path {
	segs := append(append([]segment{}, p.parent()...), segment{name: name, raw: quote(name)})
	return path{text: pointer(segs, nil), segs: segs}
}

// stars is the number of `*` segments.
func (p path) stars() int {
	n := 0
	for _, s := range p.segs {
		if s.star {
			n++
		}
	}
	return n
}

// starPrefix is the length of the path up to and including its last `*`.
func (p path) starPrefix() int {
	for i := len(p.segs) - 1; i >= 0; i-- {
		if p.segs[i].star {
			return i + 1
		}
	}
	return 0
}

// startsWith says whether p goes through q or ends there.
func (p path) startsWith(q path) bool {
	if len(p.segs) < len(q.segs) {
		return false
	}
	for i, s := range q.segs {
		if p.segs[i] != s {
			return false
		}
	}
	return true
}

// parsePath reads a JSON Pointer with `*` segments. The error says what is wrong with it.
func parsePath(text string) (path, error) {
	if text == "" {
		return path{}, fmt.Errorf("the root cannot be renamed, moved, filled or dropped")
	}
	if text[0] != '/' {
		return path{}, fmt.Errorf("%q is no JSON Pointer: it must start with /", text)
	}
	p := path{text: text}
	for part := range strings.SplitSeq(text[1:], "/") {
		s, err := parseSegment(part)
		if err != nil {
			return path{}, err
		}
		p.segs = append(p.segs, s)
	}
	if p.segs[len(p.segs)-1].star {
		return path{}, fmt.Errorf("%q ends with *: an operation works on members of objects, not on elements", text)
	}
	return p, nil
}

func parseSegment(part string) (segment, error) {
	if part == "*" {
		return segment{star: true}, nil
	}
	if part == "-" || isIndex(part) {
		return segment{}, fmt.Errorf("%q is an array index: use * for every element", part)
	}
	name, err := unescape(part)
	return segment{name: name, raw: quote(name)}, err
}

func isIndex(s string) bool {
	if s == "" || len(s) > 1 && s[0] == '0' {
		return false
	}
	return strings.Trim(s, "0123456789") == ""
}

func unescape(part string) (string, error) {
	if strings.IndexByte(part, '~') < 0 {
		return part, nil
	}
	var b strings.Builder
	for i := 0; i < len(part); i++ {
		if part[i] != '~' {
			b.WriteByte(part[i])
			continue
		}
		i++
		switch {
		case i < len(part) && part[i] == '0':
			b.WriteByte('~')
		case i < len(part) && part[i] == '1':
			b.WriteByte('/')
		default:
			return "", fmt.Errorf("%q has a bad escape: only ~0 and ~1 exist", part)
		}
	}
	return b.String(), nil
}

var escaper = strings.NewReplacer("~", "~0", "/", "~1")

// pointer spells segments as a JSON Pointer; each `*` takes the next of the given indices, or stays `*`.
func pointer(segs []segment, index []int) string {
	var b strings.Builder
	for _, s := range segs {
		b.WriteByte('/')
		switch {
		case !s.star:
			_, _ = escaper.WriteString(&b, s.name)
		case len(index) > 0:
			b.WriteString(strconv.Itoa(index[0]))
			index = index[1:]
		default:
			b.WriteByte('*')
		}
	}
	return b.String()
}
