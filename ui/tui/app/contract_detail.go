package app

import (
	"fmt"
	"path/filepath"
	"strings"

	"flowdbg/contract"
	"flowdbg/contract/meta"
	"flowdbg/contract/require"
	"flowdbg/engine/effect/tool"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/layout"
)

func dirOf(path string) string { return filepath.Dir(path) }

// describe makes the lines of the detail when they are others than those that are there.
func (v *contractView) describe(m *Model, w int) {
	key, _ := v.rows.Key()
	now := contractDrawn{th: m.th, key: key, w: w, calls: v.calls, raw: v.raw, facts: v.facts, run: m.s.CurrentRun()}
	if now == v.drawn {
		return
	}
	top := now.key != v.drawn.key || now.raw != v.drawn.raw
	if key != v.drawn.key || now.run != v.drawn.run {
		v.open = nil
	}
	v.drawn = now
	p := &prose{m: m, w: w}
	switch t, c := v.at(m); {
	case w < nameWidth+8:
	case t != nil:
		v.describeTool(p, t)
	case c != nil:
		v.describeCall(p, c)
	default:
		v.describeCalls(p)
	}
	v.detail.set(p.lines, top)
}

// describeCalls sums up what became of the calls up to here, and says how the requirements came out.
func (v *contractView) describeCalls(p *prose) {
	th := p.m.th
	count := map[string]int{}
	var order []string
	for _, c := range p.m.pay.calls.all[:v.calls] {
		if count[c.verdict] == 0 {
			order = append(order, c.verdict)
		}
		count[c.verdict]++
	}
	for _, verdict := range order {
		p.field(fmt.Sprint(count[verdict]), verdict, th.Text)
	}
	if v.facts == nil {
		return
	}
	if v.facts.why != "" {
		p.head("platform")
		p.say(th.Past, "%s", v.facts.why)
	}
	n := v.facts.negotiation
	if n == nil {
		return
	}
	p.head("requirements: " + n.Verdict)
	if n.Report != nil {
		for i := range n.Report.Verdicts {
			v.requirement(p, &n.Report.Verdicts[i])
		}
	}
	for _, text := range n.Warnings {
		p.say(th.Warn, "! %s", text)
	}
	if n.Day != "" {
		p.say(th.Past, "lock of %s, judged on %s", n.Day, n.Today)
	}
}

func (v *contractView) requirement(p *prose, r *require.Verdict) {
	th := p.m.th
	mark, st := th.Glyph.Pass, th.Good
	if r.Verdict != require.Satisfied {
		mark, st = th.Glyph.Fail, th.Bad
	}
	p.say(st, "%s %s %s: %s", mark, r.Name, r.Constraints, r.Verdict)
	if r.Reason != "" {
		p.say(th.Past, "  %s", r.Reason)
	}
	for _, l := range r.Lints {
		p.say(th.Warn, "  ! %s", l.Message)
	}
}

// describeTool is everything that is known of a tool.
func (v *contractView) describeTool(p *prose, t *toolRow) {
	th := p.m.th
	d := tool.Details{}
	if t.called != nil {
		d = t.called.last
	}
	if s := t.state; s != nil {
		d.Server, d.Semver, d.ToolVersions, d.Source, d.Sunset, d.Class, d.USD = s.Server, s.Version, s.Versions, s.Source, s.Sunset, s.Class, s.USD
	}
	p.head("versions")
	p.field("tool", orNobody(d.Semver), th.Text)
	p.field("contract", orNobody(numbers(d.ToolVersions))+said(d.Source), th.Accent)
	pack := "not known without a platform lock"
	proto := pack
	if t.state != nil {
		pack, proto = orNobody(t.server.Version), orNobody(t.server.Protocol)
		if t.server.Name != "" {
			pack += ", " + t.server.Name
		}
	}
	p.field("package", pack, th.Text)
	p.field("MCP", proto, th.Text)
	p.field("server", orNobody(d.Server), th.Text)
	price := "declared free"
	if d.USD > 0 {
		price = fmt.Sprintf("$%g a call", d.USD)
	}
	p.field("class", d.Class+", "+price, th.Text)
	v.sunset(p, t, d.Sunset)
	if t.verdict != nil {
		p.head("required")
		v.requirement(p, t.verdict)
	}
	v.ways(p, t)
	if t.locked != nil && t.locked.Capability != nil {
		capability(p, t.locked.Capability)
	} else if t.state != nil {
		p.head("capability")
		p.say(th.Past, "the tool states none")
	}
	if t.locked != nil {
		for _, e := range t.locked.Versions.Journal {
			p.say(th.Warn, "! %s: %s", e.Code, e.Text)
		}
	}
	v.callsOf(p, t)
}

func (v *contractView) sunset(p *prose, t *toolRow, sunset string) {
	th := p.m.th
	if sunset == "" {
		return
	}
	text, st := sunset, th.Warn
	day, err := meta.ParseDate(sunset)
	if v.facts != nil && v.facts.negotiation != nil && err == nil {
		if today, err := meta.ParseDate(v.facts.negotiation.Today); err == nil {
			switch left := today.DaysUntil(day); {
			case left < 0:
				text, st = fmt.Sprintf("%s, %s ago: excluded", sunset, plural(-left, "day")), th.Bad
			case left == 0:
				text += ", today is its last day"
			default:
				text += ", in " + plural(left, "day")
			}
		}
	}
	p.field("sunset", text, st)
}

// ways say how calls of each contract version in use get to the tool.
func (v *contractView) ways(p *prose, t *toolRow) {
	if v.facts == nil || v.facts.negotiation == nil {
		return
	}
	first := true
	for _, x := range v.facts.negotiation.Ways {
		if x.Tool != t.name {
			continue
		}
		if first {
			p.head("ways to it")
			first = false
		}
		by := fmt.Sprintf("at %d", x.Version)
		switch {
		case x.OK && x.Version == x.ToolVersion:
			p.field(by, "unchanged, for "+strings.Join(x.Agents, ", "), p.m.th.Text)
		case x.OK:
			p.field(by, fmt.Sprintf("→ %d in %s, for %s", x.ToolVersion, plural(x.Steps, "step"), strings.Join(x.Agents, ", ")), p.m.th.Text)
		default:
			p.field(by, fmt.Sprintf("no way, for %s: %s", strings.Join(x.Agents, ", "), x.Why), p.m.th.Bad)
		}
	}
}

func capability(p *prose, c *contract.ToolCapability) {
	th := p.m.th
	p.head("capability")
	p.field("scenarios", listing(c.SupportedScenarios, "none"), th.Text)
	p.field("fidelity", listing(c.FidelityLevels, "none"), th.Text)
	var needs []string
	if c.InputConstraints.RequiresSnapshot {
		needs = append(needs, "a snapshot")
	}
	if c.InputConstraints.RequiresDirtySet {
		needs = append(needs, "a dirty set")
	}
	if n := c.InputConstraints.MaxDesignCells; n != nil {
		needs = append(needs, fmt.Sprintf("at most %d cells", *n))
	}
	p.field("needs", listing(needs, "nothing"), th.Text)
	if c.InputConstraints.SupportedTechs == nil {
		p.field("techs", "all", th.Text)
	} else {
		p.field("techs", listing(c.InputConstraints.SupportedTechs, "none"), th.Text)
	}
	perf := c.PerformanceProfile
	text := fmt.Sprintf("%d ms, %d MB, %s", perf.TypicalLatencyMS, perf.PeakMemoryMB, perf.Scaling)
	if perf.ReferenceCells != nil {
		text += fmt.Sprintf(" from %d cells", *perf.ReferenceCells)
	}
	p.field("typically", text, th.Text)
	for i, l := range c.KnownLimitations {
		p.field(map[bool]string{true: "limits"}[i == 0], l, th.Text)
	}
}

// callsOf sums up the calls of a tool up to here.
func (v *contractView) callsOf(p *prose, t *toolRow) {
	p.head(plural(t.calls, "call") + " up to here")
	if t.called == nil {
		return
	}
	all := p.m.pay.calls.all
	count := map[string]int{}
	var order []string
	for _, i := range t.called.calls[:t.calls] {
		if count[all[i].verdict] == 0 {
			order = append(order, all[i].verdict)
		}
		count[all[i].verdict]++
	}
	for _, verdict := range order {
		p.field(fmt.Sprint(count[verdict]), verdict, p.m.th.Text)
	}
}

func orNobody(s string) string {
	if s == "" {
		return "nobody says"
	}
	return s
}

// said names who said which contract versions a tool implements.
func said(source string) string {
	switch meta.Origin(source) {
	case meta.SourceTool:
		return ", said by the tool's _meta"
	case meta.SourceInitialize:
		return ", said by initialize"
	case meta.SourcePinned:
		return ", pinned on the connection"
	case meta.SourceLastKnown:
		return ", the last known one"
	case meta.SourceCurrent:
		return ", the platform's own: nobody says"
	}
	return ""
}

func (v *contractView) picked(m *Model, _ layout.Pane) (selected, bool) {
	t, c := v.at(m)
	switch {
	case c != nil:
		return aCall(m, c.event), true
	case t != nil && t.locked != nil:
		return selected{what: "the tool " + t.name + " as it is listed", name: fileName(t.name) + ".json", text: string(t.locked.Listed)}, true
	case t != nil && t.state != nil:
		return document("the tool "+t.name, t.name, t.state), true
	case t != nil:
		return selected{what: "the tool's name", name: "tool.txt", text: t.name}, true
	}
	return selected{}, false
}

// also is the event that a call was recorded in.
func (v *contractView) also(m *Model, _ layout.Pane) []selected {
	_, c := v.at(m)
	if c == nil {
		return nil
	}
	return []selected{anEvent(m.s.Event(c.event), fmt.Sprintf("event %d", c.event), fmt.Sprintf("event-%d.json", c.event))}
}

// changes are the leaves that differ between two documents: moved ones (the same value at another place), then gone, new
// and changed ones.
func changes(before, after string) (moved [][3]string, gone, added [][2]string, changed [][3]string) {
	a, b := leaves(before), leaves(after)
	at := map[string]string{}
	for _, x := range a {
		at[x[0]] = x[1]
	}
	now := map[string]string{}
	for _, x := range b {
		now[x[0]] = x[1]
	}
	used := map[string]bool{}
	for _, x := range a {
		v, ok := now[x[0]]
		switch {
		case ok && v != x[1]:
			changed = append(changed, [3]string{x[0], x[1], v})
		case !ok:
			to := ""
			for _, y := range b {
				if _, old := at[y[0]]; !old && y[1] == x[1] && !used[y[0]] {
					to = y[0]
					break
				}
			}
			if to == "" {
				gone = append(gone, x)
				continue
			}
			used[to] = true
			moved = append(moved, [3]string{x[0], to, x[1]})
		}
	}
	for _, y := range b {
		if _, old := at[y[0]]; !old && !used[y[0]] {
			added = append(added, y)
		}
	}
	return moved, gone, added, changed
}

// maxLeaves bounds what is compared between two documents of a step.
const maxLeaves = 2000

// leaves are the values of a document that hold no others, with their pointers.
func leaves(text string) (out [][2]string) {
	v, _, err := canon.Parse([]byte(text), canon.Options{Integers: canon.IntegersAsString})
	if err != nil {
		return nil
	}
	var walk func(v canon.Value, ptr string)
	walk = func(v canon.Value, ptr string) {
		switch {
		case len(out) >= maxLeaves:
		case v.Kind() == canon.KindObject && v.Count() > 0:
			for k, x := range v.Members() {
				walk(x, canon.AppendPointer(ptr, k))
			}
		case v.Kind() == canon.KindArray && v.Count() > 0:
			for i, x := range v.Elems() {
				walk(x, fmt.Sprintf("%s/%d", ptr, i))
			}
		default:
			out = append(out, [2]string{ptr, v.Text()})
		}
	}
	walk(v, "")
	return out
}

// change draws one line of what a step did.
func (p *prose) change(mark string, st cell.Style, place, value string) {
	p.spans(cell.Span{Text: "   " + mark + " ", Style: st}, cell.Span{Text: place, Style: p.m.th.Text}, cell.Span{Text: "  " + cutBytes(value, 400), Style: p.m.th.Past})
}
