package app

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"flowdbg/engine/platform"
	"flowdbg/trace"

	"github.com/fsnotify/fsnotify"

	tea "github.com/charmbracelet/bubbletea"
)

// watcher tells when a file changes. It watches the folder, because a watch on the file itself dies with the first
// editor that writes a new file and renames it over the old one; what else happens in the folder is passed over.
type watcher struct {
	fs    *fsnotify.Watcher
	mu    sync.Mutex
	names map[string]bool // the file, what it points to when it is a link, and what it is made of
	more  string          // an ending that makes any file of a watched folder count, "" for none
	rules map[string]bool // folders in which any rule file counts
	ways  map[string]bool // folders that lead to a file: a new one of the name is watched in its turn
	path  string
	was   os.FileInfo // the file when watching began, nil when there was none
	told  string      // what was said of it last
}

// startWatch begins to watch a file's folder.
func startWatch(path string) tea.Cmd {
	return func() tea.Msg {
		w, err := newWatcher(path)
		if err == nil {
			w.more = scriptEnding
		}
		return watchMsg{w, err}
	}
}

// scriptEnding is what scripts' names end in by custom: a flow may ask for one that is written only later.
const scriptEnding = ".star"

// also watches further files, by their names in the folder of the watched one. A folder that cannot be watched is left
// out: the file is read again with the next change of another.
func (w *watcher) also(names []string) tea.Cmd {
	return func() tea.Msg {
		dir, err := filepath.Abs(filepath.Dir(w.path))
		if err != nil {
			return nil
		}
		for _, name := range names {
			name = filepath.Join(dir, filepath.FromSlash(name))
			w.mu.Lock()
			known := w.names[name]
			w.names[name] = true
			w.mu.Unlock()
			if !known {
				_ = w.fs.Add(filepath.Dir(name))
			}
		}
		return nil
	}
}

// sees says whether an event changes what is watched. A changed permission or time does not.
func (w *watcher) sees(e fsnotify.Event) bool {
	name := filepath.Clean(e.Name)
	return e.Op&^fsnotify.Chmod != 0 && (w.counts(name) || e.Has(fsnotify.Create) && w.opened(name))
}

// counts says whether a file's change is one of what is watched.
func (w *watcher) counts(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.names[name] || w.rules[filepath.Dir(name)] && filepath.Ext(name) == platform.RuleEnding || w.more != "" && filepath.Ext(name) == w.more
}

// named also watches the files and folders that a flow names, whether or not they are there yet.
func (w *watcher) named(n platform.Named) tea.Cmd {
	return func() tea.Msg {
		w.mu.Lock()
		defer w.mu.Unlock()
		for _, name := range n.Files {
			if name, err := filepath.Abs(name); err == nil {
				w.names[name] = true
				w.reach(filepath.Dir(name))
			}
		}
		for _, dir := range n.Folders {
			if dir, err := filepath.Abs(dir); err == nil {
				w.rules[dir] = true
				w.reach(dir)
			}
		}
		return nil
	}
}

// reach watches a folder, and the one that it lies in, so that it is found again when it goes and comes; of a folder that
// is not there, the nearest one above it that is.
func (w *watcher) reach(dir string) {
	here, _ := filepath.Abs(filepath.Dir(w.path))
	for {
		err := w.fs.Add(dir)
		up := filepath.Dir(dir)
		if up == dir || dir == here {
			return
		}
		w.ways[dir] = true
		if err == nil {
			_ = w.fs.Add(up)
			return
		}
		dir = up
	}
}

// opened watches a folder that has come up and leads to something watched; true when a file that counts is in it already.
func (w *watcher) opened(dir string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ways[dir] {
		return false
	}
	found := false
	below := dir + string(filepath.Separator)
	for name := range w.names {
		if strings.HasPrefix(name, below) {
			w.reach(filepath.Dir(name))
			_, err := os.Stat(name)
			found = found || err == nil
		}
	}
	for name := range w.rules {
		if name == dir || strings.HasPrefix(name, below) {
			w.reach(name)
			list, _ := filepath.Glob(filepath.Join(name, "*"+platform.RuleEnding))
			found = found || len(list) > 0
		}
	}
	return found
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
	w := &watcher{fs: fs, names: map[string]bool{abs: true}, rules: map[string]bool{}, ways: map[string]bool{}, path: path}
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
				if w.sees(e) {
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
