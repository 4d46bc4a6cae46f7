package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
)

// eventsCmd is `flowdbg events`.
func (a *app) eventsCmd() *cobra.Command {
	var types, agents []string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "events TRACE | FOLDER",
		Short: "List the events of a trace",
		Long: `List the events of a trace, one per line: index, step, type, agent, and what happened. Long values are cut in the
text; --json shows everything. A filter keeps the indices of the whole trace.`,
		Example: `  flowdbg events examples/research-trace.json
  flowdbg events trace.json --type effect --agent critic
  flowdbg events trace.json --json | jq '.events[].event.type'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := a.open(args)
			if err != nil {
				return err
			}
			if t.Trace == nil {
				return out.Bad("%s: this is a flow; %q takes a trace", t.Flow.Name, cmd.CommandPath())
			}
			tr, err := a.readTrace(t.Trace)
			if err != nil {
				return err
			}
			keep := func(e *trace.Event) bool {
				return (len(types) == 0 || slices.Contains(types, string(e.Type))) && (len(agents) == 0 || slices.Contains(agents, e.Agent))
			}
			if asJSON {
				return eventsJSON(cmd.OutOrStdout(), tr, keep)
			}
			tw := table(cmd.OutOrStdout())
			for i := range tr.Events {
				if keep(&tr.Events[i]) {
					fmt.Fprintln(tw, eventLine(i, &tr.Events[i]))
				}
			}
			return tw.Flush()
		},
	}
	cmd.Flags().StringSliceVar(&types, "type", nil, "only events of these types")
	cmd.Flags().StringSliceVar(&agents, "agent", nil, "only events of these agents")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// eventsJSON streams {"total", "events": [{index, event}]}: a long trace needs no second copy in memory.
func eventsJSON(w io.Writer, tr *trace.Trace, keep func(*trace.Event) bool) error {
	if _, err := fmt.Fprintf(w, "{\n  \"total\": %d,\n  \"events\": [", len(tr.Events)); err != nil {
		return err
	}
	sep := "\n"
	var line []byte
	for i := range tr.Events {
		if !keep(&tr.Events[i]) {
			continue
		}
		line = tr.Events[i].AppendJSON(line[:0])
		if _, err := fmt.Fprintf(w, "%s    {\"index\": %s, \"event\": %s}", sep, canon.Int(int64(i)), line); err != nil {
			return err
		}
		sep = ",\n"
	}
	_, err := fmt.Fprint(w, "\n  ]\n}\n")
	return err
}
