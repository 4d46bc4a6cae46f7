package load

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"flowdbg/engine/debug"
	"flowdbg/trace"
)

// KeepDir is the folder that a session's breakpoints, watches and marks are kept in: beside the flow, or beside the
// trace when there is no flow; "" when there is no file that they could lie beside.
func (t *Targets) KeepDir() string {
	switch {
	case t.Flow != nil && t.Flow.Path != "":
		return DbgDir(t.Flow.Path)
	case t.Flow == nil && t.Trace != nil && t.Trace.Path != "":
		return DbgDir(t.Trace.Path)
	}
	return ""
}

// Marks are the marks that are kept beside the targets, or that the bundle holds; a file that cannot be read whole is an
// error that names it.
func (t *Targets) Marks() ([]debug.Mark, error) {
	var data []byte
	var err error
	name := "the marks of the bundle"
	switch dir := t.KeepDir(); {
	case t.Bundle != nil:
		data = t.Bundle.Marks
	case dir == "":
		return nil, errors.New("there is no file beside which marks could be kept")
	default:
		name = filepath.Join(dir, MarksName)
		data, err = ReadKept(name)
	}
	var list []debug.Mark
	if err == nil && data != nil {
		list, err = debug.ReadMarks(data)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return list, nil
}

// ReadKept reads a kept file; nil without an error when there is none.
func ReadKept(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// UpdateKept replaces a kept file by what change makes of it, whole or not at all, and makes the folder when it is not
// there. Nobody else of this kind writes in between. change gets nil when there is no file; it may be called twice. Nothing is
// written when the file says the same already, and no file for an empty list where there was none.
func UpdateKept(path string, change func(old []byte) ([]byte, error)) error {
	dir := filepath.Dir(path)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		if data, err := change(nil); err != nil || emptyList(data) {
			return err
		}
		if err := os.MkdirAll(dir, 0o755); err != nil { // a lock is on a folder that is there
			return err
		}
	}
	defer trace.LockFolder(dir)()
	old, err := ReadKept(path)
	if err != nil {
		return err
	}
	data, err := change(old)
	if err != nil || string(old) == string(data) || old == nil && emptyList(data) {
		return err
	}
	trace.RemoveLeftovers(path)
	return trace.ReplaceFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

func emptyList(data []byte) bool {
	text := strings.TrimSpace(string(data))
	return text == "[]" || text == "null"
}

// Keeper keeps a session's lists in the files of one folder while it goes on. Write may be called from several
// goroutines.
type Keeper struct {
	dir     string
	mu      sync.Mutex
	last    map[string]uint64
	refused map[string]error
	had     map[string][]byte // what this debugger read or wrote last, without what another has added
}

// NewKeeper keeps in a folder, which need not exist yet.
func NewKeeper(dir string) *Keeper {
	return &Keeper{dir: dir, last: map[string]uint64{}, refused: map[string]error{}, had: map[string][]byte{}}
}

// Restore gives a session what was kept. A file that cannot be read whole is an error that names it; it stays as it is,
// now and at every Write.
func (k *Keeper) Restore(s *debug.Session) (wrong []error) {
	for _, list := range s.Kept() {
		path := filepath.Join(k.dir, list.File)
		data, err := ReadKept(path)
		if err == nil && data != nil {
			err = list.Restore(data)
		}
		k.had[list.File] = data
		if err != nil {
			err = fmt.Errorf("%s stays as it is: %w", path, err)
			k.refused[list.File] = err
			wrong = append(wrong, err)
		}
	}
	return wrong
}

// Write writes one file. n counts the calls for it: one that is overtaken by a later one does nothing. What another
// debugger has added to the file in between stays in it.
func (k *Keeper) Write(file string, n uint64, data []byte) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	if err := k.refused[file]; err != nil {
		return err
	}
	if n < k.last[file] {
		return nil
	}
	path := filepath.Join(k.dir, file)
	err := UpdateKept(path, func(now []byte) ([]byte, error) {
		merged, err := debug.MergeKept(file, k.had[file], now, data)
		if err != nil {
			return nil, fmt.Errorf("%s stays as it is: %w", path, err)
		}
		return merged, nil
	})
	if err != nil {
		return err
	}
	k.last[file], k.had[file] = n, data
	return nil
}

// Save writes all lists of a session for the last time; a file that stays as it is was told of by Restore.
func (k *Keeper) Save(s *debug.Session) error {
	var wrong []error
	for _, list := range s.Kept() {
		if k.refused[list.File] != nil {
			continue
		}
		data, err := list.Save()
		if err == nil {
			err = k.Write(list.File, ^uint64(0), data)
		}
		if err != nil {
			wrong = append(wrong, fmt.Errorf("the %s are not kept: %w", list.What, err))
		}
	}
	return errors.Join(wrong...)
}
