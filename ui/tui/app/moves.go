package app

import (
	"time"

	"flowdbg/engine/debug"

	tea "github.com/charmbracelet/bubbletea"
)

const (
	// eagerAgents is up to how many agents the hash is computed with the key; more are left for later.
	eagerAgents = 1000
	// hashDelay is how long no key must have come before a large state is hashed.
	hashDelay = 80 * time.Millisecond
)

// move is a long move under way, driven slice by slice.
type move struct {
	id     int
	search *debug.Search
	verb   string // "continue", "goto"
	from   int    // position where it began
	target int    // -1: none
}

// arrive is called when the session stands somewhere else. jump says that the place was asked for, so that the cursor
// goes there even if it was left elsewhere.
func (m *Model) arrive(jump bool) tea.Cmd {
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
	if m.run == nil && m.s.State().AgentCount() <= eagerAgents {
		m.hash = m.s.Hash()
	}
	m.sync()
	return m.hashLater()
}

// hashLater computes a hash that is missing, off the path of the keys.
func (m *Model) hashLater() tea.Cmd {
	if m.hash != "" || m.run != nil || m.s.State().Flowless() {
		return nil
	}
	id := m.hashID
	return tea.Tick(hashDelay, func(time.Time) tea.Msg { return hashMsg{id} })
}

// followRun brings the cursors to where the run stands; they go along from there.
func (m *Model) followRun() {
	m.events.follow, m.agents.follow = true, true
}

// begin starts a long move; its first slice runs at once, so that a short move is one frame.
func (m *Model) begin(verb string, search *debug.Search, target int) tea.Cmd {
	m.runID++
	m.run = &move{id: m.runID, search: search, verb: verb, from: m.s.Pos(), target: target}
	return m.slice()
}

// slice drives the move one slice further.
func (m *Model) slice() tea.Cmd {
	stop, done := m.run.search.Slice(m.ctx)
	if !done {
		return tea.Batch(m.arrive(false), nextSlice(m.run.id))
	}
	return m.finish(stop)
}

// finish ends the move where it stopped.
func (m *Model) finish(stop debug.Stop) tea.Cmd {
	if m.run.target == 0 && stop.Pos == 0 {
		m.s.Restart() // nothing moves; the card then says that this is the start
	}
	m.run = nil
	return m.arrive(true)
}

// interrupt stops the move under way where it is.
func (m *Model) interrupt() tea.Cmd {
	if m.run == nil {
		return nil
	}
	return m.finish(m.run.search.Interrupt())
}

// gotoPos runs to a position.
func (m *Model) gotoPos(pos int) tea.Cmd {
	return m.begin("goto", m.s.Goto(pos), pos)
}
