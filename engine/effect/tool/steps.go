package tool

import (
	"flowdbg/contract/translate"
)

// Bounds of what is recorded between the steps of a chain (ours).
const (
	maxStep  = 64 << 10 // bytes of one document
	maxSteps = 32       // documents of one side
)

// plan records the plan of a call.
func (d *Details) plan(p *translate.Plan) {
	if p == nil {
		return
	}
	d.ToolVersion = p.ToolVersion
	for _, t := range p.Tried {
		d.Tried = append(d.Tried, Tried{t.Version, t.Why})
	}
	d.legs(SideInput, p.Input)
	d.legs(SideOutput, p.Output)
}

func (d *Details) legs(side string, legs []translate.Leg) {
	for _, leg := range legs {
		s := Step{Side: side, Step: leg.Step.Name(), Dir: direction(leg.Dir), Ops: len(leg.Step.Ops(translate.Side(side)))}
		if leg.Step.File != "" {
			s.Rule = leg.Step.File + leg.Step.Pointer
		}
		d.Steps = append(d.Steps, s)
	}
}

func direction(d translate.Direction) string {
	if d == translate.Up {
		return "up"
	}
	return "down"
}

// midwayOf keeps a document inside a chain while the call is carried; absent arguments have none.
func (x *call) midwayOf(m translate.Midway) {
	if m.Legs > maxSteps || m.Side == translate.Input && len(x.in.Arguments) == 0 {
		return
	}
	docs := &x.midway.input
	if m.Side == translate.Output {
		docs = &x.midway.output
	}
	if *docs == nil {
		*docs = make([]string, 0, m.Legs-1)
	}
	var room [512]byte
	text := ""
	if doc := m.Append(room[:0]); len(doc) <= maxStep {
		text = string(doc)
	}
	*docs = append(*docs, text)
}

// between records the documents inside a chain, as far as the steps were done. A value that a step refuses ends the record
// there; the refusal of the call says why.
func (d *Details) between(side string, docs []string) {
	for i, s := range d.own(side) {
		if i == len(docs) {
			return
		}
		s.After = docs[i]
	}
}

// alone records the same where nothing was carried: each step is done alone, the same way the whole would have been.
func (d *Details) alone(rules *translate.RuleSet, side string, doc []byte) {
	if !d.chained(side) || len(doc) == 0 {
		return
	}
	own := d.own(side)
	version := d.AgentVersion
	if side == SideOutput {
		version = d.ToolVersion
	}
	for _, s := range own[:len(own)-1] {
		next := version + 1
		if s.Dir == "down" {
			next = version - 1
		}
		leg, err := rules.OneWay(d.Tool, version, next, translate.Side(side))
		if err != nil {
			return
		}
		if doc, _, err = leg.Translate(translate.Side(side), doc); err != nil {
			return
		}
		if len(doc) <= maxStep {
			s.After = string(doc)
		}
		version = next
	}
}

func (d *Details) own(side string) []*Step {
	var own []*Step
	for i := range d.Steps {
		if d.Steps[i].Side == side {
			own = append(own, &d.Steps[i])
		}
	}
	return own
}

// chained is true when there are documents between the steps of a side, and few enough of them to be recorded.
func (d *Details) chained(side string) bool {
	n := len(d.own(side))
	return n >= 2 && n <= maxSteps
}

// noted adds a translation's notes.
func (d *Details) noted(side string, notes []translate.Note) {
	for _, n := range notes {
		d.Notes = append(d.Notes, Note{side, n})
	}
}
