package canon

import (
	"strings"
	"sync"
)

// IntegerRule is what the reader does with a number that is an integer with 2^53−1 < |v| < 1e21 (design: one rule
// for integers). Such numbers are judged as float64, however they are spelled.
type IntegerRule uint8

// The rules.
const (
	IntegersRefuse   IntegerRule = iota // an error: flows, scripts' results, traces we write
	IntegersAccept                      // RFC 8785 alone: rounded to float64; a finding each
	IntegersAsString                    // becomes a string of its own spelling; a finding each: foreign answers
)

// DefaultMaxDepth is how deep arrays and objects may nest when Options does not say (limit of version 1).
const DefaultMaxDepth = 256

// hardMaxDepth is the most that Options.MaxDepth can ask for: reading recurses, and the oracle ends there.
const hardMaxDepth = 10000

// Options of the strict reader. The zero value is the strictest.
type Options struct {
	Integers IntegerRule
	MaxDepth int // nesting of arrays and objects; 0 = DefaultMaxDepth
}

// Parse reads one JSON text strictly and gives its canonical form. Refused, beyond what is no JSON: duplicate keys,
// bytes that are not UTF-8, half surrogate pairs, a byte order mark, anything after the value, numbers beyond
// float64, nesting deeper than Options.MaxDepth, and big integers as Options.Integers says. The error is an *Error.
// The findings tell what was accepted nevertheless.
func Parse(data []byte, opt Options) (Value, []Finding, error) {
	return parse(view(data), opt, false)
}

// ParseString is Parse of a string. A text that is canonical already (white space around it aside) is checked in one
// pass and shared, not copied.
func ParseString(text string, opt Options) (Value, []Finding, error) {
	return parse(text, opt, true)
}

func parse(src string, opt Options, share bool) (Value, []Finding, error) {
	r := readers.Get().(*reader)
	r.src, r.integers, r.maxDepth = src, opt.Integers, opt.MaxDepth
	if r.maxDepth <= 0 {
		r.maxDepth = DefaultMaxDepth
	}
	r.maxDepth = min(r.maxDepth, hardMaxDepth)
	start, end, ok := r.document()
	findings, err := r.findings, r.err
	var v Value
	switch {
	case !ok:
	case r.copying:
		v.text = string(r.dst)
	case share:
		v.text = src[start:end]
	default:
		v.text = strings.Clone(src[start:end])
	}
	r.release()
	if !ok {
		return Value{}, nil, err
	}
	return v, findings, nil
}

// reader turns src into canonical text in one pass. As long as what it has read is canonical, it writes nothing and
// src itself is the result; at the first deviation it copies what lies behind it to dst and goes on writing there.
// Positions in the result ("out" positions) are the same before and after that moment.
type reader struct {
	src      string
	pos      int
	origin   int // where the root value begins in src
	dst      []byte
	copying  bool
	integers IntegerRule
	maxDepth int
	members  []member // of all open objects, innermost last
	frames   []frame  // open containers
	findings []Finding
	err      *Error

	escapedKeys bool // some member holds a decoded key
}

// member is one member of an open object, in out positions relative to the root.
type member struct {
	start, keyEnd, end int
	src                int    // offset of the key in src
	decoded            string // the key, when it is written with escapes
	escaped            bool
}

// frame is an open array (index of the current element) or object (index −1), whose members begin at base.
type frame struct{ base, index int }

var readers = sync.Pool{New: func() any { return new(reader) }}

// release gives the reader back, without what it has read and without large buffers.
func (r *reader) release() {
	if r.escapedKeys {
		clear(r.members[:cap(r.members)])
	}
	dst, members, frames := r.dst[:0], r.members[:0], r.frames[:0]
	if cap(dst) > 1<<20 {
		dst = nil
	}
	if cap(members) > 1<<12 {
		members = nil
	}
	*r = reader{dst: dst, members: members, frames: frames}
	readers.Put(r)
}

// document reads the whole text; start and end enclose the value in src.
func (r *reader) document() (start, end int, ok bool) {
	if strings.HasPrefix(r.src, bom) {
		return 0, 0, r.fail(&fault{0, CodeBOM, "a byte order mark (U+FEFF) in front of the text",
			"save as UTF-8 without byte order mark"}, false)
	}
	for r.pos < len(r.src) && isSpace(r.src[r.pos]) {
		r.pos++
	}
	if r.pos == len(r.src) {
		return 0, 0, r.fail(&fault{r.pos, CodeSyntax, "there is nothing to read", "expected a JSON value"}, false)
	}
	r.origin = r.pos
	if !r.value() {
		return 0, 0, false
	}
	end = r.pos
	for r.pos < len(r.src) && isSpace(r.src[r.pos]) {
		r.pos++
	}
	if r.pos < len(r.src) {
		return 0, 0, r.fail(trailingFault(r.src, r.pos), false)
	}
	return r.origin, end, true
}

func trailingFault(s string, off int) *fault {
	return &fault{off, CodeTrailing, unexpected(s, off) + " after the value", "expected the end of the text"}
}

// fail records the first error. With between the trouble lies between the children of the innermost container, so
// the pointer names that container and not its current child.
func (r *reader) fail(f *fault, between bool) bool {
	line, col := position(r.src, f.off)
	r.err = &Error{Code: f.code, Offset: f.off, Line: line, Col: col, Pointer: r.pointer(between),
		What: f.what, Want: f.want}
	return false
}

// pointer is the JSON Pointer of what is being read.
func (r *reader) pointer(between bool) string {
	var dst []byte
	n := len(r.frames)
	if between && n > 0 {
		n--
	}
	for i, fr := range r.frames[:n] {
		if fr.index >= 0 {
			dst = appendIndex(dst, fr.index)
			continue
		}
		last := len(r.members) - 1
		if i+1 < len(r.frames) {
			last = r.frames[i+1].base - 1
		}
		if last >= fr.base {
			dst = appendToken(dst, r.key(&r.members[last]))
		}
	}
	return string(dst)
}

// out is the out position.
func (r *reader) out() int {
	if r.copying {
		return len(r.dst)
	}
	return r.pos - r.origin
}

// key is the decoded key of m; it is valid until the next write.
func (r *reader) key(m *member) string {
	switch {
	case m.escaped:
		return m.decoded
	case r.copying:
		return view(r.dst[m.start+1 : m.keyEnd-1])
	}
	return r.src[r.origin+m.start+1 : r.origin+m.keyEnd-1]
}

// deviate says that src[at:] is not taken over as it is: writing begins, if it has not yet.
func (r *reader) deviate(at int) {
	if !r.copying {
		r.copying = true
		r.dst = append(r.dst[:0], r.src[r.origin:at]...)
	}
}

// emit takes over src[from:r.pos].
func (r *reader) emit(from int) {
	if r.copying {
		r.dst = append(r.dst, r.src[from:r.pos]...)
	}
}

// take takes over one byte.
func (r *reader) take() {
	if r.copying {
		r.dst = append(r.dst, r.src[r.pos])
	}
	r.pos++
}

// peek skips white space and gives the next byte, or 0 at the end of the text.
func (r *reader) peek() byte {
	if r.pos < len(r.src) {
		if c := r.src[r.pos]; c > ' ' {
			return c
		}
	}
	return r.peekSlow()
}

func (r *reader) peekSlow() byte {
	for i := r.pos; i < len(r.src); i++ {
		if c := r.src[i]; !isSpace(c) {
			if i > r.pos {
				r.deviate(r.pos)
				r.pos = i
			}
			return c
		}
	}
	if r.pos < len(r.src) {
		r.deviate(r.pos)
		r.pos = len(r.src)
	}
	return 0
}
