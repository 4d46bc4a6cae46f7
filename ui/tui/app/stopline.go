package app

import (
	"fmt"
	"strings"

	"flowdbg/engine"
	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
)

// stopLine says why we stand here; in its place stands what was just done, or how far a long move has come.
func (m *Model) stopLine(w int) string {
	th := m.th
	var b cell.Builder
	b.Start(th.Charset, w, "")
	b.Skip(1)
	switch {
	case m.run != nil:
		m.drawProgress(&b)
		if m.notice.text != "" {
			b.Put(" "+th.Glyph.Dot+" ", th.Past)
			m.drawNotice(&b)
		}
	case m.notice.text != "":
		m.drawNotice(&b)
	default:
		for i, s := range m.card() {
			if i > 0 {
				if b.Room() < 8 {
					break // a few cells of a fact say nothing
				}
				b.Put(" "+th.Glyph.Dot+" ", th.Past)
			}
			b.Put(s.Text, s.Style)
		}
	}
	return b.Line()
}

func (m *Model) drawNotice(b *cell.Builder) {
	style := m.th.Accent
	if m.notice.bad {
		style = m.th.Bad
		b.Put(m.th.Glyph.Fail+" ", style)
	}
	b.Put(m.ascii(m.notice.text), style)
}

// liveTail is how near to the end of its log a live run is taken to be growing: a step's events.
const liveTail = 1000

// drawProgress shows how far a long move has come and how to stop it.
func (m *Model) drawProgress(b *cell.Builder) {
	at, of := m.run.progress()
	done, all := at, of
	switch {
	case m.run.back:
		done, all = m.run.from-at, m.run.from
	case m.run.verb != reloadVerb && !m.run.still:
		done, all = at-m.run.from, of-m.run.from
	}
	b.Put(m.run.verb, m.th.Next)
	if !m.run.still || of > 0 {
		unit := "position"
		if m.run.still {
			unit = "event"
		}
		b.Put(fmt.Sprintf("  %s %d ", unit, at), m.th.Text)
	}
	// A live run makes its events as it goes; nobody knows how many there will be.
	if all > 0 && !(m.s.Mode() == debug.Live && at >= m.s.Len()-liveTail && !m.run.back) {
		b.Put(m.gauge(float64(done)/float64(all), 16), m.th.Accent)
	}
	b.Put("  Esc stops here", m.th.Past)
}

// card is why the session stopped, one fact each.
func (m *Model) card() []cell.Span {
	st, th := m.s.Stop(), m.th
	facts := []cell.Span{m.reason(st)}
	add := func(style cell.Style, format string, args ...any) {
		facts = append(facts, cell.Span{Text: fmt.Sprintf(format, args...), Style: style})
	}
	switch d := m.s.Divergence(); {
	case st.Reason == debug.StopDiverged && d != nil:
		m.addDifference(add, d, "recorded")
	case st.Reason == debug.StopReload && m.reload.diff != nil:
		m.addDifference(add, m.reload.diff, "before")
	case st.Err != nil:
		add(th.Bad, "%s", m.ascii(st.Message))
	case st.Message == "" && st.Pos == 0:
		add(th.Text, "before the first event")
	case st.Message != "":
		add(th.Text, "%s", m.ascii(st.Message))
	}
	if st.Error != "" {
		add(th.Bad, "%s", st.Error)
	}
	if st.Agent != "" && st.Reason != debug.StopDiverged && st.Reason != debug.StopEnd {
		consumed := st.Consumed
		if consumed == trace.TagEffect+" from "+trace.FromEffect {
			consumed = "the answer it asked for"
		}
		add(th.Text, "%s consumed %s", m.shorten(st.Agent), m.shorten(consumed))
		if st.Asked != "" {
			add(th.Text, "asked %s", m.shorten(st.Asked))
		}
		if n := len(st.Sent); n > 0 {
			var sent []string
			for _, s := range st.Sent[:min(n, 3)] {
				sent = append(sent, m.shorten(m.ascii(s)))
			}
			more := ""
			if n > 3 {
				more = fmt.Sprintf(" and %d more", n-3)
			}
			add(th.Text, "sent %s%s", strings.Join(sent, ", "), more)
		}
		if st.Spent.NanoUSD != 0 {
			add(th.Text, "+%s", money(st.Spent.NanoUSD))
		}
	}
	switch h := m.hashStatus(); h.Kind {
	case debug.HashEqual:
		add(th.Good, "hash %s", m.ascii(h.Text()))
	case debug.HashDiffers:
		add(th.Bad, "hash %s", m.ascii(h.Text()))
	}
	return facts
}

// addDifference tells a difference: which, where, and both sides in short. The inspector has them in full.
func (m *Model) addDifference(add func(cell.Style, string, ...any), d *engine.Divergence, first string) {
	add(m.th.Bad, "%s at event %d, step %d", d.Verdict, d.Index, d.Step)
	if d.Path != "" {
		add(m.th.Text, "%s", d.Path)
	}
	add(m.th.Text, "%s %s", first, m.brief(d.Recorded))
	add(m.th.Text, "got %s", m.brief(d.Got))
}

// shorten keeps a name from taking the whole line.
func (m *Model) shorten(s string) string { return m.th.Charset.Middle(cutBytes(s, 1<<10), 2*nameCells) }

// brief is a value in a few cells.
func (m *Model) brief(v canon.Value) string {
	if v.IsAbsent() {
		return "nothing"
	}
	const most = 36
	return m.th.Charset.Middle(cutBytes(v.Text(), 64<<10), most)
}

// reason is the first word of the card.
func (m *Model) reason(st debug.Stop) cell.Span {
	th := m.th
	switch st.Reason {
	case debug.StopBreak:
		return cell.Span{Text: th.Glyph.Break + " breakpoint " + st.Breakpoint, Style: th.Break}
	case debug.StopDiverged:
		return cell.Span{Text: th.Glyph.Differs + " diverged", Style: th.Bad}
	case debug.StopPaused, debug.StopError:
		return cell.Span{Text: th.Glyph.Fail + " " + string(st.Reason), Style: th.Bad}
	case debug.StopStep:
		return cell.Span{Text: "step done", Style: th.Accent}
	}
	return cell.Span{Text: string(st.Reason), Style: th.Accent}
}
