package app

import (
	"context"
	"errors"
	"time"

	"flowdbg/engine/debug"

	tea "github.com/charmbracelet/bubbletea"
)

const (
	// eagerAgents is up to how many agents the hash is computed with the key; more are left for later.
	eagerAgents = 1000
	// maxFold is how many events of an indexed file are folded for a hash.
	maxFold = 50_000
	// hashDelay is how long no key must have come before a large state is hashed.
	hashDelay = 80 * time.Millisecond
)

// move is something long under way, driven slice by slice.
type move struct {
	id       int
	verb     string // "continue", "goto"
	from     int    // position where it began
	back     bool   // towards the start
	still    bool   // the run stays where it is
	yields   bool   // and whatever is asked for meanwhile may be done; another move ends it
	slice    func(context.Context) (done bool)
	stop     func()               // ends it where it is
	progress func() (at, of int)  // of is 0 when nobody knows
	finish   func(*Model) tea.Cmd // when it is done or was stopped
}

// arrive is called when the session stands somewhere else. jump says that the place was asked for, so that the cursor
// goes there even if it was left elsewhere.
func (m *Model) arrive(jump bool) tea.Cmd {
	if m.lost.some && m.s.Pos() > m.lost.from && m.run == nil { // a step may have begun before the loss and end in it
		back := m.gotoPos(m.lost.from)
		m.complain("%s", m.lost.text(m.s.Total()))
		return back
	}
	if jump {
		m.followRun()
	}
	reason := m.s.Stop().Reason
	switch diverged := reason == debug.StopDiverged || reason == debug.StopReload && m.differsByReload(m.s.Pos()-1); {
	case diverged && m.events.follow && m.inspect.kind == ofAgent:
		m.inspect.kind, m.inspect.lent = ofEvent, true
	case !diverged && m.inspect.lent:
		m.inspect.kind, m.inspect.lent = ofAgent, false
	}
	m.hash = ""
	m.hashID++
	if m.run == nil && m.eager() {
		m.hash = m.s.Hash()
	}
	return tea.Batch(m.sync(), m.hashLater())
}

// eager says whether the hash is cheap enough to be computed with the key: few agents, and a fold at hand. The hash of
// a position in an indexed file takes a fold over all events before it.
func (m *Model) eager() bool {
	return m.s.Store() == nil && m.s.State().AgentCount() <= eagerAgents
}

// tooFar says that the hash is not computed at all, because that would freeze the screen.
func (m *Model) tooFar() bool { return m.s.Store() != nil && m.s.Pos() > maxFold }

// hashLater computes a hash that is missing, off the path of the keys.
func (m *Model) hashLater() tea.Cmd {
	if m.hash != "" || m.run != nil || m.s.State().Flowless() || m.tooFar() {
		return nil
	}
	id := m.hashID
	return tea.Tick(hashDelay, func(time.Time) tea.Msg { return hashMsg{id} })
}

// followRun brings the cursors to where the run stands; they go along from there.
func (m *Model) followRun() {
	m.events.follow, m.agents.follow = true, true
}

// drive starts a move; its first slice runs at once, so that a short move is one frame.
func (m *Model) drive(x *move) tea.Cmd {
	m.take(x)
	return m.slice()
}

// take makes a move the one under way; its slices are still to come.
func (m *Model) take(x *move) {
	if m.run != nil && m.run.yields {
		m.run.stop()
	}
	m.runID++
	x.id, x.from = m.runID, m.s.Pos()
	m.run = x
}

// slice drives the move one slice further.
func (m *Model) slice() tea.Cmd {
	switch done := m.run.slice(m.ctx); {
	case !done && m.run.still:
		return nextSlice(m.run.id)
	case !done:
		return tea.Batch(m.arrive(false), nextSlice(m.run.id))
	}
	return m.finish()
}

func (m *Model) finish() tea.Cmd {
	x := m.run
	m.run = nil
	return x.finish(m)
}

// interrupt stops the move under way where it is.
func (m *Model) interrupt() tea.Cmd {
	if m.run == nil {
		return nil
	}
	m.run.stop()
	return m.finish()
}

// release lets an effect go that a breakpoint holds back: whoever goes on at that place means it. An effect that waits
// for another reason still waits.
func (m *Model) release() {
	var held *debug.Held
	if m.s.Pending() != nil && errors.As(m.s.Stop().Err, &held) {
		if err := m.s.SendPending(); err != nil {
			m.complain("%v", err)
		}
	}
}

// begin starts a search of the session.
func (m *Model) begin(verb string, search *debug.Search, target int) tea.Cmd {
	return m.beginThen(verb, search, target, func(*Model) {})
}

// beginThen is begin; then is called on arrival, when the search has stopped.
func (m *Model) beginThen(verb string, search *debug.Search, target int, then func(*Model)) tea.Cmd {
	return m.drive(&move{
		verb: verb, back: search.Back(), progress: search.Progress,
		slice: func(ctx context.Context) bool { _, done := search.Slice(ctx); return done },
		stop:  func() { search.Interrupt() },
		finish: func(m *Model) tea.Cmd {
			if target == 0 && m.s.Pos() == 0 {
				m.s.Restart() // nothing moves; the card then says that this is the start
			}
			cmd := m.arrive(true)
			then(m)
			return cmd
		},
	})
}

// gotoPos runs to a position, at most to where the events are lost.
func (m *Model) gotoPos(pos int) tea.Cmd {
	if m.lost.some {
		pos = min(pos, m.lost.from)
	}
	return m.begin("goto", m.s.Goto(pos), pos)
}
