package translate

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"flowdbg/contract"
)

// Leg is one step of a plan: the rules of a neighbour pair in one direction.
type Leg struct {
	Step *Step
	Dir  Direction
}

// Plan is the way of a call between the agent's version and one version that the tool implements: arguments through Input,
// the result back through Output. Without legs bytes pass through unchanged.
type Plan struct {
	Tool         string
	AgentVersion int
	ToolVersion  int
	Input        []Leg
	Output       []Leg
	Tried        []Attempt // native versions that were nearer and did not work
}

// Attempt is a native version that no plan leads to, and why.
type Attempt struct {
	Version int
	Why     *contract.Refusal
}

// Identity says whether the plan passes bytes through.
func (p *Plan) Identity() bool { return p.AgentVersion == p.ToolVersion }

// Question is what a plan is asked for.
type Question struct {
	Tool    string
	Agent   int   // the version of the call, 1 or more
	Native  []int // versions the tool implements
	Current int   // the platform's version, 0 = unknown; counts as known
}

// Plan finds the way of a call. Native versions are tried nearest first, of two equally near the higher one, and the first
// whose plan works in both directions is taken: a call whose answer could not come back is never sent. The error is a
// *contract.Refusal with code tool_outdated_for_agent, about the nearest version.
func (rs *RuleSet) Plan(q Question) (*Plan, error) {
	natives := order(q.Agent, q.Native)
	refusal := func(reason string) *contract.Refusal {
		return &contract.Refusal{Code: contract.CodeToolOutdated, Tool: q.Tool, AgentVersion: int64(q.Agent),
			ToolVersions: sortedUnique(q.Native), Direction: string(Input), Reason: reason}
	}
	if len(natives) == 0 {
		return nil, refusal(ReasonUnknownVersion)
	}
	highest := max(rs.Highest(), q.Current, slices.Max(natives))
	if q.Agent < 1 || q.Agent > highest {
		return nil, refusal(ReasonUnknownVersion)
	}
	var tried []Attempt
	for _, v := range natives {
		p := &Plan{Tool: q.Tool, AgentVersion: q.Agent, ToolVersion: v}
		why := rs.legs(p, refusal)
		if why == nil {
			p.Tried = tried
			return p, nil
		}
		tried = append(tried, Attempt{v, why})
	}
	return nil, tried[0].Why
}

// legs fills both directions of a plan, or says why there is none.
func (rs *RuleSet) legs(p *Plan, refusal func(string) *contract.Refusal) *contract.Refusal {
	var why *contract.Refusal
	if p.Input, why = rs.chain(p.Tool, p.AgentVersion, p.ToolVersion, Input, refusal); why != nil {
		return why
	}
	if p.Output, why = rs.chain(p.Tool, p.ToolVersion, p.AgentVersion, Output, refusal); why != nil {
		return why
	}
	return nil
}

// chain is the legs from one version to another for one side of a call.
func (rs *RuleSet) chain(tool string, from, to int, side Side, refusal func(string) *contract.Refusal) ([]Leg, *contract.Refusal) {
	if span(from, to) > maxChain {
		r := refusal(ReasonNoRule)
		r.Direction, r.MissingStep = string(side), StepName(min(from, to))
		return nil, r
	}
	var legs []Leg
	for v := from; v != to; {
		dir, pair := Up, v
		if to < from {
			dir, pair = Down, v-1
		}
		step, ok := rs.Step(tool, pair)
		if !ok {
			r := refusal(ReasonNoRule)
			r.Direction, r.MissingStep = string(side), StepName(pair)
			return nil, r
		}
		if dir == Down {
			if op := rs.undeliverable(tool, step, side); op != nil {
				r := refusal(ReasonNotInvertible)
				r.Direction, r.Step, r.Rule, r.Path = string(side), step.Name(), ruleID(step, side, op.Index), op.At
				return nil, r
			}
		}
		legs = append(legs, Leg{step, dir})
		if dir == Up {
			v++
		} else {
			v--
		}
	}
	return legs, nil
}

// maxChain bounds a chain; nobody lives ten thousand breaks apart, and a hostile list of versions must not cost time.
const maxChain = 10_000

func span(a, b int) int {
	if a < b {
		return b - a
	}
	return a - b
}

// undeliverable is the operation that keeps a step from being derived backwards: by its form, or because no document it
// yields could fit the older schema where that is known (a required member that the way back leaves out).
func (rs *RuleSet) undeliverable(tool string, step *Step, side Side) *OpError {
	ops := step.Ops(side)
	if fault := ops.Invertible(); fault != nil {
		return fault
	}
	old := rs.catalog.schema(tool, step.From, side)
	if old == nil {
		return nil
	}
	for i, o := range ops {
		gone := o.kind == OpDrop && o.value == nil || o.kind == OpDefault
		if gone && alwaysRequired(old, o.path) && !earlier(ops[:i], o.path) {
			return &OpError{Code: ReasonNotInvertible, At: o.path.text, Index: i}
		}
	}
	return nil
}

// earlier says whether an operation before may have put the path there under another name, so that the older schema does
// not speak of it.
func earlier(ops Ops, p path) bool {
	for _, o := range ops {
		if o.to.text != "" && (p.startsWith(o.to) || o.to.startsWith(p)) || o.path.startsWith(p) || p.startsWith(o.path) {
			return true
		}
	}
	return false
}

// alwaysRequired says whether every document of a schema holds the member: required all along, no `*`, no conditions.
func alwaysRequired(schema *node, p path) bool {
	for i, s := range p.segs {
		if s.star || schema.get("$ref") != nil || !isRequired([]*node{schema}, s.name) {
			return false
		}
		if i == len(p.segs)-1 {
			return true
		}
		if schema = schema.get("properties").get(s.name); schema == nil || nullable([]*node{schema}) {
			return false
		}
	}
	return false
}

// ruleID names one operation: "rules.json/steps/0/input/2".
func ruleID(step *Step, side Side, index int) string {
	return step.File + step.Pointer + "/" + string(side) + "/" + strconv.Itoa(index)
}

// order sorts native versions by nearness to the agent's, of two equally near the higher first.
func order(agent int, native []int) []int {
	out := sortedUnique(native)
	out = slices.DeleteFunc(out, func(v int) bool { return v < 1 })
	slices.SortFunc(out, func(a, b int) int {
		if d := span(a, agent) - span(b, agent); d != 0 {
			return d
		}
		return b - a
	})
	return out
}

func sortedUnique(list []int) []int {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}

// Translate carries one document through the legs of one side. The document is not modified. A fault of a value is a
// *contract.Refusal with code translation_failed, a text that is no JSON likewise (reason not_json).
func (p *Plan) Translate(side Side, doc []byte) ([]byte, []Note, error) {
	if p.Identity() {
		return doc, nil, nil
	}
	root, err := parseTree(doc)
	if err != nil {
		return nil, nil, p.failed(side, fmt.Sprintf("%s: %v", ReasonNotJSON, err))
	}
	notes, refusal := p.carry(side, root, nil)
	if refusal != nil {
		return nil, nil, refusal
	}
	return root.append(make([]byte, 0, len(doc)+64)), notes, nil
}

// Midway is a document inside a chain: what one leg of a plan made and the next one goes on with.
type Midway struct {
	Side Side
	Leg  int // 0-based; of Legs
	Legs int
	root *node
}

// Append writes the document as JSON behind dst.
func (m Midway) Append(dst []byte) []byte { return m.root.append(dst) }

// carry translates a tree in place. midway, when set, sees the tree after each leg but the last.
func (p *Plan) carry(side Side, root *node, midway func(Midway)) ([]Note, *contract.Refusal) {
	legs := p.Input
	if side == Output {
		legs = p.Output
	}
	var notes []Note
	for at, leg := range legs {
		before := len(notes)
		var fault *OpError
		notes, fault = applyTree(leg.Step.Ops(side), leg.Dir, side, root, notes)
		for i := before; i < len(notes); i++ {
			notes[i].Step = leg.Step.Name()
		}
		if fault != nil {
			r := p.failed(side, fault.Code)
			r.Step, r.Rule, r.Path = leg.Step.Name(), ruleID(leg.Step, side, fault.Index), fault.At
			return nil, r
		}
		if midway != nil && at < len(legs)-1 {
			midway(Midway{Side: side, Leg: at, Legs: len(legs), root: root})
		}
	}
	return notes, nil
}

func (p *Plan) failed(side Side, reason string) *contract.Refusal {
	return &contract.Refusal{Code: contract.CodeTranslationFailed, Tool: p.Tool, AgentVersion: int64(p.AgentVersion),
		ToolVersions: []int{p.ToolVersion}, Direction: string(side), Reason: reason}
}

// OneWay is the way of documents of one side between any two versions, without the way back: for looking at rules, not for
// calls. The error is a *contract.Refusal with code tool_outdated_for_agent.
func (rs *RuleSet) OneWay(tool string, from, to int, side Side) (*Plan, error) {
	p := &Plan{Tool: tool, AgentVersion: from, ToolVersion: to}
	if side == Output {
		p.AgentVersion, p.ToolVersion = to, from
	}
	refusal := func(reason string) *contract.Refusal {
		return &contract.Refusal{Code: contract.CodeToolOutdated, Tool: tool, AgentVersion: int64(p.AgentVersion),
			ToolVersions: []int{p.ToolVersion}, Direction: string(side), Reason: reason}
	}
	legs, why := rs.chain(tool, from, to, side, refusal)
	if why != nil {
		return nil, why
	}
	if side == Input {
		p.Input = legs
	} else {
		p.Output = legs
	}
	return p, nil
}

// AsRefusal finds the typed refusal in an error.
func AsRefusal(err error) (*contract.Refusal, bool) {
	var r *contract.Refusal
	ok := errors.As(err, &r)
	return r, ok
}
