package app

import (
	"slices"

	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/rows"
	"flowdbg/ui/tui/settings"
	"flowdbg/ui/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

// themePrompt chooses the theme. What the cursor is on is shown at once, on the whole screen; leaving without Enter takes it
// back.
type themePrompt struct {
	names  []string
	list   rows.List[string]
	before *theme.Theme
	asked  string
}

func newThemes(m *Model) *themePrompt {
	p := &themePrompt{names: theme.Choices(), before: m.th, asked: m.asksTheme}
	p.list.Update(len(p.names), func(i int) string { return p.names[i] }, nil)
	p.list.SetCursor(max(slices.Index(p.names, m.asksTheme), 0))
	return p
}

func (p *themePrompt) title() string { return "Theme" }

func (p *themePrompt) size(*Model) (w, h int) { return 72, len(p.names) + 3 }

func (p *themePrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	isASCII := m.th.Charset == cell.ASCII
	switch {
	case isCancel(k, id):
		m.over = nil
		m.wear(p.before, p.asked)
	case k.Type == tea.KeyEnter:
		m.over = nil
		return p.take(m)
	case k.Type == tea.KeyBackspace, k.Type == tea.KeyDelete:
		m.over = nil
		return m.forgetTheme()
	case k.Type == tea.KeySpace:
		m.dress(m.asksTheme, !isASCII)
	case listKey(&p.list, k) || p.letter(k):
		m.dress(p.names[p.list.Cursor()], isASCII)
	}
	return nil
}

// letter moves by the letters that move in lists elsewhere; there is no text here.
func (p *themePrompt) letter(k tea.KeyMsg) bool {
	switch k.String() {
	case "j":
		p.list.Move(1)
	case "k":
		p.list.Move(-1)
	default:
		return false
	}
	return true
}

func (p *themePrompt) render(m *Model, w, h int) []string {
	th := m.th
	isASCII := th.Charset == cell.ASCII
	room := h
	if h > 4 {
		room = h - 3
	}
	lines := p.list.Render(w, max(room, 0), m.look(true), func(i int, selected bool, b *cell.Builder) {
		name := p.names[i]
		m.putCursor(b, selected)
		style := th.Text
		if name == p.asked || p.asked == "" && name == "auto" {
			b.Put(th.Glyph.Next, th.Accent)
			style = th.Next
		} else {
			b.Skip(1)
		}
		b.Skip(1)
		b.Field(name, min(10, b.Room()), style)
		b.Skip(1)
		b.Put(themeFor[name], th.Past)
		if x, err := m.cfg.Themes(name, isASCII); err == nil && x.Name != name {
			putRight(b, "here "+x.Name, th.Past)
		}
	})
	if room == h {
		return lines
	}
	mark := th.Glyph.BreakOff
	if isASCII {
		mark = th.Glyph.Break
	}
	return append(lines, cell.Blank(w), m.textLine(w, "Space  "+mark+" ASCII only   Backspace lets config.json decide", th.Past),
		m.textLine(w, "Enter keeps it for all sessions   Esc takes it back", th.Past))
}

// themeFor says what a theme is for.
var themeFor = map[string]string{
	"auto": "dark or light, by the terminal", "cvd": "safe for colour blindness, by the terminal", "dark": "for a dark background",
	"light": "for a light background", "cvd-dark": "blue and orange on dark", "cvd-light": "blue and orange on light",
	"16": "the terminal's own sixteen colours", "mono": "bold, dim and reverse only", "plain": "no styles at all",
}

// dress shows a theme.
func (m *Model) dress(name string, isASCII bool) {
	th, err := m.cfg.Themes(name, isASCII)
	if err != nil {
		m.complain("theme: %v", err)
		return
	}
	m.wear(th, name)
}

// wear takes a theme. Whatever keeps drawn text knows the theme that it was drawn in.
func (m *Model) wear(th *theme.Theme, asked string) { m.th, m.asksTheme = th, asked }

// take keeps what is shown. The charset is only kept when it was chosen here: --ascii is for one session.
func (p *themePrompt) take(m *Model) tea.Cmd {
	name, isASCII := p.names[p.list.Cursor()], m.th.Charset == cell.ASCII
	m.say("theme %s", m.th.Name)
	chosen := p.before.Charset != m.th.Charset
	return m.keep(func(k *settings.Kept) {
		k.Theme = name
		if chosen {
			k.ASCII = &isASCII
		}
	})
}

// forgetTheme lets the user's configuration decide again.
func (m *Model) forgetTheme() tea.Cmd {
	c := &m.cfg.Settings.Config
	m.dress(c.Theme, c.ASCII)
	m.say("theme %s: config.json and the terminal decide again", m.th.Name)
	return m.keep(func(k *settings.Kept) { k.Theme, k.ASCII = "", nil })
}
