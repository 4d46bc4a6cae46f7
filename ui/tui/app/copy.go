package app

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"flowdbg/trace/canon"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/tree"

	tea "github.com/charmbracelet/bubbletea"
)

const (
	// clipboardBytes is the longest text that is sent to the terminal's clipboard; many terminals take no more.
	clipboardBytes = 74_000
	// tmuxWait bounds how long we wait for tmux.
	tmuxWait = 2 * time.Second
)

// selected is what the cursor is on, ready to be taken out: exact bytes, and what they are.
type selected struct {
	what string // "event 9", "/last/score of critic"
	name string // a file name that suits it
	text string
	make func() string // of what costs something to make; called when it is taken out
	// A run is taken out as its trace.
	isRun       bool
	run, events int
}

// onSomething says whether there is a selection, without making it.
func (m *Model) onSomething() bool {
	if f := m.face(); f != nil {
		_, ok := f.picked(m, m.pane())
		return ok
	}
	switch m.pane() {
	case layout.Events:
		return m.events.list.Len() > 0
	case layout.Agents:
		return m.agents.list.Len() > 0
	case layout.Inbox:
		return m.inbox.list.Len() > 0
	case layout.Inspector:
		return m.inspect.raw && !m.inspect.value.IsAbsent() || m.inspect.tree().Len() > 0
	}
	return m.problems.list.Len() > 0
}

// selection is what the cursor of the pane is on.
func (m *Model) selection() (selected, bool) {
	if f := m.face(); f != nil {
		return f.picked(m, m.pane())
	}
	switch m.pane() {
	case layout.Events:
		i, ok := m.events.list.Key()
		if !ok || i >= m.s.Total()+len(m.apart()) {
			return selected{}, false
		}
		e, side := m.eventAt(i)
		if side != "" {
			return anEvent(e, "the event that was "+side, "event-"+side+".json"), true
		}
		return anEvent(e, fmt.Sprintf("event %d", i), fmt.Sprintf("event-%d.json", i)), true
	case layout.Agents, layout.Inbox:
		return m.selectedValue(m.listed())
	case layout.Inspector:
		return m.selectedNode()
	case layout.Main, layout.Detail:
		p, ok := m.problems.selected()
		text := strings.TrimSpace(place(&p) + ": " + p.Text)
		return selected{what: "the problem", name: "problem.txt", text: text}, ok
	}
	return selected{}, false
}

// listed is the value of what the cursor is on among agents, outputs and messages.
func (m *Model) listed() (what, name string, v canon.Value) {
	if m.pane() == layout.Inbox {
		msg, n, _ := m.inbox.message(m)
		return fmt.Sprintf("message %d of %s", n, m.inbox.agent), fmt.Sprintf("%s-message-%d", m.inbox.agent, n), msg.Text()
	}
	if key, ok := m.agents.output(); ok {
		list := make([]canon.Value, m.s.State().OutputLen(key))
		for i := range list {
			msg, _ := m.s.State().OutputAt(key, i)
			list[i] = msg.Text()
		}
		return "output " + key, key, canon.Array(list...)
	}
	id := m.agents.selected(m)
	a, _ := m.s.State().Agent(id)
	return "the state of " + id, id + "-state", a.State
}

func (m *Model) selectedValue(what, name string, v canon.Value) (selected, bool) {
	return selected{what: what, name: fileName(name) + ".json", text: v.Text()}, !v.IsAbsent()
}

// selectedNode is the node under the cursor of the inspector, or all of the value when it is shown as text.
func (m *Model) selectedNode() (selected, bool) {
	p := &m.inspect
	name := strings.TrimSpace(p.at.name + " " + [...]string{"state", "event", "output", "message"}[p.kind])
	if p.kind == ofEvent {
		name = fmt.Sprintf("event %d", p.at.n)
	}
	if p.raw {
		return m.selectedValue(name, name, p.value)
	}
	ptr, v, _, ok := p.tree().Selected()
	if !ok {
		return selected{}, false
	}
	return m.selectedValue(strings.TrimSpace(ptr+" of "+name), name+ptr, v)
}

// fileName keeps of a name what is harmless in a file's name.
func fileName(s string) string {
	out := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			return r
		}
		return '-'
	}, s)
	out = strings.Trim(out, "-.")
	if out == "" {
		return "value"
	}
	return out[:min(len(out), 80)]
}

// copyOut copies what the cursor is on to the clipboard, and always to a file too: no terminal says whether it took it.
func (m *Model) copyOut() tea.Cmd {
	sel, ok := m.selection()
	if !ok {
		return nil
	}
	if sel.isRun {
		return m.copyRun(sel)
	}
	sel.exact()
	return m.copyText(sel)
}

func (m *Model) copyText(sel selected) tea.Cmd {
	if err := m.leak(sel.text); err != nil {
		return func() tea.Msg { return doneMsg{err: fmt.Errorf("copying: %w", err)} }
	}
	ctx, out, dir, tmux := m.ctx, m.out, m.cfg.StoreDir, m.cfg.Getenv("TMUX") != ""
	return func() tea.Msg {
		how := clip(ctx, out, sel.text, tmux)
		path, err := keepCopy(dir, sel.text)
		if err != nil {
			return doneMsg{text: fmt.Sprintf("copied %s (%s): %s; no file: %v", sel.what, tree.Size(len(sel.text)), how, err)}
		}
		return doneMsg{text: fmt.Sprintf("copied %s (%s): %s and %s", sel.what, tree.Size(len(sel.text)), how, path)}
	}
}

// leak is an error when a text holds the value of one of the flow's secrets: answers are redacted before anyone sees them,
// but a person may have typed one.
func (m *Model) leak(text string) error {
	machine := m.s.Machine()
	if machine == nil {
		return nil
	}
	if names := machine.SecretScanner().Find(text); len(names) > 0 {
		return fmt.Errorf("this holds the value of the secret %s; nothing was written", strings.Join(names, ", "))
	}
	return nil
}

// clip gives text to the clipboard and says how: through tmux when we are inside it, else by OSC 52.
func clip(ctx context.Context, out io.Writer, text string, tmux bool) string {
	if tmux {
		ctx, cancel := context.WithTimeout(ctx, tmuxWait)
		defer cancel()
		cmd := exec.CommandContext(ctx, "tmux", "load-buffer", "-w", "-")
		cmd.Stdin = strings.NewReader(text)
		if err := cmd.Run(); err == nil {
			return "tmux buffer"
		}
	}
	if len(text) > clipboardBytes {
		return "too long for a terminal's clipboard"
	}
	seq := "\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07"
	if _, err := io.WriteString(out, seq); err != nil {
		return "the terminal took nothing"
	}
	return "terminal clipboard (OSC 52)"
}

// keepCopy writes the last copy to a file of the user's own.
func keepCopy(dir, text string) (string, error) {
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("no cache folder: %w", err)
		}
		dir = filepath.Join(cache, "flowdbg")
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "copy.txt")
	return path, replaceFile(path, text)
}

// replaceFile writes a new file and renames it into place, so that nobody ever reads half of it.
func replaceFile(path, text string) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".flowdbg-*")
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// writeNew writes a file that must not exist yet.
func writeNew(path, text string) error {
	return createNew(path, func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// createNew has fill write a file that must not exist yet. A file that could not be written to its end, or not brought to the
// disk, is taken away again: it would pass for the whole, and be in the way of the next try.
func createNew(path string, fill func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists; give another name", path)
	}
	if err != nil {
		return err
	}
	if err = fill(f); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
