package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/session"
)

// breakFlags make a run stop.
type breakFlags struct {
	breaks []string
	where  string
}

func (f *breakFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringArrayVar(&f.breaks, "break", nil, "stop at this `breakpoint` and print the stop card (may be repeated): \"agent critic\", \"op llm\", \"error\", \"when EXPR\", …")
	cmd.Flags().StringVar(&f.where, "where", "", "stop behind the first event for which this Starlark `expression` holds")
}

func (f *breakFlags) asked() bool { return len(f.breaks) > 0 || f.where != "" }

// list reads the breakpoints; the error names the one that cannot be read.
func (f *breakFlags) list() ([]debug.Breakpoint, error) {
	specs := f.breaks
	if f.where != "" {
		specs = append(specs[:len(specs):len(specs)], "when "+f.where)
	}
	var list []debug.Breakpoint
	for _, text := range specs {
		b, err := debug.ParseBreakpoint(text)
		if err != nil {
			return nil, out.Bad("--break: %w", err)
		}
		list = append(list, b)
	}
	return list, nil
}

// stopAnswer is `run --break --json`.
type stopAnswer struct {
	Flow    string `json:"flow"`
	Stopped bool   `json:"stopped"` // at a breakpoint
	session.Stop
	Written string `json:"written,omitempty"`
}

// runToBreak runs a flow to the first breakpoint that stops it. Exit 1 when none does.
func (a *app) runToBreak(cmd *cobra.Command, m *engine.Machine, f runFlags) error {
	breaks, err := f.stop.list()
	if err != nil {
		return err
	}
	m.Verify = f.verify
	s, err := debug.New(debug.Options{Machine: m})
	if err != nil {
		return out.Internal("opening the session: %w", err)
	}
	for _, b := range breaks {
		set, err := s.Break(b)
		if err != nil {
			return out.Bad("--break: %w", err)
		}
		if set.Unbound {
			a.warn("breakpoint %s: %s", clean(set.String()), clean(set.Why))
		}
		if place := set.Place(); place != "" {
			a.warn("breakpoint %s %s", clean(set.String()), place)
		}
	}
	stop, err := a.drive(cmd.Context(), s.Continue())
	if err != nil {
		return err
	}
	ans := stopAnswer{Flow: m.Flow().ID, Stopped: stop.Reason == debug.StopBreak, Stop: session.StopOf(s, stop)}
	if s.Pending() != nil { // an op breakpoint holds the effect back before it is sent
		ans.Stopped = ans.Stopped || stop.Reason == debug.StopPaused
	}
	if f.output != "" {
		if err := a.writeRun(s, m, f); err != nil {
			return err
		}
		ans.Written = f.output
	}
	w := cmd.OutOrStdout()
	if f.output == load.Stdin {
		w = a.stderr
	}
	if f.asJSON {
		err = out.JSON(w, ans)
	} else {
		_, err = fmt.Fprintln(w, session.StopText(s, stop))
	}
	switch {
	case err != nil:
		return err
	case stop.Reason == debug.StopInterrupted:
		return out.No("interrupted")
	case !ans.Stopped:
		return out.No("no breakpoint stopped the run: %s", stop.Message)
	}
	return nil
}

// drive runs a search to its stop; an error that is no pause is the program's own.
func (a *app) drive(ctx context.Context, q *debug.Search) (debug.Stop, error) {
	stop := q.Run(ctx)
	if stop.Reason == debug.StopError {
		return stop, out.Internal("%w", stop.Err)
	}
	return stop, nil
}

// writeRun writes the events up to the stop.
func (a *app) writeRun(s *debug.Session, m *engine.Machine, f runFlags) error {
	events, err := engine.Events(s.RunLog(s.CurrentRun()))
	if err != nil {
		return out.Internal("%w", err)
	}
	return a.finishTrace(nil, m, trace.MemLog(events), f)
}
