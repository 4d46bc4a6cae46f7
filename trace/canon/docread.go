package canon

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// docReader builds the tree of a Doc. It goes on after everything that is no syntax error.
type docReader struct {
	doc     *Doc
	src     string
	pos     int
	path    []string // reference tokens of what is being read
	errs    []*Error
	stopped bool // a syntax error: reading has ended

	slab    []Node       // nodes not handed out yet
	open    []NodeMember // members of all open objects, innermost last
	pending []*Node      // elements of all open arrays, innermost last
}

// node hands out a node; they are made many at a time.
func (r *docReader) node() *Node {
	if len(r.slab) == 0 {
		r.slab = make([]Node, min(64, 1+(len(r.src)-r.pos)/16))
	}
	n := &r.slab[0]
	r.slab = r.slab[1:]
	return n
}

// report records a trouble at the current path and says whether reading goes on.
func (r *docReader) report(f *fault) bool {
	// When reading has ended, the objects it ended in still tell their duplicate keys.
	if r.stopped && f.code != CodeDuplicate || len(r.errs) > maxDocErrors {
		return false
	}
	switch f.code {
	case CodeSyntax, CodeTrailing, CodeDepth:
		r.stopped = true
	}
	line, col := r.doc.Position(f.off)
	var ptr []byte
	for _, token := range r.path {
		ptr = appendToken(ptr, token)
	}
	r.errs = append(r.errs, &Error{Code: f.code, Offset: f.off, Line: line, Col: col, Pointer: string(ptr),
		What: f.what, Want: f.want})
	if len(r.errs) >= maxDocErrors && !r.stopped {
		r.report(&fault{f.off, CodeSyntax, "more than " + strconv.Itoa(maxDocErrors) + " errors", "correct these first"})
	}
	return !r.stopped
}

// unexpected reports a syntax error at r.pos; it is false, like every report of one.
func (r *docReader) unexpected(want string) bool {
	return r.report(&fault{r.pos, CodeSyntax, unexpected(r.src, r.pos), want})
}

func (r *docReader) space() {
	for r.pos < len(r.src) && isSpace(r.src[r.pos]) {
		r.pos++
	}
}

// peek skips white space and gives the next byte, or 0 at the end.
func (r *docReader) peek() byte {
	r.space()
	if r.pos < len(r.src) {
		return r.src[r.pos]
	}
	return 0
}

func (r *docReader) document() *Node {
	if strings.HasPrefix(r.src, bom) {
		r.report(&fault{0, CodeBOM, "a byte order mark (U+FEFF) in front of the text", "save as UTF-8 without byte order mark"})
		r.pos = len(bom)
	}
	r.space()
	if r.pos == len(r.src) {
		r.report(&fault{r.pos, CodeSyntax, "there is nothing to read", "expected a JSON value"})
		return nil
	}
	root := r.value()
	if r.space(); r.pos < len(r.src) {
		r.report(trailingFault(r.src, r.pos))
	}
	return root
}

// value reads one value; nil after a syntax error.
func (r *docReader) value() *Node {
	c := r.peek()
	n := r.node()
	n.Off = r.pos
	switch c {
	case '"':
		n.Kind = KindString
		s, ok := r.str()
		if !ok {
			return nil
		}
		n.str = s
	case '{':
		n.Kind = KindObject
		if !r.object(n) {
			return nil
		}
	case '[':
		n.Kind = KindArray
		if !r.array(n) {
			return nil
		}
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		n.Kind = KindNumber
		if !r.number(n) {
			return nil
		}
	default:
		length := literal(r.src, r.pos)
		if length == 0 {
			r.unexpected("expected a JSON value")
			return nil
		}
		n.Kind, n.flag = KindBool, c == 't'
		if c == 'n' {
			n.Kind = KindNull
		}
		r.pos += length
	}
	n.End = r.pos
	return n
}

func (r *docReader) number(n *Node) bool {
	from := r.pos
	num, f := scanNumber(r.src, from)
	if f != nil {
		if !r.report(f) {
			return false
		}
		r.pos = num.end
		n.num = math.Copysign(math.MaxFloat64, num.value)
		return true
	}
	r.pos = num.end
	n.num = num.value
	if num.canonical {
		if i, ok := smallInt(r.src[from:num.end]); ok {
			n.num = float64(i)
		} else {
			n.num, _ = strconv.ParseFloat(r.src[from:num.end], 64)
		}
		return true
	}
	if isBigInteger(n.num) {
		return r.report(bigIntegerFault(r.src, from, num.end))
	}
	return true
}

func (r *docReader) array(n *Node) bool {
	if len(r.path) >= DefaultMaxDepth {
		return r.report(depthFault(r.pos, DefaultMaxDepth))
	}
	base := len(r.pending)
	if !r.elems(base) {
		return false
	}
	if len(r.pending) > base {
		n.Elems = slices.Clone(r.pending[base:])
		r.pending = r.pending[:base]
	}
	return true
}

// elems reads an array and leaves its elements in pending, from base on.
func (r *docReader) elems(base int) bool {
	r.pos++
	if r.peek() == ']' {
		r.pos++
		return true
	}
	for {
		r.path = append(r.path, strconv.Itoa(len(r.pending)-base))
		e := r.value()
		if e == nil {
			return false
		}
		r.path = r.path[:len(r.path)-1]
		r.pending = append(r.pending, e)
		switch r.peek() {
		case ',':
			r.pos++
		case ']':
			r.pos++
			return true
		default:
			return r.unexpected("expected a comma or ]")
		}
	}
}

func (r *docReader) object(n *Node) bool {
	depth := len(r.path)
	if depth >= DefaultMaxDepth {
		return r.report(depthFault(r.pos, DefaultMaxDepth))
	}
	base := len(r.open)
	ok := r.members()
	if len(r.open) > base {
		n.Members = slices.Clone(r.open[base:])
		r.open = r.open[:base]
	}
	r.path = r.path[:depth]
	return r.order(n) && ok
}

// members reads an object and leaves its members in open. The last has no value when reading ended in it.
func (r *docReader) members() bool {
	r.pos++
	if r.peek() == '}' {
		r.pos++
		return true
	}
	for {
		if r.peek() != '"' {
			return r.unexpected("expected a key in double quotes")
		}
		off := r.pos
		key, ok := r.str()
		if !ok {
			return false
		}
		r.open = append(r.open, NodeMember{Key: key, KeyOff: off})
		r.path = append(r.path, key)
		if r.peek() != ':' {
			return r.unexpected("expected a colon")
		}
		r.pos++
		value := r.value()
		if value == nil {
			return false
		}
		r.open[len(r.open)-1].Value = value
		r.path = r.path[:len(r.path)-1]
		switch r.peek() {
		case ',':
			r.pos++
		case '}':
			r.pos++
			return true
		default:
			return r.unexpected("expected a comma or }")
		}
	}
}

// order finds the canonical order of an object's members and reports its duplicate keys; false when reading ended.
func (r *docReader) order(n *Node) bool {
	inOrder := true
	for i := 1; i < len(n.Members) && inOrder; i++ {
		inOrder = CompareKeys(n.Members[i-1].Key, n.Members[i].Key) < 0
	}
	if inOrder {
		return true
	}
	all := make([]int32, len(n.Members))
	for i := range all {
		all[i] = int32(i)
	}
	slices.SortStableFunc(all, func(a, b int32) int { return CompareKeys(n.Members[a].Key, n.Members[b].Key) })
	n.sorted = all[:0]
	for k, i := range all {
		m := &n.Members[i]
		if k > 0 && n.Members[all[k-1]].Key == m.Key {
			r.path = append(r.path, m.Key)
			r.report(duplicateFault(m.KeyOff, m.Key))
			r.path = r.path[:len(r.path)-1]
		}
		if k+1 < len(all) && n.Members[all[k+1]].Key == m.Key {
			continue
		}
		n.sorted = append(n.sorted, i)
	}
	return !r.stopped
}

// str reads and decodes the string at r.pos.
func (r *docReader) str() (string, bool) {
	s, i := r.src, r.pos+1
	start := i
	var buf []byte // what is decoded so far, once the text is not taken as it is
	for {
		i = plainRun(s, i)
		if i >= len(s) {
			return "", r.report(&fault{len(s), CodeSyntax, "the text ends inside a string", "expected a closing quote"})
		}
		switch class[s[i]] {
		case quoteByte:
			r.pos = i + 1
			if buf == nil {
				return s[start:i], true
			}
			return string(append(buf, s[start:i]...)), true
		case highByte:
			if n := runeLen(s, i); n > 0 {
				i += n
				continue
			}
			if !r.report(utf8Fault(s, i)) {
				return "", false
			}
			buf = append(buf, s[start:i]...)
			buf = utf8.AppendRune(buf, utf8.RuneError)
			for i++; i < len(s) && s[i] >= 0x80 && runeLen(s, i) == 0; i++ {
				// One error for bytes that stand together.
			}
		case ctrlByte:
			return "", r.report(controlFault(s, i))
		default:
			c, end, f := scanEscape(s, i)
			if f != nil && !r.report(f) {
				return "", false
			}
			buf = append(buf, s[start:i]...)
			buf = utf8.AppendRune(buf, c)
			i = end
		}
		start = i
	}
}
