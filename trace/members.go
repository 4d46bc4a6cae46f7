package trace

import (
	"bytes"

	"flowdbg/trace/canon"
)

// Members reads single members of a file's events, for passes that look at one thing in many of them: the file is read in
// blocks, no event is decoded and nothing enters the store's cache. It belongs to one goroutine; events are best asked
// for in the neighbourhood of each other.
type Members struct {
	s     *Store
	texts [2]textReader // blocks of the file, the one asked last first
	g     grammar
	at    int    // event that g has followed, -1
	off   int64  // where it lay then
	sound bool   // its members can be told
	text  []byte // of the event at
}

// NewMembers reads a store, which may still grow.
func NewMembers(s *Store) *Members {
	return &Members{s: s, texts: [2]textReader{{s: s}, {s: s}}, at: -1}
}

// Get is a member of the i-th event, as its canonical value, absent when the event has none of that name. ok is false
// when only decoding the whole event can tell. The other members are not checked.
func (m *Members) Get(i int, name string) (v canon.Value, ok bool) {
	if off, _ := m.s.span(i); i != m.at || off != m.off {
		m.at, m.off = i, off
		m.follow(i)
	}
	if !m.sound {
		return v, false
	}
	for k := range m.g.members {
		if at := &m.g.members[k]; string(m.text[at.name:at.nameEnd]) == name {
			v, _, err := canon.Parse(m.text[at.value:at.valueEnd], canon.Options{Integers: canon.IntegersAccept, MaxDepth: readNesting})
			return v, err == nil
		}
	}
	return v, true
}

// follow finds the members of an event. Names with escapes and names that stand twice are left to decoding.
func (m *Members) follow(i int) {
	m.sound = false
	text, err := m.block(i)
	if err != nil {
		return
	}
	m.text = text
	m.g.set(text)
	if _, how := m.g.object(0); how != extentWhole || len(m.g.members) == maxSpans {
		return
	}
	for k, a := range m.g.members {
		name := text[a.name:a.nameEnd]
		if bytes.IndexByte(name, '\\') >= 0 {
			return
		}
		for _, b := range m.g.members[:k] {
			if bytes.Equal(name, text[b.name:b.nameEnd]) {
				return
			}
		}
	}
	m.sound = true
}

// memberBlock is how much of the file is read at once, in bytes.
const memberBlock = 64 << 10

// block is an event's text, out of one of two blocks that begin at multiples of their size: going to and fro reads
// nothing twice.
func (m *Members) block(i int) ([]byte, error) {
	off, size := m.s.span(i)
	if !m.texts[0].holds(off, size) {
		m.texts[0], m.texts[1] = m.texts[1], m.texts[0]
	}
	if !m.texts[0].holds(off, size) {
		from := off - off%memberBlock
		if err := m.texts[0].fill(from, max(memberBlock, int(off-from)+size)); err != nil {
			return nil, err
		}
	}
	return m.texts[0].text(i)
}

// Message is the message of a receive or send event; ok as for Get, and false when decoding would find fault with it.
func (m *Members) Message(i int) (tag string, from canon.Value, payload canon.Value, ok bool) {
	v, ok := m.Get(i, "message")
	if !ok || v.Kind() != canon.KindObject {
		return "", from, payload, false
	}
	tag, ok = v.Get("tag").Str()
	if from = v.Get("from"); from.IsNull() {
		from = canon.Value{}
	}
	if !ok || !from.IsAbsent() && from.Kind() != canon.KindString {
		return "", from, payload, false
	}
	if payload = v.Get("payload"); payload.IsAbsent() {
		payload = canon.Null
	}
	return tag, from, payload, true
}

// Answer is the answer of an effect event; ok as for Get, and false for a foreign response that holds its usage.
func (m *Members) Answer(i int) (v canon.Value, ok bool) {
	v, ok = m.Get(i, "response")
	if v.IsAbsent() {
		v = canon.Null
	}
	foreign := v.Kind() == canon.KindObject && v.Count() == 2 && !v.Get("output").IsAbsent() && !v.Get("usage").IsAbsent()
	return v, ok && !foreign
}
