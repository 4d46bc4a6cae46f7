package translate

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Kinds of a node, as jsontext names them by their first byte.
const (
	kindNull   = jsontext.KindNull
	kindFalse  = jsontext.KindFalse
	kindTrue   = jsontext.KindTrue
	kindString = jsontext.KindString
	kindNumber = jsontext.KindNumber
	kindObject = jsontext.KindBeginObject
	kindArray  = jsontext.KindBeginArray
)

// node is a value of a mutable JSON tree. Unlike map[string]any it keeps the order of members and the spelling of numbers
// and strings, so that what a step does not touch is written as it was read.
type node struct {
	kind    jsontext.Kind
	raw     string   // scalars: the spelling, strings with quotes
	off     int      // byte offset in the source; -1 for values made here
	members []member // objects
	elems   []*node  // arrays
}

// member is one name and value of an object.
type member struct {
	name string // unescaped
	raw  string // quoted spelling
	val  *node
}

func newMember(name string, val *node) member {
	return member{name: name, raw: quote(name), val: val}
}

// quote spells a JSON string.
func quote(s string) string {
	b, err := jsontext.AppendQuote(nil, s)
	if err != nil { // names come out of parsed JSON and are valid UTF-8; anything else is replaced, never dropped
		b, _ = jsontext.AppendQuote(nil, strings.ToValidUTF8(s, "\uFFFD"))
	}
	return string(b)
}

func stringNode(s string) *node { return &node{kind: kindString, raw: quote(s), off: -1} }
func intNode(i int) *node       { return &node{kind: kindNumber, raw: strconv.Itoa(i), off: -1} }
func boolNode(b bool) *node {
	if b {
		return &node{kind: kindTrue, raw: "true", off: -1}
	}
	return &node{kind: kindFalse, raw: "false", off: -1}
}
func objectNode(members ...member) *node { return &node{kind: kindObject, off: -1, members: members} }

// find is the index of a member, or -1.
func (n *node) find(name string) int {
	for i := range n.members {
		if n.members[i].name == name {
			return i
		}
	}
	return -1
}

// get is a member's value, or nil when n is no object or has none of that name.
func (n *node) get(name string) *node {
	if n == nil || n.kind != kindObject {
		return nil
	}
	if i := n.find(name); i >= 0 {
		return n.members[i].val
	}
	return nil
}

// set replaces a member's value or appends a member.
func (n *node) set(name string, val *node) {
	if i := n.find(name); i >= 0 {
		n.members[i].val = val
		return
	}
	n.members = append(n.members, newMember(name, val))
}

// remove takes a member out and keeps the order of the others.
func (n *node) remove(name string) {
	if i := n.find(name); i >= 0 {
		n.members = append(n.members[:i], n.members[i+1:]...)
	}
}

// clone is a deep copy.
func (n *node) clone() *node {
	if n == nil {
		return nil
	}
	c := *n
	if n.members != nil {
		c.members = make([]member, len(n.members))
		for i, m := range n.members {
			c.members[i] = member{m.name, m.raw, m.val.clone()}
		}
	}
	if n.elems != nil {
		c.elems = make([]*node, len(n.elems))
		for i, e := range n.elems {
			c.elems[i] = e.clone()
		}
	}
	return &c
}

// str is the unescaped text of a string node.
func (n *node) str() (string, bool) {
	if n == nil || n.kind != kindString {
		return "", false
	}
	return unquote(n.raw), true
}

func unquote(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	b, err := jsontext.AppendUnquote(nil, raw)
	if err != nil { // raw was accepted by the decoder, so this cannot happen; the spelling is the safe answer
		return raw
	}
	return string(b)
}

// what names a node's kind in messages.
func (n *node) what() string {
	if n == nil {
		return "absent"
	}
	switch n.kind {
	case kindNull:
		return "null"
	case kindFalse, kindTrue:
		return "boolean"
	case kindString:
		return "string"
	case kindNumber:
		return "number"
	case kindObject:
		return "object"
	}
	return "array"
}

// append writes the tree as compact JSON.
func (n *node) append(dst []byte) []byte {
	switch n.kind {
	case kindObject:
		dst = append(dst, '{')
		for i := range n.members {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(dst, n.members[i].raw...)
			dst = append(dst, ':')
			dst = n.members[i].val.append(dst)
		}
		return append(dst, '}')
	case kindArray:
		dst = append(dst, '[')
		for i, e := range n.elems {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.append(dst)
		}
		return append(dst, ']')
	}
	return append(dst, n.raw...)
}
