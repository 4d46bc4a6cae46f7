package app

import (
	"fmt"
	"os"
	"path/filepath"

	"flowdbg/trace"

	"github.com/fsnotify/fsnotify"

	tea "github.com/charmbracelet/bubbletea"
)

// watcher tells when a file changes. It watches the folder, because a watch on the file itself dies with the first
// editor that writes a new file and renames it over the old one; what else happens in the folder is passed over.
type watcher struct {
	fs    *fsnotify.Watcher
	names map[string]bool // the file, and what it points to when it is a link
	path  string
	was   os.FileInfo // the file when watching began, nil when there was none
	told  string      // what was said of it last
}

// startWatch begins to watch a file's folder.
func startWatch(path string) tea.Cmd {
	return func() tea.Msg {
		w, err := newWatcher(path)
		return watchMsg{w, err}
	}
}

func newWatcher(path string) (*watcher, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", path, err)
	}
	fs, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, fmt.Errorf("watching %s: %w", path, err)
	}
	w := &watcher{fs: fs, names: map[string]bool{abs: true}, path: path}
	w.was, _ = os.Stat(path)
	if real, err := filepath.EvalSymlinks(abs); err == nil {
		w.names[real] = true
	}
	for name := range w.names {
		if err := fs.Add(filepath.Dir(name)); err != nil {
			_ = fs.Close()
			return nil, fmt.Errorf("watching %s: %w", filepath.Dir(name), err)
		}
	}
	return w, nil
}

// next waits for the next event of the file.
func (w *watcher) next() tea.Cmd {
	return func() tea.Msg {
		for {
			select {
			case e, ok := <-w.fs.Events:
				if !ok {
					return nil
				}
				// A changed permission or time is no changed flow.
				if w.names[filepath.Clean(e.Name)] && e.Op&^fsnotify.Chmod != 0 {
					return changedMsg{}
				}
			case err, ok := <-w.fs.Errors:
				if !ok {
					return nil
				}
				return watchMsg{err: fmt.Errorf("watching the flow's folder: %w", err)}
			}
		}
	}
}

// changed says what became of the file since watching began, "" when nothing did.
func (w *watcher) changed() (string, error) {
	now, err := os.Stat(w.path)
	switch {
	case os.IsNotExist(err):
		return trace.Gone.String(), nil
	case err != nil || w.was == nil:
		return "", err
	case !os.SameFile(w.was, now):
		return trace.Replaced.String(), nil
	case w.was.Size() != now.Size() || !w.was.ModTime().Equal(now.ModTime()):
		return "the file was written to: what is shown is what was there; open it again", nil
	}
	return "", nil
}

func (w *watcher) close() { _ = w.fs.Close() }
