package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

// scanState is how far indexing has come.
type scanState struct {
	cut    *cutter
	at     int64  // offset of the window's first byte that was not cut yet
	window int    // bytes of a window
	buf    []byte // the window
	from   int64  // behind the last whole event
	held   []damage
	done   bool // the end of the file was reached
	mark   []byte
	backTo int  // line at from
	blank  bool // nothing but white space was there when the layout was looked for
}

const (
	headBytes = 64 << 10
	scanBytes = 4 << 20
	markBytes = 64
)

// begin looks at the first bytes and decides the layout.
func (s *Store) begin() error {
	head := make([]byte, headBytes)
	n, err := s.f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if s.format, err = formatOf(head[:n]); err != nil {
		return err
	}
	s.scan = scanState{cut: newCutter(s.format), window: scanBytes, backTo: 1, blank: len(bytes.TrimSpace(head[:n])) == 0}
	return nil
}

// Advance indexes the next few megabytes. done is true at the end of the file; Advance may be called again later, when
// the file has grown. The error wraps ErrChanged when the file is not what was indexed any more, and is a *ReadError
// for a file that turns out to hold no event at all.
func (s *Store) Advance() (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shadow != nil {
		return s.advanceShadow()
	}
	if s.scan.done {
		err = s.reopenEnd()
	}
	if err == nil && s.scan.blank {
		err = s.begin() // it may have begun since
	}
	if err != nil {
		return true, err
	}
	// A file that is smaller than a window needs no more room than itself and the byte that would follow.
	if need := int(min(int64(s.scan.window), max(s.size-s.scan.at, 0)+1)); len(s.scan.buf) < need {
		s.scan.buf = make([]byte, need)
	}
	n, err := s.f.ReadAt(s.scan.buf, s.scan.at)
	eof := errors.Is(err, io.EOF)
	if err != nil && !eof {
		return false, err
	}
	if eof && n == 0 && s.scan.at > 0 {
		if st, serr := s.f.Stat(); serr == nil && st.Size() < s.scan.at {
			return true, fmt.Errorf("%w: it shrank from %d to %d bytes", ErrChanged, s.scan.at, st.Size())
		}
	}
	if seen := s.scan.at + int64(n); eof || seen > s.size {
		s.size = seen
	}
	if err := s.scanWindow(s.scan.buf[:n], eof); err != nil {
		return false, err
	}
	if s.stale {
		s.sortAgents()
	}
	return eof && s.shadow == nil, s.unreadable(eof)
}

// scanWindow cuts what can be cut off a window. What is left over is read again with the next one.
func (s *Store) scanWindow(data []byte, eof bool) error {
	c := s.scan.cut
	c.window(data, s.scan.at, eof)
	for {
		switch p := c.next(); p.kind {
		case pieceEvent:
			if err := s.take(p); err != nil {
				return err
			}
		case pieceDamage:
			s.scan.held = hold(s.scan.held, damage{offset: p.start, size: p.size, line: p.line, why: p.why})
		case pieceMore:
			if c.at == 0 { // what is there is too long for the window
				s.scan.window = 2 * len(data)
				s.size = max(s.size, s.scan.at+int64(len(data))+1)
			} else if s.scan.window > scanBytes {
				s.scan.window, s.scan.buf = scanBytes, nil
			}
			s.scan.at += int64(c.at)
			return nil
		default:
			return s.atEnd(p)
		}
	}
}

// take indexes one event's text. Text that is no event waits until a whole event has followed it.
func (s *Store) take(p piece) error {
	c := s.scan.cut
	why, bad := s.bad[p.start]
	sh, ok := c.quickShape()
	if bad {
		sh = shape{kind: kindDamage}
	} else if !ok || len(s.scan.held) > 0 {
		sh, why = slowShape(p.text, s.cols.n)
	}
	if sh.kind == kindDamage {
		s.scan.held = hold(s.scan.held, damage{offset: p.start, size: p.size, line: p.line, why: why})
		return nil
	}
	for _, d := range s.scan.held {
		if err := s.indexDamage(d); err != nil {
			return err
		}
	}
	s.scan.held = s.scan.held[:0]
	if p.odd != "" {
		s.findings = addSeparatorFinding(s.findings, s.cols.n, p)
	}
	s.tear = nil
	s.scan.from, s.scan.backTo = p.start+p.size, c.line
	return s.indexEvent(p.start, p.text, &sh)
}

func (s *Store) indexDamage(d damage) error {
	i := s.cols.n
	s.damages[d.offset] = d
	s.findings = append(s.findings, d.finding(i))
	d.size = min(d.size, 1<<32-1)
	return s.addColumn(column{off: d.offset, size: uint32(d.size), agent: noName, to: noName, kind: kindDamage}, &shape{kind: kindDamage}, nil, nil)
}

// atEnd says how the file ends and goes back behind the last whole event, from where a longer file is read on: a
// recorder writes over the array's end.
func (s *Store) atEnd(last piece) error {
	var first *damage
	if len(s.scan.held) > 0 {
		first = &s.scan.held[0]
	}
	c := s.scan.cut
	s.tear = c.tear(last, first, s.scan.from)
	s.closing = ""
	if s.tear == nil {
		s.closing = c.oddEnd()
	}
	s.noEvent = s.cols.n == 0 && (first != nil || last.kind == pieceTorn && !last.cut)
	s.scan.done, s.scan.buf, s.scan.window = true, nil, scanBytes
	s.scan.held = s.scan.held[:0]
	if s.cols.n > 0 {
		s.scan.at = s.scan.from
		c.gap, c.sep, c.line, c.ink = gapState{}, separators{}, s.scan.backTo, 0
		c.pieces = max(c.pieces, 1)
	} else {
		s.scan.at, s.scan.cut = 0, newCutter(s.format)
	}
	if err := s.keepMark(); err != nil {
		return err
	}
	return s.checkLast()
}

// keepMark remembers the bytes before the place where reading will go on.
func (s *Store) keepMark() error {
	n := min(markBytes, s.scan.at)
	s.scan.mark = make([]byte, n)
	_, err := s.f.ReadAt(s.scan.mark, s.scan.at-n)
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: it shrank while it was read", ErrChanged)
	}
	return err
}

// reopenEnd makes sure that the file still holds what was indexed before it is read on.
func (s *Store) reopenEnd() error {
	s.scan.done = false
	now := make([]byte, len(s.scan.mark))
	_, err := s.f.ReadAt(now, s.scan.at-int64(len(now)))
	switch {
	case errors.Is(err, io.EOF):
		size := int64(0)
		if st, serr := s.f.Stat(); serr == nil {
			size = st.Size()
		}
		s.scan.done = true
		return fmt.Errorf("%w: it shrank from %d to %d bytes", ErrChanged, s.size, size)
	case err != nil:
		return err
	case string(now) != string(s.scan.mark):
		s.scan.done = true
		return fmt.Errorf("%w: other bytes stand where it ended", ErrChanged)
	}
	return nil
}

// unreadable is the error of a file without a single event but with text that should be one.
func (s *Store) unreadable(eof bool) error {
	if !eof || !s.noEvent || s.shadow != nil {
		return nil
	}
	head := make([]byte, min(s.size, scanBytes))
	n, err := s.f.ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if _, err = Read(head[:n]); err != nil {
		return err
	}
	return &ReadError{Line: 1, Col: 1, Event: 0, What: "the file holds no event", Want: "a trace is a JSON array of events, or one event per line"}
}

// decodeText decodes an event's text; one that cannot be decoded becomes XDamage.
func decodeText(text []byte, i int) *Event {
	e, _, err := decodeUnit(text, i)
	if err != nil {
		e = damaged(text, err)
	}
	return &e
}

// damaged is the event that stands for text that is none.
func damaged(text []byte, why error) Event {
	d := damage{size: int64(len(text)), why: whyText(why), text: text}
	return d.event()
}
