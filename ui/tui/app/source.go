package app

import (
	"fmt"
	"strings"

	"flowdbg/engine/behavior/script"
	"flowdbg/engine/debug"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// sourcePanel walks through one call of a script: the source with the statement that is about to run, and beside it the
// variables. Walking changes neither the run's position nor its log.
type sourcePanel struct {
	src    *debug.Source
	lines  []string
	list   rows.List[int] // cursor: a line of the source
	locals []script.Local
	was    map[string]string // values at the statement before, to mark what changed
	told   string
	off    int  // cells that the source is moved sideways
	wide   bool // the source has the whole width
	vars   sourceValues
}

// openSource opens the panel at the call of the step that the position is in.
func (m *Model) openSource() tea.Cmd {
	src, err := m.s.Source()
	if err != nil {
		m.say("source: %v", err)
		return nil
	}
	p := &sourcePanel{src: src, lines: strings.Split(strings.TrimRight(string(src.Text), "\n"), "\n")}
	p.list.Update(len(p.lines), func(i int) int { return i }, nil)
	m.over = p
	p.arrive(nil)
	return nil
}

// arrive takes over the place of the walk.
func (p *sourcePanel) arrive(was []script.Local) {
	p.was = map[string]string{}
	for _, l := range was {
		p.was[l.Name] = l.Value
	}
	p.locals, _ = p.src.Locals()
	if p.vars.on {
		p.look()
	}
	if st, ok := p.src.Statement(); ok && st.File == p.src.File {
		p.list.Center(st.Line - 1)
	}
}

func (p *sourcePanel) title() string {
	return fmt.Sprintf("%s · %s, step %d", p.src.File, p.src.Agent, p.src.Step)
}

func (p *sourcePanel) size(m *Model) (w, h int) { return m.w - 4, m.h - 4 }

func (p *sourcePanel) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	p.told = ""
	if p.vars.on {
		if cmd, done := p.valueKey(m, k, id); done {
			return cmd
		}
	}
	walkTo := func(move func() bool, end string) tea.Cmd {
		was := p.locals
		if !move() {
			p.told = end
		}
		p.arrive(was)
		return nil
	}
	const first, last = "this is the call's first statement", "the call has returned"
	switch id {
	case keymap.NextEvent:
		return walkTo(p.src.Into, last)
	case keymap.Step:
		return walkTo(p.src.Over, last)
	case keymap.PrevEvent:
		return walkTo(p.src.Back, first)
	case keymap.StepBack:
		return walkTo(p.src.BackOver, first)
	case keymap.Open:
		return walkTo(p.src.Out, last)
	case keymap.Close:
		return walkTo(p.src.BackOut, first)
	case keymap.Restart:
		return walkTo(func() bool { return p.src.Goto(0) || true }, "")
	case keymap.Continue, keymap.ReverseContinue:
		p.run(m, id == keymap.ReverseContinue)
	case keymap.BreakHere:
		p.toggleBreak(m)
	case keymap.NextPane, keymap.PrevPane:
		p.focus()
	case keymap.Toggle, keymap.Inspect:
		p.focus()
	case keymap.Zoom:
		p.wide = !p.wide
	case keymap.Wider:
		p.shift(m.th.Charset, shiftBy)
	case keymap.Narrower:
		p.shift(m.th.Charset, -shiftBy)
	case keymap.Print:
		m.over = newPrint(m)
	case keymap.Source:
		m.over = nil
	case keymap.EditSource:
		return m.openFile(m.sourceFile(p.src.File), p.list.Cursor()+1, 1)
	default:
		if isCancel(k, id) {
			m.over = nil
			return nil
		}
		walk(&p.list, id)
	}
	return nil
}

// run walks to the next line breakpoint of the call.
func (p *sourcePanel) run(m *Model, back bool) {
	was := p.locals
	_, b, err := m.s.SourceContinue(back)
	switch {
	case err != nil:
		p.told = err.Error()
	case b != nil:
		p.told = "breakpoint " + b.String()
	}
	p.arrive(was)
}

// lineBreak is the breakpoint on a line, nil when there is none.
func (p *sourcePanel) lineBreak(m *Model, line int) *debug.Breakpoint {
	for _, b := range m.s.Breakpoints() {
		if b.Kind == debug.BreakLine && b.Name == p.src.File && b.At() == line {
			return b
		}
	}
	return nil
}

func (p *sourcePanel) toggleBreak(m *Model) {
	line := p.list.Cursor() + 1
	if b := p.lineBreak(m, line); b != nil {
		if !b.Plain() {
			p.told = switched(b)
			return
		}
		m.s.Unbreak(b.ID)
		p.told = fmt.Sprintf("removed the breakpoint on line %d", line)
		return
	}
	b, err := m.s.Break(debug.Breakpoint{Kind: debug.BreakLine, Name: p.src.File, Line: line})
	if err != nil {
		p.told = err.Error()
		return
	}
	p.told = "breakpoint " + b.String()
}

func (p *sourcePanel) render(m *Model, w, h int) []string {
	th := m.th
	room := max(h-2, 1)
	right := 0
	if p.vars.whole != nil {
		return p.vars.whole.render(m, w, h)
	}
	switch {
	case p.vars.on && (w < 60 || p.wide):
		right = w // there is room for one of the two
	case w >= 60 && !p.wide:
		right = min(w*2/5, 60)
	}
	st, running := p.src.Statement()
	src := p.list.Render(w-right, room, m.look(!p.vars.on), func(i int, selected bool, b *cell.Builder) {
		m.putCursor(b, selected)
		switch x := p.lineBreak(m, i+1); {
		case x != nil && x.Enabled:
			b.Put(th.Glyph.Break, th.Break)
		case x != nil:
			b.Put(th.Glyph.BreakOff, th.Past)
		default:
			b.Skip(1)
		}
		style, mark := th.Text, " "
		if running && st.Line == i+1 && st.File == p.src.File {
			style, mark = th.Next, th.Glyph.Next
		}
		b.Put(mark, th.Accent)
		b.FieldRight(fmt.Sprint(i+1), 4, th.Past)
		b.Skip(1)
		b.Put(p.shifted(th.Charset, p.lines[i]), style)
	})
	if right > 0 {
		side := p.side(m, right, room)
		for i := range src {
			text := cell.Blank(right)
			if i < len(side) {
				text = side[i]
			}
			src[i] += text
		}
	}
	if h < 3 {
		return src
	}
	foot := fmt.Sprintf("statement %d of %d", p.src.At(), p.src.Len())
	if running {
		foot += " in " + st.Func
	}
	if p.src.Note != "" {
		foot += "  " + m.ascii(p.src.Note)
	}
	if p.off > 0 {
		foot += fmt.Sprintf("  from column %d", p.off+1)
	}
	if p.told != "" {
		foot = p.told
	}
	return append(src, m.textLine(w, foot, th.Accent), m.textLine(w, p.keysLine(m, w), th.Past))
}

// keysLine names the keys, as many as there is room for.
func (p *sourcePanel) keysLine(m *Model, w int) string {
	k := m.shownKey
	if p.vars.on {
		return fmt.Sprintf("Enter opens  %s in full  %s copy  Tab back to the source  %s over  %s back  Esc closes", k(keymap.Inspect), k(keymap.Copy), k(keymap.Step), k(keymap.StepBack))
	}
	parts := []string{k(keymap.Step) + " over", k(keymap.NextEvent) + " into", k(keymap.Open) + " out", k(keymap.StepBack) + " " + k(keymap.PrevEvent) + " " + k(keymap.Close) + " back",
		"Tab variables", "Esc closes", k(keymap.Narrower) + " " + k(keymap.Wider) + " sideways", k(keymap.Continue) + " " + k(keymap.ReverseContinue) + " to a breakpoint",
		k(keymap.BreakHere) + " breakpoint here", k(keymap.Print) + " prints", k(keymap.Zoom) + " source only"}
	text := parts[0]
	for _, x := range parts[1:] {
		if m.th.Charset.Width(text+"  "+x) > w-2 {
			break
		}
		text += "  " + x
	}
	return text
}

// side is what stands beside the source: the variables, or what the call returned, and what it printed.
func (p *sourcePanel) side(m *Model, w, h int) []string {
	if p.vars.on {
		return p.drawValues(m, w, h)
	}
	th := m.th
	var lines []string
	add := func(style cell.Style, text string) { lines = append(lines, m.textLine(w, text, style)) }
	if _, running := p.src.Statement(); !running {
		res, err := p.src.Outcome()
		if err != nil {
			add(th.Bad, "the call failed")
			for _, l := range wrapWords(th.Charset, err.Error(), w-2) {
				add(th.Bad, l)
			}
		} else {
			add(th.Past, "the call returned")
			add(th.Text, "state "+res.State.Text())
			for _, s := range res.Sends {
				add(th.Text, "send "+s.Port+" "+s.Tag+" "+s.Payload.Text())
			}
		}
	} else {
		add(th.Past, "variables")
	}
	for _, l := range p.locals {
		var b cell.Builder
		b.Start(th.Charset, w, "")
		mark, style := " ", th.Text
		if was, known := p.was[l.Name]; len(p.was) > 0 && (!known || was != l.Value) {
			mark, style = th.Glyph.Changed, th.Changed
		}
		b.Put(mark, th.Changed)
		b.Field(l.Name, min(16, w/3), th.Past)
		b.Skip(1)
		b.Put(l.Value, style)
		lines = append(lines, b.Line())
	}
	if out := p.src.Printed(); len(out) > 0 {
		lines = append(lines, cell.Blank(w))
		add(th.Past, "printed in the whole call")
		for _, l := range out {
			add(th.Text, l)
		}
	}
	return lines[:min(len(lines), h)]
}

// whyNoSource says why there is no script to walk through.
func (m *Model) whyNoSource() string {
	mc := m.s.Machine()
	switch {
	case mc == nil:
		return "the flow is not at hand"
	case len(mc.Sources()) == 0:
		return "the flow runs no script"
	}
	return m.busy()
}
