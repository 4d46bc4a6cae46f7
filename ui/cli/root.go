package cli

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/engine/effect"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/tui/theme"
)

// openFlags are the flags of flowdbg without a subcommand.
type openFlags struct {
	theme, live                   string
	ascii, playback, strict, json bool
}

// openCmd is flowdbg itself: it opens the debugger, or prints a summary where there is no terminal.
func (a *app) openCmd() *cobra.Command {
	var f openFlags
	cmd := &cobra.Command{
		Use:   "flowdbg [FLOW] [TRACE]",
		Short: "Debug deterministic multi-agent flows: run, replay, step both ways",
		Long: `flowdbg debugs deterministic multi-agent flows (FlowSpec version 1) and their traces.

Give a flow, a trace, or both in any order (they are told apart by content), or a folder that holds flow.json and
trace.json. "-" is standard input. On a terminal the debugger opens; elsewhere a summary is printed:

  FLOW        live: behaviours run, models and tools are mocked
  FLOW TRACE  replay: behaviours run again, every event is compared, answers come from the trace
  TRACE       playback: the trace alone; it needs no behaviours

Opening never spends money, never runs a foreign program and never writes a file.

Exit codes: 0 fine · 1 the answer is no (the flow is invalid, the run differs from its trace, the trace is torn or
damaged or breaks a rule) · 2 usage or unreadable input · 3 internal error. The summary judges what check and replay
judge; a trace without finish, but whole, is the beginning of a run and is fine.`,
		Example: `  flowdbg new flow.json && flowdbg flow.json
  flowdbg examples/research-pipeline.json examples/research-trace.json
  flowdbg examples/critic-loop
  flowdbg trace.json --json | jq .cost.by_model`,
		Args:              a.openArgs,
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			if err := checkTheme(f.theme); err != nil {
				return err
			}
			t, err := a.open(args)
			if err != nil {
				return err
			}
			dumb := os.Getenv("TERM") == "dumb" // it cannot move a cursor
			if a.cfg.Interactive == nil || !a.cfg.StdinTTY || !a.cfg.StdoutTTY || f.json || dumb {
				if dumb && a.cfg.Interactive != nil && a.cfg.StdinTTY && a.cfg.StdoutTTY && !f.json {
					a.warn("TERM=dumb cannot move a cursor, so this is the summary; any other TERM opens the screen")
				}
				return a.summary(cmd, t, f)
			}
			return a.interactive(cmd, t, f)
		},
	}
	cmd.Flags().StringVar(&f.theme, "theme", "", "colours of the screen: "+strings.Join(theme.Choices(), ", ")+" (default: by the terminal's background)")
	cmd.Flags().BoolVar(&f.ascii, "ascii", false, "draw the screen with ASCII characters only")
	cmd.Flags().BoolVar(&f.playback, "playback", false, "play the trace back without running behaviours again")
	liveFlag(cmd, &f.live)
	cmd.Flags().BoolVar(&f.strict, "strict", false, "unknown fields of the flow are errors")
	cmd.Flags().BoolVar(&f.json, "json", false, "print the summary as one JSON document, on a terminal too")
	_ = cmd.RegisterFlagCompletionFunc("theme", cobra.FixedCompletions(theme.Choices(), cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func checkTheme(name string) error {
	if name == "" {
		return nil
	}
	for _, n := range theme.Choices() {
		if n == name {
			return nil
		}
	}
	return out.Bad("unknown theme %q%s; there are %s", name, out.DidYouMean(name, theme.Choices()), strings.Join(theme.Choices(), ", "))
}

// openArgs refuses what is neither a file nor a command, and names the command that was probably meant.
func (a *app) openArgs(cmd *cobra.Command, args []string) error {
	if len(args) > 0 && args[0] != load.Stdin && !strings.ContainsAny(args[0], `/\.`) {
		if _, err := os.Stat(args[0]); errors.Is(err, fs.ErrNotExist) {
			var names []string
			for _, c := range cmd.Commands() {
				names = append(names, c.Name())
			}
			return out.Bad("%q is neither a command nor a file%s", args[0], out.DidYouMean(args[0], append(names, "help", "completion")))
		}
	}
	if len(args) > 2 {
		return out.Bad("%d files are too many: give a flow, a trace, or both", len(args))
	}
	return nil
}

// interactive opens the screen. A flow with errors and no trace is told and refused; with a trace beside it the trace
// is played back and the errors are in the problems. Breakpoints, watches and marks are kept between sessions.
func (a *app) interactive(cmd *cobra.Command, t load.Targets, f openFlags) error {
	o := Opened{Theme: f.theme, ASCII: f.ascii}
	s, err := a.session(cmd.Context(), t, sessionFlags{strict: f.strict, playback: f.playback, unindexed: true, live: f.live})
	if err != nil {
		return err
	}
	defer s.Close()
	if t.Trace != nil {
		o.Trace = t.Trace.Name
	}
	if t.Flow != nil {
		o.Flow = t.Flow.Name
		if t.Flow.Path != "" {
			o.Reloader = &load.Reloader{Path: t.Flow.Path, Strict: f.strict}
			o.Reloader.Live, _ = effect.ParseLive(f.live) // "" is none; anything wrong with it was told before
		}
	}
	if o.Runs, err = t.RunsOf(); err != nil {
		return out.Bad("%w", err)
	}
	var keeper *load.Keeper
	if dir := t.KeepDir(); dir != "" {
		keeper = load.NewKeeper(dir)
		o.Keep = keeper.Write
		for _, err := range keeper.Restore(s) {
			a.warn("%s", err)
			s.AddProblem(debug.Problem{Severity: "warning", Source: "kept", Text: err.Error(), Event: -1})
		}
	}
	if t.Bundle != nil {
		if err := t.Bundle.Restore(s); err != nil {
			a.warn("%s: what the bundle keeps: %s", cmp.Or(o.Flow, o.Trace), err)
		}
	}
	err = screenError(a.cfg.Interactive(cmd.Context(), s, o))
	if keeper != nil {
		if serr := keeper.Save(s); serr != nil {
			a.warn("%s", serr)
		}
	}
	return err
}

// sessionFlags say how a session is opened.
type sessionFlags struct {
	strict, playback bool
	live             string // ops that reach their real providers, "" for none
	unindexed        bool   // a trace in a file may still have to be indexed: whoever shows it goes on
}

// session opens a session on what the command line names.
func (a *app) session(ctx context.Context, t load.Targets, f sessionFlags) (*debug.Session, error) {
	opt := debug.Options{PlaybackAll: f.playback}
	if t.Flow != nil {
		opt.Machine, opt.Diagnostics = t.Flow.Machine(f.strict, nil)
		if opt.Machine == nil && t.Trace == nil {
			return nil, invalid(a, t.Flow, opt.Diagnostics)
		}
		if _, err := a.goLive(t.Flow, opt.Machine, f.live); err != nil {
			return nil, err
		}
	}
	if t.Trace != nil {
		var tr *trace.Opened
		var err error
		switch {
		case f.unindexed && (f.playback || opt.Machine == nil):
			tr, err = a.openUnindexed(ctx, t.Trace, opt.Machine, t.Trace.OpenGrowing)
		case f.unindexed:
			tr, err = a.openUnindexed(ctx, t.Trace, opt.Machine, t.Trace.OpenTrace)
		default:
			tr, err = a.openTrace(ctx, t.Trace, opt.Machine)
		}
		if err != nil {
			return nil, err
		}
		opt.Trace, opt.Store = tr.Trace, tr.Store
		if tr.Trace != nil {
			tr.Trace.Findings = tr.Findings()
		}
	}
	s, err := debug.New(opt)
	if err != nil {
		return nil, out.Internal("opening the session: %w", err)
	}
	return s, nil
}

// screenError gives an error of the screen its exit code: it broke, unless it says otherwise or was told to end.
func screenError(err error) error {
	var exit *out.ExitError
	switch {
	case err == nil, errors.As(err, &exit):
		return err
	case errors.Is(err, context.Canceled):
		return nil
	}
	return out.Internal("%w", err)
}

func invalid(a *app, f *load.File, diags []flow.Diagnostic) error {
	tell(a.stderr, diags, f.Data)
	e, _, _ := counts(diags)
	return out.No("%s: the flow is invalid: %s", f.Name, plural(e, "error"))
}

// summary prints what is in the files. It exits 1 when check or replay would say no to them.
func (a *app) summary(cmd *cobra.Command, t load.Targets, f openFlags) error {
	var m *engine.Machine
	var diags []flow.Diagnostic
	var tr *trace.Opened
	var err error
	if t.Flow != nil {
		if m, diags = t.Flow.Machine(f.strict, nil); m == nil && !f.json {
			return invalid(a, t.Flow, diags)
		}
	}
	if t.Trace != nil {
		if tr, err = a.openTrace(cmd.Context(), t.Trace, m); err != nil {
			return err
		}
	}
	s, err := summarise(cmd.Context(), t, m, diags, tr, f.playback)
	if err != nil {
		return ended(err)
	}
	if f.json {
		err = out.JSON(cmd.OutOrStdout(), s)
	} else {
		s.print(cmd.OutOrStdout())
	}
	if err == nil && !s.ok() {
		return out.No("")
	}
	return err
}
