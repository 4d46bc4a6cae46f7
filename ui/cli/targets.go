package cli

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"flowdbg/engine"
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

// print shows what a script prints, on standard error: it belongs to no trace.
func (a *app) print(agent, text string) {
	fmt.Fprintf(a.stderr, "%s: %s\n", clean(agent), clean(text))
}

// readTrace reads the events (exit 2 when it cannot) and says on standard error when the file is torn.
func (a *app) readTrace(f *load.File) (*trace.Trace, error) {
	t, err := f.ReadTrace()
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	if t.Tear != nil {
		a.warn("%s:%d: %s", f.Name, t.Tear.Line, tearText(t.Tear))
	}
	return t, nil
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
