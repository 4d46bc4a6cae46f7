package app

import (
	"errors"
	"slices"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/settings"

	tea "github.com/charmbracelet/bubbletea"
)

// arrangement is how panes share the screen: a preset, and the sizes that were made out of it. It goes over all views.
type arrangement struct {
	preset string
	sizes  layout.Sizes
	own    []layout.Preset // the user's, by name
	drag   *drag           // a border that the mouse holds
	keep   keeping
}

// The steps of one key press, in cells.
const (
	stepCols = 2
	stepRows = 1
)

func newArrangement(s *settings.Start) arrangement {
	return arrangement{preset: s.Layout(), sizes: s.Sizes(), own: s.Kept.Own}
}

// presets are all there are: the built-in ones, then the user's own.
func (a *arrangement) presets() []layout.Preset { return append(layout.Presets(), a.own...) }

// now is the preset that was chosen. One that was deleted meanwhile leaves its sizes behind.
func (a *arrangement) now() layout.Preset {
	list := a.presets()
	if i := slices.IndexFunc(list, func(p layout.Preset) bool { return p.Name == a.preset }); i >= 0 {
		return list[i]
	}
	return list[0]
}

// changed says whether the sizes are not those of the preset.
func (a *arrangement) changed() bool { return a.sizes != a.now().Sizes }

// keyProblem is a conflict of keys, with its place in the user's file.
func (m *Model) keyProblem(p keymap.Problem) debug.Problem {
	x := debug.Problem{Severity: "warning", Source: "keys", Text: p.String(), Event: -1}
	c := &m.cfg.Settings.Config
	if line, col, ok := c.KeyAt(string(p.Action), p.Key); ok {
		x.File, x.Line, x.Col = c.Path, line, col
	}
	return x
}

// layoutInput is what the layout of the screen depends on.
func (m *Model) layoutInput() layout.Input {
	return layout.Input{W: m.w, H: m.h, Mode: m.mode(), Focus: m.pane(), Zoom: m.zoom, Sizes: m.arr.sizes}
}

// resizes are the actions that give the focused pane columns and lines.
var resizes = map[keymap.ID][2]int{
	keymap.Wider: {stepCols, 0}, keymap.Narrower: {-stepCols, 0}, keymap.Taller: {0, stepRows}, keymap.Shorter: {0, -stepRows},
}

// resize makes the focused pane larger or smaller.
func (m *Model) resize(id keymap.ID) tea.Cmd {
	by := resizes[id]
	sizes, ok := layout.Resize(m.layoutInput(), by[0], by[1])
	if !ok {
		return nil
	}
	m.arr.sizes = sizes
	return m.keepLayout()
}

// whyNoResize says why the focused pane cannot get another size.
func (m *Model) whyNoResize(id keymap.ID) string {
	by, in := resizes[id], m.layoutInput()
	if _, ok := layout.Resize(in, by[0], by[1]); ok {
		return ""
	}
	sc := m.screen()
	upright, level := sc.Beside(in.Focus)
	switch {
	case m.zoom:
		return "the pane has the whole screen; " + m.shownKey(keymap.Zoom) + " takes it back"
	case len(sc.Panes) < 2:
		return "only one pane fits on this screen"
	case by[0] != 0 && upright == 0:
		return "the pane has the whole width here"
	case by[1] != 0 && level == 0:
		return "the pane has the whole height here"
	}
	return map[keymap.ID]string{
		keymap.Wider: "the panes beside it have nothing to give", keymap.Narrower: "the pane is as narrow as it can be",
		keymap.Taller: "the pane beside it has nothing to give", keymap.Shorter: "the pane is as low as it can be",
	}[id]
}

// resetSizes takes the sizes of the preset back.
func (m *Model) resetSizes() tea.Cmd { return m.choose(m.arr.now()) }

// nextLayout goes to the preset after the one that is chosen.
func (m *Model) nextLayout() tea.Cmd {
	list := m.arr.presets()
	i := slices.IndexFunc(list, func(p layout.Preset) bool { return p.Name == m.arr.now().Name })
	return m.choose(list[(i+1)%len(list)])
}

// choose takes a preset.
func (m *Model) choose(p layout.Preset) tea.Cmd {
	m.arr.preset, m.arr.sizes = p.Name, p.Sizes
	m.say("layout %s", strings.TrimSuffix(p.Name+": "+p.For, ": "))
	return m.keepLayout()
}

// saveLayout keeps the sizes there are under a name.
func (m *Model) saveLayout(name string) tea.Cmd {
	sizes := m.arr.sizes
	m.arr.own = owned(m.arr.own, func(k *settings.Kept) { k.Save(name, sizes) })
	m.arr.preset = name
	m.say("layout %s: saved", name)
	return tea.Batch(m.keep(func(k *settings.Kept) { k.Save(name, sizes) }), m.keepLayout())
}

// deleteLayout forgets one of the user's own. The sizes on the screen stay.
func (m *Model) deleteLayout(name string) tea.Cmd {
	m.arr.own = owned(m.arr.own, func(k *settings.Kept) { k.Delete(name) })
	cmd := m.keep(func(k *settings.Kept) { k.Delete(name) })
	if m.arr.preset != name {
		return cmd
	}
	m.arr.preset = layout.Balanced
	return tea.Batch(cmd, m.keepLayout())
}

// owned is the list of own presets after a change.
func owned(list []layout.Preset, change settings.Change) []layout.Preset {
	k := settings.Kept{Own: slices.Clone(list)}
	change(&k)
	return k.Own
}

// keepLayout keeps the preset and the sizes of now.
func (m *Model) keepLayout() tea.Cmd {
	preset, sizes, sized := m.arr.preset, m.arr.sizes, m.arr.changed()
	return m.keep(func(k *settings.Kept) { k.Preset, k.Sizes, k.Sized = preset, sizes, sized })
}

// keeping is the writing of what was chosen to the program's own file: one write at a time, in the order of the changes.
type keeping struct {
	waiting []settings.Change
	writing bool
	leaving bool // the program ends when all is written
	told    bool // that it could not be kept
}

// keep writes changes to the file, after those that are being written.
func (m *Model) keep(changes ...settings.Change) tea.Cmd {
	k := &m.arr.keep
	if m.cfg.Settings.Store == nil {
		return nil
	}
	k.waiting = append(k.waiting, changes...)
	if k.writing {
		return nil
	}
	return m.writeKept()
}

func (m *Model) writeKept() tea.Cmd {
	k, store := &m.arr.keep, m.cfg.Settings.Store
	changes := k.waiting
	k.waiting, k.writing = nil, true
	return func() tea.Msg {
		aside, err := store.Update(changes...)
		return keptMsg{aside, err}
	}
}

// wasKept goes on when a write has ended. What went wrong is told once: the session works all the same.
func (m *Model) wasKept(msg keptMsg) tea.Cmd {
	k := &m.arr.keep
	k.writing = false
	switch {
	case msg.err != nil && !k.told:
		k.told = true
		m.complain("%v; changes last as long as the session", msg.err)
	case msg.aside != "":
		m.say("the layout file could not be understood; it is kept as %s", msg.aside)
	}
	switch {
	case len(k.waiting) > 0 && !errors.Is(msg.err, settings.ErrNewer):
		return m.writeKept()
	case k.leaving:
		return tea.Quit
	}
	k.waiting = nil
	return nil
}

// quit ends the program, once what was chosen is kept. Asked a second time it waits for nothing.
func (m *Model) quit() tea.Cmd {
	k := &m.arr.keep
	if k.writing && !k.leaving {
		k.leaving = true
		return nil
	}
	return tea.Quit
}
