package app

import (
	"fmt"
	"os"
	"time"

	"flowdbg/engine/debug"
	"flowdbg/trace"

	tea "github.com/charmbracelet/bubbletea"
)

// followGap is how long the trace's file is left alone after it was looked at, however often it is written to.
const followGap = 60 * time.Millisecond

// traceWatchMsg says how watching the trace's file began or ended.
type traceWatchMsg watchMsg

// traceChangedMsg says that something happened to the trace's file.
type traceChangedMsg struct{}

// polledMsg is what became of the trace's file.
type polledMsg struct {
	change trace.FileChange
	kept   int // of a file that has shrunk: how many events are still there
	err    error
}

// rewrittenMsg says what became of the file of a trace that is in memory.
type rewrittenMsg struct {
	text string
	err  error
}

// followTrace watches the trace's file. One that stays in its file may still be written to; of one that is in memory it
// is only told when the file is not any more what was read.
func (m *Model) followTrace() tea.Cmd {
	path := m.cfg.TraceName
	if store := m.s.Store(); store != nil {
		path = store.Path()
	}
	if path == "" {
		return nil
	}
	return func() tea.Msg {
		if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
			return nil // standard input, a pipe, a part of a bundle: nothing that changes
		}
		w, err := newWatcher(path)
		return traceWatchMsg{w, err}
	}
}

// follows handles the messages about the trace's file; ok is false for all others.
func (m *Model) follows(msg tea.Msg) (cmd tea.Cmd, ok bool) {
	switch msg := msg.(type) {
	case traceWatchMsg:
		if msg.w == nil {
			m.problems.own = append(m.problems.own, debug.Problem{Severity: "warning", Source: "watch", Text: msg.err.Error(), Event: -1})
			m.problems.sync(m)
			return nil, true
		}
		m.traceWatch = msg.w
		return m.traceChange(), true
	case traceChangedMsg:
		next := m.traceChange()
		return tea.Batch(m.poll(), tea.Tick(followGap, func(time.Time) tea.Msg { return next() })), true
	case polledMsg:
		return m.polled(msg), true
	case rewrittenMsg:
		m.rewritten(msg)
		return nil, true
	}
	return nil, false
}

// poll looks at the file, off the path of the keys.
func (m *Model) poll() tea.Cmd {
	store, w := m.s.Store(), m.traceWatch
	if store == nil {
		return func() tea.Msg {
			text, err := w.changed()
			return rewrittenMsg{text, err}
		}
	}
	return func() tea.Msg {
		msg := polledMsg{}
		if msg.change, msg.err = store.Poll(); msg.err == nil && msg.change == trace.Shrank {
			msg.kept, msg.err = store.Kept()
		}
		return msg
	}
}

// traceChange waits for the next event of the trace's file.
func (m *Model) traceChange() tea.Cmd {
	next := m.traceWatch.next()
	return func() tea.Msg {
		switch msg := next().(type) {
		case changedMsg:
			return traceChangedMsg{}
		case watchMsg:
			return traceChangedMsg{} // events were lost: it may have changed
		default:
			return msg
		}
	}
}

// polled tells what became of the file. What was indexed can be shown whatever it was.
func (m *Model) polled(msg polledMsg) tea.Cmd {
	switch {
	case msg.err != nil:
		m.complain("the trace's file: %v", msg.err)
	case msg.change == trace.Grew:
		return m.indexOn()
	case msg.change == trace.Shrank && (m.fileState != trace.Shrank || msg.kept != m.lost.from):
		m.fileState = msg.change
		return m.cut(msg.kept)
	case msg.change != trace.Unchanged && msg.change != m.fileState:
		m.tellFile(msg.change.String())
	}
	m.fileState = msg.change
	return nil
}

// lostEvents are events that were shown and whose text has left the file.
type lostEvents struct {
	some bool
	from int // the first of them
}

// text names the events that are lost, of n that there were.
func (l lostEvents) text(n int) string {
	if l.from == n-1 {
		return fmt.Sprintf("event %d is lost: the file was cut", l.from)
	}
	return fmt.Sprintf("events %d to %d are lost: the file was cut", l.from, n-1)
}

// cut takes over that the file has shrunk: what is before the loss stays as it is, and the run stands there at most.
func (m *Model) cut(kept int) tea.Cmd {
	if kept >= m.s.Total() { // what was cut held no event
		m.tellFile(trace.Shrank.String())
		return nil
	}
	m.lost = lostEvents{some: true, from: kept}
	m.events.forget()
	m.inspect.forget()
	m.tellFile(m.lost.text(m.s.Total()) + "; what is before stays, open it again for what it holds now")
	if m.s.Pos() > kept && m.busy() == "" {
		return m.gotoPos(kept)
	}
	return m.sync()
}

// rewritten tells once that the file of a trace in memory has changed.
func (m *Model) rewritten(msg rewrittenMsg) {
	text := msg.text
	if msg.err != nil {
		text = msg.err.Error()
	}
	if text != "" && text != m.traceWatch.told {
		m.tellFile(text)
	}
	m.traceWatch.told = text
}

func (m *Model) tellFile(text string) {
	m.complain("trace: %s", text)
	m.problems.own = append(m.problems.own, debug.Problem{Severity: "warning", Source: "trace", Text: text, Event: -1})
	m.problems.sync(m)
}

// grown takes over what the index has by now; a run that is played back and stood at the end stands there again.
func (m *Model) grown(before int) tea.Cmd {
	cmd := m.sync()
	if n := m.s.Total(); n > before && before > 0 && m.s.Pos() == before && m.events.follow && m.s.Mode() == debug.Playback && m.busy() == "" && m.readOnce {
		return tea.Batch(cmd, m.gotoPos(n))
	}
	return cmd
}

// storeProblems is what indexing noticed, as far as the file was read.
func storeProblems(store *trace.Store) []debug.Problem {
	var list []debug.Problem
	for _, f := range store.Findings() {
		list = append(list, debug.Problem{Severity: debug.FindingSeverity(f), Source: "trace", Text: f.Text, Event: f.Event})
	}
	if t := store.Tear(); t != nil {
		list = append(list, debug.Problem{Severity: "warning", Source: "trace", Line: t.Line, Event: store.Len() - 1,
			Text: fmt.Sprintf("the trace is torn: %s; %s are left out", t.What, plural(t.Dropped, "byte"))})
	}
	return list
}
