package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// open reads a command's files.
func (a *app) open(args []string) (load.Targets, error) {
	t, err := load.Open(args, a.cfg.Stdin)
	if err != nil {
		return t, out.Bad("%w", err)
	}
	return t, nil
}

// flowOnly reads one flow, for a command that takes nothing else. A folder's trace is left alone.
func (a *app) flowOnly(cmd *cobra.Command, arg string) (*load.File, error) {
	t, err := a.open([]string{arg})
	if err != nil {
		return nil, err
	}
	if t.Flow == nil {
		return nil, out.Bad("%s: this is a trace; %q takes a flow", t.Trace.Name, cmd.CommandPath())
	}
	return t.Flow, nil
}

// machine makes the flow's machine or says everything that is wrong with it (exit 1). Warnings go to standard error.
func (a *app) machine(f *load.File, strict bool) (*engine.Machine, error) {
	m, diags := f.Machine(strict, a.print)
	if m == nil {
		return nil, invalid(a, f, diags)
	}
	for _, d := range diags {
		if d.Severity == flow.Warning {
			a.warn("%s", d)
		}
	}
	return m, nil
}

// liveFlag adds --live to a command: bare it lets every op through.
func liveFlag(cmd *cobra.Command, value *string) {
	cmd.Flags().StringVar(value, "live", "", "let `ops` reach their real providers: all, or names joined by commas, as in --live=llm,http")
	cmd.Flags().Lookup("live").NoOptDefVal = "all"
}

// goLive makes a machine's ops live as --live says; "" leaves all of them as they are. An op that is named although the
// flow gives it to no real provider is told: a mock never becomes something that costs money.
func (a *app) goLive(f *load.File, m *engine.Machine, value string) (effect.Live, error) {
	if value == "" {
		return effect.Live{}, nil
	}
	live, err := effect.ParseLive(value)
	if err != nil {
		return live, out.Bad("%w", err)
	}
	if m == nil {
		return live, nil
	}
	for _, op := range live.Named() {
		if !slices.Contains(m.Bus().NotLive(), op) {
			a.warn("--live=%s: the flow gives this op to no real provider", op)
		}
	}
	diags := f.GoLive(m, live)
	if flow.HasErrors(diags) {
		return live, invalid(a, f, diags)
	}
	for _, d := range diags {
		a.warn("%s", d)
	}
	return live, nil
}

// print shows what a script prints, on standard error: it belongs to no trace.
func (a *app) print(agent, text string) {
	fmt.Fprintf(a.stderr, "%s: %s\n", clean(agent), clean(text))
}

// openTrace opens a trace and indexes it to its end (exit 2 when it cannot be read); a large one stays in its file. The
// machine, when there is one, tells kinds and ports. A torn file is told on standard error. It is closed when the command
// is done.
func (a *app) openTrace(ctx context.Context, f *load.File, m *engine.Machine) (*trace.Opened, error) {
	o, err := a.openUnindexed(ctx, f, m, f.OpenTrace)
	if err != nil {
		return nil, err
	}
	p := a.progress()
	err = o.Index(p.reading(ctx))
	p.clear()
	if err != nil {
		return nil, noTrace(f, err)
	}
	if tear := o.Tear(); tear != nil {
		a.warn("%s:%d: %s", f.Name, tear.Line, tearText(tear))
	}
	return o, nil
}

// opener is File.OpenTrace or File.OpenGrowing.
type opener func(setup *trace.Setup, progress func(done, total int64) error) (*trace.Opened, error)

// openUnindexed opens a trace whose file may still have to be indexed.
func (a *app) openUnindexed(ctx context.Context, f *load.File, m *engine.Machine, open opener) (*trace.Opened, error) {
	p := a.progress()
	defer p.clear()
	o, err := open(setupOf(m), p.reading(ctx))
	if err != nil {
		return nil, noTrace(nil, err)
	}
	a.opened = append(a.opened, o)
	return o, nil
}

func setupOf(m *engine.Machine) *trace.Setup {
	if m == nil {
		return nil
	}
	setup := m.Setup()
	return &setup
}

// noTrace gives the error of a file its exit code, and the file's name when f is not nil.
func noTrace(f *load.File, err error) error {
	var place *trace.ReadError
	switch {
	case errors.Is(err, context.Canceled):
		return out.No("interrupted")
	case f != nil && errors.As(err, &place):
		return out.Bad("%s:%w", f.Name, err)
	case f != nil:
		return out.Bad("%s: %w", f.Name, err)
	}
	return out.Bad("%w", err)
}

func tearText(t *trace.Tear) string {
	return fmt.Sprintf("the trace is torn: %s; the last %s are left out", t.What, plural(t.Dropped, "byte"))
}

// ended names the error of a run that was stopped from outside.
func ended(err error) error {
	if errors.Is(err, context.Canceled) {
		return out.No("interrupted")
	}
	return err
}

// jsonFiles completes file names.
func jsonFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"json", "jsonl", "gz"}, cobra.ShellCompDirectiveFilterFileExt
}
