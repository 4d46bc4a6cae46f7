package platformcmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/engine/effect/tool"
	"flowdbg/trace"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/show"
)

// callAnswer is one contract call of a trace.
type callAnswer struct {
	Event   int    `json:"event"`
	Step    int    `json:"step"`
	Agent   string `json:"agent"`
	Verdict string `json:"verdict"`
	*tool.Details
}

// NewCalls is the command `contract-calls`.
func NewCalls() *cobra.Command {
	var asJSON bool
	var event int
	cmd := &cobra.Command{
		Use:   "contract-calls TRACE | FOLDER",
		Short: "Show each contract call of a trace: plan, bytes, losses, inventions, journal",
		Long: `Show what became of each contract call of a trace: the contract version of the agent and of the tool and who said which it
implements, the plan, the arguments and the answer before and after each step, what was lost and what was invented on the
way, the journal, and the bytes that went over the wire. Everything is read from the trace: no flow, no rules, no server.`,
		Example: `  flowdbg contract-calls examples/contract-flow
  flowdbg contract-calls trace.json --event 3
  flowdbg contract-calls trace.json --json | jq '.calls[] | {tool, verdict, notes}'`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			calls, err := callsOf(cmd, args[0])
			if err != nil {
				return err
			}
			if event >= 0 {
				if calls = at(calls, event); len(calls) == 0 {
					return out.Bad("event %d is no contract call", event)
				}
			}
			if asJSON {
				return out.JSON(cmd.OutOrStdout(), map[string]any{"calls": calls})
			}
			printCalls(cmd.OutOrStdout(), calls)
			return nil
		},
	}
	cmd.Flags().IntVar(&event, "event", -1, "only the call that this `event` answers")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func at(calls []callAnswer, event int) []callAnswer {
	for i := range calls {
		if calls[i].Event == event {
			return calls[i : i+1]
		}
	}
	return nil
}

// callsOf reads the contract calls of a trace, which may be of any size: only its effects and errors are decoded.
func callsOf(cmd *cobra.Command, arg string) ([]callAnswer, error) {
	t, err := load.Open([]string{arg}, cmd.InOrStdin())
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	if t.Trace == nil {
		return nil, out.Bad("%s: this is a flow; give a trace", arg)
	}
	tr, err := t.Trace.OpenTrace(nil, func(int64, int64) error { return cmd.Context().Err() })
	if errors.Is(err, context.Canceled) {
		return nil, out.No("interrupted")
	}
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	defer tr.Close()
	calls := []callAnswer{}
	log := tr.Log()
	for i := range log.Len() {
		if typ := log.Header(i).Type; typ != trace.EffectEvent && typ != trace.ErrorEvent {
			continue
		}
		e, err := log.Event(i)
		if err != nil {
			return nil, out.Bad("%s: event %d: %w", t.Trace.Name, i, err)
		}
		if d, ok := tool.CallDetails(e); ok {
			calls = append(calls, callAnswer{i, e.Step, e.Agent, d.Verdict(), d})
		}
	}
	return calls, nil
}

func printCalls(w io.Writer, calls []callAnswer) {
	if len(calls) == 0 {
		fmt.Fprintln(w, "the trace holds no contract call")
	}
	for i := range calls {
		if i > 0 {
			fmt.Fprintln(w)
		}
		calls[i].print(w)
	}
}

func (c *callAnswer) print(w io.Writer) {
	fmt.Fprintf(w, "event %d, step %d, %s: %s — %s\n", c.Event, c.Step, show.Clean(c.Agent), show.Clean(c.Tool), show.Clean(c.Verdict))
	fmt.Fprintf(w, "  %s\n", c.versions())
	cost := "declared free"
	if c.USD > 0 {
		cost = show.Number(c.USD) + " usd"
	}
	fmt.Fprintf(w, "  class %s, %s, %d ms, judged on %s\n", show.OrDash(show.Clean(c.Class)), cost, c.ElapsedMS, show.OrDash(show.Clean(c.Today)))
	for _, x := range c.Tried {
		fmt.Fprintf(w, "  tried %d: %s\n", x.Version, show.Clean(x.Why.Error()))
	}
	if c.Asked != "" {
		fmt.Fprintf(w, "  asked     %s\n", clip(c.Asked))
	}
	c.printSteps(w, tool.SideInput)
	if c.Sent != "" {
		fmt.Fprintf(w, "  sent      %s\n", clip(c.Sent))
	}
	if c.Received != "" {
		fmt.Fprintf(w, "  received  %s\n", clip(c.Received))
	}
	c.printSteps(w, tool.SideOutput)
	if c.Answered != "" {
		fmt.Fprintf(w, "  answered  %s\n", clip(c.Answered))
	}
	if c.Error != "" {
		fmt.Fprintf(w, "  error     %s\n", clip(c.Error))
	}
	for _, n := range c.Notes {
		fmt.Fprintf(w, "  note      %s %s%s\n", n.Side, show.Clean(n.String()), bracketed(n.Step))
	}
	if c.Refusal != nil {
		text, err := json.Marshal(c.Refusal)
		if err == nil {
			fmt.Fprintf(w, "  refusal   %s\n", clip(string(text)))
		}
	}
	for _, e := range c.Journal {
		fmt.Fprintf(w, "  journal   %s %s (%s): %s\n", e.Level, e.Code, e.Source, show.Clean(e.Text))
	}
}

func bracketed(step string) string {
	if step == "" {
		return ""
	}
	return " (" + show.Clean(step) + ")"
}

// versions is the line about who speaks which version.
func (c *callAnswer) versions() string {
	var b strings.Builder
	if c.AgentVersion > 0 {
		fmt.Fprintf(&b, "agent at %d", c.AgentVersion)
	} else {
		b.WriteString("no contract version in the call")
	}
	if c.ToolVersion > 0 {
		fmt.Fprintf(&b, ", tool at %d", c.ToolVersion)
	}
	if len(c.ToolVersions) > 0 {
		fmt.Fprintf(&b, " (it implements %s, said by %s)", strings.Trim(strings.ReplaceAll(fmt.Sprint(c.ToolVersions), " ", ", "), "[]"), said(c.Source))
	}
	if c.Semver != "" {
		fmt.Fprintf(&b, ", version %s", show.Clean(c.Semver))
	}
	if c.Server != "" {
		fmt.Fprintf(&b, ", on %s", show.Clean(c.Server))
	}
	if c.Sunset != "" {
		fmt.Fprintf(&b, ", sunset %s", show.Clean(c.Sunset))
	}
	return b.String()
}

func (c *callAnswer) printSteps(w io.Writer, side string) {
	for _, s := range c.Steps {
		if s.Side != side {
			continue
		}
		fmt.Fprintf(w, "  %-9s %s %s, %s%s\n", "step", s.Step, s.Dir, show.Plural(s.Ops, "operation"), bracketed(s.Rule))
		if s.After != "" {
			fmt.Fprintf(w, "            %s\n", clip(s.After))
		}
	}
}

// clip shows the begin of a long text and how long it is.
func clip(text string) string {
	const most = 400
	if len(text) <= most {
		return show.Clean(text)
	}
	return show.Clean(strings.ToValidUTF8(text[:most], "")) + fmt.Sprintf(" … (%s)", show.SizeText(len(text)))
}
