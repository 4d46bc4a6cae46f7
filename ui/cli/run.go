package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// runFlags are the flags of `flowdbg run`.
type runFlags struct {
	output, format, live   string
	verify, strict, asJSON bool
	force                  bool
	stop                   breakFlags
}

// runAnswer is `run --json`.
type runAnswer struct {
	Flow      string      `json:"flow"`
	File      string      `json:"file"`
	Reason    string      `json:"reason"` // idle or error; "" when the run did not finish
	Steps     int         `json:"steps"`
	Events    int         `json:"events"`
	Effects   int         `json:"effects"`
	Error     string      `json:"error,omitempty"`
	Ledger    ledgerJSON  `json:"ledger"`
	StateHash string      `json:"state_hash"`
	OneWay    bool        `json:"hash_one_way,omitempty"` // too large a document for the second canonicaliser
	Outputs   canon.Value `json:"outputs"`
	Warnings  []string    `json:"warnings,omitempty"`
	Written   string      `json:"written,omitempty"`
	state     *trace.State
}

// runCmd is `flowdbg run`.
func (a *app) runCmd() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FLOW",
		Short: "Run a flow to its end and record the trace",
		Long: `Run a flow to its end. Models and tools are the deterministic mocks: two runs of one flow write the same bytes. An op
that the flow gives to a real provider is never answered by a mock: without --live, or --live=OP,OP, the run stops there
and exits 1, naming the op. Whatever a provider says, the values of secrets that the flow names are taken out of it.

The trace is recorded while the run goes, in FILE.recording beside the file, which it replaces at the end. Whatever
happens in between, what was recorded is whole: flowdbg resume goes on from it.

Exit 1 when the run ends in an error (a budget that is exceeded, a behaviour that fails). The trace is whole then and
is written all the same. A run that was stopped from outside (Ctrl-C, a provider that is not live) has no finish: it
takes the file's name only if that does not exist yet. A file that exists is replaced only with --force, and the flow and
its files never.

With --break or --where the run stops at the first breakpoint and prints why: the event, what the step consumed, sent and
cost. -o then holds the events up to there. Exit 1 when no breakpoint stopped it.`,
		Example: `  flowdbg run flow.json
  flowdbg run flow.json -o trace.json && flowdbg replay flow.json trace.json
  flowdbg run flow.json -o - --format lines | jq .type
  flowdbg run flow.json --break 'op llm from 2' --break error
  flowdbg run flow.json --where 'spent > 0.05' --json
  OPENAI_API_KEY=… flowdbg run flow.json --live=llm -o trace.json`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: jsonFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.format != string(trace.FormatArray) && f.format != string(trace.FormatLines) {
				formats := []string{string(trace.FormatArray), string(trace.FormatLines)}
				return out.Bad("unknown format %q%s; there are array and lines", f.format, out.DidYouMean(f.format, formats))
			}
			file, err := a.flowOnly(cmd, args[0])
			if err != nil {
				return err
			}
			if err := dest.Check(f.output, f.force, load.Targets{Flow: file}.Own()); err != nil {
				return err
			}
			m, err := a.machine(file, f.strict)
			if err != nil {
				return err
			}
			if _, err := a.goLive(file, m, f.live); err != nil {
				return err
			}
			defer m.Bus().Close()
			if f.stop.asked() {
				return a.runToBreak(cmd, m, f)
			}
			return a.run(cmd, file, m, f)
		},
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write the trace to this `file` (\"-\": standard output; the report then goes to standard error)")
	dest.Flag(cmd, &f.force)
	cmd.Flags().StringVar(&f.format, "format", string(trace.FormatArray), "layout of the trace: array (one JSON array, an event per line) or lines (JSON Lines)")
	f.stop.add(cmd)
	liveFlag(cmd, &f.live)
	cmd.Flags().BoolVar(&f.verify, "verify", false, "run every behaviour twice and stop if the two results differ")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "unknown fields of the flow are errors")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print the report as one JSON document")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"array", "lines"}, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

func (a *app) run(cmd *cobra.Command, file *load.File, m *engine.Machine, f runFlags) error {
	ans := &runAnswer{Flow: m.Flow().ID, File: file.Name}
	m.Verify = f.verify
	warned := map[string]bool{}
	m.OnWarn = func(w trace.Finding) {
		if !warned[w.Text] {
			warned[w.Text] = true
			ans.Warnings = append(ans.Warnings, w.Text)
			a.warn("warning: %s", w.Text)
		}
	}
	rec, err := a.recorder(f)
	if err != nil {
		return err
	}
	r, err := engine.NewRecording(m, nil, m.Bus(), engine.GuardSink(sinkOf(rec), m), engine.ResumeOptions{})
	if err != nil {
		return a.stopped(rec, f, out.No("%s: %w", file.Name, err))
	}
	p := a.progress()
	err = r.ToEnd(cmd.Context(), func(r *engine.Recording) error { return p.at(r.Replayer.State, r.Replayer.Log().Len()) })
	p.clear()
	if err != nil {
		return a.stopped(rec, f, runFailed(file, err))
	}
	if err := a.finishTrace(rec, m, r.Replayer.Log(), f); err != nil {
		return err
	}
	ans.Written = f.output
	if err := ans.fill(r.Replayer); err != nil {
		return err
	}
	w := cmd.OutOrStdout()
	if f.output == load.Stdin {
		w = a.stderr
	}
	if f.asJSON {
		if err := out.JSON(w, ans); err != nil {
			return err
		}
	} else {
		ans.print(w)
	}
	if ans.Reason == trace.ReasonError {
		return out.No("%s: the run ended in an error: %s", file.Name, ans.Error)
	}
	return nil
}

// recorder records the run beside its file while it goes; nil when there is no file.
func (a *app) recorder(f runFlags) (*trace.Recorder, error) {
	if f.output == "" || f.output == load.Stdin {
		return nil, nil
	}
	rec, err := trace.NewRecorder(f.output, trace.RecorderOptions{Format: trace.Format(f.format), Batch: trace.BatchBytes})
	if err != nil {
		return nil, out.Bad("writing %s: %w", f.output, err)
	}
	return rec, nil
}

// sinkOf keeps a nil recorder from becoming a sink that is not nil.
func sinkOf(rec *trace.Recorder) engine.Sink {
	if rec == nil {
		return nil
	}
	return rec
}

// finishTrace puts the recording in its place, or writes the run to standard output.
func (a *app) finishTrace(rec *trace.Recorder, m *engine.Machine, log trace.Log, f runFlags) error {
	if rec != nil {
		if err := rec.Finish(); err != nil {
			return out.Bad("%w", err)
		}
		return nil
	}
	if f.output == "" {
		return nil
	}
	events, err := engine.Events(log)
	if err != nil {
		return out.Internal("%w", err)
	}
	if err := engine.FindLeak(m.SecretScanner(), events); err != nil {
		return out.No("%w", err)
	}
	return a.writeTrace(f.output, events, trace.Format(f.format))
}

// stopped keeps what there is of a run without finish, but never in place of an older file: the recording stays beside
// it then.
func (a *app) stopped(rec *trace.Recorder, f runFlags, cause error) error {
	if rec == nil {
		return cause
	}
	if err := rec.Err(); err != nil {
		cause = out.Bad("%w", err)
	}
	if rec.Len() == 0 {
		if err := rec.Discard(); err != nil {
			a.warn("%s", err)
		}
		return cause
	}
	_, err := os.Stat(f.output)
	if errors.Is(err, fs.ErrNotExist) && rec.Err() == nil {
		if err := rec.Finish(); err != nil {
			a.warn("%s", err)
			return cause
		}
		a.warn("%s holds the %s before that, without finish", f.output, plural(rec.Len(), "event"))
		return cause
	}
	path, err := rec.Abandon()
	if err != nil {
		a.warn("%s", err)
	}
	if path != "" {
		a.warn("%s stays as it was: the run has no finish; what there is of it is in %s", f.output, path)
	}
	return cause
}

// runFailed says why a run could not go on, and what kind of answer that is.
func runFailed(file *load.File, err error) error {
	var notLive *effect.NotLive
	var impure *engine.Undeterministic
	var leak *engine.Leak
	var cancelled *effect.Cancelled
	switch {
	case errors.As(err, &cancelled):
		return out.No("%s: interrupted: %w", file.Name, err)
	case errors.Is(err, context.Canceled):
		return out.No("%s: interrupted", file.Name)
	case errors.As(err, &notLive):
		return out.No("%s: %w; --live=%s lets it through", file.Name, err, notLive.Op)
	case errors.As(err, &impure), errors.As(err, &leak):
		return out.No("%s: %w", file.Name, err)
	}
	return out.Internal("%s: %w", file.Name, err)
}

// writeTrace writes a file beside its target and renames it, or writes to standard output for "-".
func (a *app) writeTrace(path string, events []trace.Event, format trace.Format) error {
	var err error
	if path == load.Stdin {
		err = trace.Write(a.raw, events, format)
		path = "standard output"
	} else {
		err = trace.WriteFile(path, events, format)
	}
	if err != nil {
		return out.Bad("writing %s: %w", path, err)
	}
	return nil
}

func (r *runAnswer) fill(run *engine.Replayer) error {
	st, log := run.State, run.Log()
	r.state = st
	r.Events, r.Steps, r.Ledger, r.Outputs = log.Len(), st.Begun(), ledgerOf(st.Ledger()), st.OutputsValue()
	for i := range log.Len() {
		switch log.Header(i).Type {
		case trace.EffectEvent:
			r.Effects++
		case trace.FinishEvent:
			e, err := log.Event(i)
			if err != nil {
				return out.Internal("%w", err)
			}
			r.OneWay = !e.SideFlag("hash_checked").IsAbsent()
		}
	}
	if f := st.Finished(); f != nil {
		r.Reason, r.StateHash = f.Reason, f.StateHash
	}
	if e := st.Failed(); e != nil {
		r.Error = e.Text
	}
	return nil
}

func (r *runAnswer) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s after %s, %s, %s\n", clean(r.Flow), r.Reason, plural(r.Steps, "step"), plural(r.Events, "event"), plural(r.Effects, "effect"))
	fmt.Fprintf(w, "spent   %s of %s\n", spent(r.state.Ledger()), budgetText(r.state.Budget()))
	fmt.Fprintf(w, "hash    %s\n", r.StateHash)
	if r.OneWay {
		fmt.Fprintln(w, "note    the state document is above 32 MiB: its hash was computed one way only")
	}
	printOutputs(w, r.state)
	if r.Written != "" && r.Written != load.Stdin {
		fmt.Fprintf(w, "trace   %s\n", r.Written)
	}
}

// outputsShown bounds the messages of one output in a text.
const outputsShown = 5

func printOutputs(w io.Writer, st trace.View) {
	for _, key := range st.OutputKeys() {
		n := st.OutputLen(key)
		fmt.Fprintf(w, "output  %s: %s\n", clean(key), plural(n, "message"))
		for i := range min(n, outputsShown) {
			m, _ := st.OutputAt(key, i)
			fmt.Fprintf(w, "  %s\n", messageText(m, 2*previewLen))
		}
		if n > outputsShown {
			fmt.Fprintf(w, "  … %d more\n", n-outputsShown)
		}
	}
}
