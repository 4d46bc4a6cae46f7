// Package cli is the command line: every fact of the terminal's screen as plain text or, with --json, as one JSON
// document. It may parse flags, read files through load, drive the engine and a debug session, and print. It must not
// decide anything that the packages below decide (verdicts, diagnostics, hashes), and it never exits: Execute returns
// the exit code.
package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/cli/contractcmd"
	"flowdbg/ui/cli/forensics"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/platformcmd"
	"flowdbg/ui/cli/record"
	"flowdbg/ui/cli/reproduce"
	"flowdbg/ui/tui/cell"
)

// Config is the world that the commands run in.
type Config struct {
	Version                        string // "0.1.0", without the name
	Stdin                          io.Reader
	Stdout, Stderr                 io.Writer // raw: Execute puts a cell.SafeWriter before each
	StdinTTY, StdoutTTY, StderrTTY bool
	Interactive                    Interactive      // nil: the summary is printed on a terminal too
	Settings                       func() *Settings // what the screen starts with; nil when there is none
}

// Interactive opens the screen on a session and returns when the user leaves it.
type Interactive func(ctx context.Context, s *debug.Session, o Opened) error

// Opened says what a session was opened on and how it shall look.
type Opened struct {
	Flow, Trace string         // names of the files, "" for one that was not given
	Reloader    *load.Reloader // nil when there is no flow file that could be read again
	Theme       string         // --theme, "" when it was not given
	ASCII       bool           // --ascii

	// Keep writes one of the session's lists (debug.Kept) to its file; nil when there is no place for files. It is for any
	// change while the screen is open, in the background too: of two writes of a file the one with the larger n stays. All
	// lists are written once more when the screen has closed.
	Keep func(file string, n uint64, data []byte) error

	Runs *load.Runs // where runs are kept, nil when there is no flow file beside which they could lie
}

// app is one execution of the command line.
type app struct {
	cfg    Config
	stderr io.Writer // safe
	raw    io.Writer // standard output as it is, for traces and flows that go to a file or a pipe
	opened []*trace.Opened
}

// Execute runs the command line and returns the exit code (out.Code). Errors are printed once, on standard error, with
// "flowdbg: " before them. A panic becomes a message and out.CodeInternal.
func Execute(ctx context.Context, cfg Config, args []string) (code int) {
	watched := &watchedWriter{w: cfg.Stdout}
	safe := cell.NewSafeWriter(watched)
	stdout := bufio.NewWriterSize(safe, 32<<10)
	stderr := cell.NewSafeWriter(cfg.Stderr)
	a := &app{cfg: cfg, stderr: stderr, raw: io.Writer(flushFirst{stdout, watched})}
	if cfg.StdoutTTY {
		a.raw = stdout
	}
	defer func() {
		if p := recover(); p != nil {
			stdout.Flush()
			fmt.Fprintf(stderr, "flowdbg: internal error: %v\n", p)
			code = out.CodeInternal
		}
	}()
	root := a.root()
	root.SetArgs(args)
	root.SetIn(cfg.Stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	for _, o := range a.opened {
		o.Close()
	}
	stdout.Flush()
	safe.Flush()
	code = out.Code(err)
	if err == nil && watched.err != nil {
		err = out.Bad("writing standard output: %w", watched.err)
		code = out.CodeUsage
	}
	a.report(cmd, err)
	return code
}

// report prints an error; one that only carries an exit code was told by the command already.
func (a *app) report(cmd *cobra.Command, err error) {
	var exit *out.ExitError
	switch {
	case err == nil, errors.As(err, &exit) && exit.Err == nil:
		return
	case exit != nil:
		fmt.Fprintf(a.stderr, "flowdbg: %s%s\n", err, insteadOf(cmd, err))
	default:
		fmt.Fprintf(a.stderr, "flowdbg: %s\nRun '%s --help' for usage.\n", err, cmd.CommandPath())
	}
}

// root builds the tree of commands.
func (a *app) root() *cobra.Command {
	root := a.openCmd()
	root.Version = a.cfg.Version
	root.SetVersionTemplate("flowdbg {{.Version}}\n")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.CompletionOptions.HiddenDefaultCmd = false
	root.SetFlagErrorFunc(flagError)
	root.AddGroup(&cobra.Group{ID: groupRun, Title: "Run and replay:"}, &cobra.Group{ID: groupFlow, Title: "Write flows:"},
		&cobra.Group{ID: groupLook, Title: "Look into a trace:"}, &cobra.Group{ID: groupMore, Title: "More:"})
	add := func(group string, cmds ...*cobra.Command) {
		for _, c := range cmds {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add(groupRun, a.runCmd(), a.replayCmd(), a.sessionCmd(), a.regressionCmd())
	add(groupRun, record.Commands(record.Config{Raw: a.raw})...)
	add(groupFlow, a.newCmd(), a.checkCmd(), a.fmtCmd(), a.graphCmd(), a.kindsCmd())
	add(groupLook, a.stateCmd(), a.eventsCmd(), a.hashCmd(), platformcmd.NewCalls())
	add(groupLook, forensics.Commands(forensics.Options{Raw: a.raw, Progress: a.passProgress})...)
	add(groupLook, a.runsCmd(), a.marksCmd(), a.candidatesCmd(), a.paretoCmd(), a.deltaCmd())
	add(groupLook, reproduce.Commands()...)
	add(groupMore, a.bundleCmd(), contractcmd.New(), platformcmd.New(), a.configCmd(), a.versionCmd())
	root.SetHelpCommand(helpCmd())
	root.SetHelpCommandGroupID(groupMore)
	root.SetCompletionCommandGroupID(groupMore)
	showCompletion(root)
	sayArgs(root)
	return root
}

// showCompletion gives the parser's own command its examples. It is made here so that there is one to give them to.
func showCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Example = `  source <(flowdbg completion bash)
  flowdbg completion zsh > "${fpath[1]}/_flowdbg"
  flowdbg completion fish | source`
		}
	}
}

// helpCmd is `flowdbg help`: the parser's own takes a command that does not exist for none at all.
func helpCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND...]",
		Short: "Help about any command",
		Long:  "Help about any command, as the command's own --help prints it.",
		Example: `  flowdbg help replay
  flowdbg help contract gate`,
		ValidArgsFunction: func(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			cmd, rest, err := c.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return commandNames(cmd), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(c *cobra.Command, args []string) error {
			at := c.Root()
			for i, word := range args {
				next := slices.IndexFunc(at.Commands(), func(s *cobra.Command) bool { return s.Name() == word || s.HasAlias(word) })
				if next < 0 {
					return out.Bad("there is no command %q%s", strings.Join(args[:i+1], " "), out.DidYouMean(word, commandNames(at)))
				}
				at = at.Commands()[next]
			}
			at.InitDefaultHelpFlag()
			return at.Help()
		},
	}
}

// commandNames are the words that may stand behind a command.
func commandNames(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// The groups of the root's help.
const (
	groupRun  = "run"
	groupFlow = "flow"
	groupLook = "look"
	groupMore = "more"
)

// warn prints one line on standard error.
func (a *app) warn(format string, args ...any) {
	fmt.Fprintf(a.stderr, "flowdbg: "+format+"\n", args...)
}

// watchedWriter remembers the first error, so that a full disk is told although commands print without looking.
type watchedWriter struct {
	w   io.Writer
	err error
}

func (w *watchedWriter) Write(p []byte) (int, error) {
	n, err := w.w.Write(p)
	if err != nil && w.err == nil {
		w.err = err
	}
	return n, err
}

// flushFirst writes past a buffer, but not before what is in it.
type flushFirst struct {
	buffer *bufio.Writer
	w      io.Writer
}

func (f flushFirst) Write(p []byte) (int, error) {
	if err := f.buffer.Flush(); err != nil {
		return 0, err
	}
	return f.w.Write(p)
}
