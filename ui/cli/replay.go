package cli

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flowdbg/engine"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// replayAnswer is `replay --json`, and the member "replay" of a summary.
type replayAnswer struct {
	Verdict    engine.Verdict    `json:"verdict"`
	Same       bool              `json:"same"`
	Prefix     bool              `json:"prefix"`   // the trace has no finish: all of it matches, the run would go on
	Compared   int               `json:"compared"` // events that were made again and are equal
	Recorded   int               `json:"recorded_events"`
	Steps      int               `json:"steps"`
	Effects    int               `json:"effects"`
	StateHash  string            `json:"state_hash,omitempty"`
	Damaged    *int              `json:"damaged_event,omitempty"` // text stands here that is no event: nothing is verified
	Notes      []string          `json:"notes,omitempty"`
	Divergence *divergenceAnswer `json:"divergence,omitempty"`
	Written    string            `json:"written,omitempty"`
}

// divergenceAnswer is the first difference. Sides are named recorded and got; a missing one has nothing there.
type divergenceAnswer struct {
	Event         int            `json:"event"`
	Step          int            `json:"step"`
	Agent         string         `json:"agent,omitempty"`
	Path          string         `json:"path"`
	Recorded      canon.Value    `json:"recorded,omitzero"`
	Got           canon.Value    `json:"got,omitzero"`
	RecordedEvent canon.Value    `json:"recorded_event,omitzero"`
	GotEvent      canon.Value    `json:"got_event,omitzero"`
	LastEqual     []indexedEvent `json:"last_equal"`
	Differences   []difference   `json:"differences"`
}

type indexedEvent struct {
	Index int         `json:"index"`
	Event canon.Value `json:"event"`
	line  string
}

type difference struct {
	Pointer  string      `json:"pointer"`
	Recorded canon.Value `json:"recorded,omitzero"`
	Got      canon.Value `json:"got,omitzero"`
}

// How much of a difference is shown.
const (
	lastEqualShown   = 3
	differencesShown = 20
)

// ok is true when the exit code is 0: the run is the recorded one, and the record is whole.
func (r *replayAnswer) ok() bool { return r.Same && r.Damaged == nil }

func answerOf(r *engine.Report, record *trace.Opened) *replayAnswer {
	a := &replayAnswer{Verdict: r.Verdict, Same: r.Same(), Prefix: r.Prefix, Compared: r.Compared, Recorded: r.Recorded,
		Steps: r.Steps, Effects: r.Effects, StateHash: r.StateHash, Notes: r.Notes}
	if d := r.Divergence; d != nil {
		a.Divergence = divergenceOf(d, record.Log())
	}
	if i := record.Damage(); i >= 0 {
		a.Damaged = &i
	}
	return a
}

func divergenceOf(d *engine.Divergence, record trace.Log) *divergenceAnswer {
	v := &divergenceAnswer{Event: d.Index, Step: d.Step, Path: d.Path, Recorded: d.Recorded, Got: d.Got,
		LastEqual: []indexedEvent{}, Differences: []difference{}}
	if d.RecordedEvent != nil {
		v.RecordedEvent, v.Agent = d.RecordedEvent.Compared(), d.RecordedEvent.Agent
	}
	if d.GotEvent != nil {
		v.GotEvent, v.Agent = d.GotEvent.Compared(), d.GotEvent.Agent
	}
	for i := max(0, d.Index-lastEqualShown); i < min(d.Index, record.Len()); i++ {
		e, err := record.Event(i)
		if err != nil {
			e = trace.Unreadable(err)
		}
		v.LastEqual = append(v.LastEqual, indexedEvent{i, e.Value(), eventLine(i, e)})
	}
	if d.RecordedEvent == nil || d.GotEvent == nil {
		return v
	}
	for _, x := range d.Differences(differencesShown) {
		v.Differences = append(v.Differences, difference{x.Pointer, x.Recorded, x.Got})
	}
	return v
}

// replayCmd is `flowdbg replay`.
func (a *app) replayCmd() *cobra.Command {
	var output string
	var asJSON, strict, force bool
	cmd := &cobra.Command{
		Use:   "replay FLOW TRACE | FOLDER",
		Short: "Run a flow against its trace and say where they first differ",
		Long: `Run a flow against its trace. Every event is made again and compared; effects are answered from the trace, one by
one, and must ask exactly what was recorded. Nothing is bought and nothing foreign is run.

Verdicts: same · request_differs · extra_effect · missing_effects · error_differs · event_differs · outputs_differ ·
ledger_differs · hash_differs · nothing_checked. Only "same" exits 0. A trace without finish is a prefix: it is the
same when all its events match.

The first difference is shown with the last equal events and both versions; the sides are "recorded" (the trace) and
"got" (this run).`,
		Example: `  flowdbg replay examples/research-pipeline.json examples/research-trace.json
  flowdbg replay examples/diverged
  flowdbg replay flow.json trace.json --json | jq .divergence.path`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := a.open(args)
			if err != nil {
				return err
			}
			if t.Flow == nil || t.Trace == nil {
				return out.Bad("a replay needs a flow and a trace; only a %s was given", given(t))
			}
			if err := dest.Check(output, force, t.Own()); err != nil {
				return err
			}
			return a.replay(cmd, t, output, asJSON, strict)
		},
	}
	cmd.Flags().StringVarP(&output, "output", "o", "", "write the replayed events to this `file` when the verdict is same: its bytes are the trace's as flowdbg writes it")
	dest.Flag(cmd, &force)
	cmd.Flags().BoolVar(&asJSON, "json", false, "print one JSON document")
	cmd.Flags().BoolVar(&strict, "strict", false, "unknown fields of the flow are errors")
	return cmd
}

func given(t load.Targets) string {
	if t.Flow != nil {
		return "flow"
	}
	return "trace"
}

func (a *app) replay(cmd *cobra.Command, t load.Targets, output string, asJSON, strict bool) error {
	m, err := a.machine(t.Flow, strict)
	if err != nil {
		return err
	}
	tr, err := a.openTrace(cmd.Context(), t.Trace, m)
	if err != nil {
		return err
	}
	rep, err := engine.ReplayLog(cmd.Context(), m, tr.Log(), nil)
	if err != nil {
		return runFailed(t.Flow, err)
	}
	ans := answerOf(rep, tr)
	if output != "" && ans.ok() {
		events, err := engine.Events(rep.Log)
		if err != nil {
			return out.Internal("the replayed events: %w", err)
		}
		if err := a.writeTrace(output, events, tr.Format()); err != nil {
			return err
		}
		ans.Written = output
	}
	w := cmd.OutOrStdout()
	if output == load.Stdin {
		w = a.stderr
	}
	if asJSON {
		if err := out.JSON(w, ans); err != nil {
			return err
		}
	} else {
		ans.print(w)
	}
	if !ans.ok() {
		if output != "" {
			a.warn("nothing was written to %s: the replay is not the same", output)
		}
		return out.No("")
	}
	return nil
}

// print is the answer as text.
func (r *replayAnswer) print(w io.Writer) {
	d := r.Divergence
	switch {
	case r.Damaged != nil && (r.Same || d != nil && d.Event == *r.Damaged):
		fmt.Fprintf(w, "not verified: %s match, but text that is no event stands at event %d\n", plural(r.Compared, "event"), *r.Damaged)
	case r.Prefix:
		fmt.Fprintf(w, "same: a prefix of %s matches; the trace has no finish\n", plural(r.Compared, "event"))
	case r.Same:
		fmt.Fprintf(w, "same: %s compared, %s matched, %s\n", plural(r.Compared, "event"), plural(r.Effects, "effect"), plural(r.Steps, "step"))
	case d == nil:
		fmt.Fprintf(w, "%s: the trace holds no event that could be compared\n", r.Verdict)
	default:
		d.print(w, r.Verdict)
	}
	if r.StateHash != "" && r.ok() {
		fmt.Fprintf(w, "hash  %s\n", r.StateHash)
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note  %s\n", n)
	}
}

func (d *divergenceAnswer) print(w io.Writer, verdict engine.Verdict) {
	fmt.Fprintf(w, "%s at event %d, step %d", verdict, d.Event, d.Step)
	if d.Agent != "" {
		fmt.Fprintf(w, ", agent %s", clean(d.Agent))
	}
	if d.Path != "" {
		fmt.Fprintf(w, ", %s", clean(d.Path))
	}
	recorded, got := previewPair(d.Recorded, d.Got, 4*previewLen)
	fmt.Fprintf(w, "\n  recorded  %s\n  got       %s\n", recorded, got)
	if len(d.LastEqual) > 0 {
		fmt.Fprintln(w, "\nlast equal events")
		tw := table(w)
		for _, e := range d.LastEqual {
			fmt.Fprintln(tw, "  "+e.line)
		}
		tw.Flush()
	}
	fmt.Fprintln(w, "\nthe event in both versions")
	fmt.Fprintf(w, "  recorded  %s\n", orEnd(d.RecordedEvent, "the trace has ended"))
	fmt.Fprintf(w, "  got       %s\n", orEnd(d.GotEvent, "the run has ended"))
	if len(d.Differences) < 2 {
		return
	}
	fmt.Fprintln(w, "\ndifferences")
	for _, x := range d.Differences {
		recorded, got := previewPair(x.Recorded, x.Got, 2*previewLen)
		fmt.Fprintf(w, "  %s\n    recorded  %s\n    got       %s\n", clean(x.Pointer), recorded, got)
	}
	if len(d.Differences) == differencesShown {
		fmt.Fprintf(w, "  (the first %d are shown)\n", differencesShown)
	}
}

func orEnd(v canon.Value, end string) string {
	if v.IsAbsent() {
		return "(" + end + ")"
	}
	return preview(v, 4*previewLen)
}
