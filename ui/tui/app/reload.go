package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"

	tea "github.com/charmbracelet/bubbletea"
)

// reloadState is what the header says about the flow's file.
type reloadState struct {
	text   string // "" as long as nothing was read again
	place  string // where the first error of the flow is; "" without one
	bad    bool
	diff   *engine.Divergence // the first event that differs from the run before, nil when none does
	opened bool               // the Problems view was shown because of it, and goes when the flow is right again
}

// watching takes over the watcher, or tells why there is none.
func (m *Model) watching(msg watchMsg) tea.Cmd {
	if msg.w != nil {
		m.watch = msg.w
		return tea.Batch(m.watch.next(), m.watchScripts(m.s.Machine()), m.watchNamed(m.named))
	}
	m.problems.own = append(m.problems.own, debug.Problem{Severity: "warning", Source: "watch", Text: msg.err.Error(), Event: -1})
	m.problems.sync(m)
	if m.watch == nil {
		m.reload = reloadState{text: "not watched", bad: true}
		return nil
	}
	// Events were lost: the file may have changed.
	m.settleID++
	return tea.Batch(m.watch.next(), settleLater(m.settleID))
}

// load reads the flow again in a command.
func (m *Model) load(why loadWhy) tea.Cmd {
	m.loadID++
	return loadFlow(m.ctx, &m.cfg, m.loadID, why)
}

// loaded gives the session a flow that was read. With errors the old session stays and the Problems view says what is
// wrong; otherwise the run is made again and stops at the first event that differs.
func (m *Model) loaded(msg loadedMsg) tea.Cmd {
	watch := m.watchNamed(msg.named)
	if msg.why == atStart && (msg.err != nil || m.openedOn(msg)) {
		if msg.err == nil {
			m.kept, m.keptOf = msg.data, madeOf(msg)
		}
		return watch
	}
	if msg.err != nil {
		// An editor that is saving may have the file away for a moment; the next event reads it again.
		m.reload.text, m.reload.place, m.reload.bad = "flow not readable", "", true
		m.complain("reload: %v", msg.err)
		m.kept = nil
		return nil
	}
	of := madeOf(msg)
	if m.kept != nil && bytes.Equal(m.kept, msg.data) && m.keptOf == of {
		switch {
		case msg.why != byKey:
		case msg.machine == nil: // what was wrong still is
			m.refused(msg)
			m.sync()
		default:
			m.say("reload: the file has not changed")
		}
		return watch
	}
	m.kept, m.keptOf = msg.data, of
	if m.run != nil {
		m.interrupt()
	}
	scripts := m.watchScripts(msg.machine)
	r := m.s.BeginReload(msg.machine, msg.diags, msg.data)
	var res debug.ReloadResult
	m.events.forget()
	m.inspect.forget()
	m.reload.diff = nil
	return tea.Batch(watch, scripts, m.drive(&move{
		verb: reloadVerb, progress: r.Progress,
		slice:  func(ctx context.Context) (done bool) { res, done = r.Slice(ctx); return done },
		stop:   func() { res = r.Interrupt() },
		finish: func(m *Model) tea.Cmd { return m.reloaded(msg, res) },
	}))
}

// openedOn says whether the flow that was read is the one that the session was opened on. When it is another, the file
// was changed in between.
func (m *Model) openedOn(msg loadedMsg) bool {
	now := m.s.Machine()
	if now == nil || msg.machine == nil {
		return now == nil && msg.machine == nil
	}
	return now.Flow().SHA256() == msg.machine.Flow().SHA256() && slices.Equal(now.Sources(), msg.machine.Sources())
}

// madeOf tells two readings of the same text apart: by the scripts that the flow was made of, or by what was wrong, and by
// the other files that it names.
func madeOf(msg loadedMsg) string {
	var b strings.Builder
	b.WriteString(msg.sum + "\n")
	if msg.machine == nil {
		for _, d := range msg.diags {
			b.WriteString(d.String() + "\n")
		}
		return b.String()
	}
	for _, f := range msg.machine.Sources() {
		b.WriteString(f.SHA256 + " " + f.Name + "\n")
	}
	return b.String()
}

// watchNamed lets a change of what the flow names be a change of the flow: its platform's files, the lock, rules. nil
// leaves all as it was.
func (m *Model) watchNamed(n *platform.Named) tea.Cmd {
	if n == nil {
		return nil
	}
	m.named = n
	if m.watch == nil || len(n.Files) == 0 {
		return nil
	}
	return m.watch.named(*n)
}

// watchScripts lets a change of a script be a change of the flow. What an invalid flow is made of is not known: what was
// watched before stays so.
func (m *Model) watchScripts(machine *engine.Machine) tea.Cmd {
	if m.watch == nil || machine == nil {
		return nil
	}
	var names []string
	for _, f := range machine.Sources() {
		names = append(names, f.Name)
	}
	if len(names) == 0 {
		return nil
	}
	return m.watch.also(names)
}

// reloadVerb names a reload under way.
const reloadVerb = "reload"

// reloaded says what a reload did and goes where it leads.
func (m *Model) reloaded(msg loadedMsg, res debug.ReloadResult) tea.Cmd {
	m.events.forget()
	m.inspect.forget()
	if res.Kept {
		m.refused(msg)
		m.sync()
		return m.hashLater()
	}
	m.reload.text, m.reload.place, m.reload.bad, m.reload.diff = "reloaded", "", false, res.Difference
	m.notice = notice{}
	if d := res.Difference; d != nil {
		m.reload.text = fmt.Sprintf("reloaded %s step %d", m.th.Glyph.Differs, d.Step)
	}
	if m.reload.opened {
		m.view, m.reload.opened = viewDebug, false
	}
	return m.arrive(true)
}

// refused tells that the new flow has errors.
func (m *Model) refused(msg loadedMsg) {
	n, place := 0, ""
	for _, d := range msg.diags {
		if d.Severity == flow.Error {
			if n++; n == 1 {
				place = fmt.Sprintf("%s:%d:%d", base(d.File), d.Line, d.Col)
			}
		}
	}
	m.reload.place = place
	m.reload.text, m.reload.bad = fmt.Sprintf("reload: %s", plural(n, "error")), true
	if m.over == nil && m.view != viewProblems {
		m.view, m.reload.opened = viewProblems, true
	}
	m.problems.showFlow = true
	m.complain("the flow has %s, first at %s; the session stays as it was", plural(n, "error"), place)
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

var errNoFile = errors.New("no flow file that could be read again")
