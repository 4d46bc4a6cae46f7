package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
)

// stateAnswer is `state --json`.
type stateAnswer struct {
	Position  int                      `json:"position"` // so many events are applied
	Of        int                      `json:"of"`       // events that exist; in a live run those that were needed
	Step      int                      `json:"step"`
	Mode      string                   `json:"mode"`
	Next      string                   `json:"next"`        // the agent that the schedule picks, "" when idle
	Within    bool                     `json:"within_step"` // the last step has more events: nobody is picked before its end
	Ready     []string                 `json:"ready"`
	Agents    []agentState             `json:"agents"`
	Outputs   map[string][]canon.Value `json:"outputs"`
	Ledger    ledgerJSON               `json:"ledger"`
	Budget    *budgetJSON              `json:"budget"`
	Error     string                   `json:"error,omitempty"`
	Finished  bool                     `json:"finished"`
	StateHash string                   `json:"state_hash,omitempty"`
	HashCheck string                   `json:"hash_check"`
	Findings  []trace.Finding          `json:"findings,omitempty"`
}

// agentState is one agent at the position.
type agentState struct {
	ID       string        `json:"id"`
	Kind     string        `json:"kind,omitempty"`
	State    canon.Value   `json:"state"`
	Inbox    []canon.Value `json:"inbox"` // head first
	Ready    bool          `json:"ready"`
	Waiting  int           `json:"waiting_steps"`
	LastStep int           `json:"last_step"` // of its last receive, 0: never
	Receives int           `json:"receives"`
	Ports    canon.Value   `json:"ports,omitzero"`
	view     trace.AgentView
}

// stateCmd is `flowdbg state`.
func (a *app) stateCmd() *cobra.Command {
	var f positionFlags
	var agent string
	var asJSON, strict bool
	cmd := &cobra.Command{
		Use:   "state FLOW | TRACE | FLOW TRACE | FOLDER",
		Short: "Show the state at a position: agents, inboxes, who is ready, ledger",
		Long: `Show the state at a position. A trace is folded as it was recorded; nothing is run again (replay tells whether the
flow still does the same). Without a trace the flow is run, with mocks, as far as needed. Without a flow kinds and ports
are unknown and there is no state hash.

Positions are event indices: at position N the first N events are applied, 0 is before anything.`,
		Example: `  flowdbg state trace.json --at 7
  flowdbg state flow.json trace.json --step 2 --agent critic
  flowdbg state flow.json --json | jq .ledger`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, err := a.place(cmd, args, f, strict)
			if err != nil {
				return err
			}
			ans := stateOf(p)
			if cmd.Flags().Changed("agent") {
				if ans.Agents, err = onlyAgent(ans.Agents, agent); err != nil {
					return err
				}
			}
			if asJSON {
				return out.JSON(cmd.OutOrStdout(), ans)
			}
			ans.print(cmd.OutOrStdout(), p, cmd.Flags().Changed("agent"))
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&agent, "agent", "", "only this agent, with its whole state and inbox")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&strict, "strict", false, "unknown fields of the flow are errors")
	return cmd
}

func onlyAgent(list []agentState, id string) ([]agentState, error) {
	names := make([]string, len(list))
	for i, a := range list {
		if names[i] = a.ID; a.ID == id {
			return list[i : i+1], nil
		}
	}
	return nil, out.Bad("there is no agent %q%s", id, out.DidYouMean(id, names))
}

func stateOf(p *place) *stateAnswer {
	st := p.state
	s := &stateAnswer{Position: p.pos, Of: p.log.Len(), Step: st.Step(), Mode: string(p.mode), Ready: []string{}, Agents: []agentState{},
		Outputs: map[string][]canon.Value{}, Ledger: ledgerOf(st.Ledger()), Budget: budgetOf(st.Budget()), Finished: st.Finished() != nil, Findings: p.findings}
	s.Within = p.within()
	s.Next, _ = st.Next()
	if e := st.Failed(); e != nil {
		s.Error = e.Text
	}
	for rank := range st.AgentCount() {
		v := st.AgentAt(rank)
		a := agentState{ID: v.ID, Kind: v.Kind, State: v.State, Inbox: []canon.Value{}, Ready: v.Ready, Waiting: v.WaitSteps, LastStep: v.LastStep, Receives: v.Receives, Ports: v.Ports, view: v}
		for i := range v.Inbox {
			m, _ := st.InboxAt(v.ID, i)
			a.Inbox = append(a.Inbox, m.Text())
		}
		if v.Ready {
			s.Ready = append(s.Ready, v.ID)
		}
		s.Agents = append(s.Agents, a)
	}
	for _, k := range st.OutputKeys() {
		for i := range st.OutputLen(k) {
			m, _ := st.OutputAt(k, i)
			s.Outputs[k] = append(s.Outputs[k], m.Text())
		}
	}
	s.HashCheck, s.StateHash = hashCheck(st)
	return s
}

func (s *stateAnswer) print(w io.Writer, p *place, one bool) {
	fmt.Fprintln(w, p.positionText())
	if one {
		s.Agents[0].print(w)
		return
	}
	next := "nobody: idle"
	switch {
	case p.within():
		next = fmt.Sprintf("%s is in the middle of step %d", clean(p.log.Header(p.pos).Agent), s.Step)
	case s.Finished:
		next = "nobody: the run is finished"
	case s.Next != "":
		next = clean(s.Next)
	}
	fmt.Fprintf(w, "next     %s\n", next)
	fmt.Fprintf(w, "ready    %s\n", readyText(s.Ready))
	fmt.Fprintf(w, "ledger   %s of %s\n", spent(p.state.Ledger()), budgetText(p.state.Budget()))
	if s.Error != "" {
		fmt.Fprintf(w, "error    %s\n", clean(s.Error))
	}
	hash := s.StateHash
	if hash == "" {
		hash = "none"
	}
	fmt.Fprintf(w, "hash     %s (%s)\n", hash, stateHashText(s.HashCheck))
	tw := table(w)
	fmt.Fprintln(tw, "agent\tkind\tinbox\twaits\tlast step\tstate")
	for _, a := range s.Agents {
		waits := "-"
		if a.Ready {
			waits = fmt.Sprint(a.Waiting)
		}
		fmt.Fprintf(tw, "%s\t%s\t%d\t%s\t%d\t%s\n", clean(a.ID), clean(orDash(a.Kind)), len(a.Inbox), waits, a.LastStep, preview(a.State, previewLen))
	}
	tw.Flush()
	for _, a := range s.Agents {
		for i, m := range a.Inbox {
			if i == outputsShown {
				fmt.Fprintf(w, "inbox    %s … %d more\n", clean(a.ID), len(a.Inbox)-i)
				break
			}
			fmt.Fprintf(w, "inbox    %s %d  %s\n", clean(a.ID), i, preview(m, previewLen))
		}
	}
	printOutputs(w, p.state)
	for _, f := range s.Findings {
		fmt.Fprintf(w, "finding  %s\n", findingText(f))
	}
}

// stateHashText says what the hash at a position is worth.
func stateHashText(check string) string {
	if check == hashNothing {
		return "of the recorded events; finish compares it"
	}
	return hashCheckText(check)
}

func readyText(ready []string) string {
	if len(ready) == 0 {
		return "nobody"
	}
	shown := make([]string, 0, listShown)
	for _, id := range ready[:min(len(ready), listShown)] {
		shown = append(shown, clean(id))
	}
	text := strings.Join(shown, ", ")
	if more := len(ready) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// print is one agent whole.
func (a *agentState) print(w io.Writer) {
	fmt.Fprintf(w, "agent    %s (%s) · received %d · last step %d\n", clean(a.ID), clean(orDash(a.Kind)), a.Receives, a.LastStep)
	if !a.Ports.IsAbsent() && a.Ports.Count() > 0 {
		fmt.Fprintf(w, "ports    %s\n", a.Ports)
	}
	fmt.Fprintf(w, "state    %s\n", indented(a.State))
	fmt.Fprintf(w, "inbox    %s\n", plural(len(a.Inbox), "message"))
	for i, m := range a.Inbox {
		fmt.Fprintf(w, "  %d  %s\n", i, indented(m))
	}
}
