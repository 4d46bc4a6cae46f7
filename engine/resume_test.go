package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// paidSource answers as the mocks do and says that it costs; it counts what reached it, by request.
type paidSource struct {
	bus   *effect.Bus
	calls map[string]int
	total int
	fail  func(c effect.Call) error
}

func newPaid(m *Machine) *paidSource { return &paidSource{bus: m.Bus(), calls: map[string]int{}} }

func (p *paidSource) Ready(effect.Call) error { return nil }
func (p *paidSource) Paid(effect.Call) bool   { return true }

func (p *paidSource) Answer(ctx context.Context, c effect.Call) (effect.Answer, error) {
	p.calls[fmt.Sprint(c.Step, c.Request.Hash())]++
	p.total++
	if p.fail != nil {
		if err := p.fail(c); err != nil {
			return effect.Answer{}, err
		}
	}
	return p.bus.Answer(ctx, c)
}

// keptSink keeps events and notes how many were safe when something was synced.
type keptSink struct {
	events []trace.Event
	safe   int
	full   int // fail when so many events are there; 0: never
}

func (s *keptSink) Append(e *trace.Event) error {
	if s.full > 0 && len(s.events) == s.full {
		return errors.New("the disk is full")
	}
	s.events = append(s.events, *e)
	return nil
}
func (s *keptSink) Flush() error { return nil }
func (s *keptSink) Sync() error  { s.safe = len(s.events); return nil }

func written(tb testing.TB, events []trace.Event) []byte {
	tb.Helper()
	var b bytes.Buffer
	if err := trace.Write(&b, events, trace.FormatArray); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

func logBytes(tb testing.TB, l trace.Log) []byte {
	tb.Helper()
	events, err := Events(l)
	if err != nil {
		tb.Fatal(err)
	}
	return written(tb, events)
}

// A recorded run holds an intent before every paid effect, and what is noted was synced before the call was made.
func TestRecordingNotesPaidEffectsFirst(t *testing.T) {
	m := mustMachine(t, cyclicFlow(t, 14))
	src, sink := newPaid(m), &keptSink{}
	src.fail = func(c effect.Call) error {
		last := &sink.events[len(sink.events)-1]
		if sink.safe != len(sink.events) || last.Type != trace.XIntent || last.Step != c.Step || last.Agent != c.Agent {
			t.Fatalf("%d of %d events are safe when step %d asks; the last is %s", sink.safe, len(sink.events), c.Step, last.AppendJSON(nil))
		}
		return nil
	}
	r, err := NewRecording(m, nil, src, sink, ResumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = r.ToEnd(context.Background(), func(r *Recording) error {
		if n := len(sink.events); n > 0 && sink.events[n-1].Type == trace.EffectEvent && sink.safe != n {
			return fmt.Errorf("the answer of event %d is not safe", n-1)
		}
		return nil
	})
	if err != nil || sink.safe != len(sink.events) {
		t.Fatal(err, sink.safe, len(sink.events))
	}
	if !bytes.Equal(logBytes(t, r.Replayer.Log()), written(t, sink.events)) {
		t.Fatal("the run and its record differ")
	}
	rep, err := Replay(context.Background(), m, sink.events)
	if err != nil || !rep.Same() || rep.Prefix {
		t.Fatal(err, rep)
	}
	if !bytes.Equal(logBytes(t, rep.Log), written(t, sink.events)) {
		t.Fatal("replayed, the record is another file")
	}
	open, err := OpenIntents(trace.MemLog(sink.events))
	if err != nil || len(open) != 0 {
		t.Fatal(open, err)
	}
	// The mocks cost nothing: their runs hold no intents and are the same as ever.
	free := &keptSink{}
	if r, err = NewRecording(m, nil, m.Bus(), free, ResumeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil || !bytes.Equal(written(t, free.events), written(t, record(t, m))) {
		t.Fatal(err, "a recorded run with mocks is not the run")
	}
}

// A recording that was cut off anywhere replays as a prefix and resumes to the very file that the whole run makes; the
// provider is asked only for answers that the record lacks, and where one may have been bought, nothing is sent unasked.
func TestResumeFromEveryCut(t *testing.T) {
	m := mustMachine(t, cyclicFlow(t, 14))
	whole := &keptSink{}
	first := newPaid(m)
	r, err := NewRecording(m, nil, first, whole, ResumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	data := written(t, whole.events)
	asked := 0
	for at := 2; at < len(data); {
		nl := bytes.IndexByte(data[at:], '\n')
		for _, n := range []int{at, at + nl/2, at + max(nl-1, 0)} {
			tr, err := trace.Read(data[:n])
			if err != nil {
				t.Fatalf("cut at %d: %v", n, err)
			}
			if resumeCut(t, m, n, tr, data, first.total) {
				asked++
			}
		}
		at += nl + 1
	}
	if asked == 0 {
		t.Fatal("no cut lay between an effect and its answer")
	}
}

// resumeCut resumes one cut; it is true when the record ends in an effect without an answer.
func resumeCut(t *testing.T, m *Machine, n int, tr *trace.Trace, data []byte, calls int) (asked bool) {
	t.Helper()
	ctx := context.Background()
	if len(tr.Events) > 0 && tr.Finish() == nil {
		rep, err := Replay(ctx, m, tr.Events)
		if err != nil || !rep.Same() && rep.Verdict != NothingChecked || rep.Verdict == Same && !rep.Prefix {
			t.Fatalf("cut at %d: replay %v %+v", n, err, rep)
		}
	}
	have := 0
	for i := range tr.Events {
		if tr.Events[i].Type == trace.EffectEvent {
			have++
		}
	}
	src, sink := newPaid(m), &keptSink{}
	r, err := NewRecording(m, trace.MemLog(tr.Events), src, sink, ResumeOptions{})
	if tr.Complete() || tr.Finish() != nil {
		if !errors.Is(err, ErrComplete) {
			t.Fatalf("cut at %d: %v", n, err)
		}
		return false
	}
	if err != nil {
		t.Fatalf("cut at %d: %v", n, err)
	}
	err = r.ToEnd(ctx, nil)
	var unsettled *Unsettled
	if len(r.open) == 0 {
		if err != nil || src.total != calls-have || !bytes.Equal(written(t, sink.events), data) || !bytes.Equal(logBytes(t, r.Replayer.Log()), data) {
			t.Fatalf("cut at %d: %v, %d calls for %d missing answers\n%s", n, err, src.total, calls-have, written(t, sink.events))
		}
		return false
	}
	if !errors.As(err, &unsettled) || src.total != 0 || unsettled.Intent.Cancelled {
		t.Fatalf("cut at %d: %v, %d calls", n, err, src.total)
	}
	checkDecisions(t, m, n, tr, data, calls-have)
	return true
}

// checkDecisions settles an effect without an answer both ways.
func checkDecisions(t *testing.T, m *Machine, n int, tr *trace.Trace, data []byte, missing int) {
	t.Helper()
	full, err := trace.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	answer := &full.Events[len(tr.Events)]
	for name, opt := range map[string]ResumeOptions{"redo": {Redo: true}, "answer": {Answer: &effect.Answer{Output: answer.Response, Usage: answer.Usage}}} {
		src, sink := newPaid(m), &keptSink{}
		r, err := NewRecording(m, trace.MemLog(tr.Events), src, sink, opt)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.ToEnd(context.Background(), nil); err != nil {
			t.Fatalf("cut at %d, %s: %v", n, name, err)
		}
		want := missing
		if name == "answer" {
			want--
		}
		fin := r.Replayer.State.Finished()
		if src.total != want || fin == nil || fin.StateHash != full.Finish().StateHash {
			t.Fatalf("cut at %d, %s: %d calls, want %d; finish %v", n, name, src.total, want, fin)
		}
		rep, err := Replay(context.Background(), m, sink.events)
		if err != nil || !rep.Same() || rep.Prefix {
			t.Fatalf("cut at %d, %s: replay %v %+v", n, name, err, rep)
		}
		if open, err := OpenIntents(trace.MemLog(sink.events)); err != nil || len(open) != 0 {
			t.Fatalf("cut at %d, %s: still open: %v %v", n, name, open, err)
		}
		typed := sink.events[len(tr.Events)]
		if name == "answer" && typed.SideFlag("typed") != canon.True {
			t.Fatalf("cut at %d: the typed answer is not marked: %s", n, typed.AppendJSON(nil))
		}
	}
}

// A step that is stopped while a paid answer is awaited stays in the record, taken back; the next resume asks.
func TestCancelledWhileWaiting(t *testing.T) {
	m := mustMachine(t, cyclicFlow(t, 14))
	src, sink := newPaid(m), &keptSink{}
	ctx, cancel := context.WithCancel(context.Background())
	src.fail = func(effect.Call) error {
		if src.total == 3 {
			cancel()
			return ctx.Err()
		}
		return nil
	}
	r, err := NewRecording(m, nil, src, sink, ResumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	err = r.ToEnd(ctx, nil)
	n := len(sink.events)
	if !errors.Is(err, context.Canceled) || n == 0 || sink.events[n-1].Type != trace.XCancel || sink.safe != n || sink.events[n-1].SideFlag("possibly_billed") != canon.True {
		t.Fatalf("%v\n%s", err, written(t, sink.events))
	}
	if !bytes.Equal(logBytes(t, r.Replayer.Log()), written(t, sink.events)) {
		t.Fatal("the run and its record differ")
	}
	var unsettled *Unsettled
	if _, err := r.Step(context.Background()); !errors.As(err, &unsettled) || !unsettled.Intent.Cancelled || src.total != 3 {
		t.Fatalf("the same run sends it again: %v", err)
	}
	tr, err := trace.Read(written(t, sink.events))
	if err != nil {
		t.Fatal(err)
	}
	again := newPaid(m)
	res, err := NewRecording(m, trace.MemLog(tr.Events), again, &keptSink{}, ResumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := res.ToEnd(context.Background(), nil); !errors.As(err, &unsettled) || !unsettled.Intent.Cancelled || again.total != 0 {
		t.Fatalf("%v, %d calls", err, again.total)
	}
	kept := &keptSink{}
	if res, err = NewRecording(m, trace.MemLog(tr.Events), again, kept, ResumeOptions{Redo: true}); err != nil {
		t.Fatal(err)
	}
	if err := res.ToEnd(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	rep, err := Replay(context.Background(), m, kept.events)
	if err != nil || !rep.Same() || rep.Prefix || !bytes.Equal(logBytes(t, rep.Log), written(t, kept.events)) {
		t.Fatalf("%v %+v", err, rep)
	}
}

// What cannot be resumed, and a sink that is full.
func TestResumeRefuses(t *testing.T) {
	m := mustMachine(t, cyclicFlow(t, 14))
	events := record(t, m)
	ctx := context.Background()
	var damaged *Damaged
	bad := append([]trace.Event(nil), events[:6]...)
	tr, err := trace.Read(bytes.Replace(written(t, bad), []byte(`"step":1`), []byte(`"step":-`), 1))
	if err != nil {
		t.Fatal(err)
	}
	src := newPaid(m)
	if _, err := NewRecording(m, trace.MemLog(tr.Events), src, nil, ResumeOptions{}); !errors.As(err, &damaged) {
		t.Fatal(err)
	}
	if rep, err := Replay(ctx, m, tr.Events); err != nil || rep.Same() {
		t.Fatalf("a damaged trace replays: %v %+v", err, rep)
	}
	// Another run's prefix: nothing is asked, nothing is kept behind the difference.
	other := append([]trace.Event(nil), events[:5]...)
	other[1].State = canon.String("another")
	r, err := NewRecording(m, trace.MemLog(other), src, &keptSink{}, ResumeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(ctx, nil); err != nil || r.Replayer.Found == nil || src.total != 0 {
		t.Fatalf("%v %v", err, r.Replayer.Found)
	}
	// An effect event that is missing in the middle: the run must not buy it before it sees that the record goes on.
	hole := append(append([]trace.Event(nil), events[:2]...), events[3:]...)
	hole = hole[:len(hole)-1]
	for i := range hole {
		if hole[i].Type == trace.EffectEvent {
			hole = hole[:i]
			break
		}
	}
	if r, err = NewRecording(m, trace.MemLog(hole), src, &keptSink{}, ResumeOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(ctx, nil); err != nil || r.Replayer.Found == nil || src.total != 0 {
		t.Fatalf("%v, found %v, %d calls", err, r.Replayer.Found, src.total)
	}
	// A full disk stops the run before anything is sent.
	for full := 1; full < 12; full++ {
		src, sink := newPaid(m), &keptSink{full: full}
		if r, err = NewRecording(m, nil, src, sink, ResumeOptions{}); err != nil {
			t.Fatal(err)
		}
		err = r.ToEnd(ctx, nil)
		intents := 0
		for i := range sink.events {
			if sink.events[i].Type == trace.XIntent {
				intents++
			}
		}
		if err == nil || src.total > intents {
			t.Fatalf("full behind %d events: %v, %d calls, %d intents", full, err, src.total, intents)
		}
	}
}

// The recorder as a sink, and the speed of a recorded run.
func BenchmarkRecordedRun(b *testing.B) {
	const n = 10_000
	m := mustMachine(b, cyclicFlow(b, n))
	b.ReportAllocs()
	events := 0
	for b.Loop() {
		rec, err := trace.NewRecorder(filepath.Join(b.TempDir(), "t.json"), trace.RecorderOptions{Batch: trace.BatchBytes})
		if err != nil {
			b.Fatal(err)
		}
		r, err := NewRecording(m, nil, m.Bus(), rec, ResumeOptions{})
		if err == nil {
			err = r.ToEnd(context.Background(), nil)
		}
		events += rec.Len()
		if err := errors.Join(err, rec.Finish(), os.Remove(rec.Target())); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds(), "events/s")
}
