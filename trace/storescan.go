package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"flowdbg/trace/canon"
)

// scanState is how far indexing has come.
type scanState struct {
	at      int64 // offset of the next byte that is not indexed
	line    int   // lines before it
	buf     []byte
	pending []byte // scratch for events that span reads
	layout  layout
	closed  bool // the array's ] was read
	done    bool // the end of the file was reached
}

// layout is how events lie in the file.
type layout uint8

const (
	layoutLines  layout = iota // one event per line: the line index is the event index
	layoutPretty               // an array in any layout: needs a structural pass
)

const (
	headBytes = 64 << 10
	scanBytes = 4 << 20
)

// begin looks at the first bytes and decides the layout.
func (s *Store) begin() error {
	head := make([]byte, min(headBytes, s.size))
	if _, err := s.f.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		return &ReadError{Line: 1, Col: 1, Event: -1, What: "the file begins with a byte order mark", Want: "save it as UTF-8 without one"}
	}
	text := bytes.TrimLeft(head, " \t\r\n")
	if len(text) == 0 {
		return nil
	}
	switch text[0] {
	case '[':
		s.format = FormatArray
		if rest := bytes.TrimLeft(text[1:], " \t\r"); len(rest) > 0 && rest[0] != '\n' && !oneLine(rest) {
			s.scan.layout = layoutPretty
		} else if rest = bytes.TrimLeft(rest, " \t\r\n"); len(rest) > 0 && !oneLine(rest) {
			s.scan.layout = layoutPretty
		}
	case '{':
	default:
		return &ReadError{Line: 1, Col: 1, Event: -1, What: "this is not a trace", Want: "a trace is a JSON array of events, or one event per line"}
	}
	return nil
}

// oneLine is true when the first value lies on one line that it ends.
func oneLine(text []byte) bool {
	line := text
	if nl := bytes.IndexByte(text, '\n'); nl >= 0 {
		line = text[:nl]
	} else if len(text) >= headBytes/2 {
		return true // a first event larger than the head: taken as one line until proved otherwise
	}
	end := elementEnd(line, 0)
	return end >= 0 && len(bytes.Trim(line[end:], " \t\r,]")) == 0
}

// Advance indexes the next few megabytes. done is true at the end of the file; Advance may be called again later, when
// the file has grown.
func (s *Store) Advance() (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.scan.buf == nil {
		s.scan.buf = make([]byte, scanBytes)
	}
	n, err := s.f.ReadAt(s.scan.buf, s.scan.at)
	atEnd := errors.Is(err, io.EOF)
	if err != nil && !atEnd {
		return false, err
	}
	if atEnd && n == 0 && s.scan.at > 0 {
		if st, serr := s.f.Stat(); serr == nil && st.Size() < s.scan.at {
			return true, fmt.Errorf("%w: it shrank from %d to %d bytes", ErrChanged, s.scan.at, st.Size())
		}
	}
	s.size = max(s.size, s.scan.at+int64(n))
	if s.scan.layout == layoutPretty {
		err = s.scanStructure(s.scan.buf[:n], atEnd)
	} else {
		err = s.scanLines(s.scan.buf[:n], atEnd)
	}
	if s.stale {
		s.sortAgents()
	}
	s.scan.done = atEnd
	if atEnd {
		s.scan.buf = nil
	}
	return atEnd, err
}

// scanLines takes whole lines off a block; what is left over is read again with the next block.
func (s *Store) scanLines(block []byte, atEnd bool) error {
	base, used := s.scan.at, 0
	for {
		nl := bytes.IndexByte(block[used:], '\n')
		if nl < 0 {
			break
		}
		if err := s.line(base+int64(used), block[used:used+nl]); err != nil {
			return err
		}
		used += nl + 1
		s.scan.line++
	}
	if used == 0 && !atEnd {
		return s.longLine(base)
	}
	s.scan.at = base + int64(used)
	if atEnd && used < len(block) {
		s.lastLine(base+int64(used), block[used:])
	} else if atEnd {
		s.atEnd()
	}
	return nil
}

// longLine finds the end of a line that is longer than a block, and indexes it.
func (s *Store) longLine(base int64) error {
	text := append([]byte(nil), s.scan.buf...)
	for {
		n, err := s.f.ReadAt(s.scan.buf, base+int64(len(text)))
		if nl := bytes.IndexByte(s.scan.buf[:n], '\n'); nl >= 0 {
			text = append(text, s.scan.buf[:nl]...)
			s.scan.at = base + int64(len(text)) + 1
			s.scan.line++
			return s.line(base, text)
		}
		text = append(text, s.scan.buf[:n]...)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				return err
			}
			s.scan.at = base
			s.lastLine(base, text)
			return nil
		}
	}
}

// line indexes one line: an event, or the brackets of the array.
func (s *Store) line(off int64, line []byte) error {
	start, end := 0, len(line)
	for start < end && isLineFiller(line[start]) || start < end && line[start] == '[' && s.cols.n == 0 && s.format == FormatArray {
		start++
	}
	for end > start && (isLineFiller(line[end-1])) {
		end--
	}
	if end > start && line[end-1] == ']' && line[start] != '[' {
		// The array's end may stand behind the last event, or alone.
		if cut := bytes.TrimRight(line[start:end-1], " \t\r"); len(cut) == 0 || cut[len(cut)-1] == '}' && elementEnd(cut, 0) == len(cut) {
			s.scan.closed = true
			end = start + len(cut)
		}
	}
	if start == end {
		return nil
	}
	s.tear = nil
	return s.indexEvent(off+int64(start), line[start:end])
}

func isLineFiller(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == ',' }

// lastLine is the text behind the last newline: a whole event is taken, anything else tears the trace.
func (s *Store) lastLine(off int64, text []byte) {
	trimmed := bytes.TrimRight(text, " \t\r\n\x00")
	if v := bytes.TrimLeft(trimmed, " \t,"); len(v) > 0 && v[0] == '{' {
		body := bytes.TrimRight(v, " ,]")
		if e := decodeText(body, s.cols.n); e.Type != XDamage {
			s.indexEvent(off+int64(bytes.Index(text, body)), body)
			s.scan.closed = bytes.HasSuffix(trimmed, []byte("]"))
			s.scan.at = off + int64(len(text))
			s.atEnd()
			return
		}
	}
	if string(bytes.Trim(trimmed, " \t,")) == "]" {
		s.scan.closed = true
		s.scan.at = off + int64(len(text))
		s.atEnd()
		return
	}
	s.tear = &Tear{Offset: int(off), Line: s.scan.line + 1, Dropped: len(text), What: "the last event is cut off"}
	if len(trimmed) == 0 {
		s.tear.What = fmt.Sprintf("the file ends in %d bytes that are no text", len(text))
		if len(bytes.Trim(text, " \t\r\n")) == 0 {
			s.tear = nil
			s.atEnd()
		}
	}
}

func (s *Store) atEnd() {
	if s.format == FormatArray && !s.scan.closed && s.tear == nil {
		s.tear = &Tear{Offset: int(s.scan.at), Line: s.scan.line + 1, What: "the array is not closed"}
	}
}

// scanStructure cuts elements out of an array in any layout.
func (s *Store) scanStructure(block []byte, atEnd bool) error {
	used := 0
	for {
		for used < len(block) && (block[used] == ' ' || block[used] == '\n' || block[used] == '\r' || block[used] == '\t' || block[used] == ',' || block[used] == '[' && s.cols.n == 0) {
			if block[used] == '\n' {
				s.scan.line++
			}
			used++
		}
		if used < len(block) && block[used] == ']' {
			s.scan.closed = true
			used = len(block)
		}
		if used >= len(block) {
			break
		}
		end := elementEnd(block, used)
		if end < 0 {
			break
		}
		if err := s.indexEvent(s.scan.at+int64(used), block[used:end]); err != nil {
			return err
		}
		s.scan.line += bytes.Count(block[used:end], []byte{'\n'})
		used = end
	}
	if used == 0 && !atEnd && len(block) == len(s.scan.buf) {
		s.scan.buf = make([]byte, 2*len(s.scan.buf)) // an event larger than a block
		return nil
	}
	s.scan.at += int64(used)
	if atEnd && used < len(block) {
		s.tear = &Tear{Offset: int(s.scan.at), Line: s.scan.line + 1, Dropped: len(block) - used, What: "the last event is cut off"}
	} else if atEnd {
		s.atEnd()
	}
	return nil
}

// decodeText decodes an event's text; one that cannot be decoded becomes XDamage.
func decodeText(text []byte, i int) *Event {
	v, _, err := canon.Parse(text, canon.Options{Integers: canon.IntegersAccept, MaxDepth: readNesting})
	if err == nil {
		var e Event
		if e, _, err = DecodeEvent(v, i); err == nil {
			return &e
		}
	}
	e := damaged(text, err)
	return &e
}

// damaged is the event that stands for text that is none.
func damaged(text []byte, why error) Event {
	const shown = 200
	cut := bytes.ToValidUTF8(text[:min(len(text), shown)], []byte("\uFFFD"))
	return Event{Type: XDamage, flags: flagNoStep, Extra: canon.Object(
		canon.Member{Key: "bytes", Value: canon.Int(int64(len(text)))},
		canon.Member{Key: "text", Value: canon.String(string(cut))},
		canon.Member{Key: "why", Value: canon.String(why.Error())})}
}
