package app

import (
	"fmt"
	"slices"
	"time"

	"flowdbg/contract/meta"
	"flowdbg/contract/require"
	"flowdbg/engine/effect/tool"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"
	"flowdbg/ui/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

// contractView lists the tools of the platform and the calls that were made of them up to the position; beside it, all
// that is known of the selected one.
type contractView struct {
	facts   *contractFacts
	of      *flow.Flow // that the facts were read for
	reading bool

	tools  []toolRow
	calls  int // how many there are as of the position
	rows   rows.List[contractKey]
	detail textPane
	drawn  contractDrawn // what the detail shows
	open   *tool.Details // of the call that is shown
	raw    bool
}

// contractKey tells rows apart: a tool by its name, a call by its event; the row between them has neither.
type contractKey struct {
	tool  string
	event int
}

// contractDrawn is everything that the detail depends on.
type contractDrawn struct {
	th       *theme.Theme
	key      contractKey
	w, calls int
	raw      bool
	facts    *contractFacts
	run      int
}

// toolRow is one tool: of the lock, or only known from calls.
type toolRow struct {
	name    string
	state   *platform.ToolState
	locked  *platform.Tool
	server  platform.LockedServer
	called  *calledTool
	calls   int
	verdict *require.Verdict
}

func (v *contractView) mode() layout.Mode { return layout.Split }

func (v *contractView) sync(m *Model) tea.Cmd {
	cmd := tea.Batch(m.pay.follow(m), v.read(m))
	v.calls = m.pay.calls.before(m.s.Pos())
	v.fill(m)
	return cmd
}

// read asks for the platform's facts when the flow is another one.
func (v *contractView) read(m *Model) tea.Cmd {
	var f *flow.Flow
	if machine := m.s.Machine(); machine != nil {
		f = machine.Flow()
	}
	if v.reading || v.facts != nil && v.of == f {
		return nil
	}
	v.reading, v.of = true, f
	path, now := m.cfg.WatchPath, m.cfg.Now
	if now == nil {
		now = time.Now
	}
	return func() tea.Msg {
		facts := readFacts(f, path, meta.DateOf(now()))
		return lateMsg(func(m *Model) tea.Cmd {
			v.reading = false
			if v.of == f {
				v.facts = facts
			}
			if m.face() == face(v) {
				return v.sync(m)
			}
			return nil
		})
	}
}

// fill makes the rows of tools; those of calls are looked up when they are drawn.
func (v *contractView) fill(m *Model) {
	v.tools = v.tools[:0]
	c := &m.pay.calls
	seen := map[string]bool{}
	if v.facts != nil && v.facts.negotiation != nil {
		n := v.facts.negotiation
		for i := range n.Tools {
			t := &n.Tools[i]
			seen[t.Tool] = true
			row := toolRow{name: t.Tool, state: t, locked: v.facts.tools[t.Tool], server: v.facts.servers[t.Server], called: c.byTool[t.Tool], verdict: verdictOf(n, t.Tool)}
			if row.called != nil {
				row.calls = row.called.of(v.calls)
			}
			v.tools = append(v.tools, row)
		}
	}
	for _, name := range c.tools {
		if t := c.byTool[name]; !seen[name] && t.of(v.calls) > 0 {
			v.tools = append(v.tools, toolRow{name: name, called: t, calls: t.of(v.calls)})
		}
	}
	n := len(v.tools)
	if v.calls > 0 {
		n += 1 + v.calls
	}
	v.rows.Update(n, func(i int) contractKey { return v.key(m, i) }, func(k contractKey) (int, bool) { return v.find(m, k) })
}

func (v *contractView) key(m *Model, i int) contractKey {
	switch n := len(v.tools); {
	case i < n:
		return contractKey{v.tools[i].name, -1}
	case i == n:
		return contractKey{"", -1}
	default:
		return contractKey{"", m.pay.calls.all[i-n-1].event}
	}
}

func (v *contractView) find(m *Model, k contractKey) (int, bool) {
	n := len(v.tools)
	switch {
	case k.tool != "":
		i := slices.IndexFunc(v.tools, func(t toolRow) bool { return t.name == k.tool })
		return i, i >= 0
	case k.event < 0:
		return n, v.calls > 0
	}
	i := m.pay.calls.before(k.event)
	return n + 1 + i, i < v.calls && m.pay.calls.all[i].event == k.event
}

// at is what the cursor is on: a tool, a call, or neither.
func (v *contractView) at(m *Model) (t *toolRow, c *call) {
	i, n := v.rows.Cursor(), len(v.tools)
	switch {
	case i < n:
		return &v.tools[i], nil
	case i > n && i-n-1 < v.calls:
		return nil, &m.pay.calls.all[i-n-1]
	}
	return nil, nil
}

func (v *contractView) draw(m *Model, p layout.Pane, w, h int, focus bool) (title, note string, lines []string) {
	if p == layout.Detail {
		v.describe(m, w)
		t, c := v.at(m)
		switch {
		case t != nil:
			title = t.name
		case c != nil:
			title = fmt.Sprintf("call of event %d", c.event)
		default:
			title = "Calls"
		}
		return title, "", v.detail.render(h)
	}
	note = v.note(m)
	if v.rows.Len() == 0 {
		return "Contract", note, v.empty(m, w)
	}
	cols := v.columns(w)
	lines = v.rows.Render(w, h-1, m.look(focus), func(i int, selected bool, b *cell.Builder) {
		m.putCursor(b, selected)
		switch n := len(v.tools); {
		case i < n:
			v.drawTool(m, &v.tools[i], cols, b)
		case i == n:
			b.Put(m.th.Glyph.Edges.Horizontal+" ", m.th.Border)
			b.Put(plural(v.calls, "call")+" ", m.th.Title)
			b.Repeat(m.th.Glyph.Edges.Horizontal, b.Room(), m.th.Border)
		default:
			v.drawCall(m, &m.pay.calls.all[i-n-1], b)
		}
	})
	head := v.headLine(m, w, cols)
	if top, _ := v.rows.Window(); top >= len(v.tools) { // the tools are scrolled away
		head = callHead(m, w)
	}
	return "Contract", note, append([]string{head}, lines...)
}

// note says how the requirements came out, or that the trace is still being read.
func (v *contractView) note(m *Model) string {
	switch {
	case !m.pay.ready(m):
		return fmt.Sprintf("reading %d %%", m.pay.share(m))
	case v.facts != nil && v.facts.negotiation != nil:
		return v.facts.negotiation.Verdict
	}
	return ""
}

func (v *contractView) empty(m *Model, w int) []string {
	p := &prose{m: m, w: w}
	p.blank()
	p.say(m.th.Past, "no tool was called up to here")
	if v.facts != nil && v.facts.why != "" {
		p.say(m.th.Past, "%s", v.facts.why)
	}
	return p.lines
}

func (v *contractView) list(p layout.Pane) lister {
	if p == layout.Detail {
		return &v.detail
	}
	return &v.rows
}

func (v *contractView) head(p layout.Pane) int {
	if p == layout.Main {
		return 1
	}
	return 0
}

func (v *contractView) moved(*Model, layout.Pane) {}

// enter goes to the event of the selected call.
func (v *contractView) enter(m *Model, _ layout.Pane) tea.Cmd { return m.jump(v.event(m)) }

// event is the event of the selected call, -1 on something else.
func (v *contractView) event(m *Model) int {
	if _, c := v.at(m); c != nil {
		return c.event
	}
	return -1
}

func (v *contractView) hints(*Model) []keymap.ID {
	return []keymap.ID{keymap.Toggle, keymap.Raw, keymap.Why}
}
