// Package reproduce is the command line of one tool result: what exactly was run to make it, of which inputs and with which
// versions, and whether running it again gives the same. It may open a trace, read a flow's platform, start the one server
// that answered (with --run alone), and print. It must not judge results by anything but equality.
package reproduce

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

type flags struct {
	event       int
	run, asJSON bool
	flow        string
}

// Commands are the subcommands of this package, for the root command to add.
func Commands() []*cobra.Command {
	var f flags
	cmd := &cobra.Command{
		Use:   "reproduce TRACE | FOLDER --event N",
		Short: "Say how a tool's result was made, and make it again",
		Long: `Show what made the answer of a tool call (an effect event of the ops tool and mcp): the call as it was sent, the tool and its
version, the hash of its parameters, the input snapshot, and, where the tool tells them in a member "made" of its result,
the command lines, the versions of the programs, and the hashes of every file they read and wrote.

With --run the server of the flow is started and the same call is sent again, byte for byte; then snapshots, values, tool
versions and hashes are compared. What differs from run to run by nature (times, usage) is left out. The flow is the
folder's, or --flow.

Exit 0 when the result is the same, or when nothing was run; 1 when it is another, or when the event is no tool result;
2 when something cannot be read.`,
		Example: `  flowdbg reproduce examples/explorer --event 13
  flowdbg reproduce examples/explorer --event 13 --run
  flowdbg reproduce trace.json --flow flow.json --event 13 --json | jq .made.commands`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.do(cmd, args[0]) },
	}
	cmd.Flags().IntVar(&f.event, "event", -1, "`number` of the event, from 0")
	cmd.Flags().BoolVar(&f.run, "run", false, "start the server and send the same call again")
	cmd.Flags().StringVar(&f.flow, "flow", "", "the `flow` of the trace (default: the folder's)")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return []*cobra.Command{cmd}
}

// answer is `reproduce --json`.
type answer struct {
	File  string `json:"file"`
	Event int    `json:"event"`
	Step  int    `json:"step"`
	Agent string `json:"agent"`
	*result
	Again *comparison `json:"again,omitempty"`
}

func (f *flags) do(cmd *cobra.Command, arg string) error {
	if !cmd.Flags().Changed("event") {
		return out.Bad("which result? write --event N; events of the op tool are listed by: flowdbg events %s --where 'type == \"effect\" and op == \"tool\"'", arg)
	}
	targets, err := load.Open([]string{arg}, cmd.InOrStdin())
	if err != nil {
		return out.Bad("%w", err)
	}
	if targets.Trace == nil {
		return out.Bad("%s: there is no trace in it", arg)
	}
	if f.flow != "" {
		if targets.Flow, err = load.Read(f.flow, cmd.InOrStdin()); err != nil {
			return out.Bad("%w", err)
		}
	}
	e, err := eventOf(targets.Trace, f.event)
	if err != nil {
		return err
	}
	r, err := resultOf(e)
	if err != nil {
		return out.No("%s: event %d: %w", targets.Trace.Name, f.event, err)
	}
	a := &answer{File: targets.Trace.Name, Event: f.event, Step: e.Step, Agent: e.Agent, result: r}
	if f.run {
		if targets.Flow == nil {
			return out.Bad("%s: --run needs the flow, whose platform says how the server is started; give it with --flow", arg)
		}
		if a.Again, err = again(cmd.Context(), targets.Flow, r); err != nil {
			return err
		}
	}
	if f.asJSON {
		err = out.JSON(cmd.OutOrStdout(), a)
	} else {
		a.print(cmd.OutOrStdout())
	}
	if err == nil && a.Again != nil && !a.Again.Same {
		return out.No("")
	}
	return err
}

func eventOf(file *load.File, n int) (*trace.Event, error) {
	o, err := file.OpenTrace(nil, nil)
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	defer o.Close()
	if err := o.Index(nil); err != nil {
		return nil, out.Bad("%s: %w", file.Name, err)
	}
	if n < 0 || n >= o.Log().Len() {
		return nil, out.Bad("%s: there is no event %d; there are %d, from 0", file.Name, n, o.Log().Len())
	}
	e, err := o.Log().Event(n)
	if err != nil {
		return nil, out.Bad("%s: event %d: %w", file.Name, n, err)
	}
	return e, nil
}

func (a *answer) print(w io.Writer) {
	fmt.Fprintf(w, "event %d, step %d: %s of %s\n", a.Event, a.Step, a.Tool, a.Agent)
	a.result.print(w)
	if a.Again != nil {
		a.Again.print(w)
	}
}
