package app

import (
	"context"
	"fmt"
	"sort"

	"flowdbg/engine/debug"
	"flowdbg/engine/query"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// eventFilter shows only the events for which an expression holds.
type eventFilter struct {
	q   *query.Query
	run *debug.Filter
	of  int // the run that it looked at
}

// filterPrompt asks for the expression; an empty one takes the filter off.
type filterPrompt struct {
	input line
	wrong string
}

func newFilter(m *Model) *filterPrompt {
	p := &filterPrompt{}
	if f := m.events.filter; f != nil {
		p.input = offered(f.q.String())
	}
	return p
}

func (p *filterPrompt) title() string { return "Show only events for which" }

func (p *filterPrompt) size(*Model) (w, h int) { return 84, 5 }

func (p *filterPrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter && p.input.String() == "":
		m.over, m.events.filter = nil, nil
		m.events.sync(m)
		m.say("all events are shown")
	case k.Type == tea.KeyEnter:
		q, err := query.Compile(p.input.String())
		if err == nil {
			_, err = m.s.NewFilter(q)
		}
		if err != nil {
			p.wrong = err.Error()
			return nil
		}
		m.over = nil
		return m.filterBy(q)
	default:
		p.wrong = ""
		p.input.key(k)
	}
	return nil
}

func (p *filterPrompt) render(m *Model, w, _ int) []string {
	th := m.th
	lines := []string{m.inputLine("f ", &p.input, w)}
	if p.wrong != "" {
		for _, l := range wrapWords(th.Charset, p.wrong, w-2) {
			lines = append(lines, m.textLine(w, l, th.Bad))
		}
		return lines
	}
	return append(lines,
		m.textLine(w, `an expression, for example  agent == "critic" and type == "receive"`, th.Past),
		m.textLine(w, `names: type agent step tag sender port to payload op input response usd tokens error`, th.Past),
		m.textLine(w, "an empty line shows all events again"+p.input.offer(), th.Past))
}

// filterBy goes through all events; those that were found are shown meanwhile, and stay when Esc ends it.
func (m *Model) filterBy(q *query.Query) tea.Cmd {
	run, err := m.s.NewFilter(q)
	if err != nil {
		m.complain("filter: %v", err)
		return nil
	}
	m.events.filter = &eventFilter{q, run, m.s.CurrentRun()}
	m.show(viewDebug)
	return m.drive(&move{
		verb: "filter", still: true, progress: run.Progress,
		slice: func(ctx context.Context) bool {
			done := run.Slice(ctx)
			m.events.sync(m)
			return done
		},
		stop: func() {},
		finish: func(m *Model) tea.Cmd {
			m.events.sync(m)
			at, of := run.Progress()
			switch {
			case run.Err != nil:
				m.complain("%s; where it stumbled, the event is not shown: %v", hits(len(run.Hits)), run.Err)
			case at < of:
				m.say("%s among the first %d of %d events", hits(len(run.Hits)), at, of)
			default:
				m.say("%s of %d; an empty filter shows all", hits(len(run.Hits)), of)
			}
			return nil
		},
	})
}

func hits(n int) string { return plural(n, "event") }

// follow looks at events that are new, or at all again when they are another run's.
func (f *eventFilter) follow(m *Model) {
	if f.of != m.s.CurrentRun() {
		if run, err := m.s.NewFilter(f.q); err == nil {
			f.run, f.of = run, m.s.CurrentRun()
		}
	}
	if at, of := f.run.Progress(); at < of && m.run == nil {
		f.run.Slice(m.ctx)
	}
}

// count is how many rows the list has.
func (p *eventsPane) count(m *Model) int {
	if m.lost.some { // one row stands for all that are lost
		if p.filter == nil {
			return m.lost.from + 1
		}
		hits := p.filter.run.Hits
		return min(sort.SearchInts(hits, m.lost.from)+1, len(hits))
	}
	if p.filter != nil {
		return len(p.filter.run.Hits)
	}
	return m.s.Total() + len(m.apart())
}

// index is the event of a row.
func (p *eventsPane) index(row int) int {
	if p.filter == nil {
		return row
	}
	if hits := p.filter.run.Hits; row < len(hits) {
		return hits[row]
	}
	return 0
}

// row is where an event stands; of one that the filter hides, the event before it.
func (p *eventsPane) row(event int) int {
	if p.filter == nil {
		return event
	}
	hits := p.filter.run.Hits
	i := sort.SearchInts(hits, event)
	if i < len(hits) && hits[i] == event {
		return i
	}
	return max(i-1, 0)
}

// shows says whether an event has a row.
func (p *eventsPane) shows(event int) bool {
	if p.filter == nil {
		return true
	}
	hits := p.filter.run.Hits
	i := sort.SearchInts(hits, event)
	return i < len(hits) && hits[i] == event
}

// event is the event under the cursor.
func (p *eventsPane) event() int { return p.index(p.list.Cursor()) }

// filterNote is the second half of the pane's title.
func (p *eventsPane) filterNote(m *Model, title string) string {
	f := p.filter
	if f == nil {
		return title
	}
	more := ""
	if at, of := f.run.Progress(); at < of {
		more = m.th.Glyph.Words.AtLeast
	}
	return fmt.Sprintf("%s where %s (%s%d)", title, m.th.Charset.Middle(cutBytes(f.q.String(), 1<<10), 32), more, len(f.run.Hits))
}

func (p *eventsPane) emptyText() string {
	if p.filter != nil {
		return "  no event is so; an empty filter shows all"
	}
	return "  no events yet"
}
