package app

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"flowdbg/contract"
	"flowdbg/engine/typed"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"

	tea "github.com/charmbracelet/bubbletea"
)

// deltaView shows one design delta: what a proposal claims, what was measured, or what lies between two snapshots. Which
// one: the one that was chosen here, else that of the candidate that is selected in view 5, else the last one said.
type deltaView struct {
	cand *candidatesView // knows the candidates

	key     gatheredKey
	sources []deltaSource
	chosen  string // the name of a source, "" = by the selected candidate
	pair    *deltaSource
	name    string // of what is shown
	model   *deltaModel
	loading string
	cache   map[string]*deltaModel
	filter  string
	shown   []int // rows of the model that the filter lets through
	rows    rows.List[int]
	detail  textPane
	drawn   deltaDrawn
}

// keptDeltas is how many deltas stay ready to be shown.
const keptDeltas = 16

func (v *deltaView) mode() layout.Mode { return layout.Split }

func (v *deltaView) sync(m *Model) tea.Cmd {
	cmd := v.cand.sync(m)
	if v.cand.ex != nil && (v.sources == nil || v.key != v.cand.key) {
		v.key = v.cand.key
		v.sources = sourcesOf(v.cand.ex)
	}
	return tea.Batch(cmd, v.load(m))
}

// sourcesOf are all deltas that are known: said ones in order, then what can be measured between snapshots.
func sourcesOf(ex *typed.Exploration) []deltaSource {
	list, known := []deltaSource{}, map[string]bool{}
	for i := range ex.Deltas {
		it := &ex.Deltas[i]
		name := fmt.Sprintf("event %d, %s", it.Event, it.Pointer[strings.LastIndexByte(it.Pointer, '/')+1:])
		if it.Of != "" {
			name += " of " + it.Of
		}
		for known[name] {
			name += "+"
		}
		known[name] = true
		list = append(list, deltaSource{name: name, how: fmt.Sprintf("%s at %s", it.How, it.Pointer), event: it.Event, of: it.Of, value: it.Value})
	}
	result := map[string]contract.SnapshotRef{}
	for i := range ex.Candidates {
		c := &ex.Candidates[i]
		for k := range c.Items {
			it := &c.Items[k]
			if it.Kind != typed.Proposal || c.Claimed == nil || strings.HasPrefix(deltaText(c.Claimed), "changes nothing") {
				continue
			}
			list = append(list, deltaSource{name: "claimed by " + c.ID, how: it.How, event: it.Event, of: c.ID, value: it.Value.Get("expected_delta")})
		}
		if cert := c.Certificate; cert != nil && cert.ResultSnap != "" {
			result[c.ID] = cert.ResultSnap
			if before, after, ok := c.Snapshots(); ok {
				list = append(list, deltaSource{name: c.ID + " from its parent", how: "measured here between two snapshots", event: -1, of: c.ID, before: before, after: after})
			}
		}
	}
	for _, f := range ex.History {
		for _, l := range f.Left {
			if a, b := result[l.ID], result[f.ID]; a != "" && b != "" && a != b {
				list = append(list, deltaSource{name: l.ID + " to " + f.ID, how: "measured here: " + f.ID + " drove " + l.ID + " off the front", event: -1, before: a, after: b})
			}
		}
	}
	return list
}

// source is what shall be shown, nil when nothing is known.
func (v *deltaView) source() *deltaSource {
	if v.pair != nil && v.chosen == v.pair.name {
		return v.pair
	}
	var of *deltaSource
	id := ""
	if c := v.cand.selected(); c != nil {
		id = c.ID
	}
	for i := range v.sources {
		s := &v.sources[i]
		if s.name == v.chosen {
			return s
		}
		if of == nil && s.of != "" && s.of == id {
			of = s
		}
	}
	if of != nil {
		return of
	}
	for i := len(v.sources) - 1; i >= 0; i-- {
		if v.sources[i].event >= 0 {
			return &v.sources[i]
		}
	}
	if len(v.sources) > 0 {
		return &v.sources[len(v.sources)-1]
	}
	return nil
}

// load makes the delta ready in a command, unless it is.
func (v *deltaView) load(m *Model) tea.Cmd {
	s := v.source()
	if s == nil {
		v.show("", nil)
		return nil
	}
	key := fmt.Sprintf("%d %s %s %s %d", m.s.CurrentRun(), s.name, s.before, s.after, s.event)
	if x, ok := v.cache[key]; ok {
		v.loading = ""
		v.show(s.name, x)
		return nil
	}
	if v.loading == key {
		return nil
	}
	v.loading = key
	dir, src := m.cfg.SnapDir, *s
	return func() tea.Msg {
		var x *deltaModel
		if src.before != "" {
			x = measureDelta(dir, src.before, src.after)
		} else {
			x = readDelta(src.value)
		}
		return lateMsg(func(m *Model) tea.Cmd {
			if len(v.cache) >= keptDeltas || v.cache == nil {
				v.cache = map[string]*deltaModel{}
			}
			v.cache[key] = x
			if v.loading == key {
				v.loading = ""
			}
			return v.load(m)
		})
	}
}

// show takes over a delta.
func (v *deltaView) show(name string, x *deltaModel) {
	if v.model == x && v.name == name {
		return
	}
	v.name, v.model = name, x
	v.rows = rows.List[int]{}
	v.sift()
}

// sift keeps the rows that hold every word of the filter.
func (v *deltaView) sift() {
	v.shown = v.shown[:0]
	words := strings.Fields(strings.ToLower(v.filter))
	if v.model != nil {
	each:
		for i, text := range v.model.text {
			for _, w := range words {
				if !strings.Contains(text, w) {
					continue each
				}
			}
			v.shown = append(v.shown, i)
		}
	}
	v.rows.Update(len(v.shown), func(i int) int { return v.shown[i] }, func(k int) (int, bool) { i, ok := slices.BinarySearch(v.shown, k); return i, ok })
}

// selected is the row under the cursor.
func (v *deltaView) selected() *deltaRow {
	if i := v.rows.Cursor(); v.model != nil && i < len(v.shown) {
		return &v.model.rows[v.shown[i]]
	}
	return nil
}

func (v *deltaView) draw(m *Model, p layout.Pane, w, h int, focus bool) (title, note string, lines []string) {
	if p == layout.Detail {
		v.describe(m, w)
		return "Change", "", v.detail.render(h)
	}
	title = "Delta"
	if v.name != "" {
		title = "Delta: " + v.name
	}
	switch {
	case !m.pay.ready(m):
		note = fmt.Sprintf("reading %d %%", m.pay.share(m))
	case v.loading != "":
		note = "measuring"
	case len(v.sources) > 1:
		note = fmt.Sprintf("%s of %d %s", v.place(), len(v.sources), m.shownKey(keymap.PickDelta))
	}
	return title, note, v.drawMain(m, w, h, focus)
}

func (v *deltaView) drawMain(m *Model, w, h int, focus bool) []string {
	th := m.th
	p := &prose{m: m, w: w}
	switch {
	case v.model == nil && (v.loading != "" || !m.pay.ready(m)):
		p.blank()
		p.say(th.Past, "reading")
		return p.lines
	case v.model == nil:
		p.blank()
		p.say(th.Past, "no design delta was said up to here")
		return p.lines
	case v.model.err != "":
		p.blank()
		p.say(th.Bad, "%s", v.model.err)
		return p.lines
	}
	var b cell.Builder
	b.Start(th.Charset, w, "")
	b.Skip(1)
	if v.filter != "" {
		b.Put(fmt.Sprintf("%d of %d changes with ", len(v.shown), len(v.model.rows)), th.Past)
		b.Put(v.filter, th.Match)
	} else {
		b.Put(v.model.counts, th.Past)
	}
	lines := []string{b.Line()}
	if len(v.shown) == 0 {
		return append(lines, m.textLine(w, "nothing is so", th.Past))
	}
	name := min(v.model.names, max(w-44, 12))
	return append(lines, v.rows.Render(w, h-1, m.look(focus), func(i int, selected bool, b *cell.Builder) {
		r := &v.model.rows[v.shown[i]]
		m.putCursor(b, selected)
		st := th.Text
		b.Field(r.kind, 8, th.Past)
		if r.kind == "moved" {
			b.FieldRight(figure(r.far), 8, th.Accent)
		} else {
			b.Skip(8)
		}
		b.Skip(1)
		b.Field(th.Charset.Middle(r.name, name), name, st)
		b.Skip(1)
		b.Put(m.ascii(r.text), th.Text)
	})...)
}

func (v *deltaView) list(p layout.Pane) lister {
	if p == layout.Detail {
		return &v.detail
	}
	return &v.rows
}

func (v *deltaView) head(p layout.Pane) int {
	if p == layout.Main {
		return 1
	}
	return 0
}

func (v *deltaView) moved(*Model, layout.Pane) {}

// enter goes to the event that said the delta.
func (v *deltaView) enter(m *Model, _ layout.Pane) tea.Cmd { return m.jump(v.event(m)) }

func (v *deltaView) event(*Model) int {
	if s := v.source(); s != nil {
		return s.event
	}
	return -1
}

func (v *deltaView) picked(*Model, layout.Pane) (selected, bool) {
	if v.model == nil || v.model.raw == "" {
		return selected{}, false
	}
	return selected{what: "the delta: " + v.name, name: fileName("delta " + v.name + ".json"), text: v.model.raw}, true
}

func (v *deltaView) hints(*Model) []keymap.ID {
	return []keymap.ID{keymap.PickDelta, keymap.Filter, keymap.View(int(viewCandidates)), keymap.Toggle}
}

// describe writes what the delta is as a whole, and where the selected change is on the die.
func (v *deltaView) describe(m *Model, w int) {
	now := deltaDrawn{th: m.th, model: v.model, w: w, row: v.rows.Cursor(), name: v.name}
	if now == v.drawn && v.model != nil {
		return
	}
	top := now.name != v.drawn.name
	v.drawn = now
	p := &prose{m: m, w: w}
	if x := v.model; x != nil && w >= nameWidth+8 {
		s := v.source()
		if s != nil {
			p.field("from", s.how, m.th.Past)
		}
		if s != nil && s.before != "" {
			p.field("before", string(s.before), m.th.Past)
			p.field("after", string(s.after), m.th.Past)
		}
		if x.err == "" {
			p.field("summary", x.summary, m.th.Text)
		}
		for _, f := range x.facts {
			p.field(f[0], f[1], m.th.Past)
		}
		if r := v.selected(); r != nil {
			p.head(r.kind + " " + r.name)
			text := r.text
			if r.kind == "moved" {
				text += fmt.Sprintf("  %s %s", figure(r.far), x.unit)
			}
			p.say(m.th.Text, "%s", text)
		}
		v.histogram(p, x)
		v.die(p, x)
	}
	v.detail.set(p.lines, top)
}

// histogram says how far the moved cells went.
func (v *deltaView) histogram(p *prose, x *deltaModel) {
	if len(x.bins) == 0 {
		return
	}
	th := p.m.th
	p.head("displacement in " + x.unit)
	most := 0
	for _, b := range x.bins {
		most = max(most, b.Count)
	}
	var b cell.Builder
	for i, bin := range x.bins {
		b.Start(th.Charset, p.w, "")
		to := min(bin.To, x.most) // nothing lies in what the last bin has beyond
		name := figure(bin.From) + " to " + figure(to)
		switch {
		case i == 0 && bin.From == 0 && bin.Count == 0:
			continue
		case i == 0 && bin.From == 0:
			name = "in place"
		case bin.From == to:
			name = figure(bin.From)
		}
		b.Skip(1)
		b.FieldRight(name, nameWidth, th.Past)
		b.Skip(1)
		room := max(p.w-nameWidth-10, 1)
		n := bin.Count * room * 8 / max(most, 1)
		b.Repeat(th.Glyph.Bar[8], n/8, th.Accent)
		if n%8 > 0 || n == 0 && bin.Count > 0 {
			b.Put(th.Glyph.Bar[max(n%8, 1)], th.Accent)
		}
		b.Put(" "+strconv.Itoa(bin.Count), th.Text)
		p.lines = append(p.lines, b.Line())
	}
}
