package trace

import (
	"errors"
	"io"
)

// Indexing looks at the outside of an event's text: that its brackets and quotes are in their places, and its first
// members. Whether its values can be decoded is found out when it is shown, or by Verify for the whole file. When one
// cannot, the index is made anew with that knowledge, beside the old one, which serves until then.

// verifyBytes is about how much Verify decodes per call.
const verifyBytes = 1 << 20

// Verified is true when every indexed event was decoded and counted as what it is.
func (s *Store) Verified() bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.scan.done && s.shadow == nil && s.checked == s.cols.n
}

// Verify decodes the next events, about a megabyte of them. Call it when Advance is done, until it is done too. Damage
// that indexing could not see is then marked: the index is made anew, and event numbers behind it may change, because
// damaged texts with no whole event between them are one gap, and at the file's end they are a tear. The errors are those of Advance.
func (s *Store) Verify() (done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.shadow != nil {
		_, err = s.advanceShadow()
		return false, err
	}
	for size := 0; s.checked < s.cols.n && size < verifyBytes; s.checked++ {
		c := s.cols.at(s.checked)
		if c.kind == kindDamage {
			continue
		}
		size += int(c.size)
		if _, err := s.check(s.checked, c); err != nil {
			return false, err
		}
	}
	if s.checked == s.cols.n && s.found {
		return false, s.rebuild(true)
	}
	return s.checked == s.cols.n && s.scan.done, nil
}

// check decodes one event's text and notes it when that cannot be done.
func (s *Store) check(i int, c column) (ok bool, err error) {
	if cap(s.text) < int(c.size) {
		s.text = make([]byte, c.size)
	}
	text := s.text[:c.size]
	if _, err := s.f.ReadAt(text, c.off); err != nil {
		if errors.Is(err, io.EOF) {
			err = s.behindEnd(i, c)
		}
		return false, err
	}
	e, _, err := decodeUnit(text, i)
	if err == nil && e.Type != XDamage {
		return true, nil
	}
	if s.bad == nil {
		s.bad = map[int64]string{}
	}
	s.bad[c.off] = whyText(err)
	s.found = true
	return false, nil
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
		ok, err := s.check(i, c)
		if err != nil {
			return err
		}
		if ok {
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
