package debug

import (
	"context"
	"fmt"

	"flowdbg/engine"
	"flowdbg/engine/flow"
	"flowdbg/trace"
)

// Reloading is a reload under way: call Slice until it is done. Nothing else may move the session until then; what the
// new run has so far can be looked at.
type Reloading struct {
	s      *Session
	diags  []flow.Diagnostic
	oldPos int
	run    rerun
	done   bool
	result ReloadResult
}

// BeginReload is Reload in slices, so that a face stays awake while a long run is made again. It is done at once when
// the flow has errors (m is nil) or nothing runs again.
func (s *Session) BeginReload(m *engine.Machine, diags []flow.Diagnostic, source []byte) *Reloading {
	s.dropProblems("flow")
	s.addDiagnostics(diags)
	at := &Reloading{s: s, diags: diags, oldPos: s.pos}
	kept := func() *Reloading {
		at.done, at.result = true, ReloadResult{Kept: true, Diagnostics: diags, Stop: s.stop}
		return at
	}
	if m == nil {
		s.excerpts(diags, source)
		return kept()
	}
	if s.mode == Playback {
		s.machine, s.walk = m, nil
		s.showAs(m)
		s.bindBreaks()
		at.done, at.result = true, ReloadResult{Diagnostics: diags, Stop: s.stop}
		return at
	}
	old := s.run
	answers := s.source(m, s.pool.Source(s.bus(m)))
	store, as := s.storeFor(m)
	keep := engine.KeepAll
	if store != nil {
		keep = engine.KeepTail
	}
	rep, err := engine.NewReplayer(m, old.record, engine.ReplayOptions{Keep: keep, PastEnd: true, Loose: true, Source: answers, Edits: at.editsInStep})
	if err != nil {
		s.problems = append(s.problems, Problem{Severity: "error", Source: "reload", Text: err.Error(), Event: -1})
		return kept()
	}
	s.start(rep, RunInfo{ID: len(s.runs), Parent: old.info.ID, Cause: "reload", Event: -1})
	s.run.store, s.run.as = store, as
	s.unheld = true
	whole := old.whole() // a record that was not made again yet is the old run all the same
	at.run = rerun{s: s, old: whole, cmp: engine.NewComparer(whole), edits: old.record == nil}
	return at
}

// storeFor is the run's file for another version of the flow; nil when its index cannot show that version's states.
func (s *Session) storeFor(m *engine.Machine) (*trace.Store, *trace.StoreSetup) {
	if s.store == nil {
		return nil, nil
	}
	as, ok := s.store.As(m.Setup())
	if !ok {
		return nil, nil
	}
	return s.store, as
}

// showAs shows what is played back as another version of the flow has it.
func (s *Session) showAs(m *engine.Machine) {
	s.hashed = hashAt{}
	if s.store != nil {
		if store, as := s.storeFor(m); store != nil {
			s.run.as = as
			return
		}
		if !s.store.Complete() {
			return // it grows, and only its index knows how far it is
		}
		s.run.store = nil
	}
	s.fold, s.foldPos, s.undos = trace.NewState(m.Setup()), 0, engine.Undos{}
}

// Slice makes the new run longer by a bounded number of events; done is true when the reload is complete.
func (r *Reloading) Slice(ctx context.Context) (res ReloadResult, done bool) {
	if !r.done && r.run.slice(ctx, sliceEvents) {
		r.finish()
	}
	return r.result, r.done
}

// Interrupt ends the reload where it is: the new run stays, as long as it got, and was not compared beyond that.
func (r *Reloading) Interrupt() ReloadResult {
	if !r.done {
		r.finish()
	}
	return r.result
}

// Progress is how many events were made again, of how many at most.
func (r *Reloading) Progress() (at, of int) {
	if r.run.old == nil {
		return 0, 0
	}
	return r.s.Len(), min(r.run.old.Len(), reloadLimit)
}

func (r *Reloading) finish() {
	s, diff := r.s, r.run.diff
	s.unheld, s.pending = false, nil
	s.rewind(min(r.oldPos, s.Len()))
	if diff != nil {
		s.rewind(min(diff.Index+1, s.Len()))
	}
	s.bindBreaks()
	leftOut := r.run.leftOut()
	s.logReload(diff, leftOut)
	stop := s.done(StopReload, r.oldPos)
	compared := r.run.cmp.Checked()
	stop.Message = r.run.verdict()
	if diff != nil {
		stop.Message = fmt.Sprintf("first difference: %s; behind %s", diff.String(), count(compared, "equal event"))
	}
	stop.also(leftOut)
	s.stop = stop
	r.done, r.result = true, ReloadResult{Diagnostics: r.diags, Difference: diff, Compared: compared, Stop: stop}
}

// rerun makes the session's new run as long as an old one was and finds the first event that differs.
type rerun struct {
	s    *Session
	old  trace.Log
	cmp  *engine.Comparer
	i    int                // next event of the new run to compare
	past bool               // the first states were compared
	diff *engine.Divergence // what was found
	over bool

	edits   bool   // the old run has no record beside it, whose edits the replayer takes over by itself
	refused string // why an edit of the old run has no effect in the new one
}

// verdict says how far no difference was found.
func (r *rerun) verdict() string {
	n := r.cmp.Checked()
	switch {
	case n == 0 && r.old.Len() == 0:
		return "nothing was run yet that could differ"
	case r.over && r.cmp.Done():
		return fmt.Sprintf("no event differs, of %d compared", n)
	}
	return fmt.Sprintf("no event differs in the first %d; the other %d are not compared", n, max(r.old.Len()-r.i, 0))
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// slice goes on for about n events; done is true when there is a difference or nothing more to compare.
func (r *rerun) slice(ctx context.Context, n int) (done bool) {
	if !r.over {
		r.over = r.goOn(ctx, n)
	}
	return r.over
}

func (r *rerun) goOn(ctx context.Context, n int) (done bool) {
	s := r.s
	for end := r.i + n; r.i < end; {
		if r.diff != nil {
			return true
		}
		if stop, err := r.compare(); stop || err != nil {
			if err != nil {
				s.reloadFault(err)
			}
			return true
		}
		if stop, err := r.intervene(); stop || err != nil {
			if err != nil {
				s.reloadFault(err)
			}
			return true
		}
		if r.cmp.Done() || r.i >= min(r.old.Len(), reloadLimit) {
			return true
		}
		s.rewind(s.Len())
		ok, err := s.extend(ctx)
		if err != nil {
			s.reloadFault(err)
			return true
		}
		if !ok {
			return true
		}
	}
	return false
}

// compare looks at every event that the new run has and that was not compared yet; stop is true at a difference.
func (r *rerun) compare() (stop bool, err error) {
	for r.i < r.s.Len() && !r.cmp.Done() {
		got := *r.s.Event(r.i)
		r.i++
		d, err := r.check(&got)
		if d != nil || err != nil {
			r.diff = d
			return true, err
		}
	}
	return false, nil
}

// check compares one event with the old run's; lines of ours but for first states are in neither's way.
func (r *rerun) check(got *trace.Event) (d *engine.Divergence, err error) {
	pass := func(*trace.Event) {}
	switch {
	case got.Type == trace.XInit && !r.past:
		_, d, err = r.cmp.CheckInit(got, pass)
		return d, err
	case got.Type.IsExtension() || got.Cancelled():
		return nil, nil
	case !r.past:
		r.past = true
		if d, err = r.cmp.MoreInits(pass); d != nil || err != nil {
			return d, err
		}
	}
	if err := r.cmp.CopyThrough(pass); err != nil {
		return nil, err
	}
	_, d, err = r.cmp.Check(got)
	return d, err
}
