package cli

import (
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/names"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/where"
)

// eventsCmd is `flowdbg events`.
func (a *app) eventsCmd() *cobra.Command {
	var keep eventFilter
	var expr string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "events TRACE | FOLDER",
		Short: "List the events of a trace",
		Long: `List the events of a trace, one per line: index, step, type, agent, and what happened. Long values are cut in the
text; --json shows everything. A filter keeps the indices of the whole trace.

--where takes the language of breakpoint conditions: a Starlark expression over the event (event, type, step, agent, tag,
sender, payload, port, to, op, input, response, usd, tokens, error, text) and the state behind it (state, spent, used,
inbox(AGENT), state_of(AGENT)). What an event does not have is None, and an expression that stumbles over it does not
hold.`,
		Example: `  flowdbg events examples/research-trace.json
  flowdbg events trace.json --type effect --agent critic
  flowdbg events trace.json --where 'op == "llm" and usd > 0.001'
  flowdbg events trace.json --where 'type == "receive" and inbox("critic") > 2'
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
			o, err := a.openTrace(cmd.Context(), t.Trace, nil)
			if err != nil {
				return err
			}
			if err := names.Agents(o.Log(), keep.agents, agentsOf(t.Flow)...); err != nil {
				return err
			}
			if err := names.Types(o.Log(), keep.types); err != nil {
				return err
			}
			if keep.where, err = where.New(expr, o); err != nil {
				return err
			}
			if asJSON {
				return eventsJSON(cmd.OutOrStdout(), o.Log(), &keep)
			}
			tw := table(cmd.OutOrStdout())
			err = keep.each(o.Log(), func(i int, e *trace.Event) error {
				_, err := fmt.Fprintln(tw, eventLine(i, e))
				return err
			})
			if err != nil {
				return err
			}
			return tw.Flush()
		},
	}
	cmd.Flags().StringSliceVar(&keep.types, "type", nil, "only events of these types")
	cmd.Flags().StringSliceVar(&keep.agents, "agent", nil, "only events of these agents")
	cmd.Flags().StringVar(&expr, "where", "", "only events for which this Starlark `expression` holds")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

// agentsOf are the agents of a flow, none of a flow that cannot be read.
func agentsOf(f *load.File) []string {
	if f == nil {
		return nil
	}
	m, _ := f.Machine(false, nil)
	if m == nil {
		return nil
	}
	var ids []string
	for _, a := range m.Flow().Agents {
		ids = append(ids, a.ID)
	}
	return ids
}

// eventFilter says which events are listed.
type eventFilter struct {
	types, agents []string
	where         *where.Filter
}

// eachEvent calls f for the events that the filter keeps, in order.
func (k *eventFilter) each(log trace.Log, f func(i int, e *trace.Event) error) error {
	for i := range log.Len() {
		h := log.Header(i)
		if len(k.types) > 0 && !slices.Contains(k.types, string(h.Type)) || len(k.agents) > 0 && !slices.Contains(k.agents, h.Agent) {
			continue
		}
		ok, err := k.where.Match(i)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		e, err := log.Event(i)
		if err != nil {
			return out.Bad("event %d: %w", i, err)
		}
		if err := f(i, e); err != nil {
			return err
		}
	}
	return nil
}

// eventsJSON streams {"total", "events": [{index, event}]}: a long trace needs no second copy in memory.
func eventsJSON(w io.Writer, log trace.Log, keep *eventFilter) error {
	if _, err := fmt.Fprintf(w, "{\n  \"total\": %d,\n  \"events\": [", log.Len()); err != nil {
		return err
	}
	sep := "\n"
	var line []byte
	err := keep.each(log, func(i int, e *trace.Event) error {
		line = e.AppendJSON(line[:0])
		_, err := fmt.Fprintf(w, "%s    {\"index\": %s, \"event\": %s}", sep, canon.Int(int64(i)), line)
		sep = ",\n"
		return err
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(w, "\n  ]\n}\n")
	return err
}
