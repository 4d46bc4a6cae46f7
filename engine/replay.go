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
	StateHash  string   // of the finish event, "" without one
	Notes      []string // what is worth knowing beside the verdict
	Run        *Run     // the run as far as it went; its events are the record's, byte for byte, when same
}

// Same is true for the only good verdict.
func (r *Report) Same() bool { return r.Verdict == Same }

// errDiverged stops a step whose event is not the recorded one.
var errDiverged = errors.New("diverged")

// Replayer runs a machine, beside a record when there is one, one step at a time. It is what Replay and a debug session
// share. The zero options are those of a strict replay.
type Replayer struct {
	Run      *Run
	Comparer *Comparer
	Found    *Divergence // the first difference; nothing runs after it unless Loose
	Undos    []trace.Undo
	opt      ReplayOptions
	record   []trace.Event
	ended    bool // finish was emitted, or nothing may follow
}

// ReplayOptions say how a run deals with its record.
type ReplayOptions struct {
	Loose     bool          // go on after a difference, uncompared
	PastEnd   bool          // go on behind the end of a record without finish
	KeepUndos bool          // keep one undo record per event, for stepping back
	Source    effect.Source // answers effects; nil: the record, strictly, then Next
	Next      effect.Source // answers what comes after the record; nil: nothing does
}

// NewReplayer starts a run beside a record, which may be nil for a plain live run. Without a record the behaviours'
// first states are emitted at once; with one they are the record's.
func NewReplayer(m *Machine, record []trace.Event, opt ReplayOptions) (*Replayer, error) {
	r := &Replayer{Comparer: NewComparer(record), record: record, opt: opt}
	if opt.Source == nil {
		strict := effect.NewStrict(record)
		strict.Next = opt.Next
		opt.Source = strict
	}
	r.Run = &Run{Machine: m, Source: opt.Source, State: trace.NewState(m.Setup())}
	r.Run.Events = make([]trace.Event, 0, len(record))
	if record == nil {
		return r, m.Init(r.emit)
	}
	return r, nil
}

func (r *Replayer) push(ev trace.Event) {
	r.Run.Events = append(r.Run.Events, ev)
	u, _ := r.Run.State.Apply(&r.Run.Events[len(r.Run.Events)-1])
	r.Undos = append(r.Undos, u)
}

// comparing is true while events are held against the record.
func (r *Replayer) comparing() bool { return r.Found == nil && !r.Comparer.Done() }

func (r *Replayer) emit(ev trace.Event) error {
	if r.record != nil && r.Found == nil {
		r.Comparer.CopyThrough(r.push)
		if err := r.compare(&ev); err != nil {
			return err
		}
	}
	r.push(ev)
	return nil
}

func (r *Replayer) compare(ev *trace.Event) error {
	if r.Comparer.Done() && r.finishOf() == nil {
		if r.opt.PastEnd {
			return nil
		}
		return errPrefixEnd
	}
	d := r.Comparer.Check(ev)
	if d == nil {
		return nil
	}
	r.Found = d
	if r.opt.Loose {
		return nil
	}
	return errDiverged
}

// finishOf is the record's last event when that is finish: a record without it is a prefix.
func (r *Replayer) finishOf() *trace.Finish {
	for i := len(r.record) - 1; i >= 0; i-- {
		if e := &r.record[i]; !e.Type.IsExtension() {
			return e.Finish
		}
	}
	return nil
}

// errPrefixEnd stops a step at the end of a record that has no finish.
var errPrefixEnd = errors.New("the record ends here")

// Step replays one step. ended is true at finish, at the end of a record, or at a difference (Found is set then). On an
// error the step did not happen: its events are taken back.
func (r *Replayer) Step(ctx context.Context) (ended bool, err error) {
	if r.ended || r.Found != nil && !r.opt.Loose {
		return true, nil
	}
	if r.comparing() {
		r.Comparer.CopyThrough(r.push)
	}
	if r.record != nil && r.Found == nil && r.Comparer.Done() && !r.opt.PastEnd {
		return true, nil
	}
	if !r.opt.KeepUndos {
		r.Undos = r.Undos[:0]
	}
	mark := r.mark()
	status, err := r.Run.Machine.Step(ctx, r.Run.State, r.Run.Source, r.emit)
	var mismatch *effect.Mismatch
	switch {
	case err == nil:
	case errors.Is(err, errDiverged), errors.Is(err, errPrefixEnd):
		return true, nil
	case errors.As(err, &mismatch) && mismatch.Recorded == nil && r.Comparer.Done() && r.finishOf() == nil:
		return true, nil // cut between an act and its answer
	case errors.As(err, &mismatch):
		r.Found = r.mismatched(mismatch)
		return true, nil
	default:
		r.rollback(mark)
		return false, err
	}
	if status == RunEnded {
		r.ended = true
		r.tail()
		return true, nil
	}
	return false, nil
}

// tail copies lines of ours behind finish; anything else there is a difference.
func (r *Replayer) tail() {
	if r.Found != nil || r.record == nil {
		return
	}
	r.Comparer.CopyThrough(r.push)
	if !r.Comparer.Done() {
		r.Found = r.Comparer.diverged(&r.record[r.Comparer.Pos()], nil)
	}
}

type mark struct {
	events, undos, pos, checked int
	found                       *Divergence
}

func (r *Replayer) mark() mark {
	return mark{len(r.Run.Events), len(r.Undos), r.Comparer.pos, r.Comparer.checked, r.Found}
}

func (r *Replayer) rollback(m mark) {
	for i := len(r.Run.Events) - 1; i >= m.events; i-- {
		r.Run.State.Undo(&r.Run.Events[i], r.Undos[m.undos+i-m.events])
	}
	r.Run.Events, r.Undos = r.Run.Events[:m.events], r.Undos[:m.undos]
	r.Comparer.pos, r.Comparer.checked, r.Found = m.pos, m.checked, m.found
}

// Ended is true when the run cannot go on: it is finished, or it stopped at a difference.
func (r *Replayer) Ended() bool {
	return r.ended || r.Found != nil && !r.opt.Loose
}

// mismatched is a difference that shows only when the answer is asked for: the act equals the recorded one, the record's
// effect does not.
func (r *Replayer) mismatched(m *effect.Mismatch) *Divergence {
	act := r.Run.Events[len(r.Run.Events)-1]
	for i := len(r.Run.Events) - 1; i >= 0 && act.Type != trace.Act; i-- {
		act = r.Run.Events[i]
	}
	got := trace.Event{Type: trace.EffectEvent, Step: act.Step, Agent: act.Agent, Effect: act.Effect, Response: canon.Null}
	pos := r.Comparer.Pos()
	if pos >= len(r.record) {
		return r.Comparer.diverged(nil, &got)
	}
	rec := &r.record[pos]
	if rec.Type == trace.EffectEvent {
		// Only the request is compared: what the answer would have been is not known.
		got.Response, got.Usage = rec.Response, rec.Usage
	}
	return r.Comparer.diverged(rec, &got)
}

// Report sums a finished replay up.
func (r *Replayer) Report() *Report {
	rep := &Report{Verdict: Same, Compared: r.Comparer.Checked(), Recorded: len(r.record), Steps: r.Run.State.Begun(), Run: r.Run}
	for i := range r.Run.Events {
		if r.Run.Events[i].Type == trace.EffectEvent {
			rep.Effects++
		}
	}
	fin := r.Run.State.Finished()
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
	if note := FlowNote(r.Run.Machine.Flow().SHA256(), r.record); note != "" {
		rep.Notes = append(rep.Notes, note)
	}
	if fin != nil && r.Found == nil && r.oneWay() {
		rep.Notes = append(rep.Notes, "the state document is above 32 MiB: its hash was computed one way only")
	}
	return rep
}

func (r *Replayer) oneWay() bool {
	_, err := CheckedHash(r.Run.State)
	return errors.Is(err, canon.ErrOracleSkipped)
}

// FlowNote says when the flow is not the recorded one although nothing else differs; "" when it is, or nothing is known.
func FlowNote(flowSHA string, record []trace.Event) string {
	for i := len(record) - 1; i >= 0; i-- {
		if record[i].Type != trace.FinishEvent {
			continue
		}
		was, ok := record[i].Side.Get("flow_sha256").Str()
		if ok && was != flowSHA {
			return fmt.Sprintf("the flow differs from the recorded one (sha256 %.12s, recorded %.12s)", flowSHA, was)
		}
		return ""
	}
	return ""
}

// Replay runs the whole record. The error is not about differences: it is a cancelled context or a behaviour that
// Verify caught.
func Replay(ctx context.Context, m *Machine, record []trace.Event) (*Report, error) {
	if record == nil {
		record = []trace.Event{}
	}
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
	}
}
