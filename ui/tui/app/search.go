package app

import (
	"context"
	"fmt"
	"strings"
	"time"

	"flowdbg/engine/query"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// searchState is what was searched for last.
type searchState struct {
	text string       // as typed
	q    *query.Query // nil: a text
}

// searchMark begins an expression; everything else is a text. So "agent" finds the word and "=agent" is no accident.
const searchMark = "="

// compileSearch reads what was typed.
func compileSearch(text string) (searchState, error) {
	src, isExpr := strings.CutPrefix(text, searchMark)
	if !isExpr {
		return searchState{text: text}, nil
	}
	q, err := query.Compile(strings.TrimSpace(src))
	return searchState{text, q}, err
}

// searchPrompt asks what to search for.
type searchPrompt struct {
	input line
	wrong string
}

func newSearch(m *Model) *searchPrompt { return &searchPrompt{input: newLine(m.search.text)} }

func (p *searchPrompt) title() string { return "Search" }

func (p *searchPrompt) size(*Model) (w, h int) { return 84, 5 }

func (p *searchPrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter && p.input.String() != "":
		s, err := compileSearch(p.input.String())
		if err != nil {
			p.wrong = err.Error()
			return nil
		}
		m.over, m.search = nil, s
		return m.searchOn(false)
	default:
		p.wrong = ""
		p.input.key(k)
	}
	return nil
}

func (p *searchPrompt) render(m *Model, w, _ int) []string {
	th := m.th
	lines := []string{m.inputLine("/ ", &p.input, w)}
	if p.wrong != "" {
		for _, l := range wrapWords(th.Charset, p.wrong, w-2) {
			lines = append(lines, m.textLine(w, l, th.Bad))
		}
		return lines
	}
	kind := "a text, anywhere in an event's JSON; small letters find capitals too"
	if strings.HasPrefix(p.input.String(), searchMark) {
		kind = "an expression; one about state or spent moves the run"
	}
	return append(lines,
		m.textLine(w, "searches "+kind, th.Accent),
		m.textLine(w, `=EXPRESSION, for example  =agent == "critic" and tokens > 100`, th.Past),
		m.textLine(w, fmt.Sprintf("Enter searches from the cursor on, %s and %s go on, Esc stops", m.shownKey(keymap.SearchNext), m.shownKey(keymap.SearchPrev)), th.Past))
}

// seeker looks at some events and says when it has found one, or has none left.
type seeker func() (hit int, found, done bool, err error)

// searchOn goes to the next hit from the cursor on, and round the end once.
func (m *Model) searchOn(back bool) tea.Cmd {
	s := m.search
	if s.q != nil && s.q.NeedsState() {
		return m.begin("search", m.s.Find(s.q, back), -1)
	}
	if m.view != viewDebug {
		m.show(viewDebug)
	}
	from, n := m.events.event(), m.s.Total()
	if n == 0 {
		m.say("no events yet")
		return nil
	}
	start := from + 1
	if back {
		start = from - 1
	}
	seek := m.seeker(s, start, back)
	wrapped, hit, found := start < 0 || start >= n, 0, false
	if wrapped {
		seek = m.seeker(s, edge(n, back), back)
	}
	var err error
	at, stopped := start, false
	return m.drive(&move{
		verb: "search", still: true, back: false,
		progress: func() (int, int) { return at, n },
		slice: func(context.Context) bool {
			for end := time.Now().Add(sliceTime); time.Now().Before(end); {
				var done bool
				at, found, done, err = seek()
				switch {
				case err != nil:
					return true
				case found:
					hit = at
					found = !wrapped || back == (hit >= from) || hit == from
					return true
				case done && wrapped:
					return true
				case done:
					wrapped, seek = true, m.seeker(s, edge(n, back), back)
				}
			}
			return false
		},
		stop:   func() { stopped = true },
		finish: func(m *Model) tea.Cmd { return m.searched(s, hit, found, wrapped, stopped, err) },
	})
}

func edge(n int, back bool) int {
	if back {
		return n - 1
	}
	return 0
}

// searched tells how a search ended, and shows what it found.
func (m *Model) searched(s searchState, hit int, found, wrapped, stopped bool, err error) tea.Cmd {
	name := m.th.Charset.Middle(cutBytes(s.text, 1<<10), 40)
	switch {
	case err != nil:
		m.complain("search: %v", err)
	case stopped:
		m.say("search: stopped")
	case !found:
		m.say("%s is nowhere in %s", name, plural(m.s.Total(), "event"))
	default:
		m.events.reveal(m, hit)
		round := ""
		if wrapped {
			round = ", round the end"
		}
		m.say("%s is in event %d%s; Enter goes there, %s searches on", name, hit, round, m.shownKey(keymap.SearchNext))
	}
	return nil
}

// searchBytes is how much text one look of a search may cost; about a millisecond.
const searchBytes = 256 << 10

// seeker begins to look at an event.
func (m *Model) seeker(s searchState, start int, back bool) seeker {
	if s.q == nil {
		f, err := trace.NewFinder(m.seen(), trace.FindQuery{Text: s.text, IgnoreCase: s.text == strings.ToLower(s.text), Start: max(start, 0), Backward: back})
		if err != nil {
			return func() (int, bool, bool, error) { return 0, false, true, err }
		}
		return func() (int, bool, bool, error) {
			h, found, done, err := f.Slice(searchBytes)
			if found {
				return h.Event, true, done, err
			}
			return f.Next(), false, done, err
		}
	}
	i, d := start, 1
	if back {
		d = -1
	}
	return func() (int, bool, bool, error) {
		for range 64 {
			if i < 0 || i >= m.s.Total() {
				return i, false, true, nil
			}
			at := i
			i += d
			if !s.q.May(m.s.Header(at)) {
				continue
			}
			if ok, err := s.q.Match(query.Subject{Index: at, Event: m.s.Event(at)}); ok || err != nil {
				return at, ok, false, err
			}
		}
		return i, false, false, nil
	}
}

// reveal puts the cursor on an event and gives its pane the keys. A filter that hides it is taken off.
func (p *eventsPane) reveal(m *Model, event int) {
	if !p.shows(event) {
		p.filter = nil
		p.sync(m)
	}
	p.list.Center(p.row(event))
	m.focus[viewDebug] = layout.Events
	p.moved(m)
}
