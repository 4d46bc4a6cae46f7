package app

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// causesOf keeps what is needed to answer questions about causes, as long as the events stay the same.
type causesOf struct {
	causes *trace.Causes
	run, n int
}

// withCauses calls then once questions can be asked. The first one of a trace in memory goes through all its events.
func (m *Model) withCauses(then func(*Model, *trace.Causes) tea.Cmd) tea.Cmd {
	run, n := m.s.CurrentRun(), m.s.Total()
	if c := m.causes; c.causes != nil && c.run == run && c.n == n {
		return then(m, c.causes)
	}
	var got *trace.Causes
	var err error
	return m.study("why", func(ctx context.Context, tell trace.Progress) {
		got, err = trace.NewCauses(ctx, m.seen(), tell)
	}, func(m *Model) tea.Cmd {
		if err != nil {
			m.complain("why: %v", err)
			return nil
		}
		m.causes = causesOf{got, run, n}
		return then(m, got)
	})
}

// askWhy opens the panel about what the cursor is on: the chain back to the input, or what came of it.
func (m *Model) askWhy(forward bool) tea.Cmd {
	ref, ok := m.subject()
	if !ok {
		return nil
	}
	return m.askAbout(ref, forward)
}

// askAbout asks why something exists, or what came of it.
func (m *Model) askAbout(ref trace.Ref, forward bool) tea.Cmd {
	return m.withCauses(func(m *Model, c *trace.Causes) tea.Cmd {
		p := &whyPanel{causes: c, ref: ref}
		return p.ask(m, forward)
	})
}

// whyPanel is the causal chain of something back to the input, or the tree of what came of it.
type whyPanel struct {
	causes  *trace.Causes
	ref     trace.Ref
	forward bool
	chain   *trace.Chain
	lines   []whyLine
	foot    string
	bad     bool
	list    rows.List[int]
}

// whyLine is one link, ready to be drawn.
type whyLine struct {
	where, text, note, cost string
	depth                   int
	detail                  canon.Value
	event                   int // -1: nothing to go to
	last                    bool
}

// ask looks the answer up and opens the panel with it.
func (p *whyPanel) ask(m *Model, forward bool) tea.Cmd {
	p.forward = forward
	if !forward {
		return p.askBack(m)
	}
	at, err := p.causes.Event(p.ref)
	if err != nil {
		m.complain("what came of it: %v", err)
		return nil
	}
	var tree *trace.Node
	m.over = nil
	return m.study("what came of it", func(ctx context.Context, tell trace.Progress) {
		tree, err = p.causes.CameOf(ctx, at, trace.TreeLimits{}, tell)
	}, func(m *Model) tea.Cmd {
		if err != nil {
			m.complain("what came of it: %v", err)
			return nil
		}
		p.fromTree(m, tree)
		p.open(m, 0)
		return nil
	})
}

// askBack follows the chain to its root, which is as long as the trace may be. A file is read beside Update; what is in
// memory belongs to Update and is read in slices.
func (p *whyPanel) askBack(m *Model) tea.Cmd {
	var chain *trace.Chain
	var err error
	then := func(m *Model) tea.Cmd {
		if err != nil {
			m.complain("why: %v", err)
			return nil
		}
		p.chain = chain
		p.fromChain(m, chain)
		p.open(m, len(p.lines)-1)
		return nil
	}
	m.over = nil
	if store, file := m.seen().(*trace.Store); file {
		ref := p.ref
		return m.await("why", func(ctx context.Context) {
			// Asked anew each time, because a question that was stopped may still be at its end.
			var c *trace.Causes
			if c, err = trace.NewCauses(ctx, store, nil); err == nil {
				chain, err = c.Why(ctx, ref, 0)
			}
		}, then)
	}
	return m.study("why", func(ctx context.Context, tell trace.Progress) {
		m.pauses.tell = tell
		defer func() { m.pauses.tell = nil }()
		chain, err = p.causes.Why(ctx, p.ref, 0)
	}, then)
}

func (p *whyPanel) open(m *Model, at int) {
	p.list = rows.List[int]{}
	p.list.Update(len(p.lines), func(i int) int { return i }, nil)
	p.list.SetCursor(at)
	m.over = p
}

const (
	// deepest is how many levels of a chain are indented.
	deepest = 8
	// narrowWhy is below how many cells few levels are, so that the text finds room.
	narrowWhy, narrowDeepest = 60, 2
)

// fromChain makes the lines of a chain, from the root to the thing.
func (p *whyPanel) fromChain(m *Model, c *trace.Chain) {
	p.lines, p.foot, p.bad = p.lines[:0], "", false
	for i, l := range c.Links {
		if c.Skipped > 0 && i == c.SkipAt {
			p.lines = append(p.lines, whyLine{depth: i, where: m.th.Glyph.Ellipsis, text: plural(c.Skipped, "link") + " between", event: -1})
		}
		p.lines = append(p.lines, m.whyLine(&l, i, i == len(c.Links)-1))
	}
	switch {
	case c.Broken != "":
		p.foot, p.bad = "the chain ends here: "+c.Broken, true
	case !c.Exact:
		p.foot, p.bad = "not exact: a message received is not the one that its cause delivered", true
	default:
		p.foot = "exact: every message received is the one that was delivered, byte for byte"
	}
}

// fromTree makes the lines of a tree, depth first.
func (p *whyPanel) fromTree(m *Model, root *trace.Node) {
	p.lines, p.bad = p.lines[:0], false
	var add func(n *trace.Node, depth int)
	add = func(n *trace.Node, depth int) {
		l := m.whyLine(&n.Link, depth, depth == 0)
		switch n.Fate {
		case trace.FateWaiting:
			l.note = "still waits"
		case trace.FateDropped:
			l.note = "was dropped"
		}
		p.lines = append(p.lines, l)
		for _, c := range n.Children {
			add(c, depth+1)
		}
		if n.More > 0 {
			p.lines = append(p.lines, whyLine{depth: depth + 1, where: m.th.Glyph.Ellipsis, text: fmt.Sprintf("%d more", n.More), event: -1})
		}
	}
	add(root, 0)
	p.foot = fmt.Sprintf("%s and %s came of it", plural(root.Steps, "step"), plural(root.Messages, "message"))
	if root.Steps+root.Messages == 0 {
		p.foot = "nothing came of it"
	}
}

func (m *Model) whyLine(l *trace.Link, depth int, last bool) whyLine {
	x := whyLine{depth: depth, where: l.Where(), text: l.Text, note: l.Note, detail: l.Detail, event: l.Event, last: last}
	switch c := l.Cost; {
	case c == nil:
	case c.Unknown:
		x.cost = "cost unknown"
	case c.USD != 0:
		x.cost = money(trace.NanoUSD(c.USD))
	}
	return x
}

// branch is the line that leads to a child at a depth.
func (m *Model) branch(depth, most int) string {
	if depth <= 0 {
		return ""
	}
	return strings.Repeat("  ", min(depth, most)-1) + m.th.Glyph.Corner + " "
}

func (p *whyPanel) title() string {
	name := p.ref.String()
	switch {
	case p.ref.Agent != "":
		name = fmt.Sprintf("message %d that waits for %s", p.ref.Index+1, p.ref.Agent)
	case p.ref.Output == "" && p.ref.Event >= 0:
		name = fmt.Sprintf("event %d", p.ref.Event)
	}
	if p.forward {
		return "What came of " + name + "?"
	}
	return "Why does " + name + " exist?"
}

func (p *whyPanel) size(m *Model) (w, h int) { return min(max(m.w-6, 40), 132), len(p.lines) + 3 }

func (p *whyPanel) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	switch {
	case isCancel(k, id):
		m.over = nil
	case id == keymap.Toggle, id == keymap.Open:
		if i := p.list.Cursor(); i < len(p.lines) && p.lines[i].event >= 0 {
			m.over = nil
			return m.jump(p.lines[i].event)
		}
	case k.Type == tea.KeyTab, id == keymap.Why && p.forward, id == keymap.CameOf && !p.forward:
		return p.ask(m, !p.forward)
	case id == keymap.Why, id == keymap.CameOf:
		// The same question, about the link under the cursor.
		if i := p.list.Cursor(); i < len(p.lines) && p.lines[i].event >= 0 {
			p.ref = trace.EventRef(p.lines[i].event)
			return p.ask(m, p.forward)
		}
	default:
		walk(&p.list, id)
	}
	return nil
}

// walk moves in a list by the actions of movement, for overlays without a line of input.
func walk(l mover, id keymap.ID) bool {
	t := travel{}
	switch id {
	case keymap.Up:
		t.rows = -1
	case keymap.Down:
		t.rows = 1
	case keymap.PageUp:
		t.pages = -1
	case keymap.PageDown:
		t.pages = 1
	case keymap.Home:
		t.end = -1
	case keymap.End:
		t.end = 1
	default:
		return false
	}
	t.apply(l)
	return true
}

func (p *whyPanel) render(m *Model, w, h int) []string {
	th := m.th
	draw := func(i int, selected bool, b *cell.Builder) { p.draw(m, i, selected, b) }
	if h < 4 {
		return p.list.Render(w, max(h-3, 1), m.look(true), draw)
	}
	lines := p.rooted(m, w, h-3, draw)
	style := th.Past
	if p.bad {
		style = th.Warn
	}
	toggle := "what came of it"
	if p.forward {
		toggle = "why it exists"
	}
	keys := fmt.Sprintf("Enter goes there   Tab %s   %s asks about the selected line   Esc closes", toggle, m.shownKey(keymap.Why))
	if w < narrowWhy {
		keys = fmt.Sprintf("Enter goes  Tab %s  %s asks here  Esc", toggle, m.shownKey(keymap.Why))
	}
	return append(lines, cell.Blank(w), m.textLine(w, th.Charset.Middle(m.ascii(p.foot), w-2), style), m.textLine(w, keys, th.Past))
}

// rooted draws the list. The first line stays in sight when the window lies below it: with the root and the lines around
// the cursor a long chain can be read from both ends.
func (p *whyPanel) rooted(m *Model, w, h int, draw func(i int, selected bool, b *cell.Builder)) []string {
	const least = 4
	if h >= least && p.list.Len() > h {
		below := p.list.Render(w, h-1, m.look(true), draw)
		if from, _ := p.list.Window(); from > 0 {
			var b cell.Builder
			b.Start(m.th.Charset, w, "")
			draw(0, false, &b)
			return append([]string{b.Line()}, below...)
		}
	}
	return p.list.Render(w, h, m.look(true), draw)
}

// draw is one link: where, what, the start of its payload, its cost, its event.
func (p *whyPanel) draw(m *Model, i int, selected bool, b *cell.Builder) {
	th, l := m.th, &p.lines[i]
	m.putCursor(b, selected)
	w := b.Room()
	place := ""
	if l.event >= 0 {
		place = fmt.Sprintf("event %d", l.event)
	}
	right, most := 22, deepest // columns of cost and event
	switch {
	case w >= narrowWhy:
	case w >= 36: // e12 is what g takes
		right, most = 2+len(strconv.Itoa(p.highest()))+1, narrowDeepest
		place = strings.Replace(place, "event ", "e", 1)
	default:
		right, most = 0, narrowDeepest
	}
	left := b.Col() + w
	b.Put(m.branch(l.depth, most), th.Border)
	b.Put(l.where, th.Past)
	textAt := 1 + min(2*min(len(p.lines), most)+8+2*most/deepest, w/3)
	b.To(max(textAt, b.Col()+2))
	style := th.Text
	if l.last {
		style = th.Next
	}
	room := left - right - b.Col()
	text := m.ascii(l.text)
	if l.note != "" {
		text += "  " + m.ascii(l.note)
	}
	if room > 0 {
		n := min(room, max(th.Charset.Width(text), min(44, room*3/5)))
		b.Field(th.Charset.Middle(text, n), n, style)
		if rest := left - right - b.Col(); rest > 12 {
			drawIn(b, rest-1, l.detail, th.Past)
		}
	}
	b.To(left - right)
	if right > 10 {
		b.FieldRight(l.cost, 10, th.Text)
		b.Skip(1)
	}
	b.FieldRight(place, b.Room()-1, th.Past)
}

// highest is the highest number of an event in the list.
func (p *whyPanel) highest() int {
	n := 0
	for i := range p.lines {
		n = max(n, p.lines[i].event)
	}
	return n
}
