package load

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"flowdbg/engine/debug"
	"flowdbg/trace"
)

// Runs is the folder that the runs of a session are kept in; it need not exist yet.
type Runs struct{ Dir string }

// RunsOf is the folder for the runs of the targets; nil when there is no flow file beside which one could lie.
func (t *Targets) RunsOf() (*Runs, error) {
	if t.Flow == nil || t.Flow.Path == "" {
		return nil, nil
	}
	dir, err := filepath.Abs(RunsDir(t.Flow.Path))
	return &Runs{dir}, err
}

// Keep writes a run and returns its file. A run that is kept already is not written again.
func (r *Runs) Keep(events []trace.Event) (path string, err error) {
	if len(events) == 0 {
		return "", errors.New("nothing has run yet")
	}
	path = filepath.Join(r.Dir, debug.KeptName(events))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if err := os.MkdirAll(r.Dir, 0o755); err != nil {
		return "", err
	}
	return path, trace.WriteFile(path, events, trace.FormatArray)
}

// List is what is kept, the latest first.
func (r *Runs) List() ([]debug.KeptRun, error) {
	entries, err := os.ReadDir(r.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the kept runs: %w", err)
	}
	var list []debug.KeptRun
	for _, e := range entries {
		if filepath.Ext(e.Name()) != ".json" || e.IsDir() {
			continue
		}
		if info, err := e.Info(); err == nil { // else it has just gone
			list = append(list, debug.KeptRun{Path: filepath.Join(r.Dir, e.Name()), Bytes: info.Size(), When: info.ModTime()})
		}
	}
	slices.SortStableFunc(list, func(a, b debug.KeptRun) int { return b.When.Compare(a.When) })
	return list, nil
}

// Open reads a kept run.
func (r *Runs) Open(path string) ([]trace.Event, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	tr, err := trace.Read(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return tr.Events, nil
}
