package app

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// settle is how long the flow's file must be quiet before it is read: editors write in several steps (page 04).
const settle = 30 * time.Millisecond

// nextSlice lets keys that are waiting go first, and then asks for the next slice.
func nextSlice(id int) tea.Cmd { return func() tea.Msg { return sliceMsg{id} } }

// settleLater waits until the file has been quiet.
func settleLater(id int) tea.Cmd {
	return tea.Tick(settle, func(time.Time) tea.Msg { return settledMsg{id} })
}

// loadFlow reads and checks the flow.
func loadFlow(ctx context.Context, read Reloader, id int, why loadWhy) tea.Cmd {
	return func() tea.Msg {
		machine, diags, data, err := read(ctx)
		return loadedMsg{id: id, machine: machine, diags: diags, data: data, err: err, why: why}
	}
}
