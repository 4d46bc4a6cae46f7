package trace

import (
	"errors"
	"io"
)

// Indexing looks at the outside of an event's text: that its brackets and quotes are in their places, and its first
// members. Whether its values can be decoded is found out when it is shown, or by Verify for the whole file. When one
// cannot, the index is made anew with that knowledge, beside the old one, which serves until then.

// verifyBytes is about how much Verify decodes per call: a few milliseconds, because nobody can read in the meantime.
const verifyBytes = 256 << 10

// Verify decodes the next events, some hundred kilobytes of them. Call it when Advance is done, until it is done too.
// Damage that indexing could not see is then marked: the index is made anew, and event numbers behind it may change,
// because damaged texts with no whole event between them are one gap, and at the file's end they are a tear. The errors
// are those of Advance.
func (s *Store) Verify() (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shadow != nil {
		_, err = s.advanceShadow()
		return false, err
	}
	if err := s.checkBlock(); err != nil {
		return false, err
	}
	if s.checked == s.cols.n && s.found {
		return false, s.rebuild(true)
	}
	return s.checked == s.cols.n && s.scan.done, nil
}

// checkBlock decodes the events that follow, with one read.
func (s *Store) checkBlock() error {
	for s.checked < s.cols.n && s.cols.at(s.checked).kind == kindDamage {
		s.checked++ // a gap may be as long as the file
	}
	first, n := s.checked, 0
	for ; first+n < s.cols.n; n++ {
		if c := s.cols.at(first + n); n > 0 && c.off+int64(c.size)-s.cols.at(first).off > verifyBytes {
			break
		}
	}
	if n == 0 {
		return nil
	}
	from, last := s.cols.at(first).off, s.cols.at(first+n-1)
	block, err := s.read(from, int(last.off-from)+int(last.size), first, last)
	if err != nil {
		return err
	}
	for ; s.checked < first+n; s.checked++ {
		if c := s.cols.at(s.checked); c.kind != kindDamage {
			s.check(c, block[c.off-from:][:c.size])
		}
	}
	return nil
}

// read is a stretch of the file, in a buffer that the next read uses again.
func (s *Store) read(from int64, size, event int, c column) ([]byte, error) {
	if cap(s.text) < size {
		s.text = make([]byte, size)
	}
	_, err := s.f.ReadAt(s.text[:size], from)
	if errors.Is(err, io.EOF) {
		err = s.behindEnd(event, c)
	}
	return s.text[:size], err
}

// check decodes an event's text and notes it when that cannot be done.
func (s *Store) check(c column, text []byte) (ok bool) {
	e, _, err := decodeUnit(text, 0)
	if err == nil && e.Type != XDamage {
		return true
	}
	if s.bad == nil {
		s.bad = map[int64]string{}
	}
	s.bad[c.off] = whyText(err)
	s.found = true
	return false
}

// checkLast decodes the last event, so that a tear is not taken for one; when it is none, those before it too.
func (s *Store) checkLast() error {
	n := s.cols.n - 1
	if n < 0 || n == s.last {
		return nil
	}
	for i := n; i >= 0; i-- {
		c := s.cols.at(i)
		if c.kind == kindDamage {
			continue
		}
		text, err := s.read(c.off, int(c.size), i, c)
		if err != nil {
			return err
		}
		if s.check(c, text) {
			break
		}
	}
	if s.found {
		return s.rebuild(false)
	}
	s.last = n
	return nil
}

// rebuild starts the new index. all is true when every event was decoded.
func (s *Store) rebuild(all bool) error {
	n := newStore(s.f, s.path, s.size, s.opt)
	n.bad, s.found, s.all = s.bad, false, all
	if err := n.begin(); err != nil {
		return err
	}
	s.shadow = n
	return nil
}

// advanceShadow makes the new index longer, and takes it over when it is done.
func (s *Store) advanceShadow() (done bool, err error) {
	n := s.shadow
	done, err = n.Advance()
	if err != nil {
		s.shadow = nil
		s.noEvent = n.noEvent
		return done, err
	}
	if !done {
		return false, nil
	}
	s.shadow = nil
	s.index, s.bad, s.last, s.size = n.index, n.bad, n.last, max(s.size, n.size)
	if s.checked = 0; s.all {
		s.checked = s.cols.n
	}
	s.cache.drop()
	return true, nil
}
