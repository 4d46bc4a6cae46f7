package trace

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// extent says how a JSON object ends.
type extent uint8

const (
	extentWhole  extent = iota // it ends where its last bracket closes
	extentCut                  // the text ends inside it
	extentBroken               // a bracket, comma, colon or quote is where JSON has none
)

// maxEventBytes is the longest text that is taken for one event: more than the limits of version 1 let a run write in
// practice, little enough to be held in memory while its end is looked for.
const maxEventBytes = 128 << 20

// extentNesting is the depth up to which brackets are matched. It is above what decoding accepts, so that a value which
// nests too deep is a fault of its own event and of no other.
const extentNesting = 1024

// grammar finds where JSON values end, by the places of brackets, commas, colons and quotes alone. What numbers, words
// and strings hold is left to decoding; but no string spans lines, so that a lost quote does harm to its own line only.
type grammar struct {
	data    []byte
	nlFrom  int // no newline lies in data[nlFrom:nl]
	nl      int
	end     int // where the value under way must have ended
	pos     int
	depth   int
	objects [extentNesting / 64]uint64 // by depth: is the open bracket a brace
	members []span                     // of the object that was followed last
}

// span is one member of an event: where its name lies, without quotes, and its value.
type span struct{ name, nameEnd, value, valueEnd int }

// maxSpans is how many members of an event are noted; ours have at most ten.
const maxSpans = 16

// set gives the text to look at; positions in another text mean nothing any more.
func (g *grammar) set(data []byte) { g.data, g.nlFrom, g.nl = data, 0, -1 }

// object is the index behind the object that begins at start, or how far its text could be followed. Its first members
// are noted.
func (g *grammar) object(start int) (end int, how extent) {
	g.pos, g.depth, g.members, g.end = start, 0, g.members[:0], len(g.data)
	limited := len(g.data)-start >= maxEventBytes
	if limited {
		g.end = start + maxEventBytes
	}
	how = g.value()
	if how == extentCut && limited {
		how = extentBroken
	}
	return g.pos, how
}

func (g *grammar) open(brace bool) bool {
	if g.depth == extentNesting {
		return false
	}
	if bit := uint64(1) << (g.depth & 63); brace {
		g.objects[g.depth>>6] |= bit
	} else {
		g.objects[g.depth>>6] &^= bit
	}
	g.depth++
	return true
}

func (g *grammar) inObject() bool {
	return g.objects[(g.depth-1)>>6]>>((g.depth-1)&63)&1 == 1
}

// space skips white space; false at the end of the text.
func (g *grammar) space() bool {
	return g.pos < g.end && g.data[g.pos] > ' ' || g.skipSpace()
}

func (g *grammar) skipSpace() bool {
	for ; g.pos < g.end; g.pos++ {
		switch g.data[g.pos] {
		case ' ', '\t', '\r', '\n':
		default:
			return true
		}
	}
	return false
}

// value follows one value, of any depth, to its end.
func (g *grammar) value() extent {
	for key := false; ; {
		if !g.space() {
			return extentCut
		}
		if key {
			if how := g.key(); how != extentWhole {
				return how
			}
			key = false
			continue
		}
		if g.depth == 1 && len(g.members) > 0 {
			g.members[len(g.members)-1].value = g.pos
		}
		switch c := g.data[g.pos]; {
		case c == '"':
			if how := g.text(); how != extentWhole {
				return how
			}
		case c == '{' || c == '[':
			if !g.open(c == '{') {
				return extentBroken
			}
			g.pos++
			if !g.space() {
				return extentCut
			}
			if g.data[g.pos] != c+2 { // not closed at once: '}' is '{'+2, ']' is '['+2
				key = c == '{'
				continue
			}
		case wordByte[c]:
			for g.pos < g.end && wordByte[g.data[g.pos]] {
				g.pos++
			}
		default:
			return extentBroken
		}
		more, how := g.after()
		if how != extentWhole || !more {
			return how
		}
		key = g.inObject()
	}
}

// key follows a member's name and the colon behind it.
func (g *grammar) key() extent {
	if g.data[g.pos] != '"' {
		return extentBroken
	}
	from := g.pos + 1
	if how := g.text(); how != extentWhole {
		return how
	}
	if g.depth == 1 && len(g.members) < maxSpans {
		g.members = append(g.members, span{name: from, nameEnd: g.pos - 1})
	}
	if !g.space() {
		return extentCut
	}
	if g.data[g.pos] != ':' {
		return extentBroken
	}
	g.pos++
	return extentWhole
}

// after closes brackets behind a value and takes the comma; more is false when the outermost bracket was closed.
func (g *grammar) after() (more bool, how extent) {
	for {
		if g.depth == 1 && len(g.members) > 0 {
			if m := &g.members[len(g.members)-1]; m.valueEnd == 0 {
				m.valueEnd = g.pos
			}
		}
		if g.depth == 0 {
			return false, extentWhole
		}
		if !g.space() {
			return false, extentCut
		}
		brace := g.inObject()
		switch c := g.data[g.pos]; {
		case c == ',':
			g.pos++
			return true, extentWhole
		case c == '}' && brace, c == ']' && !brace:
			g.pos++
			g.depth--
		default:
			return false, extentBroken
		}
	}
}

// text follows a string. A quote behind an odd number of backslashes belongs to it.
func (g *grammar) text() extent {
	from := g.pos + 1
	const quotes, slashes, blanks, ones, highs = '"' * ones8, '\\' * ones8, ' ' * ones8, ones8, 0x80 * ones8
	for i := from; i+8 <= g.end && i < from+shortText; i += 8 {
		w := binary.LittleEndian.Uint64(g.data[i:])
		q, b := w^quotes, w^slashes
		found := ((q-ones)&^q | (b-ones)&^b | (w-blanks)&^w) & highs
		if found == 0 {
			continue
		}
		// The lowest bit is the first quote, backslash or control byte; above it the bits may lie.
		if i += bits.TrailingZeros64(found) / 8; g.data[i] == '"' {
			g.pos = i + 1
			return extentWhole
		}
		break
	}
	return g.longText(from)
}

// shortText is the length up to which eight bytes at a time are faster than a search; ones8 is a one in each of them.
const (
	shortText = 32
	ones8     = 0x0101010101010101
)

func (g *grammar) longText(from int) extent {
	for i := from; ; i++ {
		q := bytes.IndexByte(g.data[i:g.end], '"')
		if q < 0 {
			if g.newline(from) < g.end {
				return extentBroken
			}
			g.pos = g.end
			return extentCut
		}
		i += q
		b := i
		for b > from && g.data[b-1] == '\\' {
			b--
		}
		if (i-b)%2 == 0 {
			if g.newline(from) < i {
				return extentBroken
			}
			g.pos = i + 1
			return extentWhole
		}
	}
}

// newline is the index of the first newline from i on, or the length of the text.
func (g *grammar) newline(i int) int {
	if i < g.nlFrom || i > g.nl {
		g.nlFrom, g.nl = i, len(g.data)
		if n := bytes.IndexByte(g.data[i:], '\n'); n >= 0 {
			g.nl = i + n
		}
	}
	return g.nl
}

// wordByte tells the bytes of numbers, true, false and null.
var wordByte = func() (t [256]bool) {
	for c := range t {
		t[c] = c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '-' || c == '+' || c == '.'
	}
	return t
}()
