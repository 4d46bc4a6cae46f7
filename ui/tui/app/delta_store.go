package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"flowdbg/contract"
	"flowdbg/contract/design"
)

// stored reads a snapshot. That one is not there is nothing odd: a trace names what it saw, and snapshots are kept apart.
func stored(store *design.Store, dir string, ref contract.SnapshotRef) (*design.Snapshot, error) {
	if dir == "" {
		return nil, notKept(ref)
	}
	s, err := store.Get(ref)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, notKept(ref)
	}
	return s, err
}

func notKept(ref contract.SnapshotRef) error {
	return fmt.Errorf("snapshot %s… is not kept beside this trace", ref[:min(len(ref), len("sha256:")+12)])
}

// kept says whether what a source needs is there. It looks for the files only; whether they are whole is seen in reading.
func (s *deltaSource) kept(dir string) bool {
	if s.before == "" {
		return true
	}
	for _, ref := range []contract.SnapshotRef{s.before, s.after} {
		path, err := design.NewStore(dir).Path(ref)
		if err != nil || dir == "" {
			return false
		}
		if _, err := os.Stat(path); err != nil {
			return false
		}
	}
	return true
}

// place is the number of what is shown among all sources; two snapshots that were named by hand are none of them.
func (v *deltaView) place() string {
	for i := range v.sources {
		if v.sources[i].name == v.name {
			return fmt.Sprint(i + 1)
		}
	}
	return "none"
}
