package app

import (
	"fmt"
	"path/filepath"

	"flowdbg/engine/debug"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/rows"
	"flowdbg/ui/tui/tree"

	tea "github.com/charmbracelet/bubbletea"
)

// runsView is the tree of runs: the first one, and what reloads, forks and edits made of it.
type runsView struct {
	rows rows.List[int] // key: id
	tree []runRow
	text scroller // of the detail
}

// runRow is a run and the lines that lead to it.
type runRow struct {
	info   debug.RunInfo
	indent string
	file   *debug.KeptRun // of one that is kept in a file and not in the session yet
}

// key is the run's number, or one below all numbers for a file: its place in the list.
func (v *runsView) key(i int) int {
	if v.tree[i].file != nil {
		return i - len(v.tree) - 1
	}
	return v.tree[i].info.ID
}

func (v *runsView) mode() layout.Mode { return layout.Split }

func (v *runsView) sync(m *Model) tea.Cmd {
	v.tree = runTree(m.s.Runs(), m.th.Glyph.Branch, m.th.Glyph.Corner, m.th.Glyph.Track)
	kept := m.keptRuns.others()
	for i := range kept {
		v.tree = append(v.tree, runRow{file: &kept[i]})
	}
	v.rows.Update(len(v.tree), v.key, func(id int) (int, bool) {
		for i := range v.tree {
			if v.key(i) == id {
				return i, true
			}
		}
		return 0, false
	})
	return nil
}

// runTree puts each run below the one that it began in.
func runTree(list []debug.RunInfo, branch, corner, track string) []runRow {
	kids := map[int][]debug.RunInfo{}
	for _, r := range list {
		kids[r.Parent] = append(kids[r.Parent], r)
	}
	var out []runRow
	var add func(parent int, lead string)
	add = func(parent int, lead string) {
		for i, r := range kids[parent] {
			at, below := branch+" ", track+" "
			if i == len(kids[parent])-1 {
				at, below = corner+" ", "  "
			}
			if parent < 0 {
				at, below = "", ""
			}
			out = append(out, runRow{info: r, indent: lead + at})
			add(r.ID, lead+below)
		}
	}
	add(-1, "")
	return out
}

func (v *runsView) selected() (runRow, bool) {
	if i := v.rows.Cursor(); i < len(v.tree) {
		return v.tree[i], true
	}
	return runRow{}, false
}

func (v *runsView) draw(m *Model, p layout.Pane, w, h int, focus bool) (title, note string, lines []string) {
	if p == layout.Detail {
		lines = v.detail(m, w)
		v.text.fit(len(lines), h)
		return "Run", "", lines[v.text.top:]
	}
	th, current := m.th, m.s.CurrentRun()
	note = plural(len(m.s.Runs()), "run")
	if n := len(v.tree) - len(m.s.Runs()); n > 0 {
		note += fmt.Sprintf(", %d kept", n)
	}
	return "Runs", note, v.rows.Render(w, h, m.look(focus), func(i int, selected bool, b *cell.Builder) {
		r := v.tree[i]
		m.putCursor(b, selected)
		style := th.Text
		if r.file != nil {
			b.Skip(2)
			b.Put(keptTitle(r.file.Path), th.Past)
			putRight(b, tree.Size(int(r.file.Bytes)), th.Past)
			return
		}
		if r.info.ID == current {
			b.Put(th.Glyph.Next, th.Accent)
			style = th.Next
		} else {
			b.Skip(1)
		}
		b.Skip(1)
		b.Put(r.indent, th.Border)
		b.Put(fmt.Sprintf("run %d", r.info.ID), style)
		b.Skip(2)
		b.Put(m.ascii(r.info.Cause), th.Text)
		if r.info.Kept != "" {
			b.Put(" "+filepath.Base(r.info.Kept), th.Past)
		}
		if r.info.Edited {
			b.Put(" "+th.Glyph.Changed+" edited", th.Warn)
		}
		end := plural(r.info.Total, "event")
		if r.info.Finished {
			end = "ended  " + end
		}
		putRight(b, end, th.Past)
	})
}

// detail tells the selected run in full.
func (v *runsView) detail(m *Model, w int) []string {
	r, ok := v.selected()
	if !ok {
		return nil
	}
	th, x := m.th, r.info
	var lines []string
	add := func(style cell.Style, format string, args ...any) {
		for _, l := range wrapWords(th.Charset, fmt.Sprintf(format, args...), w-2) {
			lines = append(lines, m.textLine(w, l, style))
		}
	}
	if r.file != nil {
		add(th.Next, "%s", keptTitle(r.file.Path))
		lines = append(lines, cell.Blank(w))
		add(th.Text, "%s, written %s", tree.Size(int(r.file.Bytes)), r.file.When.Format("2006-01-02 15:04"))
		add(th.Past, "in %s", filepath.Dir(r.file.Path))
		lines = append(lines, cell.Blank(w))
		add(th.Past, "Enter opens it   %s compares it with run %d", m.shownKey(keymap.CompareRuns), m.s.CurrentRun())
		return lines
	}
	add(th.Next, "run %d", x.ID)
	lines = append(lines, cell.Blank(w))
	switch {
	case x.Kept != "":
		add(th.Text, "kept before, played back from %s", x.Kept)
	case x.Parent < 0:
		add(th.Text, "the run that the session was opened on")
	default:
		add(th.Text, "made by %s, out of run %d", x.Cause, x.Parent)
	}
	switch {
	case x.Parent >= 0 && x.Event >= 0:
		add(th.Text, "differs from it from event %d on", x.Event)
	case x.Parent >= 0:
		add(th.Text, "no difference from it so far")
	}
	add(th.Text, "%s", runLength(&x))
	if x.Edited {
		add(th.Warn, "%s a person changed something: it is not compared with the record", th.Glyph.Changed)
	}
	if path := m.keptRuns.keptIn(x.ID); path != "" && x.Kept == "" {
		add(th.Text, "kept in %s", path)
	}
	lines = append(lines, cell.Blank(w))
	if x.ID == m.s.CurrentRun() {
		add(th.Accent, "%s this run is shown", th.Glyph.Next)
	} else {
		add(th.Past, "Enter shows it   %s compares it with run %d", m.shownKey(keymap.CompareRuns), m.s.CurrentRun())
	}
	return lines
}

// runLength is how long a run is and whether it has an end, wherever its cursor stands.
func runLength(x *debug.RunInfo) string {
	switch all := plural(x.Total, "event"); {
	case x.Recorded && x.Finished:
		return all + " recorded, with the end"
	case x.Recorded:
		return all + " recorded, without an end"
	case x.Finished:
		return all + ", ended"
	default:
		return all + " so far, can go on"
	}
}

func (v *runsView) list(p layout.Pane) lister {
	if p == layout.Main {
		return &v.rows
	}
	return &v.text
}

func (v *runsView) head(layout.Pane) int { return 0 }

// moved shows another run's detail from its start.
func (v *runsView) moved(_ *Model, p layout.Pane) {
	if p == layout.Main {
		v.text.Home()
	}
}

// enter shows the selected run, at the position it was left at.
func (v *runsView) enter(m *Model, _ layout.Pane) tea.Cmd {
	r, ok := v.selected()
	if why := m.busy(); !ok || why != "" {
		return nil
	}
	if r.file != nil {
		return m.openKept(r.file.Path, (*Model).showRun)
	}
	if r.info.ID == m.s.CurrentRun() {
		return nil
	}
	return m.showRun(r.info.ID)
}

// showRun shows a run, at the position it was left at.
func (m *Model) showRun(id int) tea.Cmd {
	if _, err := m.s.SwitchRun(id); err != nil {
		m.complain("%v", err)
		return nil
	}
	m.changedRun()
	cmd := m.arrive(true)
	m.say("run %d is shown, at position %d", id, m.s.Pos())
	return cmd
}

func (v *runsView) picked(*Model, layout.Pane) (selected, bool) {
	r, ok := v.selected()
	if r.file != nil {
		return selected{}, false // it is a file already
	}
	return aRun(r.info.ID, r.info.Total), ok
}

func (v *runsView) hints(*Model) []keymap.ID {
	return []keymap.ID{keymap.Toggle, keymap.CompareRuns, keymap.KeepRun, keymap.Fork, keymap.Edit}
}

// whyNoRuns says why no two runs can be compared by a key now.
func (m *Model) whyNoRuns() string {
	if c, ok := m.face().(*compareView); ok {
		if len(c.lefts(m)) < 2 {
			return "choose a run in view 8 first"
		}
		return m.busy()
	}
	v, ok := m.face().(*runsView)
	if !ok {
		return "choose a run in view 8 first"
	}
	if r, some := v.selected(); !some || r.file == nil && r.info.ID == m.s.CurrentRun() {
		return "this run is the one that is shown; choose another"
	}
	return m.busy()
}

// compareRuns compares the selected run with the one that is shown.
func (m *Model) compareRuns() tea.Cmd {
	if c, ok := m.face().(*compareView); ok {
		return c.next(m)
	}
	v, _ := m.face().(*runsView)
	r, _ := v.selected()
	if r.file != nil {
		return m.openKept(r.file.Path, (*Model).compareWith)
	}
	return m.compareWith(r.info.ID)
}

// compareWith compares a run with the one that is shown.
func (m *Model) compareWith(id int) tea.Cmd {
	c, _ := m.faces[viewCompare].(*compareView)
	c.pick(id)
	return m.show(viewCompare)
}
