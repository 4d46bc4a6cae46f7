package app

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/engine/effect/tool"
	"flowdbg/ui/tui/keymap"
)

// describeCall is everything that is recorded of a call, in the order in which it was done.
func (v *contractView) describeCall(p *prose, c *call) {
	th := p.m.th
	if v.open == nil {
		if d, ok := tool.CallDetails(p.m.s.Event(c.event)); ok {
			v.open = d
		}
	}
	p.field("step", fmt.Sprintf("%d, %s", c.step, c.agent), th.Text)
	d := v.open
	if d == nil {
		p.say(th.Past, "the event says nothing about its contract: the trace was made by something else, or without a platform")
		return
	}
	v.callHead(p, d)
	if d.Refusal != nil {
		refusal(p, d)
	}
	p.head("plan")
	v.plan(p, d)
	v.document(p, "asked", d.Asked)
	v.steps(p, d, tool.SideInput)
	v.document(p, "sent", d.Sent)
	v.document(p, "received", d.Received)
	v.steps(p, d, tool.SideOutput)
	v.document(p, "answered", d.Answered)
	if d.Error != "" {
		p.head("error")
		p.say(th.Bad, "%s", d.Error)
	}
	notes(p, d)
	if !v.raw {
		p.blank()
		p.say(th.Past, "%s shows the documents in full, as they went over the wire", p.m.shownKey(keymap.Raw))
	}
}

// callHead is who spoke which version, when, and what it cost.
func (v *contractView) callHead(p *prose, d *tool.Details) {
	th := p.m.th
	p.field("tool", strings.TrimSpace(d.Tool+" "+d.Semver)+map[bool]string{true: " on " + d.Server}[d.Server != ""], th.Text)
	contractText := "the call states no version"
	switch {
	case d.AgentVersion > 0 && d.ToolVersion > 0:
		contractText = fmt.Sprintf("agent at %d, tool at %d", d.AgentVersion, d.ToolVersion)
	case d.AgentVersion > 0:
		contractText = fmt.Sprintf("agent at %d", d.AgentVersion)
	}
	if len(d.ToolVersions) > 0 {
		contractText += fmt.Sprintf("; the tool implements %s%s", numbers(d.ToolVersions), said(d.Source))
	}
	p.field("contract", contractText, th.Accent)
	verdict, st := d.Verdict(), th.Good
	if d.Refusal != nil || d.Error != "" {
		st = th.Bad
	}
	if n := len(d.Losses()); n > 0 {
		verdict, st = verdict+", "+many(n, "loss", "losses"), th.Warn
	}
	if n := len(d.Inventions()); n > 0 {
		verdict += fmt.Sprintf(", %d invented", n)
	}
	p.field("verdict", verdict, st)
	cost := "declared free"
	if d.USD > 0 {
		cost = fmt.Sprintf("$%g", d.USD)
	}
	p.field("cost", fmt.Sprintf("%s, %d ms, class %s", cost, d.ElapsedMS, orNobody(d.Class)), th.Text)
	if d.Sunset != "" {
		p.field("sunset", d.Sunset+", judged on "+d.Today, th.Warn)
	}
}

// plan is the way of the arguments to the tool, and of the answer back.
func (v *contractView) plan(p *prose, d *tool.Details) {
	th := p.m.th
	for _, t := range d.Tried {
		p.say(th.Past, "version %d was tried first: %s", t.Version, t.Why.Error())
	}
	if len(d.Steps) == 0 {
		if d.ToolVersion == 0 {
			p.say(th.Past, "none was made")
		} else {
			p.say(th.Past, "nothing to translate: both speak %d", d.ToolVersion)
		}
		return
	}
	for _, side := range []string{tool.SideInput, tool.SideOutput} {
		way := []string{}
		for _, s := range d.Steps {
			if s.Side == side {
				way = append(way, fmt.Sprintf("%s %s", strings.ReplaceAll(s.Step, "->", "→"), s.Dir))
			}
		}
		name := "arguments"
		if side == tool.SideOutput {
			name = "result"
		}
		if len(way) > 0 {
			p.field(name, strings.Join(way, " · "), th.Text)
		}
	}
}

// document is one document of the call: its begin, or all of it when documents are shown in full.
func (v *contractView) document(p *prose, name, text string) {
	if text == "" {
		return
	}
	th := p.m.th
	if v.raw {
		p.head(name)
		p.exact(text, th.Text)
		return
	}
	p.blank()
	p.spans(field1(p, name, text)...)
}

// steps are what each step of one side did.
func (v *contractView) steps(p *prose, d *tool.Details, side string) {
	th, g := p.m.th, p.m.th.Glyph
	for _, s := range d.Steps {
		if s.Side != side {
			continue
		}
		name := strings.ReplaceAll(s.Step, "->", g.Words.Becomes)
		p.say(th.Accent, "  %s %s, %s  %s", name, s.Dir, plural(s.Ops, "operation"), s.Rule)
		if s.Before == "" || s.After == "" {
			p.say(th.Past, "    the document was never made, or is too large to be recorded")
			continue
		}
		if v.raw {
			p.spans(field1(p, "  before", "")...)
			p.exact(s.Before, th.Past)
			p.spans(field1(p, "  after", "")...)
			p.exact(s.After, th.Text)
			continue
		}
		moved, gone, added, changed := changes(s.Before, s.After)
		for _, x := range moved {
			p.change(g.Right, th.Accent, x[0]+" "+g.Words.Becomes+" "+x[1], x[2])
		}
		for _, x := range changed {
			p.change(g.Changed, th.Changed, x[0], x[1]+" "+g.Words.Becomes+" "+x[2])
		}
		for _, x := range gone {
			p.change("-", th.Warn, x[0], x[1])
		}
		for _, x := range added {
			p.change("+", th.Good, x[0], x[1])
		}
		if len(moved)+len(gone)+len(added)+len(changed) == 0 {
			p.say(th.Past, "    changes nothing here")
		}
	}
}

// notes are losses, inventions and remarks, and the journal.
func notes(p *prose, d *tool.Details) {
	th := p.m.th
	if len(d.Notes) > 0 {
		p.head("on the way")
	}
	losses := d.Losses()
	for _, n := range d.Notes {
		mark, st := "+", th.Text
		if slices.Contains(losses, n) {
			mark, st = "-", th.Warn
		}
		p.say(st, "%s %s %s (%s %s)", mark, n.Kind, n.Path, n.Side, n.Step)
	}
	if len(d.Journal) > 0 {
		p.head("journal")
	}
	for _, e := range d.Journal {
		p.say(th.Warn, "%s %s: %s", e.Level, e.Code, e.Text)
	}
}

// refusal says why a call was refused, and for an outdated tool what would help.
func refusal(p *prose, d *tool.Details) {
	th, r := p.m.th, d.Refusal
	p.head("refused: " + r.Code)
	p.say(th.Bad, "%s", orNobody(r.Reason))
	for _, x := range [][2]string{{"at", r.Path}, {"direction", r.Direction}, {"step", r.Step}, {"rule", r.Rule}, {"missing", r.MissingStep}} {
		if x[1] != "" {
			p.field(x[0], x[1], th.Text)
		}
	}
	if r.Code == contract.CodeToolOutdated {
		outdated(p, d)
	}
}

// outdated explains tool_outdated_for_agent: the agent's version cannot be led to any that the tool implements.
func outdated(p *prose, d *tool.Details) {
	th, r := p.m.th, d.Refusal
	p.blank()
	p.say(th.Text, "The agent speaks contract %d and %s implements %s. A call goes there in steps of one version, each by a rule; the chain is broken, so the call was never sent and cost nothing.",
		r.AgentVersion, r.Tool, numbers(r.ToolVersions))
	if r.MissingStep != "" {
		p.say(th.Text, "What is missing is the step %s of the %s.", strings.ReplaceAll(r.MissingStep, "->", "→"), orSide(r.Direction))
	}
	p.say(th.Text, "Any of these helps: a rule for that step under the flow's contracts.rules; contract_version %s for the agent; a server whose tool still implements %d.",
		numbers(r.ToolVersions), r.AgentVersion)
}

func orSide(direction string) string {
	switch direction {
	case tool.SideInput:
		return "arguments"
	case tool.SideOutput:
		return "result"
	}
	return "call"
}
