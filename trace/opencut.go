package trace

import (
	"bytes"
	"fmt"
)

// cutter cuts a trace file into the texts of its events, in any layout: an array on one line, one event per line, an
// indented array, JSON Lines. It is the one place that decides what is an event's text, what is damage and where a torn
// file ends, so that a trace in memory and a trace in a file are cut alike. It sees the file through a window; when a
// decision would need what lies behind the window it says so and changes nothing that is seen.
//
// The rules (ours). Between events stand white space, commas and the array's brackets. A text that begins with { and
// is JSON by its brackets, commas, colons and quotes is one event's. Any other text is damage up to the next place
// where a whole event of a known type, or of ours, begins: behind a newline, or spelled {"type":".
type cutter struct {
	grammar
	array  bool  // the file began with [
	base   int64 // offset of data[0] in the file
	at     int   // next byte in data
	eof    bool  // data ends where the file ends
	line   int   // 1-based line of data[at]
	typeAt int   // cached position of typePrefix at or behind at, -1: not looked for
	sep    separators
	pieces int   // events and damages so far
	ink    int64 // offset behind the last byte that is not white space, of what was passed
	gap    gapState
}

// separators counts what stands between two events.
type separators struct{ commas, opens, closes int }

// gapState is damage whose end is looked for.
type gapState struct {
	on     bool
	trying bool // data[at] is a place where an event could begin
	start  int64
	end    int64 // behind its last byte that is no separator
	line   int
	why    string
	cut    bool // it is an event whose text ends with the file
}

// pieceKind is what the cutter found.
type pieceKind uint8

const (
	pieceEvent  pieceKind = iota // an object; whether it is an event is for decoding to say
	pieceDamage                  // text that holds no event, and whole events follow
	pieceMore                    // undecided: the window must reach further
	pieceEnd                     // the file ends between events
	pieceTorn                    // the file ends in text that holds no whole event
)

// piece is one cut. Offsets are in the file.
type piece struct {
	kind  pieceKind
	start int64
	size  int64
	line  int    // 1-based line of start
	text  []byte // of an event: its text in the window
	why   string // of damage and of a tear
	cut   bool   // of a tear: only the end is missing
	odd   string // separators before the event that are not as they should be
}

// Why text is no event, as messages say it.
const (
	whyNoEvent = "this is no event"
	whyBroken  = "its brackets, commas or quotes are wrong"
	whyCut     = "the last event is cut off"
	whyZero    = "zero bytes"
)

// typePrefix begins every event that flowdbg writes.
const typePrefix = `{"type":"`

func newCutter(format Format) *cutter { return &cutter{array: format == FormatArray, line: 1} }

// window gives the text from offset base on. The cutter goes on at its start.
func (c *cutter) window(data []byte, base int64, eof bool) {
	c.grammar.set(data)
	c.base, c.at, c.eof, c.typeAt = base, 0, eof, -1
}

// moveTo goes forward over text that is not only separators, and counts lines.
func (c *cutter) moveTo(at int) {
	passed := c.data[c.at:at]
	c.line += bytes.Count(passed, []byte{'\n'})
	if n := len(bytes.TrimRight(passed, " \t\r\n")); n > 0 {
		c.ink = c.base + int64(c.at+n)
	}
	if c.gap.on {
		if n := len(bytes.TrimRight(passed, " \t\r\n,[]")); n > 0 {
			c.gap.end = c.base + int64(c.at+n)
		}
	}
	c.at = at
}

// next is the next piece. Behind pieceMore the caller gives a window from base+at on that reaches further.
func (c *cutter) next() piece {
	if c.gap.on {
		return c.resync()
	}
	if !c.separate() {
		if c.eof {
			return piece{kind: pieceEnd, start: c.base + int64(c.at), line: c.line}
		}
		return piece{kind: pieceMore}
	}
	gap := gapState{on: true, start: c.base + int64(c.at), line: c.line, why: whyNoEvent}
	switch c.data[c.at] {
	case '{':
		end, how := c.object(c.at)
		if how == extentCut && !c.eof {
			return piece{kind: pieceMore}
		}
		if how == extentWhole {
			return c.take(end)
		}
		if gap.why = whyBroken; how == extentCut {
			gap.why, gap.cut = whyCut, true
		}
	case 0:
		gap.why = whyZero
	}
	c.gap = gap
	c.moveTo(c.at + 1)
	return c.resync()
}

func (c *cutter) take(end int) piece {
	p := piece{kind: pieceEvent, start: c.base + int64(c.at), size: int64(end - c.at), line: c.line, text: c.data[c.at:end], odd: c.odd()}
	if c.newline(c.at) < end {
		c.line += bytes.Count(p.text, []byte{'\n'})
	}
	c.at, c.ink = end, p.start+p.size
	c.pieces++
	c.sep = separators{}
	return p
}

// separate passes over what stands between events; false at the end of the window.
func (c *cutter) separate() bool {
	for i := c.at; i < len(c.data); i++ {
		switch c.data[i] {
		case '\n':
			c.line++
		case ' ', '\t', '\r':
		case ',':
			c.sep.commas++
			c.ink = c.base + int64(i) + 1
		case '[':
			c.sep.opens++
			c.ink = c.base + int64(i) + 1
		case ']':
			c.sep.closes++
			c.ink = c.base + int64(i) + 1
		default:
			c.at = i
			return true
		}
	}
	c.at = len(c.data)
	return false
}

// odd says what is wrong with the separators before an event, "" when nothing is.
func (c *cutter) odd() string {
	s := c.sep
	if !c.array {
		if s != (separators{}) {
			return "commas or brackets stand between the lines"
		}
		return ""
	}
	if s == (separators{commas: 1}) && c.pieces > 0 {
		return ""
	}
	if c.pieces == 0 {
		s.opens--
		s.commas++
	}
	switch {
	case s.closes > 0:
		return "the array ended before this event"
	case s.opens != 0:
		return "a [ stands between two events"
	case s.commas == 0:
		return "no comma stands before this event"
	case s.commas > 1:
		return fmt.Sprintf("%d commas stand before this event", c.sep.commas)
	}
	return ""
}

// oddEnd says what is wrong with the file's end, "" when nothing is.
func (c *cutter) oddEnd() string {
	switch {
	case c.array && c.sep.closes > 1:
		return "more than one ] ends the array"
	case c.array && c.sep.closes == 1 && c.sep.commas > 0:
		return "a comma stands before the array's end"
	case !c.array && (c.sep.closes > 0 || c.sep.opens > 0):
		return "brackets stand behind the last line"
	}
	return ""
}

// resync looks for the place where damage ends.
func (c *cutter) resync() piece {
	for c.gap.trying || c.candidate() {
		end, how := c.object(c.at)
		if c.gap.trying = how == extentCut && !c.eof; c.gap.trying {
			return piece{kind: pieceMore}
		}
		if how == extentWhole && wholeEvent(c.data[c.at:end]) {
			p := c.gapPiece(pieceDamage)
			c.gap = gapState{}
			c.pieces++
			// What separates the damage from the event cannot be told from the damage.
			c.sep = separators{}
			if c.array {
				c.sep.commas = 1
			}
			return p
		}
		c.moveTo(c.at + 1)
	}
	if !c.eof {
		return piece{kind: pieceMore}
	}
	return c.gapPiece(pieceTorn)
}

func (c *cutter) gapPiece(kind pieceKind) piece {
	return piece{kind: kind, start: c.gap.start, size: c.gap.end - c.gap.start, line: c.gap.line, why: c.gap.why, cut: c.gap.cut}
}

// candidate moves to the next place where an event could begin. False: there is none up to the window's end; at is then
// where a longer window must begin, or the end of the file.
func (c *cutter) candidate() bool {
	typ := c.nextType()
	for {
		nl := c.newline(c.at)
		if typ < nl {
			c.moveTo(typ)
			return true
		}
		if nl == len(c.data) {
			break
		}
		j := nl + 1
		for j < len(c.data) && isSeparator(c.data[j]) {
			j++
		}
		switch {
		case j == len(c.data) && !c.eof:
			c.moveTo(nl)
			return false
		case j < len(c.data) && c.data[j] == '{':
			c.moveTo(j)
			return true
		}
		c.moveTo(nl + 1)
	}
	if c.eof {
		c.moveTo(len(c.data))
	} else {
		c.moveTo(max(c.at, len(c.data)-len(typePrefix)+1))
	}
	return false
}

// nextType is the position of typePrefix at or behind at, or the length of the window.
func (c *cutter) nextType() int {
	if c.typeAt < c.at {
		c.typeAt = len(c.data)
		if i := bytes.Index(c.data[c.at:], []byte(typePrefix)); i >= 0 {
			c.typeAt = c.at + i
		}
	}
	return c.typeAt
}

func isSeparator(b byte) bool {
	switch b {
	case ' ', '\t', '\r', '\n', ',', '[', ']':
		return true
	}
	return false
}

// wholeEvent is true for the text of an event that ends damage: one of a known type, or of ours.
func wholeEvent(text []byte) bool {
	e, _, err := decodeUnit(text, 0)
	return err == nil && e.Type != XDamage && (e.Type.Known() || e.Type.IsExtension())
}
