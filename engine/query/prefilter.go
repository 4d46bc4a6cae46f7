package query

import (
	"go.starlark.net/syntax"

	"flowdbg/trace"
)

// prefilter is what every event that satisfies the expression has in its header.
type prefilter struct {
	types, agents map[string]bool // nil: any
	minStep       int
	maxStep       int // 0: any
	none          bool
}

func (p *prefilter) may(h trace.Header) bool {
	if p.none || p.types != nil && !p.types[string(h.Type)] && h.Type != "x-other" {
		return false
	}
	if p.agents != nil && !p.agents[h.Agent] {
		return false
	}
	return h.Step >= p.minStep && (p.maxStep == 0 || h.Step <= p.maxStep)
}

// demands reads type == "…", type in […], agent likewise, and comparisons of step with a number off the terms that are
// joined by "and" at the top. Anything else is left to the evaluation.
func demands(e syntax.Expr) prefilter {
	var p prefilter
	p.read(e)
	return p
}

func (p *prefilter) read(e syntax.Expr) {
	switch e := e.(type) {
	case *syntax.ParenExpr:
		p.read(e.X)
	case *syntax.BinaryExpr:
		switch e.Op {
		case syntax.AND:
			p.read(e.X)
			p.read(e.Y)
		case syntax.EQL, syntax.IN:
			if id, ok := e.X.(*syntax.Ident); ok {
				p.demandText(id.Name, literals(e.Y))
			}
			p.demandStep(e)
		case syntax.LT, syntax.LE, syntax.GT, syntax.GE:
			p.demandStep(e)
		}
	}
}

// literals is a string, or a list or tuple of strings; nil for anything else.
func literals(e syntax.Expr) []string {
	switch e := e.(type) {
	case *syntax.Literal:
		if s, ok := e.Value.(string); ok {
			return []string{s}
		}
	case *syntax.ParenExpr:
		return literals(e.X)
	case *syntax.ListExpr:
		return all(e.List)
	case *syntax.TupleExpr:
		return all(e.List)
	}
	return nil
}

func all(list []syntax.Expr) []string {
	var out []string
	for _, e := range list {
		l, ok := e.(*syntax.Literal)
		if !ok {
			return nil
		}
		s, ok := l.Value.(string)
		if !ok {
			return nil
		}
		out = append(out, s)
	}
	return out
}

func (p *prefilter) demandText(name string, want []string) {
	if want == nil {
		return
	}
	set := &p.types
	switch name {
	case "type":
	case "agent":
		set = &p.agents
	default:
		return
	}
	both := map[string]bool{}
	for _, w := range want {
		if *set == nil || (*set)[w] {
			both[w] = true
		}
	}
	*set = both
}

func (p *prefilter) demandStep(e *syntax.BinaryExpr) {
	id, ok := e.X.(*syntax.Ident)
	lit, isLit := e.Y.(*syntax.Literal)
	if !ok || !isLit || id.Name != "step" {
		return
	}
	n64, ok := lit.Value.(int64)
	if !ok || n64 < 0 || n64 > 1<<31 {
		return
	}
	n := int(n64)
	switch e.Op {
	case syntax.EQL:
		p.atLeast(n)
		p.atMost(n)
	case syntax.GT:
		p.atLeast(n + 1)
	case syntax.GE:
		p.atLeast(n)
	case syntax.LT:
		p.atMost(n - 1)
	case syntax.LE:
		p.atMost(n)
	}
}

func (p *prefilter) atLeast(n int) { p.minStep = max(p.minStep, n) }

func (p *prefilter) atMost(n int) {
	if n < 1 {
		// Step 0 has only first states; a header with step 0 cannot be told from "any" here, so leave it to evaluation.
		return
	}
	if p.maxStep == 0 || n < p.maxStep {
		p.maxStep = n
	}
}
