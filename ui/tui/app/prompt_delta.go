package app

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// deltaPicker chooses a delta: one of those that are known, or two snapshots, named by candidates or by their hashes.
type deltaPicker struct {
	input line
	found []int
	list  rows.List[int]
	gone  map[string]bool // sources whose snapshots are not kept, by their names; nil until that is known
	wrong string
}

func (m *Model) deltaView() *deltaView { v, _ := m.faces[viewDelta].(*deltaView); return v }

func newDeltaPicker(m *Model) (*deltaPicker, tea.Cmd) {
	p := &deltaPicker{}
	p.find(m)
	v := m.deltaView()
	for i, k := range p.found {
		if v.sources[k].name == v.name {
			p.list.SetCursor(i)
		}
	}
	return p, p.look(slices.Clone(v.sources), m.cfg.SnapDir)
}

// look finds out what is not kept, off the path of the keys: of thousands of candidates that are as many files.
func (p *deltaPicker) look(sources []deltaSource, dir string) tea.Cmd {
	return func() tea.Msg {
		gone := map[string]bool{}
		for i := range sources {
			gone[sources[i].name] = !sources[i].kept(dir)
		}
		return lateMsg(func(*Model) tea.Cmd { p.gone = gone; return nil })
	}
}

func (p *deltaPicker) find(m *Model) {
	p.found = p.found[:0]
	words := strings.Fields(strings.ToLower(p.input.String()))
	for i := range m.deltaView().sources {
		s := &m.deltaView().sources[i]
		text := strings.ToLower(s.name + " " + s.how)
		fits := true
		for _, w := range words {
			fits = fits && strings.Contains(text, w)
		}
		if fits {
			p.found = append(p.found, i)
		}
	}
	p.list.Update(len(p.found), func(i int) int { return p.found[i] }, nil)
}

func (p *deltaPicker) title() string { return "Show a delta" }

func (p *deltaPicker) size(m *Model) (w, h int) {
	return min(max(m.w-20, 50), 100), min(len(m.deltaView().sources), 14) + 3
}

func (p *deltaPicker) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	v := m.deltaView()
	switch {
	case isCancel(k, id):
		m.over = nil
	case k.Type == tea.KeyEnter:
		if i, ok := p.list.Key(); ok {
			m.over, v.chosen = nil, v.sources[i].name
			return v.sync(m)
		}
		pair, err := v.between(p.input.String())
		if err != nil {
			p.wrong = err.Error()
			return nil
		}
		m.over, v.pair, v.chosen = nil, pair, pair.name
		return v.sync(m)
	case listKey(&p.list, k):
	case p.input.key(k):
		p.wrong = ""
		p.find(m)
		p.list.Home()
	}
	return nil
}

// between reads two snapshots: ids of candidates, or beginnings of hashes.
func (v *deltaView) between(text string) (*deltaSource, error) {
	words := strings.Fields(text)
	if len(words) != 2 {
		return nil, fmt.Errorf("no delta is called that; two names of candidates or snapshots are compared")
	}
	var refs [2]contract.SnapshotRef
	for i, w := range words {
		ref, err := v.snapshot(w)
		if err != nil {
			return nil, err
		}
		refs[i] = ref
	}
	return &deltaSource{name: words[0] + " to " + words[1], how: "measured here between two snapshots", event: -1, before: refs[0], after: refs[1]}, nil
}

func (v *deltaView) snapshot(name string) (contract.SnapshotRef, error) {
	full := strings.TrimPrefix(name, "sha256:")
	if len(full) == 64 {
		return contract.SnapshotRef("sha256:" + full), nil
	}
	var found contract.SnapshotRef
	if v.cand.ex != nil {
		for i := range v.cand.ex.Candidates {
			c := &v.cand.ex.Candidates[i]
			if c.Certificate == nil || c.Certificate.ResultSnap == "" {
				continue
			}
			snap := c.Certificate.ResultSnap
			if c.ID == name {
				return snap, nil
			}
			if len(full) >= 6 && strings.HasPrefix(string(snap), "sha256:"+full) {
				found = snap
			}
		}
	}
	if found == "" {
		return "", fmt.Errorf("%q is no candidate with a snapshot, and no hash of one", name)
	}
	return found, nil
}

func (p *deltaPicker) render(m *Model, w, h int) []string {
	th, v := m.th, m.deltaView()
	lines := []string{m.inputLine("delta: ", &p.input, w)}
	if len(p.found) > 0 && h > 2 {
		lines = append(lines, p.list.Render(w, h-2, m.look(true), func(i int, selected bool, b *cell.Builder) {
			s := &v.sources[p.found[i]]
			m.putCursor(b, selected)
			b.Field(s.name, max(b.Room()/3, 20), th.Text)
			b.Skip(1)
			if p.gone[m.deltaView().sources[p.found[i]].name] {
				b.Put(th.Glyph.Unknown+" not kept here  ", th.Warn)
			}
			b.Put(s.how, th.Past)
		})...)
	}
	if p.wrong != "" {
		return append(lines, m.textLine(w, p.wrong, th.Bad))
	}
	return append(lines, m.textLine(w, "two candidates or snapshot hashes: what lies between them", th.Past))
}

// siftPrompt filters the rows of a delta while it is typed.
type siftPrompt struct {
	input  line
	before string
}

func newSift(m *Model) *siftPrompt {
	v := m.deltaView()
	return &siftPrompt{offered(v.filter), v.filter}
}

func (p *siftPrompt) title() string { return "Show only changes with" }

func (p *siftPrompt) size(*Model) (w, h int) { return 62, 3 }

func (p *siftPrompt) key(m *Model, k tea.KeyMsg, id keymap.ID) tea.Cmd {
	v := m.deltaView()
	switch {
	case isCancel(k, id):
		m.over, v.filter = nil, p.before
	case k.Type == tea.KeyEnter:
		m.over = nil
	case p.input.key(k):
		v.filter = strings.TrimSpace(p.input.String())
	}
	v.drawn = deltaDrawn{}
	v.sift()
	return nil
}

func (p *siftPrompt) render(m *Model, w, _ int) []string {
	return []string{m.inputLine("f ", &p.input, w),
		m.textLine(w, "words of the kind, the name or the text:  moved X4/Y7", m.th.Past),
		m.textLine(w, "an empty line shows all changes again"+p.input.offer(), m.th.Past)}
}
