package app

import (
	"context"
	"iter"
	"time"

	"flowdbg/engine/debug"
	"flowdbg/trace"

	tea "github.com/charmbracelet/bubbletea"
)

// sliceTime is how long one slice of a pass may take, so that a key never waits for more than a frame. Tests make it
// nothing, so that a pass takes many slices however fast the machine is.
var sliceTime = 8 * time.Millisecond

// pass is a long pass of a lower package over the events, cut into slices. It runs as a coroutine of Update: it goes on
// only while Update waits for it, so that it may read the session, and a panic in it is a panic of Update.
type pass struct {
	next   func() (passed, bool)
	cancel context.CancelFunc
	stopIt func()
	at     passed
}

// passed is how much of a pass is done, of how much.
type passed struct{ done, of int }

// newPass prepares a pass. run must hand tell on as the pass's progress, and look at its context.
func newPass(ctx context.Context, run func(ctx context.Context, tell trace.Progress)) *pass {
	ctx, cancel := context.WithCancel(ctx)
	p := &pass{cancel: cancel}
	p.next, p.stopIt = iter.Pull(func(yield func(passed) bool) {
		stopped := false
		run(ctx, func(done, total int) {
			if !stopped && !yield(passed{done, total}) {
				stopped = true
			}
		})
	})
	return p
}

// slice goes on for a bounded time.
func (p *pass) slice() (done bool) {
	for end := time.Now().Add(sliceTime); ; {
		at, more := p.next()
		if !more {
			p.cancel()
			return true
		}
		if p.at = at; time.Now().After(end) {
			return false
		}
	}
}

// stop ends the pass where it is.
func (p *pass) stop() {
	p.cancel()
	p.stopIt()
}

// study drives a pass as a move that stays where it is: the stop line shows its progress, Esc ends it. then is called when
// it came to its end.
func (m *Model) study(verb string, run func(ctx context.Context, tell trace.Progress), then func(*Model) tea.Cmd) tea.Cmd {
	return m.drive(m.studyMove(verb, run, then))
}

// studyAside is study for what a view shows by itself: nothing has to wait for it, not even the frame of the key that led
// there.
func (m *Model) studyAside(verb string, run func(ctx context.Context, tell trace.Progress), then func(*Model) tea.Cmd) tea.Cmd {
	x := m.studyMove(verb, run, then)
	x.yields = true
	m.take(x)
	return nextSlice(x.id)
}

func (m *Model) studyMove(verb string, run func(ctx context.Context, tell trace.Progress), then func(*Model) tea.Cmd) *move {
	p := newPass(m.ctx, run)
	stopped := false
	return &move{
		verb: verb, still: true, progress: func() (at, of int) { return p.at.done, p.at.of },
		slice: func(context.Context) bool { return p.slice() },
		stop:  func() { stopped = true; p.stop() },
		finish: func(m *Model) tea.Cmd {
			if stopped {
				m.say("%s: stopped", verb)
				return nil
			}
			return then(m)
		},
	}
}

// seenLog is the events that the screen shows: the run's own and, beyond them, the record's. It belongs to Update.
type seenLog struct {
	s     *debug.Session
	pause *pauses // nil: no question is cut by it
}

func (l seenLog) Len() int                  { return l.s.Total() }
func (l seenLog) Header(i int) trace.Header { return l.s.Header(i) }

// Event is the i-th event. Reading it is where a question that tells no progress is cut into slices.
func (l seenLog) Event(i int) (*trace.Event, error) {
	if l.pause != nil {
		l.pause.read()
	}
	return l.s.Event(i), nil
}

// pauses cuts a question that tells no progress, by the events that it reads.
type pauses struct {
	tell trace.Progress // nil while nothing is cut
	n    int
}

func (p *pauses) read() {
	if p.n++; p.tell != nil && p.n%256 == 0 {
		p.tell(0, 0)
	}
}

// awaitedMsg says that work that was done beside Update is done.
type awaitedMsg struct{ id int }

// await has work done beside Update, which must not touch the session: for files only. Esc ends it.
func (m *Model) await(verb string, work func(ctx context.Context), then func(*Model) tea.Cmd) tea.Cmd {
	ctx, cancel := context.WithCancel(m.ctx)
	stopped := false
	if m.run != nil && m.run.yields {
		m.run.stop()
	}
	m.runID++
	id := m.runID
	m.run = &move{
		id: id, verb: verb, still: true, progress: func() (at, of int) { return 0, 0 },
		slice: func(context.Context) bool { return false },
		stop:  func() { stopped = true; cancel() },
		finish: func(m *Model) tea.Cmd {
			cancel()
			if stopped {
				m.say("%s: stopped", verb)
				return nil
			}
			return then(m)
		},
	}
	return func() tea.Msg { work(ctx); return awaitedMsg{id} }
}

// seen is what is on the screen as a log. The file itself is taken where it is the same, because it is indexed.
func (m *Model) seen() trace.Log {
	if store := m.s.Store(); store != nil && m.s.CurrentRun() == 0 && m.s.Divergence() == nil && m.s.Total() == store.Len() {
		return store
	}
	return seenLog{m.s, &m.pauses}
}

// firstEvents is the start of a log.
type firstEvents struct {
	trace.Log
	n int
}

func (l firstEvents) Len() int { return min(l.n, l.Log.Len()) }
