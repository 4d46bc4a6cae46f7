package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
	"flowdbg/trace"
	_ "flowdbg/ui/background" // its init must run before Bubble Tea's
	"flowdbg/ui/tui/settings"
	"flowdbg/ui/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

// Reloader reads the flow again and checks it. The machine is nil iff a diagnostic is an error; data is what was read,
// for excerpts. An error means that nothing could be checked, because the file is gone or is no flow.
type Reloader func(ctx context.Context) (m *engine.Machine, diags []flow.Diagnostic, data []byte, err error)

// NamedFiles lists what a flow's text names besides scripts, there or not; ok is false when that is not known.
type NamedFiles func(text []byte) (n platform.Named, ok bool)

// Config is what the app is given. Only Session and Theme must be there.
type Config struct {
	Session   *debug.Session
	Theme     *theme.Theme
	FlowName  string              // the flow's file, "" when there is none
	TraceName string              // the trace's file, "" when there is none
	Reload    Reloader            // nil: the flow cannot be read again
	WatchPath string              // the flow's file, which is read again when it changes; "" watches nothing
	Named     NamedFiles          // what else the flow is read from; nil: nothing but scripts
	Remap     map[string][]string // keys from the configuration: action → keys (see keymap.New)
	In        io.Reader           // nil: standard input
	Out       io.Writer           // nil: standard output
	Getenv    func(string) string // nil: os.Getenv; TMUX decides how to copy
	Now       func() time.Time    // nil: time.Now; the day decides about sunsets
	SnapDir   string              // where snapshots lie that deltas are measured between; "" knows none
	Settings  settings.Start      // what was chosen before, and where it is kept; the zero value keeps nothing
	ThemeName string              // what Theme was asked for by; "" for auto
	Problems  []debug.Problem     // what was wrong before the start, for the Problems view
	StoreDir  string              // where copies are kept as files; "" is the user's cache folder

	// Runs is where runs are kept beside the flow; nil when there is no place for them.
	Runs RunFiles

	// Themes makes a theme by one of theme.Choices for this terminal; nil makes those of Theme's profile.
	Themes func(name string, ascii bool) (*theme.Theme, error)
	// Exec gives the terminal to a program; nil: tea.ExecProcess. Tests run editors that need no terminal.
	Exec func(*exec.Cmd, tea.ExecCallback) tea.Cmd
	// Keep writes one of the session's lists (debug.Kept) to its file; it is called in commands, and of two writes of a
	// file the one with the larger n stays. nil keeps nothing.
	Keep func(file string, n uint64, data []byte) error
}

// RunFiles keeps runs between sessions. It is called in commands.
type RunFiles interface {
	// Keep writes a run and says where; a run that is kept already is not written again.
	Keep(events []trace.Event) (path string, err error)
	List() ([]debug.KeptRun, error)
	Open(path string) ([]trace.Event, error)
}

// PanicError is a panic of the app itself. The terminal was restored before it is returned.
type PanicError struct {
	Value any
	Stack []byte
}

// Error is the panic's value in one line; the stack is for the report.
func (e *PanicError) Error() string { return fmt.Sprintf("the screen panicked: %v", e.Value) }

// Run shows the session until the user leaves. It returns nil then, the context's error when that ended it, and a
// *PanicError when the app broke; the terminal is as it was before in every case.
func Run(ctx context.Context, cfg Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, err := New(ctx, cfg)
	if err != nil {
		return err
	}
	defer m.close()
	g := &guard{inner: m}
	in, out := cfg.In, cfg.Out
	if in == nil {
		in = os.Stdin
	}
	if out == nil {
		out = os.Stdout
	}
	if f, ok := out.(*os.File); ok {
		out = &lockedFile{File: f, mu: &m.outMu}
	}
	m.out = out
	g.ctx, g.paint = ctx, newPainter(out)
	// Signals end the context. Bubble Tea's own handler hands them to its event loop and waits, forever when the context
	// has ended that loop a moment before.
	p := tea.NewProgram(g, tea.WithContext(ctx), tea.WithoutSignalHandler(), tea.WithInput(in), tea.WithOutput(out), tea.WithAltScreen(),
		tea.WithFPS(1), tea.WithFilter(g.paint.filter))
	g.kill = p.Kill
	_, err = p.Run()
	switch {
	case g.failed() != nil:
		return g.failed()
	case err == nil, errors.Is(err, tea.ErrInterrupted):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, tea.ErrProgramPanic):
		return &PanicError{Value: err}
	}
	return fmt.Errorf("the terminal: %w", err)
}

// lockedFile is the terminal with a lock around every write, so that what a command sends (OSC 52) never lands in the
// middle of a frame. It stays a file, by which Bubble Tea knows a terminal.
type lockedFile struct {
	*os.File
	mu *sync.Mutex
}

func (f *lockedFile) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.File.Write(p)
}

// WriteString goes the same way; io.WriteString would pass the lock by.
func (f *lockedFile) WriteString(s string) (int, error) { return f.Write([]byte(s)) }
