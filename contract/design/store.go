package design

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"flowdbg/contract"
)

// Store keeps snapshots by content in one folder, `snaps` beside a trace. `<sha256>` (64 hex digits) holds the canonical
// text, so `sha256sum` of a file is its name. `<sha256>.source.json` lists the files that the snapshot was read from: their
// own hashes, and what the model leaves out of them.
type Store struct{ dir string }

// NewStore uses the folder dir; Put makes it when it is not there.
func NewStore(dir string) *Store { return &Store{dir: dir} }

var hashRefForm = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)

// Path is where a snapshot lies or would lie. The error says that ref is not `sha256:<64 hex>`.
func (st *Store) Path(ref contract.SnapshotRef) (string, error) {
	if !hashRefForm.MatchString(string(ref)) {
		return "", fmt.Errorf("snapshot %q; want sha256: and 64 hex digits", ref)
	}
	return filepath.Join(st.dir, string(ref)[len("sha256:"):]), nil
}

// Put writes the snapshot unless the store has it, and notes its source beside it. A file appears whole or not at all: it is
// written beside and renamed.
func (st *Store) Put(s *Snapshot) (contract.SnapshotRef, error) {
	ref := contract.SnapshotRef(s.Hash())
	path, err := st.Path(ref)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(st.dir, 0o777); err != nil {
		return "", fmt.Errorf("making the store: %w", err)
	}
	if err := st.verify(path, ref); err != nil {
		// not there, or not what its name says: write it
		if err := writeBeside(path, s.WriteModel); err != nil {
			return "", fmt.Errorf("storing %s: %w", ref, err)
		}
	}
	if s.Source.Format == "snapshot" {
		return ref, nil // read from its own text: nothing new about its source
	}
	if err := st.putSource(path, s); err != nil {
		return "", fmt.Errorf("noting the source of %s: %w", ref, err)
	}
	return ref, nil
}

// verify reads a stored text and compares its hash with its name.
func (st *Store) verify(path string, ref contract.SnapshotRef) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return err
	}
	if got := hashRef(h); got != string(ref) {
		return &ChangedError{Ref: ref, Got: got}
	}
	return nil
}

// ChangedError says that a stored snapshot is not what its name says.
type ChangedError struct {
	Ref contract.SnapshotRef
	Got string
}

// Error names both hashes.
func (e *ChangedError) Error() string {
	return fmt.Sprintf("snapshot %s was changed: its text has the hash %s", e.Ref, e.Got)
}

// Get reads a snapshot and verifies it: *ChangedError when a byte of it changed, an error that wraps fs.ErrNotExist when the
// store does not have it.
func (st *Store) Get(ref contract.SnapshotRef) (*Snapshot, error) {
	path, err := st.Path(ref)
	if err != nil {
		return nil, err
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("snapshot %s: %w", ref, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("snapshot %s: %w", ref, err)
	}
	s, err := Read(f, Options{Size: info.Size()})
	if err != nil {
		// a text that cannot be read any more is first of all a text that was changed
		if changed := st.verify(path, ref); changed != nil {
			return nil, changed
		}
		return nil, fmt.Errorf("snapshot %s: %w", ref, err)
	}
	if s.Source.FileSHA256 != string(ref) {
		return nil, &ChangedError{Ref: ref, Got: s.Source.FileSHA256}
	}
	return s, nil
}

// Has says whether the store has a snapshot whose text is what its name says.
func (st *Store) Has(ref contract.SnapshotRef) (bool, error) {
	path, err := st.Path(ref)
	if err != nil {
		return false, err
	}
	err = st.verify(path, ref)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Sources are the files that a snapshot was read from, by their own hash. It is empty when nothing is noted.
func (st *Store) Sources(ref contract.SnapshotRef) (map[string]Source, error) {
	path, err := st.Path(ref)
	if err != nil {
		return nil, err
	}
	sources := map[string]Source{}
	data, err := os.ReadFile(path + ".source.json")
	if errors.Is(err, fs.ErrNotExist) {
		return sources, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &sources); err != nil {
		return nil, fmt.Errorf("%s: %w", path+".source.json", err)
	}
	return sources, nil
}

func (st *Store) putSource(path string, s *Snapshot) error {
	sources, err := st.Sources(contract.SnapshotRef(s.Hash()))
	if err != nil {
		sources = map[string]Source{} // a spoilt note is written anew
	}
	if _, there := sources[s.Source.FileSHA256]; there {
		return nil
	}
	sources[s.Source.FileSHA256] = s.Source
	return writeBeside(path+".source.json", func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", "  ")
		return enc.Encode(sources)
	})
}

// writeBeside writes a file next to path and renames it into place.
func writeBeside(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	w := bufio.NewWriterSize(f, 64<<10)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
