// Package tui opens the terminal's screen on a session for the command line: it finds out what the terminal can show,
// builds the look, and runs ui/tui/app. Nothing else may live here.
package tui

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/ui/background"
	"flowdbg/ui/cli"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/tui/app"
	"flowdbg/ui/tui/theme"
)

// Open is the cli.Interactive of the program: it shows the session until the user leaves. The terminal is asked for its
// background only when neither --theme nor the number of its colours settles the look. A panic of the screen is an
// internal error (exit 3).
func Open(ctx context.Context, s *debug.Session, o cli.Opened) error {
	set, err := readSettings(os.Getenv)
	if err != nil {
		return out.Bad("%w", err)
	}
	if o.Theme == "" {
		o.Theme = set.theme
	}
	o.ASCII = o.ASCII || set.ascii
	th, err := look(o, os.Getenv)
	if err != nil {
		return out.Bad("%w", err)
	}
	cfg := app.Config{Session: s, Theme: th, FlowName: o.Flow, TraceName: o.Trace, Remap: set.keys}
	if o.Trace != "" && o.Trace != "-" {
		cfg.SnapDir = filepath.Join(filepath.Dir(o.Trace), "snaps")
	}
	if r := o.Reloader; r != nil {
		if cfg.SnapDir == "" {
			cfg.SnapDir = filepath.Join(filepath.Dir(r.Path), "snaps")
		}
		cfg.WatchPath = r.Path
		cfg.Reload = func(ctx context.Context) (*engine.Machine, []flow.Diagnostic, []byte, error) { return r.Reload(ctx) }
	}
	return ended(app.Run(ctx, cfg))
}

// ended gives the end of the screen its exit code.
func ended(err error) error {
	var broke *app.PanicError
	switch {
	case errors.As(err, &broke):
		return out.Internal("%w\n%s", err, broke.Stack)
	case errors.Is(err, context.Canceled):
		return nil // a signal: the user, or the system, wanted it to end
	case err != nil:
		return out.Internal("%w", err)
	}
	return nil
}

// askFor is how long the terminal may take to tell its background. The first frame shall be there after 150 ms also on a
// terminal that answers nothing; a later answer is recognised and dropped (keymap.Splitter).
const askFor = 60 * time.Millisecond

// look builds the theme from flags and environment.
func look(o cli.Opened, env func(string) string) (*theme.Theme, error) {
	opt := theme.Options{Name: o.Theme, Profile: theme.Detect(env), Dark: true, ASCII: o.ASCII}
	if byBackground(o.Theme) && opt.Profile >= theme.ANSI256 {
		opt.Dark, _ = background.Detect(askFor)
	}
	return theme.New(opt)
}

// byBackground says whether the name leaves it to the background which theme is meant.
func byBackground(name string) bool { return name == "" || name == "auto" || name == "cvd" }
