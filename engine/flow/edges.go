package flow

import (
	"fmt"
	"strings"

	"flowdbg/trace/canon"
)

// readEdges reads the list of edges. An edge that could not be read whole has an empty member and takes no part in the wiring.
func (r *reader) readEdges(top object) []Edge {
	list, ok := top.array("edges", required)
	if !ok {
		return nil
	}
	edges := make([]Edge, 0, len(list.Elems))
	first := make(map[Edge]*canon.Node, len(list.Elems))
	for i, n := range list.Elems {
		o, ok := r.object(n, element("/edges", i))
		if !ok {
			continue
		}
		e, whole := r.readEdge(o)
		if !whole {
			continue
		}
		if before := first[e]; before != nil {
			r.report(Error, CodeDuplicateEdge, n, o.ptr,
				fmt.Sprintf("the edge %s port %s to %s is there since %s", quote(e.From), quote(e.Port), quote(e.To), r.line(before)),
				"every edge stands once")
			continue
		}
		first[e] = n
		edges = append(edges, e)
	}
	return edges
}

// readEdge reads one edge; whole tells whether all its members are strings. Whether its agents exist is checked here too.
func (r *reader) readEdge(o object) (e Edge, whole bool) {
	from, nFrom := o.str("from", required)
	port, nPort := o.str("port", required)
	to, nTo := o.str("to", required)
	if nFrom != nil {
		r.checkSource(nFrom, o.at("from"), from)
	}
	if nPort != nil {
		r.checkPort(nPort, o.at("port"), port)
	}
	if nTo != nil {
		r.checkAgent(nTo, o.at("to"), to)
	}
	o.known("from", "port", "to")
	return Edge{From: from, Port: port, To: to}, nFrom != nil && nPort != nil && nTo != nil
}

// checkSource is checkAgent for where an edge begins. AGENT.PORT, as outputs and breakpoints write it, is told apart.
func (r *reader) checkSource(n *canon.Node, ptr, id string) {
	if i := strings.LastIndexByte(id, '.'); i > 0 && i < len(id)-1 && r.known[id[:i]] && !r.known[id] {
		r.report(Error, CodeUnknownAgent, n, ptr, "no agent has the id "+quote(id),
			fmt.Sprintf(`write "from":%s,"port":%s`, quote(id[:i]), quote(id[i+1:])))
		return
	}
	r.checkAgent(n, ptr, id)
}

// checkAgent reports an id that no agent has. Without a single readable agent there is nothing to compare with.
func (r *reader) checkAgent(n *canon.Node, ptr, id string) {
	if len(r.ids) == 0 || r.known[id] {
		return
	}
	r.report(Error, CodeUnknownAgent, n, ptr, "no agent has the id "+quote(id),
		r.suggest.didYouMean(id, r.ids, "the agents are "+quoteAll(r.ids)))
}
