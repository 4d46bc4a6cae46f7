package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flowdbg/engine"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// checkAnswer is `check --json`.
type checkAnswer struct {
	OK          bool             `json:"ok"`
	File        string           `json:"file,omitempty"`
	Errors      int              `json:"errors"`
	Warnings    int              `json:"warnings"`
	Lints       int              `json:"lints"`
	Diagnostics []diagnosticJSON `json:"diagnostics"`
	Trace       *traceCheck      `json:"trace,omitempty"`
	source      []byte
}

type diagnosticJSON struct {
	flow.Diagnostic
	Excerpt string `json:"excerpt,omitempty"`
}

// traceCheck is what can be said of a trace without running anything.
type traceCheck struct {
	File      string          `json:"file"`
	OK        bool            `json:"ok"`
	Events    int             `json:"events"`
	Finished  bool            `json:"finished"`
	HashCheck string          `json:"hash_check"`
	Findings  []trace.Finding `json:"findings"`
	Torn      *trace.Tear     `json:"torn,omitempty"`
	Damaged   int             `json:"damaged_event"` // -1: none
}

// checkCmd is `flowdbg check`.
func (a *app) checkCmd() *cobra.Command {
	var strict, asJSON bool
	cmd := &cobra.Command{
		Use:   "check FLOW [TRACE] | TRACE | FOLDER",
		Short: "Say everything that is wrong with a flow, each with file:line:col",
		Long: `Check a flow: every error at once (of syntax errors the first), each with file:line:col, the JSON Pointer, what is
wrong, what would be right, and the line with a caret. Warnings and lints are told and do not fail.

A trace is folded as it was recorded: what does not fit is a finding, and with the flow at hand the recorded state hash
is checked. Nothing is run; replay does that.

Exit 1 when the flow has an error, or when the trace is torn or damaged or does not fold to its own hash.`,
		Example: `  flowdbg check flow.json
  flowdbg check flow.json trace.json --strict
  flowdbg check flow.json --json | jq -r '.diagnostics[] | "\(.line): \(.message)"'`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := a.open(args)
			if err != nil {
				return err
			}
			ans, err := check(t, strict)
			if err != nil {
				return err
			}
			if asJSON {
				err = out.JSON(cmd.OutOrStdout(), ans)
			} else {
				ans.print(cmd.OutOrStdout())
			}
			if err == nil && !ans.OK {
				return out.No("")
			}
			return err
		},
	}
	cmd.Flags().BoolVar(&strict, "strict", false, "unknown fields are errors")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func check(t load.Targets, strict bool) (*checkAnswer, error) {
	ans := &checkAnswer{OK: true, Diagnostics: []diagnosticJSON{}}
	var m *engine.Machine
	if t.Flow != nil {
		var diags []flow.Diagnostic
		m, diags = t.Flow.Machine(strict, nil)
		ans.File, ans.source, ans.OK = t.Flow.Name, t.Flow.Data, m != nil
		ans.Errors, ans.Warnings, ans.Lints = counts(diags)
		for _, d := range diags {
			ans.Diagnostics = append(ans.Diagnostics, diagnosticJSON{d, out.Excerpt(t.Flow.Data, d.Line, d.Col)})
		}
	}
	if t.Trace == nil {
		return ans, nil
	}
	tr, err := t.Trace.ReadTrace()
	if err != nil {
		return nil, out.Bad("%w", err)
	}
	s := summariseTrace(t.Trace.Name, m, tr)
	ans.Trace = &traceCheck{File: s.File, Events: s.Events, Finished: s.Finished, HashCheck: s.HashCheck, Torn: s.Torn, Findings: s.Findings,
		Damaged: s.Damaged,
		OK:      s.Torn == nil && s.Damaged < 0 && s.HashCheck != hashWrong && s.HashCheck != hashDisagreement}
	if ans.Trace.Findings == nil {
		ans.Trace.Findings = []trace.Finding{}
	}
	ans.OK = ans.OK && ans.Trace.OK
	return ans, nil
}

func (c *checkAnswer) print(w io.Writer) {
	if c.File != "" {
		diags := make([]flow.Diagnostic, len(c.Diagnostics))
		for i, d := range c.Diagnostics {
			diags[i] = d.Diagnostic
		}
		tell(w, diags, c.source)
		fmt.Fprintf(w, "%s: %s\n", c.File, countText(diags))
	}
	t := c.Trace
	if t == nil {
		return
	}
	for _, f := range t.Findings {
		fmt.Fprintf(w, "%s: %s\n", t.File, findingText(f))
	}
	if t.Damaged >= 0 {
		fmt.Fprintf(w, "%s: text that is no event stands at event %d\n", t.File, t.Damaged)
	}
	if t.Torn != nil {
		fmt.Fprintf(w, "%s:%d: %s\n", t.File, t.Torn.Line, tearText(t.Torn))
	}
	fmt.Fprintf(w, "%s: %s, %s, hash: %s\n", t.File, plural(t.Events, "event"), plural(len(t.Findings), "finding"), stateHashText(t.HashCheck))
}

// findingText is "event 7 /message: text [kind]".
func findingText(f trace.Finding) string {
	text := clean(f.Text)
	if f.Pointer != "" {
		text = clean(f.Pointer) + ": " + text
	}
	if f.Event >= 0 {
		text = fmt.Sprintf("event %d: %s", f.Event, text)
	}
	return fmt.Sprintf("%s [%s]", text, f.Kind)
}
