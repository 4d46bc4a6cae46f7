package forensics

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// diffAnswer is `diff --json`.
type diffAnswer struct {
	Recorded string `json:"recorded_file"`
	Got      string `json:"got_file"`
	*trace.DiffReport
}

type diffFlags struct {
	first, ignoreClock, asJSON bool
	context, hunks             int
	clock                      []string
	states                     statesFlags
}

func (t *tool) diffCmd() *cobra.Command {
	var f diffFlags
	cmd := &cobra.Command{
		Use:   "diff RECORDED GOT",
		Short: "Compare two traces event by event",
		Long: `Compare two traces: the first event that differs, with both values, then everything behind it, aligned again, so that one
step more on one side does not make all the rest differ. The first file is called recorded, the second got.

side, members of other programs, lines of ours (x-) and cancelled steps are not compared. Differences in nothing but clock
fields (elapsed_ms, signed_at and the like; --clock adds names) are told as such, and so is a state hash that may differ
for them alone.

--states says instead what differs between the state documents (inboxes, states, outputs, ledger) behind the first event
that differs, or at the place in GOT (--at) or RECORDED (--at-recorded) and where the other trace stands then. Exit 1 when
they differ.

Exit 1 when the traces differ; with --ignore-clock not for clock fields.`,
		Example: `  flowdbg diff good.json bad.json
  flowdbg diff good.json bad.json --first --json
  flowdbg diff good.json bad.json --states --at e12
  flowdbg diff monday.json friday.json --ignore-clock --clock tool_time`,
		Args:              cobra.ExactArgs(2),
		ValidArgsFunction: traceFiles,
		RunE:              func(cmd *cobra.Command, args []string) error { return t.diff(cmd, args, f) },
	}
	cmd.Flags().BoolVar(&f.first, "first", false, "stop at the first difference that is not about clocks")
	cmd.Flags().BoolVar(&f.ignoreClock, "ignore-clock", false, "clock fields alone are no difference")
	cmd.Flags().StringSliceVar(&f.clock, "clock", nil, "further `names` of clock fields")
	cmd.Flags().IntVarP(&f.context, "context", "U", 3, "equal events shown around a difference")
	cmd.Flags().IntVar(&f.hunks, "hunks", 20, "how many runs of differences are shown; all are counted")
	f.states.add(cmd)
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the comparison as one JSON document")
	return cmd
}

// linesShown is how many lines of one run of differences are shown.
const linesShown = 60

func (t *tool) diff(cmd *cobra.Command, args []string, f diffFlags) error {
	if args[0] == load.Stdin && args[1] == load.Stdin {
		return out.Bad("standard input can be read only once: give at least one file by its name")
	}
	if !f.states.on && (cmd.Flags().Changed("at") || cmd.Flags().Changed("at-recorded")) {
		return out.Bad("--at and --at-recorded are places of --states")
	}
	if f.hunks < 1 {
		return out.Bad("--hunks %d: at least 1", f.hunks)
	}
	a, err := t.open(cmd, args[0])
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := t.open(cmd, args[1])
	if err != nil {
		return err
	}
	defer b.Close()
	if f.states.on {
		return t.states(cmd, args, a, b, &f)
	}
	opt := trace.DiffOptions{FirstOnly: f.first, Context: f.context, MaxHunks: f.hunks, MaxLines: linesShown, ClockFields: append(append([]string{}, trace.ClockFields...), f.clock...)}
	if f.context == 0 {
		opt.Context = -1
	}
	tell, stop := t.progress()
	rep, err := trace.Diff(cmd.Context(), a.Log(), b.Log(), opt, tell)
	stop()
	if err != nil {
		return failed(err)
	}
	if f.asJSON {
		err = out.JSON(cmd.OutOrStdout(), &diffAnswer{a.Name, b.Name, rep})
	} else {
		printDiff(cmd.OutOrStdout(), a, b, rep)
	}
	same := rep.Verdict == trace.DiffSame || f.ignoreClock && rep.Verdict == trace.DiffClockOnly
	if err == nil && !same {
		return out.No("")
	}
	return err
}

func printDiff(w io.Writer, a, b *trace.Opened, r *trace.DiffReport) {
	fmt.Fprintf(w, "%s\n", verdictText(r))
	printPoint(w, "first difference", r.First)
	if r.FirstReal != r.First {
		printPoint(w, "first that is not about clocks", r.FirstReal)
	}
	for _, h := range r.Hunks {
		fmt.Fprintln(w)
		tw := table(w)
		for _, l := range h.Lines {
			printLine(tw, a.Log(), b.Log(), &l)
		}
		if h.More > 0 {
			fmt.Fprintf(tw, "  … %s\n", plural(h.More, "line"))
		}
		tw.Flush()
	}
	if r.MoreHunks > 0 {
		fmt.Fprintf(w, "\n… %d more runs of differences\n", r.MoreHunks)
	}
	if r.First != nil {
		fmt.Fprintf(w, "\n%s\n", countText(r))
	}
	for _, n := range r.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
}

func verdictText(r *trace.DiffReport) string {
	switch r.Verdict {
	case trace.DiffSame:
		return fmt.Sprintf("same: %s equal", plural(r.Equal, "event"))
	case trace.DiffClockOnly:
		return fmt.Sprintf("only clock fields differ (%s), in %s", clean(strings.Join(r.ClockFields, ", ")), plural(r.Clock, "event"))
	case trace.DiffRecordedPrefix:
		return "recorded is a prefix of got: it ends without finish, and everything in it is equal"
	case trace.DiffGotPrefix:
		return "got is a prefix of recorded: it ends without finish, and everything in it is equal"
	case trace.DiffNothing:
		return "nothing was compared: neither trace holds an event that can be"
	}
	return "different"
}

func countText(r *trace.DiffReport) string {
	parts := []string{fmt.Sprintf("%d equal", r.Equal)}
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, what))
		}
	}
	add(r.Shifted, "of them under another step number")
	add(r.Changed, "changed")
	add(r.Clock, "in clock fields only")
	add(r.OnlyRecorded, "only recorded")
	add(r.OnlyGot, "only got")
	text := strings.Join(parts, ", ")
	if !r.Whole {
		text += "; what follows was not compared (--first)"
	}
	return text
}

func printPoint(w io.Writer, title string, p *trace.DiffPoint) {
	if p == nil {
		return
	}
	place := fmt.Sprintf("step %d, %s", p.Step, clean(string(p.Type)))
	if p.Agent != "" {
		place += " of " + clean(p.Agent)
	}
	fmt.Fprintf(w, "%s: %s\n", title, place)
	side := func(name string, event int, text string) {
		if event < 0 {
			fmt.Fprintf(w, "  %s  ends here, or has no such event\n", name)
			return
		}
		fmt.Fprintf(w, "  %s  event %d %s  %s\n", name, event, clean(p.Path), orNothing(text))
	}
	side("recorded", p.Recorded, p.RecordedValue.Text())
	side("got     ", p.Got, p.GotValue.Text())
}

// printLine shows one line of a hunk; marks stand for themselves without colour.
func printLine(w io.Writer, a, b trace.Log, l *trace.DiffLine) {
	mark := map[trace.DiffOp]string{trace.OpEqual: "=", trace.OpChanged: "≠", trace.OpClock: "~", trace.OpOnlyRecorded: "-", trace.OpOnlyGot: "+"}[l.Op]
	log, at := a, l.Recorded
	if at < 0 {
		log, at = b, l.Got
	}
	e, err := log.Event(at)
	if err != nil {
		e = trace.Unreadable(err)
	}
	step := ""
	if e.HasStep() {
		step = fmt.Sprintf("step %d", e.Step)
	}
	fmt.Fprintf(w, "%s %s\t%s\t%s\t%s\t%s\n", mark, index(l.Recorded), index(l.Got), step, clean(string(e.Type)), what(e))
	if l.Op == trace.OpChanged || l.Op == trace.OpClock {
		more := ""
		if l.Differences > 1 {
			more = fmt.Sprintf(" (and %d more)", l.Differences-1)
		}
		fmt.Fprintf(w, "      %s: recorded %s, got %s%s\n", clean(l.Path), orNothing(l.RecordedValue), orNothing(l.GotValue), more)
	}
}

func index(i int) string {
	if i < 0 {
		return "·"
	}
	return fmt.Sprint(i)
}
