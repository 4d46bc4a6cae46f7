package judge

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"flowdbg/trace/canon"
)

// Tools write JSON that a strict reader refuses as a whole: the same key twice, a bare NaN, 1e400. A refusal would hide
// which run of a sweep is broken, so metrics are read by this lenient reader, which keeps every number as the text it
// was written in and every occurrence of a key. What the text is worth is decided later, value by value.

type jsonKind uint8

const (
	jsonNull jsonKind = iota
	jsonBool
	jsonNumber // text holds the token, also NaN and Infinity
	jsonString // text holds the unescaped string
	jsonArray
	jsonObject
)

// jsonNode is one value of a document. off is the byte offset of its first character.
type jsonNode struct {
	kind    jsonKind
	off     int
	text    string
	members []jsonMember // in the order of the file, duplicates included
	elems   []*jsonNode
}

type jsonMember struct {
	key    string
	keyOff int
	value  *jsonNode
}

// get is the last member with that key, or nil; n counts how often it occurs.
func (v *jsonNode) get(key string) (found *jsonNode, n int) {
	for _, m := range v.members {
		if m.key == key {
			found = m.value
			n++
		}
	}
	return found, n
}

// canonical is the node for a hash: what canonical JSON cannot hold is kept as text (numbers that are not finite) or as
// a list of pairs (an object that gives a key twice).
func (v *jsonNode) canonical() canon.Value {
	switch v.kind {
	case jsonNumber:
		if f, code := parseNumber(v.text); code == "" || code == Denormal {
			if n, err := canon.Float(f); err == nil {
				return n
			}
		}
		return canon.String(v.text)
	case jsonString:
		return canon.String(v.text)
	case jsonArray:
		list := make([]canon.Value, len(v.elems))
		for i, e := range v.elems {
			list[i] = e.canonical()
		}
		return canon.Array(list...)
	case jsonObject:
		return v.canonicalObject()
	}
	return canon.Raw(v.text) // null, true, false
}

func (v *jsonNode) canonicalObject() canon.Value {
	members := make([]canon.Member, len(v.members))
	pairs := make([]canon.Value, len(v.members))
	seen := map[string]bool{}
	for i, m := range v.members {
		members[i] = canon.Member{Key: m.key, Value: m.value.canonical()}
		pairs[i] = canon.Array(canon.String(m.key), members[i].Value)
		seen[m.key] = true
	}
	if len(seen) < len(members) {
		return canon.Array(pairs...)
	}
	return canon.Object(members...)
}

const maxJSONDepth = 256

type jsonReader struct {
	data  []byte
	pos   int
	depth int
}

// parseJSON reads one document. The error is a *canon.Error with line and column.
func parseJSON(data []byte) (*jsonNode, error) {
	r := &jsonReader{data: data}
	if strings.HasPrefix(string(data[:min(3, len(data))]), "\ufeff") {
		return nil, r.fail("a byte order mark", "JSON that starts at once")
	}
	v, err := r.value()
	if err != nil {
		return nil, err
	}
	r.space()
	if r.pos < len(data) {
		return nil, r.fail("more text after the document", "one JSON document")
	}
	return v, nil
}

func (r *jsonReader) fail(what, want string) error { return failAt(r.data, r.pos, what, want) }

// failAt makes the error for a byte offset of data.
func failAt(data []byte, off int, what, want string) *canon.Error {
	off = min(off, len(data))
	line, start := 1, 0
	for i, c := range data[:off] {
		if c == '\n' {
			line, start = line+1, i+1
		}
	}
	col := utf8.RuneCount(data[start:off]) + 1
	return &canon.Error{Offset: off, Line: line, Col: col, What: what, Want: want}
}

func (r *jsonReader) space() {
	for r.pos < len(r.data) {
		switch r.data[r.pos] {
		case ' ', '\t', '\n', '\r':
			r.pos++
		default:
			return
		}
	}
}

func (r *jsonReader) value() (*jsonNode, error) {
	r.space()
	if r.pos == len(r.data) {
		return nil, r.fail("the text ends here", "a JSON value")
	}
	if r.depth++; r.depth > maxJSONDepth {
		return nil, r.fail("nested too deeply", fmt.Sprintf("at most %d levels", maxJSONDepth))
	}
	defer func() { r.depth-- }()
	switch c := r.data[r.pos]; c {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		off := r.pos
		s, err := r.str()
		return &jsonNode{kind: jsonString, off: off, text: s}, err
	default:
		return r.word()
	}
}

func (r *jsonReader) object() (*jsonNode, error) {
	v := &jsonNode{kind: jsonObject, off: r.pos}
	r.pos++
	for first := true; ; first = false {
		r.space()
		if r.peek() == '}' && first {
			r.pos++
			return v, nil
		}
		if r.peek() != '"' {
			return nil, r.fail("no member name here", `a name in double quotes`)
		}
		off := r.pos
		key, err := r.str()
		if err != nil {
			return nil, err
		}
		r.space()
		if r.peek() != ':' {
			return nil, r.fail("a name without a value", `":"`)
		}
		r.pos++
		val, err := r.value()
		if err != nil {
			return nil, err
		}
		v.members = append(v.members, jsonMember{key, off, val})
		if done, err := r.next('}'); done || err != nil {
			return v, err
		}
	}
}

func (r *jsonReader) array() (*jsonNode, error) {
	v := &jsonNode{kind: jsonArray, off: r.pos}
	r.pos++
	r.space()
	if r.peek() == ']' {
		r.pos++
		return v, nil
	}
	for {
		e, err := r.value()
		if err != nil {
			return nil, err
		}
		v.elems = append(v.elems, e)
		if done, err := r.next(']'); done || err != nil {
			return v, err
		}
	}
}

func (r *jsonReader) peek() byte {
	if r.pos < len(r.data) {
		return r.data[r.pos]
	}
	return 0
}

// next steps over a comma, or over the closing bracket, which ends the container.
func (r *jsonReader) next(closing byte) (done bool, err error) {
	r.space()
	switch r.peek() {
	case ',':
		r.pos++
		return false, nil
	case closing:
		r.pos++
		return true, nil
	}
	return false, r.fail("an element that does not end", fmt.Sprintf("%q or %q", ',', closing))
}

func (r *jsonReader) str() (string, error) {
	start := r.pos
	plain := true
	for i := start + 1; i < len(r.data); i++ {
		switch c := r.data[i]; {
		case c == '\\':
			plain = false
			i++
		case c == '"':
			r.pos = i + 1
			raw := r.data[start : i+1]
			if plain && utf8.Valid(raw) {
				return string(raw[1 : len(raw)-1]), nil
			}
			var s string
			if err := json.Unmarshal(raw, &s); err != nil {
				r.pos = start
				return "", r.fail("a string with a bad escape", "JSON string escapes")
			}
			return s, nil
		case c < ' ':
			r.pos = i
			return "", r.fail("a control character in a string", `an escape such as \n`)
		}
	}
	return "", r.fail("a string that does not end", "a closing quote")
}

// word reads true, false, null, and every run of characters that is meant as a number, right or wrong.
func (r *jsonReader) word() (*jsonNode, error) {
	start := r.pos
	for r.pos < len(r.data) && isWordByte(r.data[r.pos]) {
		r.pos++
	}
	text := string(r.data[start:r.pos])
	v := &jsonNode{off: start, text: text, kind: jsonNumber}
	switch {
	case text == "null":
		v.kind = jsonNull
	case text == "true" || text == "false":
		v.kind = jsonBool
	default:
		if _, problem := parseNumber(text); problem == NotANumber {
			r.pos = start
			return nil, r.fail("neither a number nor a known word", "a JSON value")
		}
	}
	return v, nil
}

func isWordByte(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.'
}
