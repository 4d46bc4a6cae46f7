package trace

import (
	"context"
	"fmt"

	"flowdbg/trace/canon"
)

// DiffOp is what became of one event between two traces.
type DiffOp string

// The operations. The sides are always named recorded (the first trace) and got (the second).
const (
	OpEqual        DiffOp = "equal"
	OpChanged      DiffOp = "changed"
	OpClock        DiffOp = "clock" // differs in clock fields only, or in what follows from them
	OpOnlyRecorded DiffOp = "only_recorded"
	OpOnlyGot      DiffOp = "only_got"
)

// DiffVerdict sums a comparison up.
type DiffVerdict string

// The verdicts.
const (
	DiffSame           DiffVerdict = "same"
	DiffClockOnly      DiffVerdict = "clock_only"
	DiffRecordedPrefix DiffVerdict = "recorded_is_prefix" // equal as far as the first trace goes, which has no finish
	DiffGotPrefix      DiffVerdict = "got_is_prefix"
	DiffDifferent      DiffVerdict = "different"
	DiffNothing        DiffVerdict = "nothing_compared" // neither holds an event that can be compared
)

// ClockFields are the member names whose values come from a clock, so that two runs never agree about them (ours).
var ClockFields = []string{"elapsed_ms", "elapsed_s", "elapsed", "duration_ms", "duration_s", "latency_ms", "wall_ms", "wall_s", "cpu_ms", "cpu_s",
	"runtime_ms", "runtime_s", "took_ms", "time_ms", "timestamp", "timestamp_ms", "computed_at", "signed_at", "created_at", "updated_at",
	"started_at", "finished_at", "ended_at", "recorded_at", "issued_at", "observed_at"}

// DiffPoint is one place where two traces differ.
type DiffPoint struct {
	Recorded      int         `json:"recorded_event"` // event index in each trace, -1 where that one has nothing
	Got           int         `json:"got_event"`
	Step          int         `json:"step"` // as recorded, else as got
	Type          Type        `json:"type"`
	Agent         string      `json:"agent,omitempty"`
	Path          string      `json:"path"` // JSON Pointer in the event, "" for the whole event
	RecordedValue canon.Value `json:"recorded,omitzero"`
	GotValue      canon.Value `json:"got,omitzero"`
	Clock         bool        `json:"clock,omitempty"`
}

// DiffLine is one line of a hunk. Values are cut to a readable length, with their size.
type DiffLine struct {
	Op            DiffOp `json:"op"`
	Recorded      int    `json:"recorded_event"`
	Got           int    `json:"got_event"`
	Path          string `json:"path,omitempty"` // the first difference of a changed event
	RecordedValue string `json:"recorded,omitempty"`
	GotValue      string `json:"got,omitempty"`
	Differences   int    `json:"differences,omitempty"` // places that differ, counted up to 64
}

// Hunk is a run of differences with equal events around it.
type Hunk struct {
	Lines []DiffLine `json:"lines"`
	More  int        `json:"more,omitempty"` // lines left out
}

// DiffReport is how two traces compare. Counts are about comparable events: lines of ours (x-) and cancelled steps are
// passed over, side and unknown members are not compared.
type DiffReport struct {
	Verdict      DiffVerdict `json:"verdict"`
	First        *DiffPoint  `json:"first,omitempty"`      // the first difference
	FirstReal    *DiffPoint  `json:"first_real,omitempty"` // the first that is not about clocks
	Equal        int         `json:"equal"`
	Shifted      int         `json:"shifted"` // of the equal ones: under another step number, behind steps that only one side has
	Changed      int         `json:"changed"`
	Clock        int         `json:"clock"`
	OnlyRecorded int         `json:"only_recorded"`
	OnlyGot      int         `json:"only_got"`
	Hunks        []Hunk      `json:"hunks,omitempty"`
	MoreHunks    int         `json:"more_hunks,omitempty"`
	ClockFields  []string    `json:"clock_fields,omitempty"` // those that were met
	Notes        []string    `json:"notes,omitempty"`
	Whole        bool        `json:"whole"` // false: stopped at the first real difference
}

// DiffOptions bound a comparison; the zero value compares everything.
type DiffOptions struct {
	FirstOnly   bool     // stop at the first difference that is not about clocks
	Context     int      // equal lines around a hunk; 0 is 3, negative is none
	MaxHunks    int      // hunks kept; 0 is 50
	MaxLines    int      // lines kept per hunk; 0 is 200
	ClockFields []string // names in place of ClockFields
}

// Diff compares two traces event by event up to the first difference, and goes on behind it: the events are aligned
// again (patience over their contents, then by their kind and agent) in windows of a few thousand events, so that
// memory does not grow with the traces.
func Diff(ctx context.Context, recorded, got Log, opt DiffOptions, progress Progress) (*DiffReport, error) {
	d := newDiffer(ctx, recorded, got, opt, progress)
	if err := d.run(); err != nil {
		return nil, err
	}
	d.finish()
	return d.rep, nil
}

type differ struct {
	pass
	opt     DiffOptions
	rep     *DiffReport
	a, b    diffSide
	cmp     eventComparer
	hunks   hunker
	shift   int // step in got minus step in recorded, behind steps that only one has
	settled bool
	each    func(*DiffLine) (done bool) // sees every line as it is aligned; nil: nobody looks
	done    bool                        // whoever looks has seen enough
}

func newDiffer(ctx context.Context, recorded, got Log, opt DiffOptions, progress Progress) *differ {
	if opt.Context == 0 {
		opt.Context = 3
	}
	opt.Context, opt.MaxHunks, opt.MaxLines = max(0, opt.Context), orDefault(opt.MaxHunks, 50), orDefault(opt.MaxLines, 200)
	if opt.ClockFields == nil {
		opt.ClockFields = ClockFields
	}
	d := &differ{opt: opt, rep: &DiffReport{Whole: true}, pass: pass{ctx: ctx, progress: progress, total: recorded.Len() + got.Len()}, settled: true}
	d.a, d.b = newDiffSide(recorded), newDiffSide(got)
	d.cmp = newEventComparer(opt.ClockFields)
	d.hunks = hunker{rep: d.rep, opt: opt}
	return d
}

// run walks both traces side by side; where they part it aligns a window and walks on behind it.
func (d *differ) run() error {
	for {
		i, err := d.a.head(d)
		if err != nil {
			return err
		}
		j, err := d.b.head(d)
		if err != nil {
			return err
		}
		if i < 0 && j < 0 || d.done {
			return nil
		}
		if i >= 0 && j >= 0 {
			r, err := d.compare(i, j)
			if err != nil {
				return err
			}
			renumbered := r.op == OpChanged && r.path == "/step" && r.count == 1 && !d.opt.FirstOnly
			if r.op == OpEqual || r.op == OpClock || renumbered {
				d.emit(i, j, r)
				if renumbered { // told once: what follows is expected to be off by as much
					d.shift = d.b.queue[0].step - d.a.queue[0].step
				}
				d.a.pop()
				d.b.pop()
				continue
			}
		}
		if d.opt.FirstOnly {
			return d.stop(i, j)
		}
		if err := d.window(); err != nil {
			return err
		}
	}
}

// stop notes the first real difference and ends the comparison.
func (d *differ) stop(i, j int) error {
	d.rep.Whole = false
	r := comparison{op: OpChanged}
	switch {
	case i < 0:
		r.op = OpOnlyGot
	case j < 0:
		r.op = OpOnlyRecorded
	default:
		var err error
		if r, err = d.compare(i, j); err != nil {
			return err
		}
	}
	d.emit(i, j, r)
	return nil
}

// emit counts one aligned pair (or an event of one side) and puts it into the hunks.
func (d *differ) emit(i, j int, r comparison) {
	rep := d.rep
	switch r.op {
	case OpEqual:
		rep.Equal++
		if d.shift != 0 {
			rep.Shifted++
		}
	case OpChanged:
		rep.Changed++
	case OpClock:
		rep.Clock++
		d.cmp.clockSeen = true
	case OpOnlyRecorded:
		rep.OnlyRecorded++
		j = NoEvent
	case OpOnlyGot:
		rep.OnlyGot++
		i = NoEvent
	}
	if r.op != OpEqual && (rep.First == nil || rep.FirstReal == nil && r.op != OpClock) {
		p := d.point(i, j, r)
		if rep.First == nil {
			rep.First = p
		}
		if r.op != OpClock {
			rep.FirstReal = p
		}
	}
	l := DiffLine{Op: r.op, Recorded: i, Got: j, Path: r.path, RecordedValue: preview(r.recorded), GotValue: preview(r.got), Differences: r.count}
	if d.each != nil && !d.done {
		d.done = d.each(&l)
	}
	d.hunks.add(l)
}

// point describes a difference whole.
func (d *differ) point(i, j int, r comparison) *DiffPoint {
	p := &DiffPoint{Recorded: i, Got: j, Path: r.path, RecordedValue: r.recorded, GotValue: r.got, Clock: r.op == OpClock}
	side, at := &d.a, i
	if i < 0 {
		side, at = &d.b, j
	}
	if e, _, err := side.texts.event(at); err == nil {
		p.Step, p.Type, p.Agent = e.Step, e.Type, e.Agent
		if i < 0 {
			p.GotValue = e.Compared()
		} else if j < 0 {
			p.RecordedValue = e.Compared()
		}
	}
	return p
}

// finish settles the verdict and the notes.
func (d *differ) finish() {
	rep := d.rep
	d.hunks.close()
	rep.ClockFields = d.cmp.met()
	for _, s := range []struct {
		name string
		side *diffSide
	}{{"recorded", &d.a}, {"got", &d.b}} {
		if s.side.edits > 0 {
			rep.Notes = append(rep.Notes, fmt.Sprintf("the %s trace was edited by a person (%d interventions): it is not the run that the flow alone makes", s.name, s.side.edits))
		}
		if s.side.cancelled > 0 {
			rep.Notes = append(rep.Notes, fmt.Sprintf("%d events of cancelled steps in the %s trace are passed over", s.side.cancelled, s.name))
		}
		if s.side.damaged > 0 {
			rep.Notes = append(rep.Notes, fmt.Sprintf("the %s trace is damaged in %d places: what was lost cannot be compared", s.name, s.side.damaged))
		}
	}
	d.end()
	switch {
	case rep.Changed == 0 && rep.OnlyRecorded == 0 && rep.OnlyGot == 0:
		switch {
		case rep.Equal+rep.Clock == 0:
			rep.Verdict = DiffNothing
		case rep.Clock > 0:
			rep.Verdict = DiffClockOnly
		default:
			rep.Verdict = DiffSame
		}
	case rep.Changed == 0 && rep.OnlyRecorded == 0 && rep.Equal+rep.Clock > 0 && rep.FirstReal.Recorded < 0 && d.a.ended && !d.a.finished:
		rep.Verdict = DiffRecordedPrefix
	case rep.Changed == 0 && rep.OnlyGot == 0 && rep.Equal+rep.Clock > 0 && rep.FirstReal.Got < 0 && d.b.ended && !d.b.finished:
		rep.Verdict = DiffGotPrefix
	default:
		rep.Verdict = DiffDifferent
	}
}
