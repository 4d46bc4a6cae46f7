package contractcmd

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/ui/cli/out"
)

// gateAnswer is one run's judgment in `gate --json`.
type gateAnswer struct {
	ID string `json:"id"`
	judge.Judgment
}

func gateCmd() *cobra.Command {
	var set candidateFlags
	var rulesFile string
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "gate METRICS... --rules RULES",
		Short: "Hold metrics against a gate: every rule judged, with its margin",
		Long: `Hold metrics against a gate. Every rule is judged; it never stops at the first that fails.

METRICS are files as tools write them (OpenROAD-flow-scripts metadata, OpenROAD .metrics, iEDA *_tool.json, the report
of nextpnr), our own form {"metrics": {name: number}}, a candidate set, or a plain list of runs.
RULES are our own form {"rules": [{"metric", "op", "limit", "level"?, "unit"?}]}, rules-base.json of
OpenROAD-flow-scripts, or OpenROAD's .metrics_limits.

A check is pass, fail, warn (missed, but only a warning), missing, or not_comparable (there, but no result: NaN, -1,
9e99, text). The gate is PASS, FAIL, INCONCLUSIVE (something could not be compared, or nothing was) or ERROR (the run
itself did not end well). A missing metric at level error is a FAIL. Exit 1 unless every run passes.`,
		Example: `  flowdbg contract gate metadata.json --rules rules-base.json
  flowdbg contract gate gcd.metrics --rules gcd.metrics_limits --json
  flowdbg contract gate gcd.candidates.json --rules gcd.rules.json`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			rules, err := readGateRules(cmd, rulesFile)
			if err != nil {
				return err
			}
			candidates, _, err := set.readSet(cmd, args)
			if err != nil {
				return err
			}
			if len(candidates) == 0 {
				return out.Bad("no run to judge in %v", args)
			}
			answers := make([]gateAnswer, len(candidates))
			for i, c := range candidates {
				answers[i] = gateAnswer{c.ID, judge.Judge(c.Metrics, rules.Rules)}
			}
			return printGates(cmd.OutOrStdout(), answers, asJSON, all)
		},
	}
	set.add(cmd)
	cmd.Flags().StringVar(&rulesFile, "rules", "", "rule `file` (\"-\" reads standard input)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&all, "all", false, "show the passed checks of many runs too")
	cobra.CheckErr(cmd.MarkFlagRequired("rules"))
	return cmd
}

func printGates(w io.Writer, answers []gateAnswer, asJSON, all bool) error {
	passed := 0
	for _, a := range answers {
		if a.Verdict == contract.GatePass {
			passed++
		}
	}
	if asJSON {
		if err := out.JSON(w, answers); err != nil {
			return err
		}
	} else {
		for _, a := range answers {
			printGate(w, a, all || len(answers) == 1)
		}
		if len(answers) > 1 {
			fmt.Fprintf(w, "%d of %s pass the gate\n", passed, judgeCount(len(answers), "run"))
		}
	}
	if passed < len(answers) {
		return out.No("")
	}
	return nil
}

func printGate(w io.Writer, a gateAnswer, all bool) {
	counts := map[string]int{}
	for _, c := range a.Checks {
		counts[c.Verdict]++
	}
	fmt.Fprintf(w, "%s: %s  %s, %d passed", judgeText(a.ID), a.Verdict, judgeCount(len(a.Checks), "rule"), counts[contract.CheckPass])
	for _, v := range []string{contract.CheckFail, contract.CheckWarn, contract.CheckMissing, contract.CheckNotComparable} {
		if counts[v] > 0 {
			fmt.Fprintf(w, ", %d %s", counts[v], v)
		}
	}
	if a.Reason != "" {
		fmt.Fprintf(w, " (%s)", judgeText(a.Reason))
	}
	fmt.Fprintln(w)
	judgeTable(w, func(tab io.Writer) {
		for _, c := range a.Checks {
			if all || c.Verdict != contract.CheckPass {
				printCheck(tab, &c)
			}
		}
	})
}

func printCheck(tab io.Writer, c *judge.Check) {
	actual, limit := "-", judgeNumber(c.Limit)
	if c.Actual != nil {
		actual = judgeNumber(*c.Actual)
	}
	if c.LimitText != nil {
		limit = judgeText(*c.LimitText)
	}
	if c.ActualText != nil {
		actual = judgeText(*c.ActualText)
	}
	margin := "-"
	if c.Margin != nil {
		margin = fmt.Sprintf("%+.6g", *c.Margin)
	}
	note := judgeText(c.Reason)
	if c.Level == contract.LevelWarning {
		note = gateNote("warning level", note)
	}
	fmt.Fprintf(tab, "  %s\t%s\t%s\t%s %s\tmargin %s\t%s\n", c.Verdict, judgeText(c.Metric), actual, c.Op, limit, margin, note)
}

func gateNote(a, b string) string {
	if b == "" {
		return a
	}
	return a + "; " + b
}
