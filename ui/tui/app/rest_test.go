package app

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
)

// TestRest: in every view and under every panel the model comes to rest, and at rest it asks for nothing: drawing it, a message that
// is no longer of interest and a resize lead to no command, so that nothing runs until a key comes.
func TestRest(t *testing.T) {
	for name, sc := range screens {
		t.Run(name, func(t *testing.T) {
			d := sc.from(t)
			if sc.play != nil {
				sc.play(d)
			}
			if d.m.run != nil {
				t.Fatalf("a %s still runs", d.m.run.verb)
			}
			d.hold = true
			for _, msg := range []tea.Msg{
				tea.WindowSizeMsg{Width: 150, Height: 40}, tea.WindowSizeMsg{Width: 80, Height: 24},
				sliceMsg{d.m.runID}, hashMsg{d.m.hashID}, awaitedMsg{d.m.runID}, settledMsg{d.m.settleID - 1}, tea.FocusMsg{}, tea.BlurMsg{},
			} {
				d.m.View()
				d.send(msg)
			}
			for _, cmd := range d.waiting {
				if cmd != nil {
					t.Fatal("a model at rest asks for something")
				}
			}
		})
	}
}
