package translate

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// plainMembers is how many members of one object are compared with each other for duplicates; wider ones are left to the
// decoder, which keeps a table.
const plainMembers = 24

// plain reads the usual texts: valid JSON without \u escapes, wide objects, deep nesting or numbers near the bounds of
// float64. It never refuses a text; whatever it does not take is read again by the decoder, which alone says what is wrong
// and where. What it takes is the same tree.
type plain struct {
	src  string
	at   int
	slab []node // nodes are handed out of blocks: a document has many, and they live and die together
}

// parsePlain is nil for a text that the decoder has to judge.
func parsePlain(src string) *node {
	p := plain{src: src}
	p.space()
	n := p.value(0)
	if n == nil {
		return nil
	}
	if p.space(); p.at != len(src) || !utf8.ValidString(src) {
		return nil
	}
	return n
}

func (p *plain) space() {
	for p.at < len(p.src) {
		switch p.src[p.at] {
		case ' ', '\t', '\n', '\r':
			p.at++
		default:
			return
		}
	}
}

// next is the byte to be read, 0 at the end.
func (p *plain) next() byte {
	if p.at < len(p.src) {
		return p.src[p.at]
	}
	return 0
}

func (p *plain) node(kind jsontext.Kind, raw string, off int) *node {
	if len(p.slab) == cap(p.slab) {
		p.slab = make([]node, 0, min(64, len(p.src)/16+2)) // small documents are the usual ones
	}
	p.slab = append(p.slab, node{kind: kind, raw: raw, off: off})
	return &p.slab[len(p.slab)-1]
}

func (p *plain) value(depth int) *node {
	off := p.at
	switch c := p.next(); c {
	case '{':
		return p.object(depth)
	case '[':
		return p.array(depth)
	case '"':
		if raw := p.text(); raw != "" {
			return p.node(kindString, raw, off)
		}
	case 't', 'f', 'n':
		for _, word := range [...]string{"true", "false", "null"} {
			if strings.HasPrefix(p.src[off:], word) {
				p.at += len(word)
				return p.node(jsontext.Kind(c), p.src[off:p.at], off)
			}
		}
	default:
		if raw := p.number(); raw != "" {
			return p.node(kindNumber, raw, off)
		}
	}
	return nil
}

// text is a string with its quotes, "" for one that the decoder has to judge.
func (p *plain) text() string {
	off := p.at
	for i := off + 1; i < len(p.src); i++ {
		switch c := p.src[i]; {
		case c == '"':
			p.at = i + 1
			return p.src[off:p.at]
		case c == '\\':
			if i++; i == len(p.src) || strings.IndexByte(`"\/bfnrt`, p.src[i]) < 0 {
				return ""
			}
		case c < 0x20:
			return ""
		}
	}
	return ""
}

// number is a number whose spelling cannot leave the range of float64: no exponent, and no more than 300 bytes.
func (p *plain) number() string {
	off := p.at
	if p.next() == '-' {
		p.at++
	}
	first := p.at
	p.digits()
	if p.at == first || p.src[first] == '0' && p.at > first+1 {
		return ""
	}
	if p.next() == '.' {
		p.at++
		if first = p.at; p.digits() == first {
			return ""
		}
	}
	if c := p.next(); c == 'e' || c == 'E' || p.at-off > 300 {
		return ""
	}
	return p.src[off:p.at]
}

// digits goes to the end of a run of digits.
func (p *plain) digits() int {
	for p.at < len(p.src) && p.src[p.at] >= '0' && p.src[p.at] <= '9' {
		p.at++
	}
	return p.at
}

// separator steps over a comma, or over the closing bracket; ok is false for anything else.
func (p *plain) separator(closing byte) (end, ok bool) {
	p.space()
	c := p.next()
	if c != ',' && c != closing {
		return false, false
	}
	p.at++
	p.space()
	return c == closing, true
}

// opened steps over an opening bracket; empty says that it is closed at once, and then that is stepped over too.
func (p *plain) opened(closing byte) (empty bool) {
	p.at++
	p.space()
	if p.next() != closing {
		return false
	}
	p.at++
	return true
}

func (p *plain) object(depth int) *node {
	n := p.node(kindObject, "", p.at)
	if depth >= maxDepth {
		return nil
	}
	if p.opened('}') {
		return n
	}
	n.members = make([]member, 0, 4)
	for {
		if p.next() != '"' || len(n.members) == plainMembers {
			return nil
		}
		raw := p.text()
		if raw == "" {
			return nil
		}
		name := unquote(raw)
		if p.space(); p.next() != ':' || n.find(name) >= 0 {
			return nil
		}
		p.at++
		p.space()
		val := p.value(depth + 1)
		if val == nil {
			return nil
		}
		n.members = append(n.members, member{name, raw, val})
		if end, ok := p.separator('}'); !ok {
			return nil
		} else if end {
			return n
		}
	}
}

func (p *plain) array(depth int) *node {
	n := p.node(kindArray, "", p.at)
	if depth >= maxDepth {
		return nil
	}
	if p.opened(']') {
		return n
	}
	for {
		e := p.value(depth + 1)
		if e == nil {
			return nil
		}
		n.elems = append(n.elems, e)
		if end, ok := p.separator(']'); !ok {
			return nil
		} else if end {
			return n
		}
	}
}
