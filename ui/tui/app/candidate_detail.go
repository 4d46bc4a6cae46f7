package app

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/engine/typed"
	"flowdbg/ui/tui/theme"
)

// candidateDrawn is everything that the text about a candidate depends on.
type candidateDrawn struct {
	th     *theme.Theme
	gen, w int
	id     string
}

func (v *candidatesView) drawDetail(m *Model, w, h int) []string {
	sh := v.scatterHeight(h)
	var lines []string
	if sh > 0 && w > gutter+12 {
		lines = v.drawScatter(m, w, sh)
	} else {
		v.scatter = scatterDrawn{} // there is nothing to click on
	}
	v.describe(m, w)
	return append(lines, v.detail.render(h-len(lines))...)
}

// describe writes all that was said of the selected candidate.
func (v *candidatesView) describe(m *Model, w int) {
	now := candidateDrawn{th: m.th, gen: v.gen, w: w}
	x := v.selected()
	if x != nil {
		now.id = x.ID
	}
	if now == v.drawn {
		return
	}
	top := now.id != v.drawn.id
	v.drawn = now
	p := &prose{m: m, w: w}
	if w >= nameWidth+8 && v.ex != nil {
		if x != nil {
			v.describeOne(p, x)
		}
		for _, n := range v.ex.Notes {
			p.say(m.th.Warn, "! %s", n)
		}
	}
	v.detail.set(p.lines, top)
}

func (v *candidatesView) describeOne(p *prose, x *typed.Candidate) {
	th := p.m.th
	p.head(x.ID)
	p.field("status", string(x.Status), th.Text)
	if x.Why != "" {
		p.field("why", x.Why, th.Warn)
	}
	if x.Intent != "" {
		p.field("intent", x.Intent, th.Past)
	}
	for i := range x.Goals {
		v.goal(p, &x.Goals[i])
	}
	v.standing(p, x)
	left := v.droveOff(x.ID)
	if len(left) > 0 {
		p.field("drove off", leftNames(left), th.Text)
	}
	if len(x.Checks) > 0 {
		p.head("gate " + x.Gate)
	}
	for i := range x.Checks {
		c := &x.Checks[i]
		mark, st := th.Glyph.Pass, th.Good
		switch c.Verdict {
		case contract.CheckFail:
			mark, st = th.Glyph.Fail, th.Bad
		case contract.CheckWarn:
			mark, st = "!", th.Warn
		case contract.CheckMissing, contract.CheckNotComparable:
			mark, st = th.Glyph.Unknown, th.Warn
		}
		text := fmt.Sprintf("%s %s %g", c.Metric, c.Op, c.Limit)
		if c.Actual != nil {
			text += fmt.Sprintf("  is %s", figure(*c.Actual))
		}
		if c.Margin != nil {
			text += fmt.Sprintf(", margin %s", figure(*c.Margin))
		}
		if c.Reason != "" {
			text += ": " + c.Reason
		}
		p.say(st, "%s %s", mark, text)
	}
	v.certificate(p, x)
	deltas(p, x)
	if len(left) > 0 {
		p.head("drove off the front, by")
	}
	for _, l := range left {
		p.say(th.Text, "%s  %s", l.ID, lostBy(l.Deltas))
	}
	p.head("recognised")
	for i := range x.Items {
		it := &x.Items[i]
		p.say(th.Text, "event %d  %s", it.Event, it.Kind)
		p.say(th.Past, "  %s", it.How)
	}
	if len(x.Items) == 0 {
		p.say(th.Past, "only in candidate sets, which are requests of judge")
	}
}

func (v *candidatesView) goal(p *prose, g *typed.Goal) {
	th := p.m.th
	mark, st := th.Glyph.Dot, th.Past
	switch g.Outcome {
	case contract.GoalMet:
		mark, st = th.Glyph.Pass, th.Good
	case contract.GoalMissed:
		mark, st = th.Glyph.Fail, th.Bad
	}
	text := g.Metric + " " + string(g.Claim)
	switch {
	case g.Before != nil && g.After != nil:
		text += fmt.Sprintf("  %s → %s", figure(*g.Before), figure(*g.After))
	case g.After != nil:
		text += "  → " + figure(*g.After)
	}
	if g.Outcome == contract.GoalUndecidable {
		text += " · undecidable: " + g.Reason
	}
	p.field("goal", mark+" "+text, st)
}

// standing is where the candidate stands among the others.
func (v *candidatesView) standing(p *prose, x *typed.Candidate) {
	th := p.m.th
	if x.Rank != nil {
		text := fmt.Sprintf("%d", *x.Rank)
		if x.Crowding != nil {
			text += fmt.Sprintf(", crowding %.3g", *x.Crowding)
		} else {
			text += ", at the edge of its front"
		}
		p.field("rank", text, th.Text)
	}
	if x.Regret != nil {
		p.field("regret", fmt.Sprintf("%.3f", *x.Regret), th.Text)
	}
	if len(x.Alike) > 0 {
		p.field("alike", "not resolved from "+strings.Join(x.Alike, ", "), th.Warn)
	}
	names := make([]string, 0, len(x.Metrics))
	for name := range x.Metrics {
		names = append(names, name)
	}
	slices.Sort(names)
	for i, name := range names {
		p.field(map[bool]string{true: "measured"}[i == 0], name+" "+figure(x.Metrics[name]), th.Text)
	}
}

func (v *candidatesView) certificate(p *prose, x *typed.Candidate) {
	c := x.Certificate
	if c == nil {
		return
	}
	th := p.m.th
	p.head("certificate")
	p.field("signed by", c.SignedBy+" at "+string(c.SignedAt), th.Text)
	rank := "none"
	if c.ParetoPosition.Rank != nil {
		rank = fmt.Sprint(*c.ParetoPosition.Rank)
	}
	p.field("said", fmt.Sprintf("%s, rank %s among %d then", c.GateResult.Verdict, rank, c.ParetoPosition.Candidates), th.Text)
	p.field("id", c.ID, th.Past)
	if c.ToolName != "" {
		p.field("tool", strings.TrimSpace(c.ToolName+" "+c.ToolVersion), th.Past)
	}
}

// deltas sum up what was claimed of the design and what was measured.
func deltas(p *prose, x *typed.Candidate) {
	if x.Claimed == nil && x.Delta == nil {
		return
	}
	p.head("design delta")
	for _, d := range []struct {
		name  string
		delta *contract.DesignDelta
	}{{"claimed", x.Claimed}, {"measured", x.Delta}} {
		if d.delta != nil {
			p.field(d.name, deltaText(d.delta), p.m.th.Text)
		}
	}
}

// deltaText is a delta in one line.
func deltaText(d *contract.DesignDelta) string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{{len(d.MovedCells), "moved"}, {len(d.ResizedCells), "resized"}, {len(d.PlacedCells), "placed"}, {len(d.UnplacedCells), "unplaced"},
		{len(d.AddedCells), "added"}, {len(d.RemovedCells), "removed"}, {len(d.RenamedCells), "renamed"}, {len(d.NewNets), "nets"},
		{len(d.TimingChanges), "timing"}, {len(d.DRCChanges), "DRC"}} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	text := strings.Join(parts, ", ")
	if text == "" {
		text = "changes nothing"
	}
	if len(d.NotMeasured) > 0 {
		text += "; not measured: " + strings.Join(d.NotMeasured, ", ")
	}
	return text
}
