package app

import (
	"fmt"
	"math"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/keymap"
)

// part is a piece of the header in forms that get shorter; the last one may be nothing.
type part struct {
	forms []form
	right bool // stands at the right end
}

// form is one way to write a part. What has the lowest worth on a line gives way to its next form first.
type form struct {
	worth int
	spans []cell.Span
}

// header draws the one or two lines at the top.
func (m *Model) header(w, h int) []string {
	prog := part{forms: []form{{0, []cell.Span{{Text: "flowdbg", Style: m.th.Past}}}, {}}}
	name, mode, at, hash, money, reload := m.headName(), m.headMode(), m.headPosition(), m.headHash(), m.headLedger(), m.headReload()
	if h >= 2 {
		at.right, money.right = true, true
		return []string{m.headLine(w, prog, name, mode, at), m.headLine(w, hash, reload, money)}
	}
	money.right = true
	return []string{m.headLine(w, prog, name, mode, at, hash, reload, money)}
}

// headLine puts parts beside each other and shortens them until they fit.
func (m *Model) headLine(w int, parts ...part) string {
	at := make([]int, len(parts))
	width := func() int {
		n := 0
		for i, p := range parts {
			if k := spansWidth(m.th.Charset, p.forms[at[i]].spans); k > 0 {
				n += k + 2
			}
		}
		return n
	}
	for width() > w {
		least := -1
		for i, p := range parts {
			if at[i] < len(p.forms)-1 && (least < 0 || p.forms[at[i]].worth < parts[least].forms[at[least]].worth) {
				least = i
			}
		}
		if least < 0 {
			break
		}
		at[least]++
	}
	var b cell.Builder
	b.Start(m.th.Charset, w, "")
	b.Skip(1)
	for i, p := range parts {
		spans := p.forms[at[i]].spans
		n := spansWidth(m.th.Charset, spans)
		if n == 0 {
			continue
		}
		if p.right {
			b.Skip(b.Room() - n - 1)
		}
		for _, s := range spans {
			b.Put(s.Text, s.Style)
		}
		b.Skip(2)
	}
	return b.Line()
}

func spansWidth(cs cell.Charset, spans []cell.Span) int {
	n := 0
	for _, s := range spans {
		n += cs.Width(s.Text)
	}
	return n
}

func (m *Model) headName() part {
	id := "no flow"
	if mc := m.s.Machine(); mc != nil {
		id = mc.Flow().ID
	} else if m.cfg.TraceName != "" {
		id = base(m.cfg.TraceName)
	}
	cs := m.th.Charset
	name := func(worth, n int) form { return form{worth, []cell.Span{{Text: cs.Middle(id, n), Style: m.th.Next}}} }
	return part{forms: []form{name(3, 40), name(7, 20), name(10, 10), {}}}
}

func base(path string) string { return path[strings.LastIndexAny(path, `/\`)+1:] }

func (m *Model) headMode() part {
	mode, full := string(m.s.Mode()), m.s.ModeText()
	past := func(worth int, text string) form { return form{worth, []cell.Span{{Text: text, Style: m.th.Past}}} }
	forms := []form{past(2, mode), {}}
	if m.s.Mode() == debug.Live {
		forms[0] = past(9, liveShort(full)) // whether money is spent goes last
		if full != liveShort(full) {
			forms = append([]form{past(2, full)}, forms...)
		}
	}
	if made := m.madeBy(); made != "" {
		dot := " " + m.th.Glyph.Dot + " "
		forms = append([]form{past(1, made+dot+full)}, forms...)
	} else if m.cfg.TraceName != "" && m.s.Machine() != nil && m.s.Mode() != debug.Live {
		forms = append([]form{past(1, mode+" of "+m.th.Charset.Middle(base(m.cfg.TraceName), 30))}, forms...)
	}
	return part{forms: forms}
}

// liveShort is the text of a live mode without the names of ops.
func liveShort(full string) string {
	if strings.HasPrefix(full, "live $") {
		return "live $"
	}
	return "live (mock)"
}

// madeBy says what the shown run was made of, "" for the one that the session was opened on and its reloads.
func (m *Model) madeBy() string {
	if m.s.CurrentRun() == 0 || m.s.Mode() != debug.Live {
		return ""
	}
	r := m.s.Runs()[m.s.CurrentRun()]
	if !own(&r) {
		return ""
	}
	verb, _, _ := strings.Cut(r.Cause, ":")
	return fmt.Sprintf("%s of run %d", verb, r.Parent)
}

func (m *Model) headPosition() part {
	th := m.th
	step := fmt.Sprint(m.s.State().Begun())
	if n := m.lastStep(); n > 0 {
		step += fmt.Sprintf("/%d", n)
	}
	pos := fmt.Sprintf("%d/%d", m.s.Pos(), m.s.Total())
	s := func(t string, st cell.Style) cell.Span { return cell.Span{Text: t, Style: st} }
	return part{forms: []form{
		{8, []cell.Span{s("step ", th.Past), s(step, th.Text), s("  position ", th.Past), s(pos, th.Text)}},
		{9, []cell.Span{s("step ", th.Past), s(step, th.Text), s("  pos ", th.Past), s(pos, th.Text)}},
		{12, []cell.Span{s("step ", th.Past), s(step, th.Text)}},
	}}
}

// lastStep is the step of the last event that can be seen, 0 when the run is at its end and may grow.
func (m *Model) lastStep() int {
	n := m.s.Total()
	if n == 0 || m.s.Mode() == debug.Live && m.s.Pos() == n && m.s.State().Finished() == nil {
		return 0
	}
	e := m.s.Event(n - 1)
	if e.Finish != nil {
		return e.Finish.Steps
	}
	return e.Step
}

// headHash is the hash and what may be said about it. A mark stands beside every colour.
func (m *Model) headHash() part {
	th := m.th
	st := m.hashStatus()
	style := th.Past
	switch st.Kind {
	case debug.HashEqual:
		style = th.Good
	case debug.HashDiffers:
		style = th.Bad
	case debug.HashPartial, debug.HashEdited:
		style = th.Warn
	}
	verdict := cell.Span{Text: m.ascii(st.Text()), Style: style}
	label := cell.Span{Text: "hash ", Style: th.Past}
	short := "computing " // off the path of the keys, a moment later
	switch {
	case m.s.State().Flowless(), m.hash == "" && m.tooFar():
		short = ""
	case m.hash != "":
		short = th.Charset.Middle(m.hash, 9) + " "
	}
	value := cell.Span{Text: short, Style: th.Text}
	if verdict.Text == "" && short == "" {
		return part{forms: []form{{}}}
	}
	return part{forms: []form{{2, []cell.Span{label, value, verdict}}, {4, []cell.Span{value, verdict}}, {11, []cell.Span{verdict}}, {}}}
}

// hashStatus is what may be said about the hash; before the first event nothing was compared, so nothing is.
func (m *Model) hashStatus() debug.HashStatus {
	st := m.s.HashStatus()
	if m.s.Pos() == 0 && st.Kind == debug.HashEqual {
		st.Kind = debug.HashAlone
	}
	return st
}

// headLedger is what was spent beside the budget, with a gauge of what is nearest to its limit.
func (m *Model) headLedger() part {
	th := m.th
	l, b := m.s.State().Ledger(), m.s.State().Budget()
	usd, tok := money(l.NanoUSD), count(l.Tokens())
	if l.Unknown > 0 {
		usd, tok = th.Glyph.Words.AtLeast+usd, th.Glyph.Words.AtLeast+tok
	}
	used := 0.0
	if b != nil && b.USD != nil {
		usd += "/" + dollars(trace.NanoUSD(*b.USD))
		used = share(l.USD, *b.USD)
	}
	if b != nil && b.Tokens != nil {
		tok += "/" + count(*b.Tokens)
		used = math.Max(used, share(l.Tokens(), *b.Tokens))
	}
	style := th.Text
	switch {
	case b.Exceeded(l) != "":
		style = th.Bad
	case used >= 0.8:
		style = th.Warn
	}
	money := cell.Span{Text: usd, Style: style}
	tokens := cell.Span{Text: tok + " tok", Style: style}
	gap := cell.Span{Text: "  "}
	if !b.Metered() {
		return part{forms: []form{{5, []cell.Span{money, gap, tokens}}, {9, []cell.Span{money}}, {}}}
	}
	bar := cell.Span{Text: " " + m.gauge(used, 10) + " ", Style: style}
	return part{forms: []form{{4, []cell.Span{money, bar, tokens}}, {5, []cell.Span{money, gap, tokens}}, {9, []cell.Span{money}}, {}}}
}

// share is how much of a limit is used; a limit of nothing is used up by anything.
func share(used, limit float64) float64 {
	switch {
	case limit > 0:
		return used / limit
	case used > 0:
		return 1
	}
	return 0
}

// gauge is a bar of n cells between its ends, filled in eighths; anything above nothing shows.
func (m *Model) gauge(part float64, n int) string {
	g := m.th.Glyph
	eighths := int(math.Round(math.Min(math.Max(part, 0), 1) * float64(8*n)))
	if part > 0 && eighths == 0 {
		eighths = 1
	}
	var b strings.Builder
	b.WriteString(g.BarLeft)
	for i := range n {
		b.WriteString(g.Bar[min(max(eighths-8*i, 0), 8)])
	}
	b.WriteString(g.BarRight)
	return b.String()
}

// headReload is what happened to the flow's file, and how many problems there are.
func (m *Model) headReload() part {
	th := m.th
	text, style := m.reload.text, th.Past
	if m.reload.bad {
		style = th.Bad
	}
	if m.indexing {
		text = fmt.Sprintf("indexing %d %%", m.indexedShare())
	}
	e, w := m.problems.counts()
	if e+w > 0 && text == "" {
		text, style = plural(e+w, "problem"), th.Warn
	}
	if text == "" {
		return part{forms: []form{{}}}
	}
	forms := []form{{6, []cell.Span{{Text: text, Style: style}}}, {}}
	if p := m.reload.place; p != "" && text == m.reload.text {
		text += ": " + p
		key := m.shownKey(keymap.View(int(viewProblems)))
		forms = append([]form{{-1, []cell.Span{{Text: text + ", " + key + " shows it", Style: style}}}, {-1, []cell.Span{{Text: text, Style: style}}}}, forms...)
	}
	return part{forms: forms}
}
