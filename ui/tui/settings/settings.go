// Package settings reads what a user wants of the screen, and keeps what was chosen on it. Two files lie in
// $XDG_CONFIG_HOME/flowdbg, or ~/.config/flowdbg on every Unix:
//
//   - config.json is written by hand and never by the program: theme, ascii, keys, layout.
//   - layout.json is the program's own: the sizes of panes, the layout that was chosen, layouts with names of the user's,
//     and the theme that was chosen on the screen.
//
// For theme and layout a flag counts first, then what was chosen on the screen, then config.json, then what is built in.
// Nothing here draws, and nothing is decided about the terminal.
package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"flowdbg/trace/canon"
	"flowdbg/ui/tui/layout"
)

// Problem is something wrong with one of the files: where, what, and what would be right.
type Problem struct {
	Path      string
	Line, Col int    // from 1, columns in code points; 0 when it is not about a place
	Text      string // what is wrong; what would be right
	Data      []byte // the file as it was read, for an excerpt
}

// Error is "path:line:col: text".
func (p *Problem) Error() string {
	if p.Line == 0 {
		return p.Path + ": " + p.Text
	}
	return fmt.Sprintf("%s:%d:%d: %s", p.Path, p.Line, p.Col, p.Text)
}

// Folder is where the files lie; "" when the environment names no home.
func Folder(env func(string) string) string {
	dir := env("XDG_CONFIG_HOME")
	if dir == "" || !filepath.IsAbs(dir) {
		home := env("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, ".config")
	}
	return filepath.Join(dir, "flowdbg")
}

// Start is what a session begins with.
type Start struct {
	Config Config
	Kept   Kept
	Store  *Store // where changes are kept; nil when there is no home
	// Problems are what is wrong with layout.json: the session starts with what is built in.
	Problems []*Problem
}

// Load reads both files; none is no error. A config.json that cannot be understood is a *Problem as an error, because a
// key that silently is another one is worse than no start. What is wrong with layout.json is told in the session.
func Load(env func(string) string) (Start, error) {
	var s Start
	dir := Folder(env)
	if dir == "" {
		return s, nil
	}
	s.Store = &Store{Path: filepath.Join(dir, "layout.json")}
	kept, problem := s.Store.Read()
	if problem != nil {
		s.Problems = append(s.Problems, problem)
	}
	s.Kept = kept
	config, err := readConfig(filepath.Join(dir, "config.json"))
	if err != nil {
		return s, err
	}
	s.Config = config
	if name := config.Layout; name != "" && !s.knows(name) {
		wrong := config.wrongLayout(s.Layouts())
		if problem == nil {
			return s, wrong
		}
		s.Problems = append(s.Problems, wrong) // it may be one of those that could not be read
	}
	if name := kept.Preset; name != "" && !s.knows(name) {
		s.Problems = append(s.Problems, &Problem{Path: s.Store.Path, Text: fmt.Sprintf("there is no layout %q any more; %s is used", name, s.Layout())})
	}
	return s, nil
}

// Layouts are the presets there are: the built-in ones, then the user's own by name.
func (s *Start) Layouts() []layout.Preset { return append(layout.Presets(), s.Kept.Own...) }

func (s *Start) knows(name string) bool {
	return slices.ContainsFunc(s.Layouts(), func(p layout.Preset) bool { return p.Name == name })
}

// Layout is the name of the preset that is in force.
func (s *Start) Layout() string {
	for _, name := range []string{s.Kept.Preset, s.Config.Layout} {
		if name != "" && s.knows(name) {
			return name
		}
	}
	return layout.Balanced
}

// Sizes are the sizes that are in force: those that were chosen, else those of the preset.
func (s *Start) Sizes() layout.Sizes {
	if s.Kept.Sized {
		return s.Kept.Sizes
	}
	name := s.Layout()
	for _, p := range s.Layouts() {
		if p.Name == name {
			return p.Sizes
		}
	}
	return layout.Sizes{}
}

// Theme is the theme that was asked for, "" when none was, and the file that says so.
func (s *Start) Theme() (name, file string) {
	switch {
	case s.Kept.Theme != "":
		return s.Kept.Theme, s.Store.Path
	case s.Config.Theme != "":
		return s.Config.Theme, s.Config.Path
	}
	return "", ""
}

// ASCII says whether only ASCII characters were asked for.
func (s *Start) ASCII() bool {
	if s.Kept.ASCII != nil {
		return *s.Kept.ASCII
	}
	return s.Config.ASCII
}

// document is a settings file that was read as JSON.
type document struct {
	*canon.Doc
	path string
}

// parse reads the text of a settings file; anything but an object is a problem.
func parse(path string, data []byte, like string) (document, *Problem) {
	doc, faults := canon.ParseDoc(data)
	d := document{doc, path}
	if len(faults) > 0 {
		f := faults[0]
		text := f.What
		if f.Want != "" {
			text += "; " + f.Want
		}
		return d, &Problem{path, f.Line, f.Col, text, data}
	}
	if doc.Root.Kind != canon.KindObject {
		return d, d.bad(doc.Root.Off, "this is no object", "write "+like)
	}
	return d, nil
}

// bad is a problem at an offset: what is wrong, and what would be right.
func (d document) bad(off int, what, want string) *Problem {
	line, col := d.Position(off)
	return &Problem{d.path, line, col, what + "; " + want, d.Data}
}

// readFile is os.ReadFile for a file that need not be there: ok is false then.
func readFile(path string) (data []byte, ok bool, err error) {
	data, err = os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	return data, err == nil, err
}
