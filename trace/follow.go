package trace

import (
	"fmt"
	"os"
	"sort"
)

// FileChange is what happened to a trace's file since it was looked at last.
type FileChange uint8

// The changes that Poll tells.
const (
	Unchanged FileChange = iota
	Grew                 // Advance has more to index
	Shrank               // bytes that were indexed are gone: events may be unreadable
	Replaced             // another file has its name now; the open one stays as it is
	Renamed              // a recording was finished: the file has its target's name now
	Gone                 // the name is gone; the open file stays as it is
)

// String is a sentence for the user, "" for Unchanged.
func (c FileChange) String() string {
	switch c {
	case Grew:
		return "the file has grown"
	case Shrank:
		return "the file has shrunk: events behind its new end cannot be read any more; open it again"
	case Replaced:
		return "another file has taken this name: what is shown is the old one; open it again"
	case Renamed:
		return "the recording is finished and has its own name now"
	case Gone:
		return "the file was removed: what is shown is what was there"
	}
	return ""
}

// Poll looks whether the file has changed, with two calls to the file system and without reading it. As long as there
// is something to index it says Grew, so that nothing is lost of a file that was renamed at its end. After Grew, call
// Advance until it is done. The other changes are told at every call; what was indexed can still be shown.
func (s *Store) Poll() (FileChange, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	st, err := s.f.Stat()
	if err != nil {
		return Unchanged, fmt.Errorf("looking at the trace: %w", plainError(err))
	}
	switch {
	case st.Size() < s.scan.from:
		return Shrank, nil
	case !s.scan.done || s.shadow != nil || st.Size() != s.size:
		return Grew, nil
	case s.private:
		return Unchanged, nil
	}
	named, err := os.Stat(s.path)
	switch {
	case err == nil && os.SameFile(st, named):
		return Unchanged, nil
	case err == nil:
		return Replaced, nil
	case !os.IsNotExist(err):
		return Unchanged, plainError(err)
	}
	if target, ok := IsRecording(s.path); ok {
		if named, err := os.Stat(target); err == nil && os.SameFile(st, named) {
			return Renamed, nil
		}
	}
	return Gone, nil
}

// Kept is how many events from the start still lie in the file, which is fewer than Len after it has shrunk: the others
// are lost. It costs one call to the file system. Events that were replaced in place are not noticed.
func (s *Store) Kept() (int, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	st, err := s.f.Stat()
	if err != nil {
		return 0, fmt.Errorf("looking at the trace: %w", plainError(err))
	}
	return sort.Search(s.cols.n, func(i int) bool {
		c := s.cols.at(i)
		return c.off+int64(c.size) > st.Size()
	}), nil
}
