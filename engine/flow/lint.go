package flow

import (
	"fmt"
	"strings"
	"unicode"

	"flowdbg/trace/canon"
)

// lint looks for what is allowed but seldom meant. It runs only on flows without errors: a mistyped edge would make half the
// flow look unreachable. Indices of Agents and Edges are then those of the file.
func (r *reader) lint(f *Flow) {
	agents := childOf(r.doc.Root, "agents")
	edges := childOf(r.doc.Root, "edges")
	r.lintSimilarIDs(f, agents)
	r.lintTerminalPorts(f, agents)
	r.lintFanOut(f, edges)
	r.lintStarvingLoops(f, edges)
	r.lintCycles(f, edges)
	r.lintUnreachable(f, agents)
}

func (r *reader) lintSimilarIDs(f *Flow, agents *canon.Node) {
	first := make(map[string]int, len(f.Agents))
	for i := range f.Agents {
		key := foldCase(f.Agents[i].ID)
		before, taken := first[key]
		if !taken {
			first[key] = i
			continue
		}
		ptr := element("/agents", i) + "/id"
		r.report(Lint, CodeSimilarIDs, nearest(agents.Elems[i], "/id"), ptr,
			fmt.Sprintf("the ids %s and %s differ only in case", quote(f.Agents[before].ID), quote(f.Agents[i].ID)),
			"ids that differ in more than case are harder to mix up")
	}
}

// foldCase maps strings that strings.EqualFold calls equal to one string: every rune becomes the least one of its case orbit.
func foldCase(s string) string {
	return strings.Map(func(c rune) rune {
		least := c
		for o := unicode.SimpleFold(c); o != c; o = unicode.SimpleFold(o) {
			least = min(least, o)
		}
		return least
	}, s)
}

func (r *reader) lintTerminalPorts(f *Flow, agents *canon.Node) {
	for i := range f.Agents {
		a := &f.Agents[i]
		if len(a.Ports) == 0 {
			continue
		}
		list := nearest(agents.Elems[i], "/ports")
		for j, n := range list.Elems {
			port, _ := n.Str()
			if f.Targets(a.ID, port) == nil {
				continue
			}
			r.report(Lint, CodeWiredTerminalPort, n, element(element("/agents", i)+"/ports", j),
				"the port "+quote(port)+" is declared terminal and has an edge", "remove the edge or the declaration")
		}
	}
}

func (r *reader) lintFanOut(f *Flow, edges *canon.Node) {
	seen := map[portKey]int{}
	for i, e := range f.Edges {
		k := portKey{e.From, e.Port}
		seen[k]++
		if seen[k] != 2 {
			continue // at the second edge the port begins to fan out
		}
		targets := f.Targets(e.From, e.Port)
		r.report(Lint, CodeFanOut, edges.Elems[i], element("/edges", i),
			fmt.Sprintf("port %s of %s leads to %d agents: %s", quote(e.Port), quote(e.From), len(targets), quoteAll(targets)),
			"each send becomes one message per edge, in this order")
	}
}

func (r *reader) lintStarvingLoops(f *Flow, edges *canon.Node) {
	last := f.Agents[f.index.order[len(f.index.order)-1]].ID
	for i, e := range f.Edges {
		if e.From != e.To || e.From == last {
			continue
		}
		r.report(Lint, CodeStarvingLoop, edges.Elems[i], element("/edges", i),
			quote(e.From)+" sends to itself, and as long as it does, no agent with a higher id gets a turn",
			"the lowest id with a message goes first; a higher id lets the others go before it")
	}
}

// lintUnreachable follows the edges from the input. Without an input nothing runs, so nothing is unreachable.
func (r *reader) lintUnreachable(f *Flow, agents *canon.Node) {
	if f.Input == nil {
		return
	}
	next := f.index.successors(f.Edges)
	start := f.index.byID[f.Input.To]
	reached := make([]bool, len(f.Agents))
	reached[start] = true
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		for _, to := range next[queue[0]] {
			if !reached[to] {
				reached[to] = true
				queue = append(queue, to)
			}
		}
	}
	for i := range f.Agents {
		if !reached[i] {
			r.report(Lint, CodeUnreachableAgent, agents.Elems[i], element("/agents", i),
				"no message from the input can reach "+quote(f.Agents[i].ID), "an edge from an agent that is reached is missing")
		}
	}
}

// lintCycles points at one edge of every circle of agents, unless steps, money or tokens bound the run.
func (r *reader) lintCycles(f *Flow, edges *canon.Node) {
	if b := f.Budget; b != nil && (b.Steps > 0 || b.USD != nil || b.Tokens != nil) {
		return
	}
	next := f.index.successors(f.Edges)
	group := components(next)
	told := map[int]bool{}
	for i, e := range f.Edges {
		from, to := f.index.byID[e.From], f.index.byID[e.To]
		if group[from] != group[to] || told[group[from]] {
			continue
		}
		told[group[from]] = true
		path := shortestPath(next, group, to, from)
		names := []string{quote(e.From)}
		for _, a := range path {
			names = append(names, quote(f.Agents[a].ID))
		}
		const most = 8
		if len(names) > most {
			names = append(append(names[:most-1:most-1], "…"), names[len(names)-1])
		}
		r.report(Lint, CodeUnboundedCycle, edges.Elems[i], element("/edges", i),
			"nothing bounds the circle "+strings.Join(names, " → "), "add a budget of steps or usd")
	}
}
