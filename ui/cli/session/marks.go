package session

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/ui/cli/show"
)

// keepOr does what stands behind a word that lists something: nothing, save or load.
func (in *Interp) keepOr(word, what, args string) error {
	switch args {
	case "":
		return nil
	case "save":
		return in.SaveKept(what)
	case "load":
		return in.LoadKept(what)
	}
	return fmt.Errorf("%s %s: write %s, %s save or %s load", word, args, word, word, word)
}

// SaveKept writes what is kept of the session, "breakpoints", "watches", "marks", or "" for all. A file that cannot be
// read is not written over.
func (in *Interp) SaveKept(what string) error {
	return in.eachKept(what, func(k debug.Kept, path string) error {
		data, err := k.Save()
		if err != nil {
			return err
		}
		err = in.opt.Update(path, func(old []byte) ([]byte, error) {
			if old != nil {
				if err := k.Check(old); err != nil {
					return nil, fmt.Errorf("%s stays as it is: %w", path, err)
				}
			}
			return debug.MergeKept(k.File, in.had[path], old, data) // another debugger may have kept others
		})
		if err == nil {
			in.had[path] = data
		}
		return err
	})
}

// LoadKept adds what is kept to the session.
func (in *Interp) LoadKept(what string) error {
	return in.eachKept(what, func(k debug.Kept, path string) error {
		data, err := in.opt.Read(path)
		if err == nil && data != nil {
			err = k.Restore(data)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		in.had[path] = data
		return nil
	})
}

func (in *Interp) eachKept(what string, do func(k debug.Kept, path string) error) error {
	if in.target.Keep == "" {
		if what == "" {
			what = "anything"
		}
		return fmt.Errorf("there is no file beside which %s could be kept", what)
	}
	for _, k := range in.s.Kept() {
		if what != "" && k.What != what {
			continue
		}
		if err := do(k, filepath.Join(in.target.Keep, k.File)); err != nil {
			return err
		}
	}
	return nil
}

// Mark is a mark for programs.
type Mark struct {
	debug.Mark
	Position int             `json:"position"`
	What     string          `json:"what"`
	Place    debug.MarkPlace `json:"place"` // here, differs, ahead or gone: what the run has there
}

func markOf(s *debug.Session, m debug.Mark) Mark {
	return Mark{Mark: m, Position: m.Pos(), What: m.What(), Place: s.MarkPlace(m)}
}

func (m *Mark) text() string {
	parts := []string{show.Clean(m.Name), show.Clean(m.Where())}
	if p := m.Place.Text(); p != "" {
		parts = append(parts, p)
	}
	if m.Note != "" {
		parts = append(parts, show.Clean(m.Note))
	}
	return strings.Join(parts, "  ")
}

func (in *Interp) mark(_ context.Context, args string) (answer, error) {
	name, note, err := debug.ParseMark(args)
	if err != nil {
		return answer{}, err
	}
	set, was, err := in.s.Mark(name, in.s.Pos()-1, note)
	if err != nil {
		return answer{}, err
	}
	m := markOf(in.s, set)
	text := m.text()
	if was != nil && was.Event != set.Event {
		text += fmt.Sprintf("  was event %d", was.Event)
	}
	return answer{text, m}, nil
}

func (in *Interp) unmark(_ context.Context, args string) (answer, error) {
	name, _ := debug.MarkName(args)
	if name == "all" {
		n := len(in.s.Marks())
		for len(in.s.Marks()) > 0 {
			in.s.Unmark(in.s.Marks()[0].Name)
		}
		return say(n, "%s removed", show.Plural(n, "mark"))
	}
	m, err := in.s.MarkOf(name)
	if err != nil {
		return answer{}, err
	}
	in.s.Unmark(name)
	return say(m, "mark %s removed", show.Clean(name))
}

func (in *Interp) marks(_ context.Context, args string) (answer, error) {
	if err := in.keepOr("marks", "marks", args); err != nil {
		return answer{}, err
	}
	list := []Mark{}
	var lines []string
	for _, m := range in.s.Marks() {
		x := markOf(in.s, m)
		list, lines = append(list, x), append(lines, x.text())
	}
	if len(list) == 0 {
		lines = []string{"no marks"}
	}
	return answer{strings.Join(lines, "\n"), list}, nil
}

// gotoMark goes to a mark, running as far as needed, and looks at what stands there.
func (in *Interp) gotoMark(ctx context.Context, name string) (answer, error) {
	m, err := in.s.MarkOf(name)
	if err != nil {
		return answer{}, err
	}
	search, err := in.s.GotoMark(m)
	if err != nil {
		return answer{}, err
	}
	a, err := in.run1(ctx, search)
	if err != nil {
		return a, err
	}
	switch p := in.s.MarkPlace(m); {
	case p == debug.MarkGone || p == debug.MarkAhead:
		return answer{}, fmt.Errorf("mark %s (%s) is %s; the session stands at position %d", m.Name, m.Where(), p.Text(), in.s.Pos())
	case p == debug.MarkDiffers:
		a.text += fmt.Sprintf("\nmark %s: the event there has other values than the one that was marked", m.Name)
	}
	return a, nil
}
