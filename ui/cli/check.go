package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/contract/meta"
	"flowdbg/engine"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
	"flowdbg/trace"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/platformcmd"
)

// checkAnswer is `check --json`.
type checkAnswer struct {
	OK          bool             `json:"ok"`
	File        string           `json:"file,omitempty"`
	Errors      int              `json:"errors"`
	Warnings    int              `json:"warnings"`
	Lints       int              `json:"lints"`
	Diagnostics []diagnosticJSON `json:"diagnostics"`
	// Platform is the negotiation of a flow that has contracts, or a lock.
	Platform *platform.Negotiation `json:"platform,omitempty"`
	Trace    *traceCheck           `json:"trace,omitempty"`
}

type diagnosticJSON struct {
	flow.Diagnostic
	Excerpt string `json:"excerpt,omitempty"`
}

// traceCheck is what can be said of a trace without running anything.
type traceCheck struct {
	File     string            `json:"file"`
	OK       bool              `json:"ok"`
	Events   int               `json:"events"`
	Steps    int               `json:"steps"`
	Finished bool              `json:"finished"`
	Hash     trace.HashVerdict `json:"hash"`
	Computed string            `json:"computed_hash,omitempty"`
	Findings []trace.Finding   `json:"findings"` // rules that the trace breaks
	Notes    []trace.Finding   `json:"notes"`    // worth knowing, and no fault
	Total    int               `json:"total"`    // all findings; the lists hold the first of them
	Torn     *trace.Tear       `json:"torn,omitempty"`
	Damaged  int               `json:"damaged_event"` // the first place where text stands that is no event, -1: none
}

// checkCmd is `flowdbg check`.
func (a *app) checkCmd() *cobra.Command {
	var strict, asJSON bool
	var day string
	cmd := &cobra.Command{
		Use:   "check FLOW [TRACE] | TRACE | FOLDER",
		Short: "Say everything that is wrong with a flow, each with file:line:col",
		Long: `Check a flow: every error at once (of syntax errors the first), each with file:line:col, the JSON Pointer, what is
wrong, what would be right, and the line with a caret. Warnings and lints are told and do not fail.

A trace is held against the rules that need no behaviours: the schedule, the inboxes, one effect per act, steps, ledger,
outputs, finish; with the flow also edges, agents and the state hash. Nothing is run; replay does that.

A flow with contracts is held against its platform: rules and the platform's file with file:line:col, and what it requires
against the lock that "flowdbg platform --live --save" writes. Without a lock the verdict is "not negotiated". No server is
started.

Exit 1 when the flow has an error, when its platform does not provide what it requires, or when the trace breaks a rule, is torn or damaged. A trace that only has no finish
is a prefix of a run and is fine.`,
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
			today, err := platformcmd.Today(day)
			if err != nil {
				return err
			}
			ans, err := a.check(cmd.Context(), t, strict, today)
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
	cmd.Flags().StringVar(&day, "today", "", "judge the sunsets of tools on this `day`, YYYY-MM-DD (default: today in UTC)")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	return cmd
}

func (a *app) check(ctx context.Context, t load.Targets, strict bool, today meta.Date) (*checkAnswer, error) {
	ans := &checkAnswer{OK: true, Diagnostics: []diagnosticJSON{}}
	var m *engine.Machine
	if t.Flow != nil {
		var diags []flow.Diagnostic
		m, diags = t.Flow.Machine(strict, nil)
		if m != nil {
			n, more, err := platformcmd.Check(m.Flow(), t.Flow.Path, today)
			if err != nil {
				return nil, err
			}
			ans.Platform, diags = n, append(diags, more...)
			ans.OK = n == nil || n.OK
		}
		ans.File, ans.OK = t.Flow.Name, ans.OK && !flow.HasErrors(diags)
		ans.Errors, ans.Warnings, ans.Lints = counts(diags)
		for _, d := range diags {
			ans.Diagnostics = append(ans.Diagnostics, diagnosticJSON{d, platformcmd.Excerpt(d, t.Flow.Name, t.Flow.Data)})
		}
	}
	if t.Trace == nil {
		return ans, nil
	}
	tr, err := a.openTrace(ctx, t.Trace, m)
	if err != nil {
		return nil, err
	}
	if ans.Trace, err = checkTrace(ctx, t.Trace.Name, m, tr); err != nil {
		return nil, ended(err)
	}
	ans.OK = ans.OK && ans.Trace.OK
	return ans, nil
}

func checkTrace(ctx context.Context, file string, m *engine.Machine, tr *trace.Opened) (*traceCheck, error) {
	rep, err := trace.Lint(ctx, tr.Log(), setupOf(m), nil)
	if err != nil {
		return nil, err
	}
	t := &traceCheck{File: file, Events: rep.Events, Steps: rep.Steps, Finished: finishes(tr.Log()), Hash: rep.Hash, Computed: rep.Computed,
		Findings: append([]trace.Finding{}, rep.Findings...), Notes: append([]trace.Finding{}, rep.Notes...), Total: rep.Total, Torn: tr.Tear(), Damaged: tr.Damage()}
	known := map[trace.Finding]bool{}
	for _, f := range append(t.Findings, t.Notes...) {
		known[trace.Finding{Kind: f.Kind, Event: f.Event, Pointer: f.Pointer}] = true
	}
	for _, f := range tr.Findings() { // what only reading the text can see
		if !known[trace.Finding{Kind: f.Kind, Event: f.Event, Pointer: f.Pointer}] && f.Kind != trace.FindNoFinish {
			if f.Note() {
				t.Notes = append(t.Notes, f)
				continue
			}
			t.Findings, t.Total = append(t.Findings, f), t.Total+1
		}
	}
	t.OK = t.Total == 0 && t.Torn == nil && t.Damaged < 0
	return t, nil
}

// finishes is true for a log that holds a finish.
func finishes(log trace.Log) bool {
	for i := log.Len() - 1; i >= 0; i-- {
		if log.Header(i).Type == trace.FinishEvent {
			return true
		}
	}
	return false
}

func (c *checkAnswer) print(w io.Writer) {
	if c.File != "" {
		diags := make([]flow.Diagnostic, len(c.Diagnostics))
		for i, d := range c.Diagnostics {
			diags[i] = d.Diagnostic
			fmt.Fprintln(w, d.Diagnostic)
			if d.Excerpt != "" {
				fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(d.Excerpt, "\n", "\n    "))
			}
		}
		fmt.Fprintf(w, "%s: %s\n", c.File, countText(diags))
	}
	if c.Platform != nil {
		platformcmd.PrintNegotiation(w, c.Platform, false)
	}
	t := c.Trace
	if t == nil {
		return
	}
	for _, f := range t.Findings {
		fmt.Fprintf(w, "%s: %s\n", t.File, findingText(f))
	}
	if more := t.Total - len(t.Findings); more > 0 {
		fmt.Fprintf(w, "%s: %s more\n", t.File, plural(more, "finding"))
	}
	for _, f := range t.Notes {
		fmt.Fprintf(w, "%s: note: %s\n", t.File, findingText(f))
	}
	if t.Damaged >= 0 {
		fmt.Fprintf(w, "%s: text that is no event stands at event %d\n", t.File, t.Damaged)
	}
	if t.Torn != nil {
		fmt.Fprintf(w, "%s:%d: %s\n", t.File, t.Torn.Line, tearText(t.Torn))
	}
	fmt.Fprintf(w, "%s: %s, %s, hash %s\n", t.File, plural(t.Events, "event"), plural(t.Total, "finding"), hashWord(t.Hash))
}

// hashWord says what is known of the recorded state hash.
func hashWord(v trace.HashVerdict) string {
	if v == trace.HashNotComputable {
		return "not computable without the flow"
	}
	return string(v)
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
