package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/tui/graph"
)

// graphAnswer is `graph --json`.
type graphAnswer struct {
	Flow     string      `json:"flow"`
	Position *int        `json:"position,omitempty"` // with a trace
	Input    string      `json:"input,omitempty"`
	Tag      string      `json:"input_tag,omitempty"`
	Agents   []graphNode `json:"agents"`
	Edges    []graphEdge `json:"edges"`
}

type graphNode struct {
	ID    string      `json:"id"`
	Kind  string      `json:"kind"`
	Queue int         `json:"waiting"`
	Next  bool        `json:"next"`
	Ports []graphPort `json:"ports"`
}

type graphPort struct {
	Name    string `json:"name"`
	Wired   bool   `json:"wired"`
	Outputs int    `json:"outputs"`
}

type graphEdge struct {
	From    string `json:"from"`
	Port    string `json:"port"`
	To      string `json:"to"`
	Active  bool   `json:"active"`  // used by the step at the position
	Waiting int    `json:"waiting"` // messages of it that wait to be received; without ports in messages, the first edge between two agents counts
}

// graphWidth is how wide a drawing may be where nobody says (ours).
const graphWidth = 150

// graphCmd is `flowdbg graph`.
func (a *app) graphCmd() *cobra.Command {
	var f positionFlags
	var mermaid, list, ascii, asJSON, strict bool
	var width int
	cmd := &cobra.Command{
		Use:   "graph FLOW [TRACE] | FOLDER",
		Short: "Draw a flow: agents, ports, edges, and what waits at a position",
		Long: `Draw a flow with box characters, from left to right. A box holds an agent with the number of messages that wait, and its
ports; ○ is a port whose messages leave the flow, with how many did. Edges that lead back run below.

With a trace it is drawn at a position (the end, or --at, --step): ▶ is the agent that runs next, and the edges that the
step at the position used are drawn heavy. A flow that is too wide or has more than 60 agents is a list instead.`,
		Example: `  flowdbg graph flow.json
  flowdbg graph flow.json trace.json --step 3
  flowdbg graph flow.json --mermaid > flow.mmd`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := a.open(args)
			if err != nil {
				return err
			}
			if t.Flow == nil {
				return out.Bad("%s: this is a trace; %q needs its flow too", t.Trace.Name, cmd.CommandPath())
			}
			m, err := a.machine(t.Flow, strict)
			if err != nil {
				return err
			}
			var view trace.View
			var active []trace.Event
			ans := graphAnswer{Flow: m.Flow().ID}
			if t.Trace != nil {
				p, err := a.place(cmd, args, f, strict)
				if err != nil {
					return err
				}
				view, ans.Position = p.state, &p.pos
				if active, err = stepEvents(p.log, p.pos); err != nil {
					return err
				}
			}
			g := graph.Of(m.Flow(), view, active)
			w := cmd.OutOrStdout()
			switch {
			case asJSON:
				ans.fill(g)
				return out.JSON(w, ans)
			case mermaid:
				return printLines(w, graph.Mermaid(g))
			case list:
				return printLines(w, graph.List(g, ascii))
			}
			lines, ok := graph.Draw(g, width, ascii)
			if !ok {
				lines = graph.List(g, ascii)
			}
			return printLines(w, lines)
		},
	}
	f.add(cmd)
	cmd.Flags().BoolVar(&mermaid, "mermaid", false, "print a Mermaid flowchart")
	cmd.Flags().BoolVar(&list, "list", false, "print an adjacency list")
	cmd.Flags().BoolVar(&ascii, "ascii", false, "draw with ASCII characters only")
	cmd.Flags().IntVar(&width, "width", graphWidth, "a drawing wider than so many `cells` is a list instead")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&strict, "strict", false, "unknown fields of the flow are errors")
	cmd.MarkFlagsMutuallyExclusive("mermaid", "list", "json")
	return cmd
}

// stepEvents are the events of the step that a position is in or behind.
func stepEvents(log trace.Log, pos int) ([]trace.Event, error) {
	first := pos
	for first > 0 {
		first--
		if h := log.Header(first); h.Type == trace.Receive && !h.Cancelled {
			break
		}
	}
	var list []trace.Event
	for i := first; i < pos; i++ {
		e, err := log.Event(i)
		if err != nil {
			return nil, out.Bad("event %d: %w", i, err)
		}
		list = append(list, *e)
	}
	return list, nil
}

func (ans *graphAnswer) fill(g graph.Graph) {
	ans.Input, ans.Tag, ans.Agents, ans.Edges = g.Input, g.Tag, []graphNode{}, []graphEdge{}
	for _, n := range g.Nodes {
		node := graphNode{ID: n.ID, Kind: n.Kind, Queue: n.Queue, Next: n.Next, Ports: []graphPort{}}
		for _, p := range n.Ports {
			node.Ports = append(node.Ports, graphPort{p.Name, p.Wired, p.Outputs})
		}
		ans.Agents = append(ans.Agents, node)
	}
	for _, e := range g.Edges {
		ans.Edges = append(ans.Edges, graphEdge{e.From, e.Port, e.To, e.Active, e.Depth})
	}
}

func printLines(w interface{ Write([]byte) (int, error) }, lines []string) error {
	for _, l := range lines {
		if _, err := fmt.Fprintln(w, l); err != nil {
			return err
		}
	}
	return nil
}
