package tree

import (
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
)

// maxKeyCells bounds how far a long key pushes the values of its siblings to the right.
const maxKeyCells = 24

// load looks up the children of n up to the limit that is remembered for it.
func (t *Tree) load(n *node) {
	limit := firstPage
	if m := t.mem[n.pointer()]; m != nil {
		limit = m.limit
	}
	if n.loaded && (!n.more || len(n.kids) >= limit) {
		return
	}
	var kids []*node
	if n.val.Kind() == canon.KindArray {
		kids, n.more = t.elems(n, limit)
	} else {
		kids, n.more = t.members(n, limit)
	}
	// The children found before are the first of these; they keep what was found out about them.
	copy(kids, n.kids)
	for _, k := range kids[len(n.kids):] {
		if w := cell.Width(cell.Cut(k.label(), maxKeyCells)); w > n.keyW {
			n.keyW = w
		}
	}
	n.kids, n.loaded = kids, true
}

func (t *Tree) kid(n *node, key string, val, prev canon.Value) *node {
	return &node{parent: n, key: key, depth: n.depth + 1, val: val, prev: prev, gone: val.IsAbsent(), count: -1}
}

// elems pairs the elements of an array with those at the same index before. What was there before beyond the end
// comes behind, as gone.
func (t *Tree) elems(n *node, limit int) (kids []*node, more bool) {
	var before []canon.Value
	rest := false
	for i, v := range n.prev.Elems() {
		if i == limit {
			rest = true
			break
		}
		before = append(before, v)
	}
	add := func(val canon.Value) {
		i := len(kids)
		var prev canon.Value
		if i < len(before) {
			prev = before[i]
		}
		k := t.kid(n, indexKey(i), val, prev)
		k.index = true
		kids = append(kids, k)
	}
	for i, v := range n.val.Elems() {
		if i == limit {
			return kids, true
		}
		add(v)
	}
	for len(kids) < len(before) {
		add(canon.Value{})
	}
	return kids, rest
}

// members merges the members of an object with those before; both are sorted, so one walk finds what came and went.
func (t *Tree) members(n *node, limit int) (kids []*node, more bool) {
	before, beforeMore := firstMembers(n.prev, limit)
	now, nowMore := firstMembers(n.val, limit)
	// A side that has reached its limit has given that many children already, so the loop never asks what lies beyond.
	i, j := 0, 0
	for len(kids) < limit && (i < len(now) || j < len(before)) {
		order := 0
		switch {
		case i == len(now):
			order = 1
		case j == len(before):
			order = -1
		default:
			order = canon.CompareKeys(now[i].Key, before[j].Key)
		}
		var k *node
		switch {
		case order < 0:
			k = t.kid(n, now[i].Key, now[i].Value, canon.Value{})
			i++
		case order > 0:
			k = t.kid(n, before[j].Key, canon.Value{}, before[j].Value)
			j++
		default:
			k = t.kid(n, now[i].Key, now[i].Value, before[j].Value)
			i, j = i+1, j+1
		}
		kids = append(kids, k)
	}
	return kids, nowMore || beforeMore || i < len(now) || j < len(before)
}

// firstMembers is the start of an object, and whether there is more of it.
func firstMembers(v canon.Value, limit int) (members []canon.Member, more bool) {
	for k, m := range v.Members() {
		if len(members) == limit {
			return members, true
		}
		members = append(members, canon.Member{Key: k, Value: m})
	}
	return members, false
}
