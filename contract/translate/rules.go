package translate

import (
	"cmp"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"flowdbg/trace/canon"
)

//go:embed rules.schema.json
var ruleSchema []byte

// RuleSchema is the JSON Schema (2020-12) of rule files. It describes their shape; what needs more than shape (paths,
// neighbours, double definitions) is refused by Load.
func RuleSchema() []byte { return slices.Clone(ruleSchema) }

// EveryTool is the tool name of a step that holds for all tools its pair does not name otherwise.
const EveryTool = "*"

// Source is one rule file: its name for messages, and its text.
type Source struct {
	Name string
	Data []byte
}

// Step is the rules of one tool (or EveryTool) between two neighbouring versions. Both lists are written upwards.
type Step struct {
	From, To      int
	Tool          string
	Input, Output Ops
	Note          string
	File, Pointer string // where it is written
}

// Name is "1->2".
func (s *Step) Name() string { return StepName(s.From) }

// StepName is the name of the pair that starts at a version: "2->3".
func StepName(from int) string { return strconv.Itoa(from) + "->" + strconv.Itoa(from+1) }

// Ops is the list of one side.
func (s *Step) Ops(side Side) Ops {
	if side == Input {
		return s.Input
	}
	return s.Output
}

type stepKey struct {
	from int
	tool string
}

// RuleSet is the checked rules of a platform. The zero value and nil are the empty set, which is what ships: seed 003 has
// no rules yet.
type RuleSet struct {
	steps     map[stepKey]*Step
	unchanged map[stepKey]*Step // the step that lists the tool
	pairs     map[int]bool
	highest   int
	catalog   *Catalog
	hash      string
	warnings  RuleErrors
}

// Load reads rule files and checks them, alone and against the schemas of the catalog (nil = none known). The error is a
// RuleErrors with everything that is wrong; then there is no rule set.
func Load(sources []Source, catalog *Catalog) (*RuleSet, error) {
	rs := &RuleSet{
		steps: map[stepKey]*Step{}, unchanged: map[stepKey]*Step{}, pairs: map[int]bool{}, catalog: catalog,
	}
	var errs RuleErrors
	for _, src := range sources {
		l := &loader{file: src.Name, src: string(src.Data)}
		root, err := parseTree(src.Data)
		if err != nil {
			se := err.(*SyntaxError) // the only error of parseTree
			l.errs = append(l.errs, &RuleError{File: src.Name, Line: se.Line, Col: se.Col, Pointer: se.Pointer, Text: se.Text})
		} else {
			l.ruleFile(rs, root)
		}
		errs = append(errs, l.errs...)
	}
	errs = append(errs, rs.checkCatalog()...)
	if len(errs) > 0 {
		return nil, errs
	}
	rs.hash = rs.digest()
	return rs, nil
}

// Empty is the rule set that ships.
func Empty() *RuleSet {
	rs, _ := Load(nil, nil) // no source, so no fault
	return rs
}

// Steps are all steps by version, then tool.
func (rs *RuleSet) Steps() []*Step {
	if rs == nil {
		return nil
	}
	out := make([]*Step, 0, len(rs.steps))
	for _, s := range rs.steps {
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *Step) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Tool, b.Tool))
	})
	return out
}

// Step is what a tool goes through between from and from+1: its own step, the step of every tool, or identity (a step
// without operations). ok is false when no rule says anything: a broken chain.
func (rs *RuleSet) Step(tool string, from int) (step *Step, ok bool) {
	if rs == nil || !rs.pairs[from] {
		return nil, false
	}
	if s := rs.steps[stepKey{from, tool}]; s != nil {
		return s, true
	}
	if u := rs.unchanged[stepKey{from, tool}]; u != nil {
		return &Step{From: from, To: from + 1, Tool: tool, File: u.File, Pointer: u.Pointer}, true
	}
	if s := rs.steps[stepKey{from, EveryTool}]; s != nil {
		return s, true
	}
	if same, known := rs.catalog.sameSchemas(tool, from, from+1); known && same {
		return &Step{From: from, To: from + 1, Tool: tool}, true
	}
	return nil, false
}

// Highest is the newest version that a step leads to, 0 for the empty set.
func (rs *RuleSet) Highest() int {
	if rs == nil {
		return 0
	}
	return rs.highest
}

// Warnings are things to look at that do not keep the rules from being used.
func (rs *RuleSet) Warnings() []*RuleError {
	if rs == nil {
		return nil
	}
	return rs.warnings
}

// Hash is "sha256:<hex>" over what the rules do: steps in a fixed order as canonical JSON (RFC 8785), without notes, file
// names and layout. It belongs into cache keys.
func (rs *RuleSet) Hash() string {
	if rs == nil || rs.hash == "" {
		return Empty().hash
	}
	return rs.hash
}

func (rs *RuleSet) digest() string {
	list := &node{kind: kindArray, off: -1}
	for _, s := range rs.Steps() {
		list.elems = append(list.elems, objectNode(
			newMember("from", intNode(s.From)), newMember("tool", stringNode(s.Tool)),
			newMember("input", s.Input.node()), newMember("output", s.Output.node())))
	}
	var same []stepKey
	for k := range rs.unchanged {
		same = append(same, k)
	}
	slices.SortFunc(same, func(a, b stepKey) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.tool, b.tool)) })
	for _, k := range same {
		list.elems = append(list.elems, objectNode(newMember("from", intNode(k.from)), newMember("unchanged", stringNode(k.tool))))
	}
	text := list.append(nil)
	v, _, err := canon.Parse(text, canon.Options{Integers: canon.IntegersAsString})
	if err != nil { // values of rules passed the same strict reading; the text itself is then the next best identity
		v = canon.String(string(text))
	}
	return "sha256:" + v.Hash()
}

func (ops Ops) node() *node {
	list := &node{kind: kindArray, off: -1}
	for _, o := range ops {
		n := objectNode(newMember("op", stringNode(o.kind)), newMember("path", stringNode(o.path.text)))
		if o.to.text != "" {
			n.set("to", stringNode(o.to.text))
		}
		if o.value != nil {
			n.set("value", o.value)
		}
		list.elems = append(list.elems, n)
	}
	return list
}

// checkCatalog finds tools that a pair leaves out although their schemas differ, and tools listed as unchanged whose
// schemas say otherwise.
func (rs *RuleSet) checkCatalog() RuleErrors {
	var errs RuleErrors
	for _, from := range slices.Sorted(maps.Keys(rs.pairs)) {
		for _, tool := range rs.catalog.Tools() {
			same, known := rs.catalog.sameSchemas(tool, from, from+1)
			if !known || same {
				continue
			}
			u := rs.unchanged[stepKey{from, tool}]
			if u != nil {
				rs.warnings = append(rs.warnings, &RuleError{File: u.File, Pointer: u.Pointer, At: tool, IsWarning: true,
					Text: fmt.Sprintf("step %s lists %s as unchanged, but its schemas differ", StepName(from), tool)})
				continue
			}
			if _, ok := rs.Step(tool, from); !ok {
				errs = append(errs, &RuleError{At: tool,
					Text: fmt.Sprintf("step %s leaves out %s, whose schemas differ: give it rules or list it as unchanged", StepName(from), tool)})
			}
		}
	}
	return errs
}
