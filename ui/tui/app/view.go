package app

import (
	"strings"

	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"
	"flowdbg/ui/tui/theme"
)

// View draws the screen: exactly h lines of exactly w cells, whatever is in the trace.
func (m *Model) View() string {
	if m.w <= 0 || m.h <= 0 {
		return ""
	}
	sc := m.screen()
	f := cell.NewFrame(m.th.Charset, m.w, m.h)
	put := func(r layout.Rect, lines ...string) {
		if !r.Empty() {
			f.Put(r.X, r.Y, r.W, lines[:min(len(lines), r.H)]...)
		}
	}
	put(sc.Header, m.header(sc.Header.W, sc.Header.H)...)
	if !sc.Tabs.Empty() {
		put(sc.Tabs, m.tabs(sc.Tabs.W))
	}
	for _, p := range sc.Panes {
		put(p.Outer, m.drawPane(p)...)
	}
	if !sc.Stop.Empty() {
		put(sc.Stop, m.stopLine(sc.Stop.W))
	}
	if !sc.Keys.Empty() {
		put(sc.Keys, m.bar(sc.Keys.W))
	}
	if m.over != nil {
		m.drawOverlay(f)
	}
	return f.String()
}

// drawPane draws a pane with its frame.
func (m *Model) drawPane(p layout.Placed) []string {
	focus := p.Pane == m.pane() && m.over == nil
	w, h := p.Inner.W, p.Inner.H
	title, note, lines := m.content(p.Pane, w, h, focus)
	if p.Bare {
		return lines
	}
	th := m.th
	x := cell.Box{
		Edges: th.Glyph.Edges, Style: th.Border, Joined: p.Joined, NoBottom: p.NoBottom,
		Title: []cell.Span{{Text: title, Style: th.Title}}, Thumb: th.Glyph.Thumb, ThumbStyle: th.Past,
	}
	if note != "" {
		x.Note = []cell.Span{{Text: note, Style: th.Past}}
	}
	if p.Pane == m.pane() {
		x.Title[0].Style = th.TitleFocus
		if th.Profile <= theme.Mono {
			x.Title[0].Text = "[" + title + "]" // what colours tell must be told without them too
		}
	}
	x.ThumbFrom, x.ThumbTo = m.thumb(p.Pane)
	return x.Draw(th.Charset, p.Outer.W, p.Outer.H, lines)
}

// content is what stands in a pane.
func (m *Model) content(p layout.Pane, w, h int, focus bool) (title, note string, lines []string) {
	if f := m.face(); f != nil {
		return f.draw(m, p, w, h, focus)
	}
	switch p {
	case layout.Agents:
		lines = m.agents.render(m, w, h, focus)
		title, note = m.agents.box(m)
	case layout.Events:
		lines = m.events.render(m, w, h, focus)
		title, note = m.events.box(m)
	case layout.Inspector:
		lines = m.inspect.render(m, w, h, focus)
		title, note = m.inspect.box(m)
	case layout.Inbox:
		lines = m.inbox.render(m, w, h, focus)
		title, note = m.inbox.box(m)
	case layout.Main:
		lines = m.problems.render(m, w, h, focus)
		title, note = m.problems.box()
	case layout.Detail:
		lines = m.problems.renderDetail(m, w, h)
		title = "Detail"
	}
	return title, note, lines
}

// thumb is the scroll bar of a pane, in lines of its content.
func (m *Model) thumb(p layout.Pane) (from, to int) {
	if f := m.face(); f != nil {
		return faceThumb(f, p)
	}
	switch p {
	case layout.Agents:
		from, to = m.agents.list.Thumb()
		if from != to {
			from, to = from+m.agents.headH, to+m.agents.headH
		}
	case layout.Events:
		from, to = m.events.list.Thumb()
	case layout.Inspector:
		if m.inspect.raw {
			return m.inspect.text.list.Thumb()
		}
		return m.inspect.tree().Thumb()
	case layout.Inbox:
		from, to = m.inbox.list.Thumb()
	case layout.Main:
		from, to = m.problems.list.Thumb()
	}
	return from, to
}

// look is how a list is drawn.
func (m *Model) look(focus bool) rows.Look {
	l := rows.Look{Charset: m.th.Charset, Select: m.th.SelectIdle}
	if focus {
		l.Select = m.th.Select
	}
	return l
}

// putCursor is the first cell of a row.
func (m *Model) putCursor(b *cell.Builder, selected bool) {
	if selected {
		b.Put(m.th.Glyph.Select, m.th.Accent)
	} else {
		b.Skip(1)
	}
}

// tabs names the panes of which only one is visible.
func (m *Model) tabs(w int) string {
	var b cell.Builder
	b.Start(m.th.Charset, w, "")
	for _, p := range m.mode().Panes() {
		name := m.tabName(p)
		if p == m.pane() {
			b.Put("["+name+"]", m.th.TitleFocus)
		} else {
			b.Put(" "+name+" ", m.th.Past)
		}
		b.Skip(1)
	}
	return b.Line()
}

func (m *Model) tabName(p layout.Pane) string {
	if p == layout.Main {
		return m.viewTitle()
	}
	return p.String()
}

// tabAt is the pane whose name is at a cell of the line of tabs.
func (m *Model) tabAt(x int) (layout.Pane, bool) {
	for _, p := range m.mode().Panes() {
		w := m.th.Charset.Width(m.tabName(p)) + len("[]")
		if x >= 0 && x < w {
			return p, true
		}
		x -= w + 1
	}
	return 0, false
}

// bar is the bottom line: what can be done here, most useful first.
func (m *Model) bar(w int) string {
	look := keymap.BarLook{Charset: m.th.Charset, Key: m.th.Key, Text: m.th.Past}
	return m.barTable().Bar(w, look, m.hints()...)
}

// barTable is the table of keys with the name of what Enter does here.
func (m *Model) barTable() *keymap.Table {
	name := m.enterName()
	if name == "" || m.over != nil {
		return m.keys
	}
	t := m.barKeys[name]
	if t == nil {
		list := Actions()
		for i := range list {
			if list[i].ID == keymap.Toggle {
				list[i].Short = name
			}
		}
		t, _ = keymap.New(list, m.cfg.Remap)
		t.Disabled = m.why
		m.barKeys[name] = t
	}
	return t
}

// enterName is what Enter does in this pane, "" where it opens and closes.
func (m *Model) enterName() string {
	switch {
	case m.view == viewRuns:
		return "show this run"
	case m.view == viewGraph:
		return "show its state"
	case m.view == viewCompare && m.pane() == layout.Detail, m.view == viewDebug && m.pane() != layout.Events:
		return ""
	}
	return "go to its step"
}

// hints are the actions of the bottom bar in this view and pane; help is the last one and always stays.
func (m *Model) hints() []keymap.ID {
	if m.over != nil || m.run != nil {
		return []keymap.ID{keymap.Cancel}
	}
	if f := m.face(); f != nil {
		return m.faceHints(f)
	}
	if m.view == viewProblems {
		return []keymap.ID{keymap.View(int(viewDebug)), keymap.Toggle, keymap.Reload, keymap.NextPane, keymap.Copy, keymap.Quit, keymap.Palette, keymap.Help}
	}
	ids := []keymap.ID{keymap.Answer, keymap.Step, keymap.StepBack, keymap.Continue, keymap.ReverseContinue}
	switch m.pane() {
	case layout.Events:
		ids = append(ids, keymap.Follow)
	case layout.Inspector:
		ids = append(ids, keymap.Raw, keymap.WhoChanged, keymap.Watch)
	case layout.Agents:
		ids = append(ids, keymap.BreakHere)
	}
	return append(ids, keymap.Goto, keymap.Why, keymap.Search, keymap.Palette, keymap.NextPane, keymap.Breakpoints, keymap.Edit, keymap.Quit, keymap.Inspect,
		keymap.Filter, keymap.Zoom, keymap.Copy, keymap.Mark, keymap.Marks, keymap.Write, keymap.View(int(viewProblems)), keymap.Help)
}

// shownKey is the key of an action as it is shown, "" when it has none.
func (m *Model) shownKey(id keymap.ID) string {
	a, _ := m.keys.Get(id)
	return keymap.Label(a.Key(), m.th.Charset == cell.ASCII)
}

// signs are the characters of our own sentences that are not ASCII, and what stands for them in --ascii.
var signs = strings.NewReplacer("→", "->", "←", "<-", "·", "-", "–", "-", "…", "..", "≡", "=", "≠", "!", "≥", ">=", "≤", "<=", "±", "+-", "×", "x", "∞", "inf",
	"µm²", "um^2", "▶", ">", "●", "@")

// ascii writes a sentence of our own in the charset of the screen.
func (m *Model) ascii(s string) string {
	if m.th.Charset == cell.ASCII {
		return signs.Replace(s)
	}
	return s
}
