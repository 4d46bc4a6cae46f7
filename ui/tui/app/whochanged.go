package app

import (
	"context"
	"strings"

	"flowdbg/trace"

	tea "github.com/charmbracelet/bubbletea"
)

// askWhoChanged goes to the event that last changed the selected place.
func (m *Model) askWhoChanged() tea.Cmd {
	agent, ptr, _ := m.place()
	return m.whoChanged(agent, ptr)
}

func (m *Model) whoChanged(agent, ptr string) tea.Cmd {
	at := m.s.Pos()
	var ch *trace.Change
	var err error
	return m.study("who changed", func(ctx context.Context, tell trace.Progress) {
		ch, err = trace.WhoChanged(ctx, m.seen(), agent, ptr, at, tell)
	}, func(m *Model) tea.Cmd {
		where := strings.TrimSpace(ptr + " of " + agent)
		switch {
		case err != nil:
			m.complain("who changed: %v", err)
		case ch == nil:
			m.say("nothing changed %s up to here: it was so from the start", where)
		default:
			m.events.reveal(m, ch.Event)
			m.say("%s was changed by event %d, step %d: %s %s %s; Enter goes there", where, ch.Event, ch.Step, m.brief(ch.Before), m.th.Glyph.Words.Becomes, m.brief(ch.After))
		}
		return nil
	})
}
