package app

import (
	"fmt"

	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
)

const (
	// mostWatched is how many watched values stand below the agents; the list of watches has all.
	mostWatched = 6
	// besideWatched is how many lines the agents and outputs keep at least.
	besideWatched = 9
)

// watchRows is how many watched values there is room for in a pane of h lines; a heading stands above them.
func (p *agentsPane) watchRows(h int) int {
	return max(min(len(p.watched), mostWatched, h-besideWatched-1, h/3), 0)
}

// renderWatched draws a heading and the first n watched values; the heading tells how many there are.
func (p *agentsPane) renderWatched(m *Model, w, n int) []string {
	th, cs := m.th, m.th.Charset
	head := "   watched"
	if more := len(p.watched) - n; more > 0 {
		head += fmt.Sprintf(", %d more in %s", more, m.shownKey(keymap.Watches))
	}
	lines := []string{cell.Compose(cs, w, "", cell.Span{Text: head, Style: th.Past})}
	for i := range n {
		x := &p.watched[i]
		var b cell.Builder
		b.Start(cs, w, "")
		b.Skip(1)
		mark, style := " ", th.Text
		if x.Changed {
			mark, style = th.Glyph.Changed, th.Changed
		}
		b.Put(mark, th.Changed)
		b.Skip(1)
		name := cs.Middle(cutBytes(watchName(x.Watch), 1<<10), max((w-4)*3/5, 1))
		b.Put(name, th.Past)
		b.Skip(1)
		b.Put(m.brief(x.Value), style)
		if x.Changed && b.Room() > 10 {
			b.Put("  was "+m.brief(x.Before), th.Past)
		}
		lines = append(lines, b.Line())
	}
	return lines
}
