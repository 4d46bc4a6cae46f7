package cli

import (
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/engine/typed"
	"flowdbg/trace"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/tui/plot"
)

// typedFlags choose a position and what is ranked by.
type typedFlags struct {
	position       positionFlags
	by             string
	asJSON, strict bool
}

func (f *typedFlags) add(cmd *cobra.Command) {
	f.position.add(cmd)
	cmd.Flags().StringVar(&f.by, "by", "", "rank by these `metrics` instead: metric[:lower|:higher],…")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "unknown fields of the flow are errors")
}

// logUpTo is the first events of a log.
type logUpTo struct {
	trace.Log
	n int
}

func (l logUpTo) Len() int { return l.n }

// explore gathers what is typed in the events up to the position.
func (a *app) explore(cmd *cobra.Command, args []string, f typedFlags) (*place, *typed.Exploration, error) {
	p, err := a.place(cmd, args, f.position, f.strict)
	if err != nil {
		return nil, nil, err
	}
	opt := typed.Options{}
	if f.by != "" {
		if opt.By, err = objectivesOf(f.by); err != nil {
			return nil, nil, out.Bad("--by: %w", err)
		}
	}
	var x typed.Index
	for log := (logUpTo{p.log, p.pos}); !x.Advance(log, 4096); {
		if err := cmd.Context().Err(); err != nil {
			return nil, nil, ended(err)
		}
	}
	return p, x.At(p.pos, opt), nil
}

// objectivesOf reads "fmax,cpu:lower".
func objectivesOf(text string) ([]judge.Objective, error) {
	var list []judge.Objective
	for _, part := range strings.Split(text, ",") {
		name, direction, _ := strings.Cut(strings.TrimSpace(part), ":")
		list = append(list, judge.Objective{Objective: contract.Objective{Metric: name, Direction: contract.Direction(direction)}})
	}
	return judge.Resolve(list)
}

const typedArgs = "FLOW | TRACE | FLOW TRACE | FOLDER"

// candidatesCmd is `flowdbg candidates`.
func (a *app) candidatesCmd() *cobra.Command {
	var f typedFlags
	var id string
	cmd := &cobra.Command{
		Use:   "candidates " + typedArgs,
		Short: "List the candidates of a search: goals, metrics, gate, rank, regret",
		Long: `List the candidates that a trace's typed payloads speak of, as of a position. Payloads are recognised by their place (the
requests and answers of the ops judge and tool), else by their required fields when exactly one type has them.

The rank is that among all candidates known at the position, by the rules of the last request of judge, or --by. A
certificate keeps the rank that it was signed with; --id shows both. ✗ is a candidate that failed, ~ one that cannot be
told apart from others of the front, ∞ the end of a front.`,
		Example: `  flowdbg candidates examples/exploration
  flowdbg candidates flow.json trace.json --step 17 --id gcd.sa.s2
  flowdbg candidates trace.json --by fmax,wirelen --json | jq '.candidates[].rank'`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, ex, err := a.explore(cmd, args, f)
			if err != nil {
				return err
			}
			w := cmd.OutOrStdout()
			if id == "" {
				if f.asJSON {
					return out.JSON(w, ex)
				}
				printCandidates(w, p, ex)
				return nil
			}
			c, err := candidateOf(ex, id)
			if err != nil {
				return err
			}
			if f.asJSON {
				return out.JSON(w, c)
			}
			printCandidate(w, c)
			return nil
		},
	}
	f.add(cmd)
	cmd.Flags().StringVar(&id, "id", "", "only this candidate, with its gate, its certificate and everything said of it")
	return cmd
}

func candidateOf(ex *typed.Exploration, id string) (*typed.Candidate, error) {
	var ids []string
	for i := range ex.Candidates {
		if ex.Candidates[i].ID == id {
			return &ex.Candidates[i], nil
		}
		ids = append(ids, ex.Candidates[i].ID)
	}
	return nil, out.Bad("there is no candidate %q at position %d%s", id, ex.Position, out.DidYouMean(id, ids))
}

func printCandidates(w io.Writer, p *place, ex *typed.Exploration) {
	count := map[typed.Status]int{}
	for _, c := range ex.Candidates {
		count[c.Status]++
	}
	fmt.Fprintf(w, "%s\n%s: %d judged, %d measured, %d proposed, %d failed\n", p.positionText(), plural(len(ex.Candidates), "candidate"),
		count[typed.Judged], count[typed.Measured], count[typed.Proposed], count[typed.Failed])
	for _, n := range ex.Notes {
		fmt.Fprintf(w, "note     %s\n", clean(n))
	}
	if len(ex.Candidates) > 0 {
		candidateTable(w, ex)
		printFronts(w, p.log, ex, false)
	}
	how := map[string]int{}
	for _, it := range ex.Items {
		how[string(it.Kind)+" by "+it.How]++
	}
	names := make([]string, 0, len(how))
	for n := range how {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintf(w, "recognised %d × %s\n", how[n], clean(n))
	}
}

func candidateTable(w io.Writer, ex *typed.Exploration) {
	tw := table(w)
	head := "\tid\tgoal"
	var metrics []string
	if ex.Ranking != nil {
		for _, o := range ex.Ranking.Objectives {
			metrics = append(metrics, o.Metric)
			head += "\t" + clean(o.Metric)
		}
	}
	fmt.Fprintln(tw, head+"\tgate\trank\tcrowd\tregret\t")
	for i := range ex.Candidates {
		c := &ex.Candidates[i]
		mark := ""
		switch {
		case c.Status == typed.Failed:
			mark = "✗"
		case len(c.Alike) > 0:
			mark = "~"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s", mark, clean(c.ID), clean(goalText(c.Goals)))
		for _, m := range metrics {
			value := "-"
			if v, ok := c.Metrics[m]; ok {
				value = number(v)
			}
			fmt.Fprintf(tw, "\t%s", value)
		}
		fmt.Fprintf(tw, "\t%s\t%s\t%s\t%s\t%s\n", clean(orDash(c.Gate)), rankText(c), crowdText(c), floatText(c.Regret), clean(remark(c)))
	}
	tw.Flush()
}

func goalText(goals []typed.Goal) string {
	var parts []string
	for _, g := range goals {
		parts = append(parts, fmt.Sprintf("%s %s: %s", g.Metric, g.Claim, g.Outcome))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

func rankText(c *typed.Candidate) string {
	if c.Rank == nil {
		return "-"
	}
	return fmt.Sprint(*c.Rank)
}

func crowdText(c *typed.Candidate) string {
	switch {
	case c.Rank == nil:
		return "-"
	case c.Crowding == nil:
		return "∞"
	}
	return fmt.Sprintf("%.3f", *c.Crowding)
}

func floatText(f *float64) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.3f", *f)
}

func remark(c *typed.Candidate) string {
	if c.Why != "" {
		return c.Why
	}
	for _, k := range c.Checks {
		if k.Level == contract.LevelError && k.Verdict != contract.CheckPass && k.Actual != nil {
			return fmt.Sprintf("%s %s, want %s %s", k.Metric, number(*k.Actual), k.Op, number(k.Limit))
		}
	}
	if len(c.Alike) > 0 {
		return "not told apart from " + strings.Join(c.Alike, ", ")
	}
	return ""
}

// printFronts tells who entered and left the front, and how the hypervolume grew.
func printFronts(w io.Writer, log trace.Log, ex *typed.Exploration, ascii bool) {
	var curve []float64
	for _, h := range ex.History {
		if h.Hypervolume != nil {
			curve = append(curve, *h.Hypervolume)
		}
		for _, l := range h.Left {
			fmt.Fprintf(w, "front    step %d  %s left, driven out by %s (%s)\n", log.Header(h.Event).Step, clean(l.ID), clean(l.By), clean(deltasText(l.Deltas)))
		}
	}
	if ex.Ranking == nil {
		return
	}
	fmt.Fprintf(w, "front    %s\n", clean(strings.Join(ex.Ranking.Front, ", ")))
	switch {
	case ex.Ranking.Hypervolume != nil:
		fmt.Fprintf(w, "volume   %.6g  %s\n", *ex.Ranking.Hypervolume, plot.Spark(curve, ascii))
	case ex.Ranking.HypervolumeNote != "":
		fmt.Fprintf(w, "volume   %s\n", clean(ex.Ranking.HypervolumeNote))
	}
}

func deltasText(list []judge.Delta) string {
	var parts []string
	for _, d := range list {
		parts = append(parts, fmt.Sprintf("%s %+.6g", d.Metric, d.Delta))
	}
	return strings.Join(parts, ", ")
}

// printCandidate is one candidate whole.
func printCandidate(w io.Writer, c *typed.Candidate) {
	fmt.Fprintf(w, "%s  %s  %s\n", clean(c.ID), c.Status, clean(c.Why))
	if c.Intent != "" {
		fmt.Fprintf(w, "intent   %s\n", clean(c.Intent))
	}
	for _, g := range c.Goals {
		fmt.Fprintf(w, "goal     %s %s: %s → %s  %s  %s\n", clean(g.Metric), clean(string(g.Claim)), optional(g.Before), optional(g.After), g.Outcome, clean(g.Reason))
	}
	names := make([]string, 0, len(c.Metrics))
	for n := range c.Metrics {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		fmt.Fprintf(w, "metric   %s %s\n", clean(n), number(c.Metrics[n]))
	}
	fmt.Fprintf(w, "rank     %s  crowding %s  regret %s\n", rankText(c), crowdText(c), floatText(c.Regret))
	for _, k := range c.Checks {
		fmt.Fprintf(w, "gate     %-14s %s %s %s  actual %s  margin %s  (%s)\n", k.Verdict, clean(k.Metric), k.Op, number(k.Limit), optional(k.Actual), optional(k.Margin), k.Level)
	}
	if k := c.Certificate; k != nil {
		rank := "none"
		if k.ParetoPosition.Rank != nil {
			rank = fmt.Sprint(*k.ParetoPosition.Rank)
		}
		fmt.Fprintf(w, "signed   %s by %s: %s, rank %s of %d then known, regret %s\n", clean(string(k.SignedAt)), clean(k.SignedBy), clean(k.GateResult.Verdict), rank,
			k.ParetoPosition.Candidates, floatText(k.Regret))
	}
	if c.Delta != nil {
		fmt.Fprintf(w, "delta    %d cells and %d nets affected; see flowdbg delta\n", c.Delta.Summary.CellsAffected, c.Delta.Summary.NetsAffected)
	}
	for _, it := range c.Items {
		fmt.Fprintf(w, "event %-5d step %d  %s  %s\n", it.Event, it.Step, clean(it.Pointer), clean(it.Describe()))
	}
}

func optional(f *float64) string {
	if f == nil {
		return "-"
	}
	return fmt.Sprintf("%.6g", *f)
}
