package engine

import (
	"context"
	"errors"
	"fmt"

	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Report is the outcome of a strict replay.
type Report struct {
	Verdict    Verdict
	Divergence *Divergence // nil when the verdict is same or nothing_checked
	Prefix     bool        // the record has no finish: its N events match, the run goes on
	Compared   int         // events compared and equal
	Recorded   int         // events in the record
	Steps      int
	Effects    int
	StateHash  string    // of the finish event, "" without one
	Notes      []string  // what is worth knowing beside the verdict
	Log        trace.Log // the run as far as it went; when same, its events are the record's, byte for byte
}

// Same is true for the only good verdict.
func (r *Report) Same() bool { return r.Verdict == Same }

// errDiverged stops a step whose event is not the recorded one.
var errDiverged = errors.New("diverged")

// Replayer runs a machine, beside a record when there is one, one step at a time. It is what Replay and a debug session
// share. The zero options are those of a strict replay.
type Replayer struct {
	Machine  *Machine
	State    *trace.State // behind the last event of the log
	Comparer *Comparer
	Found    *Divergence // the first difference; nothing runs after it unless Loose
	undos    Undos
	log      RunLog
	opt      ReplayOptions
	started  bool // the behaviours' first states are there
	begun    int  // events before the step that was made last
	ended    bool // finish was emitted, or nothing may follow
	forked   bool // the log's first events are another run's; there is no record
	effects  int
}

// KeepUndos says which undo records a Replayer keeps.
type KeepUndos uint8

// What can be kept. The records of the step under way always are.
const (
	KeepNone KeepUndos = iota
	KeepTail           // of events that are not the record's own
	KeepAll
)

// ReplayOptions say how a run deals with its record.
type ReplayOptions struct {
	Loose   bool          // go on after a difference, uncompared
	PastEnd bool          // go on behind the end of a record without finish
	Keep    KeepUndos     // for stepping back
	Source  effect.Source // answers effects; nil: the record, strictly, then Next
	Next    effect.Source // answers what comes after the record; nil: nothing does
	Edits   func() error  // called behind an effect that exceeds the budget: what a person did there counts first
}

// NewReplayer starts a run beside a record, which may be nil for a plain live run. Without a record the behaviours'
// first states are emitted at once; with one the first Step makes them and holds them against the record's.
func NewReplayer(m *Machine, record trace.Log, opt ReplayOptions) (*Replayer, error) {
	r := &Replayer{Machine: m, State: trace.NewState(m.Setup()), Comparer: NewComparer(record), log: RunLog{record: record}, opt: opt}
	r.Comparer.before = r.stateOf
	if opt.Source == nil {
		strict := effect.NewStrict(r.Comparer.recorded)
		if opt.Next != nil {
			strict.Next = behindRecord{r, opt.Next}
		}
		r.opt.Source = strict
	}
	if record == nil {
		r.started = true
		return r, m.Init(r.emit)
	}
	return r, nil
}

func (r *Replayer) stateOf(agent string) canon.Value {
	v, _ := r.State.Agent(agent)
	return v.State
}

// Log is the run's events so far.
func (r *Replayer) Log() *RunLog { return &r.log }

// Undo is the undo record of an event; ok is false where none is kept.
func (r *Replayer) Undo(event int) (u trace.Undo, ok bool) {
	return r.undos.At(event)
}

// UndosBefore are the undo records of the events before one, as many as are kept.
func (r *Replayer) UndosBefore(event int) Undos { return r.undos.Before(event) }

// push appends an event that is the record's own (rec) or the run's (ev).
func (r *Replayer) push(ev trace.Event, rec *trace.Event) {
	kept := r.log.push(ev, rec)
	u, _ := r.State.Apply(kept)
	r.undos.Push(u)
	if kept.Type == trace.EffectEvent && !kept.Cancelled() {
		r.effects++
	}
}

func (r *Replayer) pushRecorded(rec *trace.Event) { r.push(*rec, rec) }

// comparing is true while events are held against a record.
func (r *Replayer) comparing() bool { return r.log.record != nil && r.Found == nil && !r.forked }

func (r *Replayer) emit(ev trace.Event) error {
	if err := r.emitOne(ev); err != nil || ev.Type != trace.EffectEvent || overBudget(r.State, ev.Effect.Op, ev.UsageUnknown()) == "" {
		return err
	}
	return r.takeEdits()
}

func (r *Replayer) emitOne(ev trace.Event) error {
	r.Comparer.number(&ev)
	if !r.comparing() {
		r.push(ev, nil)
		return nil
	}
	if err := r.Comparer.CopyThrough(r.pushRecorded); err != nil {
		return err
	}
	if r.Comparer.Done() && r.finishOf() == nil {
		if !r.opt.PastEnd {
			return errPrefixEnd
		}
		r.push(ev, nil)
		return nil
	}
	rec, d, err := r.Comparer.Check(&ev)
	switch {
	case err != nil:
		return err
	case d == nil:
		r.push(ev, rec)
		return nil
	}
	r.Found = d
	if !r.opt.Loose {
		return errDiverged
	}
	r.push(ev, nil)
	return nil
}

// finishOf is the record's last event when that is finish: a record without it is a prefix.
func (r *Replayer) finishOf() *trace.Finish {
	log := r.Comparer.recorded
	for i := log.Len() - 1; i >= 0; i-- {
		switch t := log.Header(i).Type; {
		case t == trace.FinishEvent:
			if e, err := log.Event(i); err == nil {
				return e.Finish
			}
			return nil
		case !t.IsExtension():
			return nil
		}
	}
	return nil
}

// errPrefixEnd stops a step at the end of a record that has no finish.
var errPrefixEnd = errors.New("the record ends here")

// Step replays one step. ended is true at finish, at the end of a record, or at a difference (Found is set then). On an
// error the step did not happen: its events are taken back.
func (r *Replayer) Step(ctx context.Context) (ended bool, err error) {
	if r.Ended() {
		return true, nil
	}
	if stop, err := r.start(); stop || err != nil {
		return stop, err
	}
	if r.comparing() {
		if err := r.Comparer.CopyThrough(r.pushRecorded); err != nil {
			return false, err
		}
	}
	if r.comparing() && r.Comparer.Done() && !r.opt.PastEnd {
		return true, nil
	}
	if r.opt.Keep == KeepNone || r.opt.Keep == KeepTail && r.log.tail.Len() == 0 {
		r.undos.restart(r.log.Len())
	}
	mark := r.mark()
	r.begun = mark.events
	if over, err := r.judgeAgain(); over || err != nil {
		return false, err
	}
	status, err := r.Machine.Step(ctx, r.State, r.opt.Source, r.emit)
	if err != nil {
		return r.stopped(err, mark)
	}
	if status == RunEnded {
		r.ended = true
		return true, r.tail()
	}
	return false, nil
}

// stopped tells a step that ended the run, at a difference or at the record's end, from one that did not happen.
func (r *Replayer) stopped(err error, m mark) (ended bool, _ error) {
	var mismatch *effect.Mismatch
	switch {
	case errors.Is(err, errDiverged), errors.Is(err, errPrefixEnd):
		return true, nil
	case errors.As(err, &mismatch) && mismatch.Recorded == nil && r.prefixEnds():
		return true, nil // cut between an act and its answer
	case errors.As(err, &mismatch):
		r.Found, err = r.mismatched()
		return true, err
	}
	r.rollback(m)
	return false, err
}

// tail copies lines of ours behind finish; anything else there is a difference.
func (r *Replayer) tail() error {
	if !r.comparing() {
		return nil
	}
	if err := r.Comparer.CopyThrough(r.pushRecorded); err != nil || r.Comparer.Done() {
		return err
	}
	rec, err := r.Comparer.recorded.Event(r.Comparer.Pos())
	if err == nil {
		r.Found = r.Comparer.diverged(rec, nil)
	}
	return err
}

type mark struct {
	events, pos, checked, effects int
	found                         *Divergence
}

func (r *Replayer) mark() mark {
	return mark{r.log.Len(), r.Comparer.pos, r.Comparer.checked, r.effects, r.Found}
}

func (r *Replayer) rollback(m mark) {
	for i := r.log.Len() - 1; i >= m.events; i-- {
		if e, err := r.log.Event(i); err == nil {
			u, _ := r.undos.At(i)
			r.State.Undo(e, u)
		}
	}
	r.log.cut(m.events)
	r.undos.cut(m.events)
	r.Comparer.pos, r.Comparer.checked, r.effects, r.Found = m.pos, m.checked, m.effects, m.found
}

// Ended is true when the run cannot go on: it is finished, or it stopped at a difference.
func (r *Replayer) Ended() bool { return r.ended || r.Stopped() }

// Begun is how many events lay before the step that was made, or tried, last.
func (r *Replayer) Begun() int { return r.begun }

// Torn is true when the run ended inside a step: it stopped at a difference or at the record's end, and the step's events
// so far are in the log.
func (r *Replayer) Torn() bool {
	if !r.Ended() || r.State.Finished() != nil {
		return false
	}
	for i := r.begun; i < r.log.Len(); i++ {
		if h := r.log.Header(i); !h.Cancelled && !h.Type.IsExtension() {
			return true
		}
	}
	return false
}

// Stopped is true when the run was ended by a difference.
func (r *Replayer) Stopped() bool { return r.Found != nil && !r.opt.Loose }

// mismatched is a difference that shows only when the answer is asked for: the act equals the recorded one, the record's
// effect does not.
func (r *Replayer) mismatched() (*Divergence, error) {
	var act *trace.Event
	for i := r.log.Len() - 1; i >= 0 && act == nil; i-- {
		if r.log.Header(i).Type == trace.Act {
			e, err := r.log.Event(i)
			if err != nil {
				return nil, err
			}
			act = e
		}
	}
	got := trace.Event{Type: trace.EffectEvent, Step: act.Step, Agent: act.Agent, Effect: act.Effect, Response: canon.Null}
	if err := r.Comparer.CopyThrough(r.pushRecorded); err != nil {
		return nil, err
	}
	if r.Comparer.Done() {
		return r.Comparer.diverged(nil, &got), nil
	}
	rec, err := r.Comparer.recorded.Event(r.Comparer.Pos())
	if err != nil {
		return nil, err
	}
	// Only the request is compared: what the answer, or the failure, would have been is not known.
	switch {
	case rec.Type == trace.EffectEvent:
		got.TakeAnswer(rec)
	case rec.Type == trace.ErrorEvent && rec.Error.Request != nil:
		info := *rec.Error
		info.Request = act.Effect
		got.Type, got.Effect, got.Error, got.Usage = trace.ErrorEvent, nil, &info, rec.Usage
	}
	return r.Comparer.diverged(rec, &got), nil
}

// Report sums a finished replay up.
func (r *Replayer) Report() *Report {
	record := r.Comparer.recorded
	rep := &Report{Verdict: Same, Compared: r.Comparer.Checked(), Recorded: record.Len(), Steps: r.State.Begun(), Effects: r.effects, Log: &r.log}
	fin := r.State.Finished()
	switch {
	case r.Found != nil:
		rep.Verdict, rep.Divergence = r.Found.Verdict, r.Found
	case rep.Compared == 0:
		rep.Verdict = NothingChecked
	case fin == nil:
		rep.Prefix = true
	}
	if fin != nil {
		rep.StateHash = fin.StateHash
	}
	if note := FlowNote(r.Machine.Flow().SHA256(), record); note != "" {
		rep.Notes = append(rep.Notes, note)
	}
	rep.Notes = append(rep.Notes, ScriptNotes(r.Machine.Sources(), record)...)
	if fin != nil && r.Found == nil && r.oneWay() {
		rep.Notes = append(rep.Notes, "the state document is above 32 MiB: its hash was computed one way only")
	}
	return rep
}

// oneWay is true when the document is too large for the second canonicaliser; finish did not compare with it.
func (r *Replayer) oneWay() bool { return len(r.State.AppendDocument(nil)) > canon.OracleLimit }

// FlowNote says when the flow is not the recorded one although nothing else differs; "" when it is, or nothing is known.
func FlowNote(flowSHA string, record trace.Log) string {
	was, ok := finishSide(record).Get("flow_sha256").Str()
	if !ok || was == flowSHA {
		return ""
	}
	return fmt.Sprintf("the flow differs from the recorded one (sha256 %.12s, recorded %.12s)", flowSHA, was)
}

// Replay runs a whole record that lies in memory. The error is not about differences: it is a cancelled context or a
// behaviour that Verify caught.
func Replay(ctx context.Context, m *Machine, record []trace.Event) (*Report, error) {
	return ReplayLog(ctx, m, trace.MemLog(record), nil)
}

// ReplayLog runs a whole record, which may lie in a file; progress, if not nil, is told the number of events compared
// after every step.
func ReplayLog(ctx context.Context, m *Machine, record trace.Log, progress func(events int)) (*Report, error) {
	r, err := NewReplayer(m, record, ReplayOptions{})
	if err != nil {
		return nil, err
	}
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		ended, err := r.Step(ctx)
		if err != nil {
			return nil, err
		}
		if ended {
			return r.Report(), nil
		}
		if progress != nil {
			progress(r.log.Len())
		}
	}
}
