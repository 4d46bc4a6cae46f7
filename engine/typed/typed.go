// Package typed recognises the payloads of the tool contract (seed 000) in a trace: proposals, design deltas,
// certificates, candidate sets, tool requests and results. A payload is recognised first by its place (requests and
// answers of the ops judge and tool), else by its required fields, when exactly one type has them; how is part of the
// answer (design 04). It also gathers what is known of each candidate as of a position.
//
// It may hold recognition and gathering over events that a caller hands in. It decides nothing that the contract's
// packages decide (gates, ranks, deltas), runs nothing, and keeps no session's position.
package typed

import (
	"fmt"
	"sort"
	"strings"
	"sync"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// Kind is a type of the contract, or one of the judge's documents.
type Kind string

// The kinds that are recognised. Names are those of seed 000; the last two are ours.
const (
	Proposal       Kind = "Proposal"
	DesignDelta    Kind = "DesignDelta"
	Certificate    Kind = "Certificate"
	ToolRequest    Kind = "ToolRequest"
	ToolResult     Kind = "ToolResult"
	STAResult      Kind = "STAResult"
	TimingReport   Kind = "TimingReport"
	ToolCapability Kind = "ToolCapability"
	CandidateSet   Kind = "CandidateSet" // {"candidates": [{id, metrics}…]}, or the list itself in a request of judge
	Refusal        Kind = "Refusal"      // an answer that refuses: {isError: true, …} of a tool, {refusal} of judge
)

// Item is one recognised payload.
type Item struct {
	Kind    Kind        `json:"kind"`
	How     string      `json:"how"`     // "place: …" or "fields: …"
	Event   int         `json:"event"`   // where it is first said
	Step    int         `json:"step"`    // of that event
	Agent   string      `json:"agent"`   // who said it or asked for it
	Pointer string      `json:"pointer"` // inside the event
	Of      string      `json:"of,omitempty"`
	Value   canon.Value `json:"-"`
	Rules   canon.Value `json:"-"` // of a candidate set in a request of judge: what it is judged by
}

// shape is a type by its required fields.
type shape struct {
	kind   Kind
	fields []string
	key    string // the field that is looked for in the text first
	is     func(canon.Value) bool
}

// shapes are the types that are told by their fields. ToolRequest has a single required field, which is too little to
// tell it by; a STAResult is a ToolResult whose value is a TimingReport.
var shapes = sync.OnceValue(func() []shape {
	var list []shape
	for _, s := range []shape{
		{kind: Proposal, key: "intent_ref"}, {kind: DesignDelta, key: "moved_cells"}, {kind: Certificate, key: "gate_result"},
		{kind: TimingReport, key: "critical_paths"}, {kind: ToolResult, key: "elapsed_ms"}, {kind: ToolCapability, key: "fidelity_levels"},
	} {
		members, err := contract.Members(string(s.kind))
		if err != nil {
			continue // not a type of the contract: a test would say so
		}
		for _, m := range members {
			if !strings.HasSuffix(m, "?") {
				s.fields = append(s.fields, m)
			}
		}
		sort.Strings(s.fields)
		list = append(list, s)
	}
	return append(list, shape{kind: CandidateSet, key: "candidates", fields: []string{"candidates"}, is: isCandidates})
})

// isCandidates is true for an object whose candidates have ids and metrics.
func isCandidates(v canon.Value) bool {
	list := v.Get("candidates")
	if list.Kind() != canon.KindArray || list.Count() == 0 {
		return false
	}
	for _, c := range list.Elems() {
		if _, ok := c.Get("id").Str(); !ok || c.Get("metrics").Kind() != canon.KindObject {
			return false
		}
	}
	return true
}

// byFields is the one type whose required fields an object has. Two types that fit are no answer.
func byFields(v canon.Value) (Kind, string, bool) {
	var found *shape
	all := shapes()
	for i := range all {
		if !all[i].fits(v) {
			continue
		}
		if found != nil {
			return "", "", false
		}
		found = &all[i]
	}
	if found == nil {
		return "", "", false
	}
	kind, how := found.kind, "fields: "+strings.Join(found.fields, ", ")
	if kind == ToolResult {
		if inner, _, ok := byFields(v.Get("value")); ok && inner == TimingReport {
			kind, how = STAResult, how+", and a TimingReport as value"
		}
	}
	return kind, how, true
}

func (s *shape) fits(v canon.Value) bool {
	for _, f := range s.fields {
		if v.Get(f).IsAbsent() {
			return false
		}
	}
	return s.is == nil || s.is(v)
}

// mayHold is false for a text in which no type can be.
func mayHold(text string) bool {
	all := shapes()
	for i := range all {
		if strings.Contains(text, all[i].key) {
			return true
		}
	}
	return false
}

// Describe says in a few words what an item is.
func (it *Item) Describe() string {
	text := string(it.Kind)
	if it.Of != "" {
		text += " of " + it.Of
	} else if id, ok := it.Value.Get("id").Str(); ok {
		text += " " + id
	}
	return fmt.Sprintf("%s (%s)", text, it.How)
}
