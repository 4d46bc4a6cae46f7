// Package tui opens the terminal's screen on a session for the command line: it finds out what the terminal can show,
// builds the look, and runs ui/tui/app. Nothing else may live here.
package tui

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/ui/background"
	"flowdbg/ui/cli"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/tui/app"
	"flowdbg/ui/tui/settings"
	"flowdbg/ui/tui/theme"
)

// Open is the cli.Interactive of the program: it shows the session until the user leaves. The terminal is asked for its
// background only when neither --theme nor the number of its colours settles the look. A panic of the screen is an
// internal error (exit 3).
func Open(ctx context.Context, s *debug.Session, o cli.Opened) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	set, err := settings.Load(os.Getenv)
	if err != nil {
		return out.Bad("%w", err)
	}
	if o.Theme == "" {
		o.Theme, _ = set.Theme()
	}
	o.ASCII = o.ASCII || set.ASCII()
	opt := look(o, os.Getenv)
	th, err := theme.New(opt)
	if err != nil {
		return out.Bad("%w", err)
	}
	cfg := app.Config{Session: s, Theme: th, FlowName: o.Flow, TraceName: o.Trace, Remap: set.Config.Keys,
		Settings: set, ThemeName: o.Theme, Problems: problems(set.Problems), Keep: o.Keep}
	if o.Runs != nil {
		cfg.Runs = o.Runs
	}
	cfg.Themes = func(name string, isASCII bool) (*theme.Theme, error) {
		opt := opt
		opt.Name, opt.ASCII = name, isASCII
		return theme.New(opt)
	}
	if o.Trace != "" && o.Trace != "-" {
		cfg.SnapDir = filepath.Join(filepath.Dir(o.Trace), "snaps")
	}
	if r := o.Reloader; r != nil {
		if cfg.SnapDir == "" {
			cfg.SnapDir = filepath.Join(filepath.Dir(r.Path), "snaps")
		}
		cfg.WatchPath, cfg.Named = r.Path, r.Named
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

// look is what the theme is built from, by flags and environment. A theme that was asked for by its name tells what the
// background must be; the terminal is asked only where it decides.
func look(o cli.Opened, env func(string) string) theme.Options {
	opt := theme.Options{Name: o.Theme, Profile: theme.Detect(env), Dark: !strings.HasSuffix(o.Theme, "light"), ASCII: o.ASCII}
	if byBackground(o.Theme) && opt.Profile >= theme.ANSI256 {
		opt.Dark, _ = background.Detect(askFor)
	}
	return opt
}

// problems are what is wrong with the program's own settings, for the Problems view.
func problems(list []*settings.Problem) (all []debug.Problem) {
	for _, p := range list {
		all = append(all, debug.Problem{Severity: "warning", Source: "layout", Text: p.Text, File: p.Path, Line: p.Line, Col: p.Col, Event: -1,
			Excerpt: out.Excerpt(p.Data, p.Line, p.Col)})
	}
	return all
}

// byBackground says whether the name leaves it to the background which theme is meant.
func byBackground(name string) bool { return name == "" || name == "auto" || name == "cvd" }
