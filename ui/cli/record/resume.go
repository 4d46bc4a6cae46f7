package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/dest"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/show"
)

// resumeFlags are the flags of `flowdbg resume`.
type resumeFlags struct {
	output, live, answer string
	redo, strict, asJSON bool
	force                bool
}

// resumeAnswer is `resume --json`.
type resumeAnswer struct {
	Trace     string      `json:"trace"`
	Complete  bool        `json:"complete"` // the trace was: nothing was done
	Checked   int         `json:"checked"`  // recorded events that were made again and are equal
	Recorded  int         `json:"recorded_events"`
	Events    int         `json:"events"` // of the new trace
	Steps     int         `json:"steps"`
	Reason    string      `json:"reason,omitempty"`
	Error     string      `json:"error,omitempty"`
	StateHash string      `json:"state_hash,omitempty"`
	Ledger    show.Ledger `json:"ledger"`
	Written   string      `json:"written,omitempty"`
}

// resumeCmd is `flowdbg resume`.
func (c Config) resumeCmd() *cobra.Command {
	var f resumeFlags
	cmd := &cobra.Command{
		Use:   "resume FLOW TRACE | FOLDER",
		Short: "Go on where a recording stopped, without paying for anything twice",
		Long: `Go on where a recording stopped. The recorded events are made again first and compared, with their own answers; then
the run goes on to its end. The new trace holds both; TRACE itself is never touched. A torn end is left out, and a step
that was cut in its middle is made again with the answers that it had.

A recording notes each effect that may cost something before it is sent. Where the note is the last thing in TRACE, the
effect may have been done and billed, and its answer is not known. Then resume stops with exit 1 and sends nothing; say
  --redo         send it again; it may be billed twice
  --answer FILE  take this answer: {"output": …, "usage": {"input_tokens": …, "output_tokens": …, "usd": …}}; without
                 usage the cost is unknown

As in a run, real providers need --live. Exit 1 too when the trace is not one of this flow, when it is damaged in the
middle (see repair), and when the run ends in an error.`,
		Example: `  flowdbg resume flow.json trace.json.recording -o trace.json
  flowdbg resume flow.json trace.json.recording --live=llm
  flowdbg resume flow.json trace.json.recording --answer answer.json`,
		Args:              cobra.RangeArgs(1, 2),
		ValidArgsFunction: traceFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.redo && f.answer != "" {
				return out.Bad("--redo and --answer are two decisions about one effect: give one")
			}
			flowArg, traceArg, err := resumeArgs(args)
			if err != nil {
				return err
			}
			return c.resume(cmd, flowArg, traceArg, f)
		},
	}
	cmd.Flags().StringVarP(&f.output, "output", "o", "", "write the new trace to this `file` (default: TRACE with .resumed before its ending)")
	dest.Flag(cmd, &f.force)
	cmd.Flags().StringVar(&f.live, "live", "", "let ops reach their real providers: all, or `ops` joined by commas")
	cmd.Flags().Lookup("live").NoOptDefVal = "all"
	cmd.Flags().BoolVar(&f.redo, "redo", false, "send an effect again that may have been sent before")
	cmd.Flags().StringVar(&f.answer, "answer", "", "take the answer to such an effect from this `file`")
	cmd.Flags().BoolVar(&f.strict, "strict", false, "unknown fields of the flow are errors")
	cmd.Flags().BoolVar(&f.asJSON, "json", false, "print one JSON document")
	return cmd
}

func (c Config) resume(cmd *cobra.Command, flowArg, traceArg string, f resumeFlags) error {
	if f.output == load.Stdin {
		return out.Bad("a resumed run is recorded while it goes: -o needs a file")
	}
	m, own, err := machine(cmd, flowArg, f)
	if err != nil {
		return err
	}
	defer m.Bus().Close()
	opt, err := decisions(f)
	if err != nil {
		return err
	}
	o, err := openTrace(cmd, traceArg)
	if err != nil {
		return err
	}
	defer o.Close()
	a := &resumeAnswer{Trace: o.Name, Recorded: o.Log().Len()}
	path, err := resumeTarget(f, traceArg, a.Recorded, append(own, dest.Named(traceArg)...))
	if err != nil && !o.Complete() {
		return err
	}
	if t := o.Tear(); t != nil {
		warn(cmd, "%s:%d: torn: %s; %s dropped", o.Name, t.Line, t.What, show.Plural(t.Dropped, "byte"))
	}
	r := &resuming{cmd: cmd, answer: a, opened: o, machine: m, path: path}
	if err := r.toEnd(opt); err != nil {
		return err
	}
	return r.tell(f.asJSON)
}

// resumeArgs are the flow and the trace of the command line; a folder stands for its flow.json and its trace.json, or
// the recording of that where there is no trace yet.
func resumeArgs(args []string) (flowArg, traceArg string, err error) {
	if len(args) == 2 {
		return args[0], args[1], nil
	}
	st, err := os.Stat(args[0])
	if err != nil || !st.IsDir() {
		return "", "", out.Bad("%s: give a flow and its trace, or a folder that holds both", args[0])
	}
	traceArg = filepath.Join(args[0], load.TraceName)
	if recorded := trace.Recordings(traceArg); len(recorded) == 1 {
		if _, err := os.Stat(traceArg); errors.Is(err, fs.ErrNotExist) {
			traceArg = recorded[0]
		}
	}
	return filepath.Join(args[0], load.FlowName), traceArg, nil
}

// machine reads the flow and makes its ops live as asked.
func machine(cmd *cobra.Command, arg string, f resumeFlags) (*engine.Machine, []load.OwnFile, error) {
	t, err := load.Open([]string{arg}, cmd.InOrStdin())
	if err != nil {
		return nil, nil, out.Bad("%w", err)
	}
	if t.Flow == nil {
		return nil, nil, out.Bad("%s: this is a trace; give the flow first, then its trace", arg)
	}
	m, diags := t.Flow.Machine(f.strict, func(agent, text string) {
		fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", show.Clean(agent), show.Clean(text))
	})
	if m == nil {
		return nil, nil, invalid(cmd, t.Flow.Name, diags)
	}
	own := load.Targets{Flow: t.Flow}.Own()
	if f.live == "" {
		return m, own, nil
	}
	live, err := effect.ParseLive(f.live)
	if err != nil {
		return nil, nil, out.Bad("%w", err)
	}
	diags = t.Flow.GoLive(m, live)
	if slices.ContainsFunc(diags, func(d flow.Diagnostic) bool { return d.Severity == flow.Error }) {
		return nil, nil, invalid(cmd, t.Flow.Name, diags)
	}
	return m, own, nil
}

func invalid(cmd *cobra.Command, name string, diags []flow.Diagnostic) error {
	for _, d := range diags {
		fmt.Fprintln(cmd.ErrOrStderr(), d)
	}
	return out.No("%s: the flow is invalid", name)
}

// decisions reads what the user says about an effect that may have been sent.
func decisions(f resumeFlags) (engine.ResumeOptions, error) {
	opt := engine.ResumeOptions{Redo: f.redo}
	if f.answer == "" {
		return opt, nil
	}
	data, err := os.ReadFile(f.answer)
	if err != nil {
		return opt, out.Bad("%w", err)
	}
	v, _, err := canon.Parse(data, canon.Options{})
	if err != nil {
		return opt, out.Bad("%s:%w", f.answer, err)
	}
	if v.Get("output").IsAbsent() {
		return opt, out.Bad("%s: an answer is an object with output, and usage where it is known", f.answer)
	}
	opt.Answer = &effect.Answer{Output: v.Get("output"), UsageUnknown: true}
	usage := v.Get("usage")
	if usage.IsAbsent() || usage.IsNull() {
		return opt, nil
	}
	for key, to := range map[string]*float64{"input_tokens": &opt.Answer.Usage.InputTokens, "output_tokens": &opt.Answer.Usage.OutputTokens, "usd": &opt.Answer.Usage.USD} {
		n, ok := usage.Get(key).Float()
		if !ok || n < 0 {
			return opt, out.Bad("%s: /usage/%s is not a number from 0 on", f.answer, key)
		}
		*to = n
	}
	opt.Answer.UsageUnknown = false
	return opt, nil
}

// resumeTarget is where the new trace goes. A recording beside it that is longer than the trace is a resume that was
// stopped in its turn, and holds answers that this trace lacks.
func resumeTarget(f resumeFlags, input string, events int, own []load.OwnFile) (string, error) {
	path, err := target(f.output, "resumed", f.force, input, own)
	if err != nil {
		return "", err
	}
	for _, other := range trace.Recordings(path) {
		if longer(other, input, events) {
			return "", out.No("%s is a longer recording of the same run and may hold answers that %s lacks: resume that one, or take it away", other, input)
		}
	}
	return path, nil
}

// longer is true for another file than the trace that has more events, or of which that cannot be told.
func longer(other, input string, events int) bool {
	if a, err := os.Stat(other); err == nil {
		if b, err := os.Stat(input); err == nil && os.SameFile(a, b) {
			return false
		}
	}
	o, err := trace.Open(other, trace.OpenOptions{})
	if err != nil {
		return true
	}
	defer o.Close()
	return o.Index(nil) != nil || o.Log().Len() > events
}

// resuming is one resume under way.
type resuming struct {
	cmd     *cobra.Command
	answer  *resumeAnswer
	opened  *trace.Opened
	machine *engine.Machine
	path    string
	run     *engine.Recording
}

func (r *resuming) toEnd(opt engine.ResumeOptions) error {
	record := r.opened.Log()
	// A first look without a file: a trace that cannot be resumed leaves nothing behind.
	if _, err := engine.NewRecording(r.machine, record, r.machine.Bus(), nil, opt); err != nil {
		return r.refused(err)
	}
	rec, err := trace.NewRecorder(r.path, trace.RecorderOptions{Format: r.opened.Format(), Batch: trace.BatchBytes})
	if err != nil {
		return out.Bad("%w", err)
	}
	r.run, err = engine.NewRecording(r.machine, record, r.machine.Bus(), engine.GuardSink(rec, r.machine), opt)
	if err == nil {
		err = r.run.ToEnd(r.cmd.Context(), nil)
	}
	if err == nil && r.run.Replayer.Found != nil {
		err = notOurs{r.run.Replayer.Found}
	}
	if err != nil {
		return r.stopped(rec, err)
	}
	if err := rec.Finish(); err != nil {
		return out.Bad("%w", err)
	}
	r.answer.Written = r.path
	r.answer.fill(r.run)
	return nil
}

// notOurs is a trace that the flow does not make.
type notOurs struct{ *engine.Divergence }

func (e notOurs) Error() string { return "this is not a trace of this flow: " + e.String() }

// refused says why a trace cannot be resumed at all; for a complete one that is no error.
func (r *resuming) refused(err error) error {
	var damaged *engine.Damaged
	switch {
	case errors.Is(err, engine.ErrComplete):
		r.answer.Complete = true
		return nil
	case errors.As(err, &damaged):
		return out.No("%s: %w; flowdbg repair keeps what is before it", r.opened.Name, err)
	}
	return out.No("%s: %w", r.opened.Name, err)
}

// stopped keeps the new recording when it has more than the old one, and says what to do.
func (r *resuming) stopped(rec *trace.Recorder, err error) error {
	if r.run != nil && r.run.Replayer.Found == nil && rec.Len() > r.opened.Log().Len() {
		path, kerr := rec.Abandon()
		if kerr != nil {
			warn(r.cmd, "%s", kerr)
		}
		warn(r.cmd, "%s holds what was done: resume that one", path)
	} else if derr := rec.Discard(); derr != nil {
		warn(r.cmd, "%s", derr)
	}
	var unsettled *engine.Unsettled
	var notLive *effect.NotLive
	var impure *engine.Undeterministic
	var ours notOurs
	switch {
	case errors.As(err, &unsettled):
		return out.No("%s: %w. Nothing was sent. Say --redo to send it again, which may be billed twice, or --answer FILE to give its answer", r.opened.Name, err)
	case errors.As(err, &notLive):
		return out.No("%s: %w; --live=%s lets it through", r.opened.Name, err, notLive.Op)
	case errors.Is(err, context.Canceled):
		return out.No("%s: interrupted", r.opened.Name)
	case errors.As(err, &ours), errors.As(err, &impure):
		return out.No("%s: %w", r.opened.Name, err)
	}
	return out.Bad("%w", err)
}

func (a *resumeAnswer) fill(run *engine.Recording) {
	st := run.Replayer.State
	a.Checked, a.Events, a.Steps = run.Replayer.Comparer.Checked(), run.Replayer.Log().Len(), st.Begun()
	a.Ledger = show.LedgerOf(st.Ledger())
	if f := st.Finished(); f != nil {
		a.Reason, a.StateHash = f.Reason, f.StateHash
	}
	if e := st.Failed(); e != nil {
		a.Error = e.Text
	}
}

func (r *resuming) tell(asJSON bool) error {
	a, w := r.answer, r.cmd.OutOrStdout()
	switch {
	case asJSON:
		if err := out.JSON(w, a); err != nil {
			return err
		}
	case a.Complete:
		fmt.Fprintf(w, "%s: complete, nothing to resume: %s up to finish\n", a.Trace, show.Plural(a.Recorded, "event"))
	default:
		a.print(w, r.run.Replayer.State.Ledger())
	}
	if a.Reason == trace.ReasonError {
		return out.No("%s: the run ended in an error: %s", a.Trace, show.Clean(a.Error))
	}
	return nil
}

func (a *resumeAnswer) print(w io.Writer, l trace.Ledger) {
	fmt.Fprintf(w, "checked  %s of %s made again and equal\n", show.Plural(a.Checked, "event"), show.Plural(a.Recorded, "recorded event"))
	fmt.Fprintf(w, "went on  %s more: %s after %s\n", show.Plural(a.Events-a.Recorded, "event"), show.OrUnknown(a.Reason), show.Plural(a.Steps, "step"))
	fmt.Fprintf(w, "spent    %s\n", show.Spent(l))
	fmt.Fprintf(w, "hash     %s\n", a.StateHash)
	fmt.Fprintf(w, "written  %s\n", a.Written)
}
