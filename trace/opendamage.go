package trace

import (
	"bytes"
	"errors"
	"fmt"

	"flowdbg/trace/canon"
)

// FindSeparator is the kind of finding about commas and brackets between events that are not as JSON has them. Nothing
// is lost by it.
const FindSeparator = "separator"

// maxSeparatorFindings bounds how many of them are listed: a file can be odd in every line.
const maxSeparatorFindings = 10

func addSeparatorFinding(list []Finding, event int, p piece) []Finding {
	n := 0
	for _, f := range list {
		if f.Kind == FindSeparator {
			n++
		}
	}
	if n >= maxSeparatorFindings {
		return list
	}
	return append(list, Finding{Kind: FindSeparator, Event: event, Text: fmt.Sprintf("line %d: %s", p.line, p.odd)})
}

// damage is text in a trace file that is no event.
type damage struct {
	offset, size int64
	line         int    // 1-based, 0 when it is not known
	why          string // in words
	text         []byte // as much of it as is at hand
	err          error  // what decoding said, nil for text that could not be cut
}

// hold adds text that is no event to what waits for a whole event behind it. Without a whole event in between it is the
// same gap: one fault can leave several pieces.
func hold(held []damage, d damage) []damage {
	if len(held) == 0 {
		return append(held, d)
	}
	held[0].size = d.offset + d.size - held[0].offset
	return held
}

// damageShown is how many bytes of damaged text its event holds.
const damageShown = 200

// event stands for the text: {bytes, offset, line?, text, why}.
func (d *damage) event() Event {
	members := []canon.Member{
		{Key: "bytes", Value: canon.Int(d.size)},
		{Key: "offset", Value: canon.Int(d.offset)},
		{Key: "text", Value: canon.String(string(bytes.ToValidUTF8(d.text[:min(len(d.text), damageShown)], []byte("\uFFFD"))))},
		{Key: "why", Value: canon.String(d.why)}}
	if d.line > 0 {
		members = append(members, canon.Member{Key: "line", Value: canon.Int(int64(d.line))})
	}
	return Event{Type: XDamage, flags: flagNoStep, Extra: canon.Object(members...)}
}

func (d *damage) finding(event int) Finding {
	return Finding{Kind: FindDamage, Event: event, Text: fmt.Sprintf(
		"line %d: %d bytes are no event (%s): the file is damaged here, and nothing behind it can be verified", d.line, d.size, d.why)}
}

// readError says it of a file in which no event is whole. data is the file's text; without it the place is the line.
func (d *damage) readError(data []byte) error {
	off, e := int(d.offset), &ReadError{Event: 0, What: d.why, Want: `a trace is a JSON array of events, or one event per line`}
	var ce *canon.Error
	var de *DecodeError
	switch {
	case errors.As(d.err, &ce):
		off += ce.Offset
		e.Pointer, e.What, e.Want = ce.Pointer, ce.What, ce.Want
	case errors.As(d.err, &de):
		e.Pointer, e.What, e.Want = de.Pointer, de.What, de.Want
	}
	if e.Line, e.Col = max(d.line, 1), 1; data != nil {
		e.Line, e.Col = lineCol(data, off)
	}
	return e
}

// whyText is a decoding error without places: the damaged text has its own.
func whyText(err error) string {
	var ce *canon.Error
	switch {
	case err == nil:
		return whyMarked
	case errors.As(err, &ce):
		return fmt.Sprintf("byte %d: %s", ce.Offset, ce.What)
	}
	return err.Error()
}

// whyMarked is said of a line of type XDamage in a file: a repaired trace that kept both sides of its damage.
const whyMarked = "a mark of damage that was there before"

// decodeUnit decodes an event's text, with what is odd about it.
func decodeUnit(text []byte, i int) (Event, []Finding, error) {
	v, big, err := canon.Parse(text, canon.Options{Integers: canon.IntegersAccept, MaxDepth: readNesting})
	if err != nil {
		return Event{}, nil, err
	}
	e, odd, err := DecodeEvent(v, i)
	for _, f := range big {
		odd = append(odd, Finding{Kind: FindBigInteger, Event: i, Pointer: f.Pointer, Text: "an integer beyond ±(2^53−1): its value is rounded here"})
	}
	return e, odd, err
}

// tear says how a file ends: nil when it ends well. last is the cutter's last piece, held the first text that is no
// event and that no whole event follows, from the offset behind the last whole event.
func (c *cutter) tear(last piece, held *damage, from int64) *Tear {
	t := &Tear{Offset: int(from), Line: last.line, Dropped: int(c.ink - last.start), What: last.why}
	switch {
	case held != nil:
		t.Line, t.Dropped, t.What = held.line, int(c.ink-held.offset), held.why
	case last.kind == pieceTorn && last.why == whyZero:
		t.What = fmt.Sprintf("the file ends in %d bytes that are no text", last.size)
	case last.kind == pieceTorn:
	case c.array && c.sep.closes == 0:
		t.Dropped, t.What = 0, "the array is not closed"
	default:
		return nil
	}
	return t
}
