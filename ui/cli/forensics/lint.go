package forensics

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// lintAnswer is `lint --json`.
type lintAnswer struct {
	File  string `json:"file"`
	Flow  string `json:"flow,omitempty"`
	Clean bool   `json:"clean"`
	*trace.LintReport
}

func (t *tool) lintCmd() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "lint [FLOW] TRACE",
		Short: "Check a trace against every rule that needs no behaviour",
		Long: `Check a trace: which agent runs (the lowest id with a message waiting), first in first out, one effect per act, sends and
requests as the act has them, dense steps, the ledger, the outputs, and finish once and last. With the flow also its
agents, its edges and the state hash. Files of any size; nothing is run.

The hash is "verified" only with the flow, a finish, and a trace without damage; "not computable" without the flow.

A folder stands for its trace.json, and for its flow.json when it has one.

Exit 1 when there are findings. Notes (a foreign trace that counts steps from 0, a person's edits) are no findings.`,
		Example: `  flowdbg lint trace.json
  flowdbg lint flow.json trace.json
  flowdbg lint --json trace.jsonl.gz | jq '.counts'`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: traceFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			flowPath, tracePath := flowAndTrace(args)
			if flowPath == "" {
				flowPath = beside(tracePath)
			}
			return t.lint(cmd, flowPath, tracePath, asJSON)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the report as one JSON document")
	return cmd
}

// flowAndTrace tells the two files apart, in any order; the flow is "" when there is none.
func flowAndTrace(args []string) (flowPath, tracePath string) {
	if len(args) == 1 {
		return "", args[0]
	}
	if args[0] != load.Stdin {
		if kind, err := kindOf(args[0]); err != nil || kind == load.Flow {
			return args[0], args[1]
		}
	}
	return args[1], args[0]
}

// beside is the flow of a folder that holds both, else "".
func beside(dir string) string {
	path := filepath.Join(dir, load.FlowName)
	if st, err := os.Stat(path); err == nil && st.Mode().IsRegular() {
		return path
	}
	return ""
}

func (t *tool) lint(cmd *cobra.Command, flowPath, tracePath string, asJSON bool) error {
	var setup *trace.Setup
	if flowPath != "" {
		var err error
		if setup, err = setupOf(cmd, flowPath); err != nil {
			return err
		}
	}
	o, err := t.openWith(cmd, tracePath, setup)
	if err != nil {
		return err
	}
	defer o.Close()
	tell, stop := t.progress()
	rep, err := trace.Lint(cmd.Context(), o.Log(), setup, tell)
	stop()
	if err != nil {
		return failed(err)
	}
	ans := &lintAnswer{File: o.Name, Flow: flowPath, Clean: rep.Clean(), LintReport: rep}
	if asJSON {
		err = out.JSON(cmd.OutOrStdout(), ans)
	} else {
		ans.print(cmd.OutOrStdout())
	}
	if err == nil && !rep.Clean() {
		return out.No("")
	}
	return err
}

func (a *lintAnswer) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s, %s: %s\n", a.File, plural(a.Events, "event"), plural(a.Steps, "step"), plural(a.Total, "finding"))
	tw := table(w)
	line := func(f trace.Finding, note string) {
		at := ""
		if f.Event >= 0 {
			at = fmt.Sprintf("event %d %s", f.Event, clean(f.Pointer))
		}
		fmt.Fprintf(tw, "  %s\t%s%s\t%s\n", at, note, clean(f.Kind), clean(f.Text))
	}
	for _, f := range a.Findings {
		line(f, "")
	}
	if more := a.Total - len(a.Findings); more > 0 {
		fmt.Fprintf(tw, "  … %d more\n", more)
	}
	for _, f := range a.Notes {
		line(f, "note: ")
	}
	tw.Flush()
	fmt.Fprintf(w, "hash: %s\n", hashText(a.Hash))
}

func hashText(v trace.HashVerdict) string {
	switch v {
	case trace.HashVerified:
		return "≡ the state's hash is that of finish"
	case trace.HashDiffers:
		return "≠ the state has another hash than finish"
	case trace.HashUnchecked:
		return "unchecked: there is no finish"
	case trace.HashNotComputable:
		return "not computable without the flow: kinds and ports are not known"
	case trace.HashPartial:
		return "partial: an event of an unknown type may have changed the state"
	case trace.HashDamaged:
		return "unverifiable: the trace is damaged"
	}
	return string(v)
}
