package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/engine/effect"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/session"
)

type sessionCmdFlags struct {
	execute                                              []string
	live                                                 string
	sessions                                             *openSessions
	asJSON, keepGoing, strict, playback, breaks, quietly bool
	limit                                                int
	force                                                bool
	file                                                 string // of the commands, "" when they came another way
}

// openSessions are the sessions that a command has opened so far.
type openSessions struct {
	list []*debug.Session
	own  []load.OwnFile // files that they were opened on
}

func (o *openSessions) close() {
	for _, s := range o.list {
		_ = s.Close()
	}
}

// check refuses events with the value of a secret that one of the sessions' flows names.
func (o *openSessions) check(events []trace.Event) error {
	for _, s := range o.list {
		if m := s.Machine(); m != nil {
			if err := engine.FindLeak(m.SecretScanner(), events); err != nil {
				return err
			}
		}
	}
	return nil
}

// sessionCmd is `flowdbg session`.
func (a *app) sessionCmd() *cobra.Command {
	var f sessionCmdFlags
	cmd := &cobra.Command{
		Use:   "session FILE|- [FLOW] [TRACE]",
		Short: "Run a debug session's commands from a file, for bug reports and tests",
		Long: `Run a debug session's commands, one per line; lines that begin with # are comments. With -e the commands stand on the
command line instead, separated by semicolons. Each command is printed behind "> ", then what it says; with --json each
is one JSON object on a line of its own.

The flow and the trace are those of the command line, or those that the file names with open, relative to itself.
Models and tools are the mocks, or the trace's answers; nothing is bought unless --live lets it through.

A command that fails, or an expect that does not hold, ends the session with exit 1, unless --keep-going. A command
behind "!" must fail.

Commands:
` + session.Help(),
		Example: `  flowdbg session bug.session
  flowdbg session -e 'step 5; back 2; expect hash = hash(step 3)' examples/research-pipeline.json
  flowdbg session -e 'break error; continue; why' flow.json trace.json --json`,
		Args: cobra.MaximumNArgs(3),
		RunE: func(cmd *cobra.Command, args []string) error { return a.runSession(cmd, args, f) },
	}
	fl := cmd.Flags()
	fl.StringArrayVarP(&f.execute, "execute", "e", nil, "commands in place of a FILE, separated by semicolons")
	fl.BoolVar(&f.asJSON, "json", false, "print one JSON object per command")
	fl.BoolVarP(&f.keepGoing, "keep-going", "k", false, "go on behind a command that fails; exit 1 all the same")
	fl.BoolVarP(&f.quietly, "quiet", "q", false, "print only what fails")
	liveFlag(cmd, &f.live)
	fl.BoolVarP(&f.force, "force", "f", false, "let save replace files that exist; what the session was opened on is never replaced")
	fl.BoolVar(&f.strict, "strict", false, "unknown fields of the flow are errors")
	fl.BoolVar(&f.playback, "playback", false, "play the trace back without running behaviours again")
	fl.BoolVar(&f.breaks, "breaks", false, "begin with the breakpoints, watches and marks that are kept beside the flow or the trace, and keep them at the end")
	fl.IntVar(&f.limit, "limit", session.DefaultLimit, "how many `events` one command may move over")
	return cmd
}

func (a *app) runSession(cmd *cobra.Command, args []string, f sessionCmdFlags) error {
	commands, dir, args, err := a.sessionCommands(args, f)
	if err != nil {
		return err
	}
	ctx := cmd.Context()
	f.sessions = &openSessions{}
	if len(f.execute) == 0 {
		f.file = cmd.Flags().Arg(0)
	}
	defer f.sessions.close()
	var target session.Target
	if len(args) > 0 {
		if target, err = a.target(ctx, args, f); err != nil {
			return err
		}
	}
	in := session.New(a.sessionWorld(dir, f), target)
	defer in.Close()
	if f.breaks && len(args) > 0 {
		if err := in.LoadKept(""); err != nil {
			return out.Bad("%w", err)
		}
	}
	failed := 0
	for _, c := range commands {
		r := in.Do(ctx, c)
		if !r.OK {
			failed++
		}
		if err := a.printReply(cmd.OutOrStdout(), r, f); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return out.No("interrupted")
		}
		if failed > 0 && !f.keepGoing {
			return out.No("line %d: %s: %s", r.Line, clean(r.Command), r.Error)
		}
	}
	if f.breaks && len(args) > 0 {
		if err := in.SaveKept(""); err != nil {
			return out.Bad("what should be kept is not kept: %w", err)
		}
	}
	if failed > 0 {
		return out.No("%s of %d failed", plural(failed, "command"), len(commands))
	}
	return nil
}

// sessionCommands reads the commands; args are what is left for the targets, and dir is where the file's own paths begin.
func (a *app) sessionCommands(args []string, f sessionCmdFlags) (list []session.Command, dir string, rest []string, err error) {
	if len(f.execute) > 0 {
		for _, text := range f.execute {
			for _, c := range session.Inline(text) {
				c.Line = len(list) + 1
				list = append(list, c)
			}
		}
		return list, ".", args, nil
	}
	if len(args) == 0 {
		return nil, "", nil, out.Bad("give a file of commands, - for standard input, or -e 'COMMAND; COMMAND'")
	}
	var data []byte
	name, dir := args[0], "."
	if name == load.Stdin {
		name = load.StdinName
		data, err = io.ReadAll(a.cfg.Stdin)
	} else {
		dir = filepath.Dir(name)
		data, err = os.ReadFile(name)
	}
	if err != nil {
		return nil, "", nil, out.Bad("%s: %w", name, err)
	}
	if bytes.IndexByte(data, 0) >= 0 || !utf8.Valid(data) {
		return nil, "", nil, out.Bad("%s: this is binary data, no file of commands", name)
	}
	if list = session.Commands(string(data)); len(list) == 0 {
		return nil, "", nil, out.Bad("%s: there is no command in it", name)
	}
	return list, dir, args[1:], nil
}

// sessionWorld is what session commands may touch. Paths are relative to the file of the commands.
func (a *app) sessionWorld(dir string, f sessionCmdFlags) session.Options {
	in := func(path string) string {
		if filepath.IsAbs(path) {
			return path
		}
		return filepath.Join(dir, path)
	}
	return session.Options{
		Limit: f.limit,
		Open: func(ctx context.Context, args []string) (session.Target, error) {
			paths := make([]string, len(args))
			for i, p := range args {
				paths[i] = in(p)
			}
			return a.target(ctx, paths, f)
		},
		Read:   load.ReadKept,
		Update: load.UpdateKept,
		Log: func(path string) (trace.Log, error) {
			file, err := load.Read(in(path), nil)
			if err != nil {
				return nil, err
			}
			if file.Kind != load.Trace {
				return nil, fmt.Errorf("%s: this is a %s; a trace is expected", path, file.Kind)
			}
			f.sessions.own = append(f.sessions.own, dest.Named(in(path))...)
			o, err := a.openTrace(context.Background(), file, nil)
			if err != nil {
				return nil, err
			}
			return o.Log(), nil
		},
		Save: func(path string, events []trace.Event, format trace.Format) error {
			if err := f.sessions.check(events); err != nil {
				return err
			}
			path = in(path)
			if err := dest.Check(path, f.force, append(f.sessions.own, dest.Named(f.file)...)); err != nil {
				return err
			}
			return trace.WriteFile(path, events, format)
		},
		Keep: func(path string, events []trace.Event, format trace.Format) error {
			if err := f.sessions.check(events); err != nil {
				return err
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
			return trace.WriteFile(path, events, format)
		},
	}
}

// target opens a session on files.
func (a *app) target(ctx context.Context, args []string, f sessionCmdFlags) (session.Target, error) {
	t, err := a.open(args)
	if err != nil {
		return session.Target{}, err
	}
	s, err := a.session(ctx, t, sessionFlags{strict: f.strict, playback: f.playback, live: f.live})
	if err != nil {
		return session.Target{}, err
	}
	f.sessions.list = append(f.sessions.list, s)
	f.sessions.own = append(f.sessions.own, t.Own()...)
	target := session.Target{Session: s, Keep: t.KeepDir()}
	if t.Bundle != nil {
		err = t.Bundle.Restore(s)
	}
	if t.Flow == nil {
		return target, err
	}
	own := t.Flow.Path
	if own != "" {
		if target.Runs, err = filepath.Abs(load.RunsDir(own)); err != nil {
			return target, out.Bad("%w", err)
		}
	}
	target.Reload = func(ctx context.Context, path string) (*engine.Machine, []flow.Diagnostic, []byte, error) {
		switch {
		case path == "" && own == "":
			return nil, nil, nil, fmt.Errorf("%s cannot be read again", t.Flow.Name)
		case path == "":
			path = own
		case !filepath.IsAbs(path) && own != "":
			path = filepath.Join(filepath.Dir(own), path)
		}
		f.sessions.own = append(f.sessions.own, dest.Named(path)...)
		live, _ := effect.ParseLive(f.live) // "" is none; anything wrong with it was told before
		return (&load.Reloader{Path: path, Strict: f.strict, Live: live}).Reload(ctx)
	}
	return target, err
}

func (a *app) printReply(w io.Writer, r session.Reply, f sessionCmdFlags) error {
	if f.quietly && r.OK {
		return nil
	}
	if f.asJSON {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		return enc.Encode(r)
	}
	_, err := fmt.Fprintf(w, "> %s\n", clean(r.Command))
	switch {
	case err != nil:
	case !r.OK:
		_, err = fmt.Fprintf(w, "error: %s\n", r.Error)
	case r.Text != "":
		_, err = fmt.Fprintln(w, r.Text)
	}
	return err
}
