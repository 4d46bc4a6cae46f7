package settings

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"flowdbg/trace"
)

// Store is the file layout.json. Its methods may be called from several goroutines and by several programs at a time.
type Store struct{ Path string }

// Read reads the file; none is no problem. With a problem, what is built in counts.
func (s *Store) Read() (Kept, *Problem) {
	data, ok, err := readFile(s.Path)
	switch {
	case err != nil:
		return Kept{}, &Problem{Path: s.Path, Text: fmt.Sprintf("the layout cannot be read: %v", err)}
	case !ok:
		return Kept{}, nil
	}
	return parseKept(s.Path, data)
}

// Change is one thing that a user changed. It is applied to what the file holds at that moment, so that two sessions do
// not undo each other's layouts.
type Change func(*Kept)

// ErrNewer is what Update returns for a file that a newer program wrote; it stays as it is.
var ErrNewer = errors.New("the file is of a newer flowdbg and stays as it is")

// Update reads the file, applies the changes and replaces the file as a whole. A file that cannot be understood is kept
// aside first; aside is its new name then. The changes are applied to what is built in in that case.
func (s *Store) Update(changes ...Change) (aside string, err error) {
	dir := filepath.Dir(s.Path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", fmt.Errorf("keeping the layout: %w", err)
	}
	defer trace.LockFolder(dir)()
	path := s.Path
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // a link to a file that is kept elsewhere stays one
	}
	data, there, err := readFile(path)
	if err != nil {
		return "", fmt.Errorf("keeping the layout: %w", err)
	}
	var kept Kept
	if there {
		var problem *Problem
		if kept, problem = parseKept(path, data); problem != nil {
			if newer(data) {
				return "", fmt.Errorf("%s: %w", path, ErrNewer)
			}
			if aside, err = putAside(path); err != nil {
				return "", fmt.Errorf("keeping the layout: %w", err)
			}
		}
	}
	for _, change := range changes {
		change(&kept)
	}
	trace.RemoveLeftovers(path)
	err = trace.ReplaceFile(path, func(w io.Writer) error {
		_, err := w.Write(kept.format())
		return err
	})
	if err != nil {
		return aside, fmt.Errorf("keeping the layout: %w", err)
	}
	return aside, nil
}

// putAside gives the file a second name that was free, so that replacing it loses nothing.
func putAside(path string) (string, error) {
	name := path + ".bak"
	for i := 2; ; i++ {
		err := os.Link(path, name)
		if err == nil || !errors.Is(err, fs.ErrExist) || i > 99 {
			return name, err
		}
		name = fmt.Sprintf("%s.bak%d", path, i)
	}
}
