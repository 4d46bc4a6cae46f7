package cli

import (
	"fmt"
	"io"
	"strings"

	"flowdbg/engine/flow"
)

// listShown bounds each list of a summary's text; --json shows everything.
const listShown = 20

// notesShown bounds the notes: they break no rule, and a foreign trace has one for nearly every event.
const notesShown = 5

func (s *summaryAnswer) print(w io.Writer) {
	if s.Flow != nil {
		s.Flow.print(w)
	}
	if s.Flow != nil || s.invalid {
		printProblems(w, s)
	}
	if s.Trace == nil {
		return
	}
	if s.Flow != nil {
		fmt.Fprintln(w)
	}
	s.Trace.print(w)
	s.Cost.print(w)
	if s.Replay == nil {
		return
	}
	fmt.Fprintln(w, "\nreplay")
	s.Replay.print(w)
}

func (f *flowSummary) print(w io.Writer) {
	fmt.Fprintf(w, "flow     %s (%s, sha256 %.12s)\n", clean(f.ID), f.File, f.SHA256)
	fmt.Fprintf(w, "agents   %d\n", len(f.Agents))
	tw := table(w)
	for i, a := range f.Agents {
		if i == listShown {
			fmt.Fprintf(tw, "  … %d more\n", len(f.Agents)-i)
			break
		}
		config := ""
		if !a.Config.IsNull() {
			config = preview(a.Config, previewLen)
		}
		fmt.Fprintln(tw, strings.TrimRight(fmt.Sprintf("  %s\t%s\t%s", clean(a.ID), clean(a.Kind), config), " \t"))
	}
	tw.Flush()
	fmt.Fprintf(w, "edges    %d\n", len(f.Edges))
	for i, e := range f.Edges {
		if i == listShown {
			fmt.Fprintf(w, "  … %d more\n", len(f.Edges)-i)
			break
		}
		fmt.Fprintf(w, "  %s.%s → %s\n", clean(e.From), clean(e.Port), clean(e.To))
	}
	fmt.Fprintf(w, "budget   %s\n", budgetText(f.budget))
	if f.Input == nil {
		fmt.Fprintln(w, "input    none: a run finishes at once")
	} else {
		fmt.Fprintf(w, "input    %s → %s  %s\n", clean(f.Input.Tag), clean(f.Input.To), preview(f.Input.Payload, previewLen))
	}
	if len(f.Real) > 0 {
		fmt.Fprintf(w, "real     %s: a run stops there\n", clean(strings.Join(f.Real, ", ")))
	}
}

func printProblems(w io.Writer, s *summaryAnswer) {
	if len(s.Problems) == 0 {
		fmt.Fprintln(w, "problems none")
		return
	}
	fmt.Fprintf(w, "problems %s\n", countText(s.Problems))
	shown := s.Problems[:min(len(s.Problems), listShown)]
	for _, d := range shown {
		if d.Severity == flow.Error {
			tell(w, []flow.Diagnostic{d}, s.source)
			continue
		}
		fmt.Fprintf(w, "  %s\n", d)
	}
	if more := len(s.Problems) - len(shown); more > 0 {
		fmt.Fprintf(w, "  … %d more; see flowdbg check\n", more)
	}
}

func (t *traceSummary) print(w io.Writer) {
	fmt.Fprintf(w, "trace    %s: %s, %s, %s\n", t.File, plural(t.Events, "event"), plural(t.Steps, "step"), plural(t.Effects, "effect"))
	if t.Damaged >= 0 {
		fmt.Fprintf(w, "damage   text that is no event stands at event %d: nothing is verified\n", t.Damaged)
	}
	switch {
	case t.Torn != nil:
		fmt.Fprintf(w, "end      torn at line %d: %s\n", t.Torn.Line, tearText(t.Torn))
	case !t.Finished:
		fmt.Fprintln(w, "end      no finish: this is a prefix of a run")
	default:
		fmt.Fprintf(w, "end      %s\n", clean(orUnknown(t.Reason)))
	}
	if t.Error != "" {
		fmt.Fprintf(w, "error    %s\n", clean(t.Error))
	}
	for i, k := range t.keys {
		if i == listShown {
			fmt.Fprintf(w, "output   … %d more\n", len(t.keys)-i)
			break
		}
		fmt.Fprintf(w, "output   %s: %s\n", clean(k), plural(t.Outputs[k], "message"))
	}
	hash := "none recorded"
	if t.StateHash != "" {
		hash = clean(t.StateHash)
	}
	fmt.Fprintf(w, "hash     %s (%s)\n", hash, hashCheckText(t.HashCheck))
	for i, f := range t.Findings {
		if i == listShown {
			fmt.Fprintf(w, "finding  … %d more; see flowdbg check\n", t.Total-i)
			break
		}
		fmt.Fprintf(w, "finding  %s\n", findingText(f))
	}
	for i, f := range t.Notes {
		if i == notesShown {
			fmt.Fprintf(w, "note     … %d more; see flowdbg check\n", len(t.Notes)-i)
			break
		}
		fmt.Fprintf(w, "note     %s\n", findingText(f))
	}
}

// hashCheckText says how the recorded hash relates to the events beside it.
func hashCheckText(check string) string {
	switch check {
	case hashOK:
		return "the recorded events fold to it"
	case hashWrong:
		return "the recorded events fold to another one"
	case hashNoFlow:
		return "not computable without the flow"
	case hashPartial:
		return "not checked: something in the trace could not be applied"
	case hashDisagreement:
		return "not computed: two canonicalisers disagree"
	}
	return "unchecked"
}
