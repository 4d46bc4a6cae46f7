package forensics

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/names"
	"flowdbg/ui/cli/out"
)

func (t *tool) whyCmd() *cobra.Command {
	var asJSON bool
	var limit, event int
	cmd := &cobra.Command{
		Use:   "why TRACE [WHAT]",
		Short: "Say why a message or an event exists, back to the input",
		Long: `Follow the causes of a message or an event back to the input: each message has one cause (the input, a send, an effect,
or a person's edit), each send and effect an act, each act a receive. Every message received is compared, byte for byte,
with what its cause delivered.

WHAT is an event's number ("9"), a message of an output ("writer.out[0]", [-1] is the last), or a waiting message
("inbox:critic[0]@12": the first that waits for critic behind 12 events; without @ at the end). Without WHAT: the last
message of the outputs.

Exit 1 when the chain does not reach a root, or a message received is not the one that was delivered.`,
		Example: `  flowdbg why trace.json writer.out[0]
  flowdbg why trace.json --event 9
  flowdbg why trace.json inbox:critic[0]@12 --json`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: traceFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			o, c, err := t.causes(cmd, args[0])
			if err != nil {
				return err
			}
			defer o.Close()
			ref, err := whatRef(cmd, o.Log(), args[1:], event)
			if err != nil {
				return err
			}
			if err := names.Ref(o.Log(), ref); err != nil {
				return err
			}
			ch, err := c.Why(cmd.Context(), ref, limit)
			if err != nil {
				return failed(err)
			}
			if asJSON {
				err = out.JSON(cmd.OutOrStdout(), ch)
			} else {
				printChain(cmd.OutOrStdout(), ch)
			}
			if err == nil && !ch.Exact {
				return out.No("")
			}
			return err
		},
	}
	cmd.Flags().IntVar(&event, "event", 0, "the event's `number`, in place of WHAT")
	cmd.Flags().IntVar(&limit, "links", trace.DefaultLinks, "how many links are told; of a longer chain both ends")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the chain as one JSON document")
	return cmd
}

// causes opens a trace for questions about causes.
func (t *tool) causes(cmd *cobra.Command, arg string) (*trace.Opened, *trace.Causes, error) {
	o, err := t.open(cmd, arg)
	if err != nil {
		return nil, nil, err
	}
	tell, stop := t.progress()
	defer stop()
	c, err := trace.NewCauses(cmd.Context(), o.Log(), tell)
	if err != nil {
		o.Close()
		return nil, nil, failed(err)
	}
	return o, c, nil
}

// whatRef is what a command asks about: its argument, --event, or the last message of the outputs.
func whatRef(cmd *cobra.Command, log trace.Log, args []string, event int) (trace.Ref, error) {
	given := cmd.Flags().Changed("event")
	switch {
	case given && len(args) > 0:
		return trace.Ref{}, out.Bad("give either %q or --event", args[0])
	case given:
		return trace.EventRef(event), nil
	case len(args) > 0:
		ref, err := trace.ParseRef(args[0])
		if err != nil {
			return ref, out.Bad("%w", err)
		}
		return ref, nil
	}
	for i := log.Len() - 1; i >= 0; i-- {
		if i%lookEvery == 0 && cmd.Context().Err() != nil {
			return trace.Ref{}, failed(cmd.Context().Err())
		}
		if h := log.Header(i); h.Type == trace.SendEvent && h.To == "" {
			return trace.EventRef(i), nil
		}
	}
	if log.Len() == 0 {
		return trace.Ref{}, out.Bad("the trace holds no events")
	}
	return trace.EventRef(log.Len() - 1), nil
}

// deepest is how far lines of a chain are indented.
const deepest = 12

func printChain(w io.Writer, ch *trace.Chain) {
	target := ch.Target
	if _, err := strconv.Atoi(target); err == nil {
		target = "event " + target
	}
	fmt.Fprintf(w, "why %s exists\n", clean(target))
	tw := table(w)
	for i, l := range ch.Links {
		if ch.Skipped > 0 && i == ch.SkipAt {
			fmt.Fprintf(tw, "%s… %s\n", indent(i), plural(ch.Skipped, "link"))
		}
		fmt.Fprintf(tw, "%s%s\t%s\t%s\t%s\t%s\n", indent(i), l.Where(), clean(l.Text), preview(l.Detail), cost(l.Cost), eventAt(l.Event))
		if l.Note != "" {
			fmt.Fprintf(tw, "%s  note: %s\n", strings.Repeat("  ", min(i, deepest)), clean(l.Note))
		}
	}
	tw.Flush()
	switch {
	case ch.Broken != "":
		fmt.Fprintf(w, "the chain is broken: %s\n", clean(ch.Broken))
	case !ch.Exact:
		fmt.Fprintln(w, "the chain is not exact: see the notes")
	}
}

func indent(i int) string {
	if i == 0 {
		return ""
	}
	return strings.Repeat("  ", min(i, deepest)-1) + "└ "
}

func eventAt(i int) string {
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("event %d", i)
}

func cost(u *trace.LinkCost) string {
	switch {
	case u == nil:
		return ""
	case u.Unknown:
		return "cost unknown"
	case u.USD == 0:
		return ""
	}
	return dollars(trace.NanoUSD(u.USD))
}

func (t *tool) cameOfCmd() *cobra.Command {
	var asJSON bool
	var event int
	var lim trace.TreeLimits
	cmd := &cobra.Command{
		Use:   "came-of TRACE WHAT",
		Short: "Show what came of a message or an event",
		Long: `Show the tree of what came of an event: the messages that its step made, who took them, and what they made of it. The
tree is cut where it is deep or broad; the counts are true all the same.

WHAT is "input", an event's number, a message of an output, or a waiting message, as in why.`,
		Example: `  flowdbg came-of trace.json input
  flowdbg came-of trace.json 9 --depth 3
  flowdbg came-of trace.json --event 9 --json`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: traceFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 && !cmd.Flags().Changed("event") {
				return out.Bad(`say of what: "input", an event's number, or a message, as in: %s`, "flowdbg came-of trace.json input")
			}
			o, c, err := t.causes(cmd, args[0])
			if err != nil {
				return err
			}
			defer o.Close()
			ref, err := whatRef(cmd, o.Log(), args[1:], event)
			if err != nil {
				return err
			}
			at, err := c.Event(ref)
			if err != nil {
				return failed(err)
			}
			tell, stop := t.progress()
			n, err := c.CameOf(cmd.Context(), at, lim, tell)
			stop()
			if err != nil {
				return failed(err)
			}
			if asJSON {
				return out.JSON(cmd.OutOrStdout(), n)
			}
			printTree(cmd.OutOrStdout(), n, 0)
			return nil
		},
	}
	cmd.Flags().IntVar(&event, "event", 0, "the event's `number`, in place of WHAT")
	cmd.Flags().IntVar(&lim.Depth, "depth", trace.DefaultDepth, "how deep the tree is shown")
	cmd.Flags().IntVar(&lim.Breadth, "breadth", trace.DefaultBreadth, "how many children of a node are shown")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the tree as one JSON document")
	return cmd
}

func printTree(w io.Writer, n *trace.Node, depth int) {
	parts := []string{clean(n.Text)}
	if !n.Detail.IsAbsent() {
		parts = append(parts, preview(n.Detail))
	}
	if c := cost(n.Cost); c != "" {
		parts = append(parts, c)
	}
	fmt.Fprintf(w, "%s%s  %s", indent(depth), strings.Join(parts, "  "), eventAt(n.Event))
	switch n.Fate {
	case trace.FateConsumed:
		if n.Kind != trace.LinkInput {
			fmt.Fprintf(w, ", taken at event %d", n.Consumed)
		}
	case trace.FateWaiting:
		fmt.Fprint(w, ", still waits")
	case trace.FateDropped:
		fmt.Fprint(w, ", was dropped")
	}
	if n.Steps+n.Messages > 0 {
		fmt.Fprintf(w, " · %s, %s", plural(n.Steps, "step"), plural(n.Messages, "message"))
	}
	fmt.Fprintln(w)
	for _, c := range n.Children {
		printTree(w, c, depth+1)
	}
	if n.More > 0 {
		fmt.Fprintf(w, "%s… %d more\n", indent(depth+1), n.More)
	}
}
