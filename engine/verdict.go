package engine

import (
	"fmt"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Verdict is what a replay says (ours; seed 002 §5 asks for request, state hash and outputs to match).
type Verdict string

// The verdicts. Same is the only good one.
const (
	Same           Verdict = "same"
	RequestDiffers Verdict = "request_differs"
	ExtraEffect    Verdict = "extra_effect"    // the run asks for an effect that the record does not have
	MissingEffects Verdict = "missing_effects" // the record has an effect that the run does not ask for
	ErrorDiffers   Verdict = "error_differs"
	EventDiffers   Verdict = "event_differs"
	OutputsDiffer  Verdict = "outputs_differ"
	LedgerDiffers  Verdict = "ledger_differs"
	HashDiffers    Verdict = "hash_differs"
	NothingChecked Verdict = "nothing_checked" // a record without a comparable event: no success
)

// Divergence is the first place where a run differs from its record. The sides are always named recorded and got.
type Divergence struct {
	Verdict       Verdict
	Index         int // event index in the record
	Step          int // the step it belongs to
	Path          string
	Recorded, Got canon.Value  // the values at Path, absent where that side has nothing
	RecordedEvent *trace.Event // nil: the record has ended
	GotEvent      *trace.Event // nil: the run has ended
}

// String is one line: verdict, place, and both values cut to a readable length.
func (d *Divergence) String() string {
	return fmt.Sprintf("%s at event %d, step %d, %s: recorded %s, got %s", d.Verdict, d.Index, d.Step, orRoot(d.Path), short(d.Recorded), short(d.Got))
}

func orRoot(p string) string {
	if p == "" {
		return "(whole event)"
	}
	return p
}

func short(v canon.Value) string {
	if v.IsAbsent() {
		return "nothing"
	}
	s := []rune(v.Text())
	if len(s) > 120 {
		return string(s[:120]) + "…"
	}
	return string(s)
}

// Differences lists up to limit places where the two events differ.
func (d *Divergence) Differences(limit int) []trace.Difference {
	r, g := d.sides()
	return trace.Differences(r, g, limit)
}

func compared(e *trace.Event) canon.Value {
	if e == nil {
		return canon.Value{}
	}
	return e.Compared()
}

// Comparer walks a record beside a run.
type Comparer struct {
	recorded trace.Log
	pos      int
	checked  int
	before   func(agent string) canon.Value // the agent's state before the event at hand; nil: not known
	base     int                            // what the record's step numbers are ahead of ours: 0, or −1 when they count from 0
}

// NewComparer starts at the first recorded event; nil is a record without events.
func NewComparer(recorded trace.Log) *Comparer {
	if recorded == nil {
		recorded = trace.MemLog(nil)
	}
	return &Comparer{recorded: recorded, base: stepBase(recorded)}
}

// Pos is the index of the next recorded event.
func (c *Comparer) Pos() int { return c.pos }

// Checked is how many events were compared and found equal.
func (c *Comparer) Checked() int { return c.checked }

// Done is true when every recorded event was passed.
func (c *Comparer) Done() bool { return c.pos >= c.recorded.Len() }

// CopyThrough gives the recorded lines at this place that are not compared: types that start with x-, and the events of
// a cancelled step. A mark of damage is not among them: what happened in its place is not known, so that nothing can
// equal it. The run takes them over as they are, so that a replayed file is its record byte for byte. The error
// is the record's, when it can no longer be read.
func (c *Comparer) CopyThrough(apply func(*trace.Event)) error {
	for c.pos < c.recorded.Len() {
		e, err := c.recorded.Event(c.pos)
		if err != nil {
			return err
		}
		if !e.Type.IsExtension() && !e.Cancelled() || e.Type == trace.XDamage {
			return nil
		}
		c.pos++
		apply(e)
	}
	return nil
}

// Check compares the next recorded event with the one the run made. Equal: the recorded event is returned, to be kept
// in place of got, because it also holds side and the forms that only foreign traces have. The error is the record's, when it can no longer be read.
func (c *Comparer) Check(got *trace.Event) (*trace.Event, *Divergence, error) {
	if c.Done() {
		return nil, c.diverged(nil, got), nil
	}
	rec, err := c.recorded.Event(c.pos)
	if err != nil {
		return nil, nil, err
	}
	if !c.same(rec, got) {
		return nil, c.diverged(rec, got), nil
	}
	c.pos++
	c.checked++
	return rec, nil, nil
}

// same compares everything that a replay compares. Members that a foreign record may lack (act.state, error.code,
// error.request, finish.reason) count only when the record has them; an act without a state says that it is unchanged.
func (c *Comparer) same(rec, got *trace.Event) bool {
	if rec.Type != got.Type || rec.Step != got.Step || rec.Agent != got.Agent {
		return false
	}
	switch rec.Type {
	case trace.Receive:
		return rec.Message.Equal(got.Message)
	case trace.Act:
		return c.sameState(rec, got) && rec.Send == got.Send && rec.Effect.Equal(got.Effect)
	case trace.SendEvent:
		return rec.Port == got.Port && rec.To == got.To && rec.HasTo() == got.HasTo() && rec.Message.Equal(got.Message)
	case trace.EffectEvent:
		return rec.Effect.Equal(got.Effect) && rec.Response == got.Response && rec.Usage == got.Usage
	case trace.ErrorEvent:
		r, g := rec.Error, got.Error
		return r.Text == g.Text && (r.Code == "" || r.Code == g.Code) && (r.Request == nil || r.Request.Equal(g.Request)) &&
			r.HasUsage == g.HasUsage && rec.Usage == got.Usage
	case trace.FinishEvent:
		r, g := rec.Finish, got.Finish
		return r.Steps == g.Steps && r.StateHash == g.StateHash && r.Ledger.Equal(g.Ledger) && r.Outputs == g.Outputs && (r.Reason == "" || r.Reason == g.Reason)
	}
	return false
}

func (c *Comparer) sameState(rec, got *trace.Event) bool {
	if !rec.State.IsAbsent() {
		return rec.State == got.State
	}
	return c.before == nil || c.before(got.Agent) == got.State
}

// diverged names the verdict: effects first, then errors, then the parts of finish, then any other difference.
func (c *Comparer) diverged(rec, got *trace.Event) *Divergence {
	d := &Divergence{Verdict: EventDiffers, Index: c.pos, Step: stepOf(rec, got), RecordedEvent: rec, GotEvent: copyOf(got)}
	root := ""
	switch {
	case is(got, trace.EffectEvent) && !is(rec, trace.EffectEvent):
		d.Verdict = ExtraEffect
	case is(rec, trace.EffectEvent) && !is(got, trace.EffectEvent):
		d.Verdict = MissingEffects
	case is(rec, trace.Act) && is(got, trace.Act) && rec.Agent == got.Agent && !rec.Effect.Equal(got.Effect):
		root = "/effect"
		d.Verdict = effectVerdict(rec, got)
	case is(rec, trace.EffectEvent) && is(got, trace.EffectEvent) && !rec.Effect.Equal(got.Effect):
		root = "/request"
		d.Verdict = RequestDiffers
	case is(rec, trace.ErrorEvent) && is(got, trace.ErrorEvent) && rec.Error.Request != nil && !rec.Error.Request.Equal(got.Error.Request):
		root = "/request"
		d.Verdict = requestVerdict(got.Error.Request)
	case is(rec, trace.ErrorEvent) || is(got, trace.ErrorEvent):
		d.Verdict = ErrorDiffers
	case is(rec, trace.FinishEvent) && is(got, trace.FinishEvent):
		root, d.Verdict = finishVerdict(rec.Finish, got.Finish)
	}
	d.locate(root)
	return d
}

// locate finds the first place below root where the events differ.
func (d *Divergence) locate(root string) {
	rec, got := d.RecordedEvent, d.GotEvent
	if rec != nil && got != nil && rec.Type != got.Type {
		d.Path, d.Recorded, d.Got = "/type", canon.String(string(rec.Type)), canon.String(string(got.Type))
		return
	}
	r, g := d.sides()
	if root != "" {
		r, g = r.Get(root[1:]), g.Get(root[1:])
	}
	if path, rv, gv, ok := trace.FirstDifference(r, g); ok {
		d.Path, d.Recorded, d.Got = root+path, rv, gv
	}
}

// sides are both events as far as they are compared: without what only got has and a foreign record may lack.
func (d *Divergence) sides() (recorded, got canon.Value) {
	rec := d.RecordedEvent
	if rec == nil || d.GotEvent == nil || rec.Type != d.GotEvent.Type {
		return compared(rec), compared(d.GotEvent)
	}
	g := *d.GotEvent
	switch g.Type {
	case trace.ErrorEvent:
		info := *g.Error
		if rec.Error.Code == "" {
			info.Code = ""
		}
		if rec.Error.Request == nil {
			info.Request = nil
		}
		g.Error = &info
	case trace.FinishEvent:
		fin := *g.Finish
		if rec.Finish.Reason == "" {
			fin.Reason = ""
		}
		g.Finish = &fin
	}
	return compared(rec), compared(&g)
}

// stepOf is the step that a difference belongs to: the run's own, but the record's when the run has ended before.
func stepOf(rec, got *trace.Event) int {
	e := got
	if got == nil || rec != nil && got.Type == trace.FinishEvent {
		e = rec
	}
	if e.Type == trace.FinishEvent {
		return e.Finish.Steps
	}
	return e.Step
}

// copyOf keeps an event that was found to differ. The equal ones, nearly all, then need no memory of their own.
func copyOf(e *trace.Event) *trace.Event {
	if e == nil {
		return nil
	}
	c := *e
	return &c
}

func is(e *trace.Event, t trace.Type) bool { return e != nil && e.Type == t }

func requestVerdict(got *trace.Request) Verdict {
	if got == nil {
		return ErrorDiffers
	}
	return RequestDiffers
}

func effectVerdict(rec, got *trace.Event) Verdict {
	switch {
	case rec.Effect == nil:
		return ExtraEffect
	case got.Effect == nil:
		return MissingEffects
	}
	return RequestDiffers
}

func finishVerdict(r, g *trace.Finish) (string, Verdict) {
	switch {
	case r.Outputs != g.Outputs:
		return "/outputs", OutputsDiffer
	case !r.Ledger.Equal(g.Ledger):
		return "/ledger", LedgerDiffers
	case r.StateHash != g.StateHash:
		return "/state_hash", HashDiffers
	}
	return "", EventDiffers
}
