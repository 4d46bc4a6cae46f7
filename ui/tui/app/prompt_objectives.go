package app

import (
	"slices"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// objectivesPrompt chooses what candidates are ranked by, and which two metrics the scatter shows. What is chosen holds at
// once: the table behind it is ranked anew with every key.
type objectivesPrompt struct {
	metrics []string
	list    rows.List[string]
}

func newObjectives(m *Model) *objectivesPrompt {
	p := &objectivesPrompt{}
	if v, ok := m.face().(*candidatesView); ok {
		p.metrics = v.known()
	}
	p.list.Update(len(p.metrics), func(i int) string { return p.metrics[i] }, nil)
	return p
}

func (p *objectivesPrompt) title() string { return "Rank by" }

func (p *objectivesPrompt) size(*Model) (w, h int) { return 58, min(len(p.metrics), 14) + 3 }

func (p *objectivesPrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	v, ok := m.face().(*candidatesView)
	name, some := p.list.Key()
	switch {
	case isCancel(k, id), k.Type == tea.KeyEnter, !ok:
		m.over = nil
	case listKey(&p.list, k):
	case !some:
	case k.Type == tea.KeySpace:
		return p.toggle(m, v, name)
	case k.Type == tea.KeyLeft, k.Type == tea.KeyRight:
		return p.turn(m, v, name)
	case k.Type == tea.KeyBackspace:
		v.by, v.axes = nil, [2]string{}
		return v.gather(m)
	case k.String() == "x":
		v.axes[0] = name
	case k.String() == "y":
		v.axes[1] = name
	case k.String() == "j":
		p.list.Move(1)
	case k.String() == "k":
		p.list.Move(-1)
	}
	return nil
}

// toggle adds a metric to the objectives, or takes it away; the last one stays.
func (p *objectivesPrompt) toggle(m *Model, v *candidatesView, name string) tea.Cmd {
	by := slices.Clone(v.objectives())
	i := slices.IndexFunc(by, func(o judge.Objective) bool { return o.Metric == name })
	switch {
	case i >= 0 && len(by) > 1:
		by = slices.Delete(by, i, i+1)
	case i < 0:
		d := judge.DirectionOf(name)
		if d == "" {
			d = contract.HigherIsBetter
		}
		by = append(by, judge.Objective{Objective: contract.Objective{Metric: name, Direction: d}})
	}
	v.by = by
	return v.gather(m)
}

// turn says that the other way is better.
func (p *objectivesPrompt) turn(m *Model, v *candidatesView, name string) tea.Cmd {
	by := slices.Clone(v.objectives())
	for i := range by {
		if by[i].Metric == name {
			by[i] = judge.Objective{Objective: contract.Objective{Metric: name, Direction: contract.LowerIsBetter}, Weight: by[i].Weight}
			if v.objectives()[i].Direction == contract.LowerIsBetter {
				by[i].Direction = contract.HigherIsBetter
			}
			v.by = by
			return v.gather(m)
		}
	}
	return nil
}

func (p *objectivesPrompt) render(m *Model, w, h int) []string {
	v, ok := m.face().(*candidatesView)
	if !ok || len(p.metrics) == 0 {
		return []string{m.textLine(w, "no candidate was measured up to here", m.th.Past)}
	}
	th := m.th
	x, y := v.axisNames()
	lines := p.list.Render(w, max(h-3, 1), m.look(true), func(i int, selected bool, b *cell.Builder) {
		name := p.metrics[i]
		m.putCursor(b, selected)
		mark, st := th.Glyph.BreakOff, th.Past
		if slices.ContainsFunc(v.objectives(), func(o judge.Objective) bool { return o.Metric == name }) {
			mark, st = th.Glyph.Break, th.Accent
		}
		b.Put(mark+" ", st)
		b.Field(name, max(b.Room()-20, 8), th.Text)
		b.Skip(1)
		b.Put(v.arrow(m, name)+" ", th.Text)
		if name == y {
			b.Put(" y axis", th.Past)
		}
		if name == x {
			b.Put(" x axis", th.Past)
		}
	})
	return append(lines, cell.Blank(w),
		m.textLine(w, "Space ranks by it   "+m.th.Glyph.Left+" "+m.th.Glyph.Right+" turns the direction", th.Past),
		m.textLine(w, "x y put it on an axis   Backspace takes the rules' own", th.Past))
}
