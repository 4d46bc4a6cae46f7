package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"

	"flowdbg/ui/tui/editor"

	tea "github.com/charmbracelet/bubbletea"
)

// maxOutside bounds a text that comes back from the editor, in bytes.
const maxOutside = 64 << 20

// runEditor gives the terminal to a program until it ends, and then calls done. The terminal has forgotten then that the mouse
// was on.
func (m *Model) runEditor(argv []string, done tea.ExecCallback) tea.Cmd {
	run := m.cfg.Exec
	if run == nil {
		run = tea.ExecProcess
	}
	c := exec.Command(argv[0], argv[1:]...)
	// The program's own writer is no terminal to a child: an editor has to be given the file itself.
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	if f, ok := m.cfg.Out.(*os.File); ok {
		c.Stdout = f
	}
	return run(c, func(err error) tea.Msg {
		return lateMsg(func(m *Model) tea.Cmd {
			return tea.Batch(m.resumed(), func() tea.Msg { return done(err) })
		})
	})
}

// outside opens a text in the user's editor, as a file of its own that is gone afterwards. then takes what the file holds
// when the editor has ended, or what went wrong; with an error nothing may be taken over.
func (m *Model) outside(name, text string, then func(m *Model, text string, err error) tea.Cmd) tea.Cmd {
	fail := func(err error) tea.Msg { return lateMsg(func(m *Model) tea.Cmd { return then(m, "", err) }) }
	named, err := editor.Named(m.cfg.Getenv)
	if err != nil {
		return func() tea.Msg { return fail(err) }
	}
	return func() tea.Msg {
		dir, err := os.MkdirTemp("", "flowdbg-")
		if err != nil {
			return fail(fmt.Errorf("a file for the editor: %w", err))
		}
		path := filepath.Join(dir, fileName(name))
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return fail(errors.Join(fmt.Errorf("a file for the editor: %w", err), os.RemoveAll(dir)))
		}
		back := func(err error) tea.Msg {
			var got string
			if err == nil {
				got, err = readBack(path)
			} else {
				err = fmt.Errorf("%s: %w; nothing was taken over", named, err)
			}
			if gone := os.RemoveAll(dir); gone != nil {
				err = errors.Join(err, fmt.Errorf("the editor's file stays: %w", gone))
			}
			if err != nil {
				return fail(err)
			}
			return lateMsg(func(m *Model) tea.Cmd { return then(m, got, nil) })
		}
		return lateMsg(func(m *Model) tea.Cmd {
			return m.runEditor(editor.Command(named, path, 0, 0, true), back)
		})
	}
}

// readBack is what the editor left. It may have put another file in the place of the first.
func readBack(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("reading what the editor left: %w", err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxOutside+1))
	switch {
	case err != nil:
		return "", fmt.Errorf("reading what the editor left: %w", err)
	case len(data) > maxOutside:
		return "", fmt.Errorf("the editor left more than %d MiB", maxOutside>>20)
	}
	return string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))), nil
}
