package typed

import (
	"strconv"
	"strings"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// The bounds of looking into one payload (ours).
const (
	maxDepth = 6
	maxNodes = 4000
)

// Recognise lists the typed payloads that an event says for the first time: those of sends, of effects' requests and
// answers, of the input, and of messages that a person put in. What a receive or an act repeats is not listed again.
func Recognise(i int, e *trace.Event) []Item {
	r := recogniser{event: i, e: e}
	switch e.Type {
	case trace.SendEvent:
		r.search(e.Message.Payload, "/message/payload", "", 0)
	case trace.Receive:
		if !e.Message.HasFrom {
			r.search(e.Message.Payload, "/message/payload", "", 0)
		}
	case trace.XIntervene:
		r.search(e.Extra.Get("message").Get("payload"), "/message/payload", "", 0)
	case trace.EffectEvent:
		r.effect()
	}
	return r.items
}

// Typed is true for the types of events in which a payload may be said for the first time.
func Typed(t trace.Type) bool {
	return t == trace.SendEvent || t == trace.Receive || t == trace.XIntervene || t == trace.EffectEvent
}

type recogniser struct {
	event int
	e     *trace.Event
	items []Item
	nodes int
}

func (r *recogniser) add(kind Kind, how, pointer, of string, v canon.Value) *Item {
	agent := r.e.Agent
	r.items = append(r.items, Item{Kind: kind, How: how, Event: r.event, Step: r.e.Step, Agent: agent, Pointer: pointer, Of: of, Value: v})
	return &r.items[len(r.items)-1]
}

// effect goes by place for the ops whose requests and answers have a known form.
func (r *recogniser) effect() {
	req := r.e.Effect
	if req == nil {
		return
	}
	in, out := req.Input, r.e.Answer()
	of := linkOf(in, linkOf(in.Get("arguments"), ""))
	switch req.Op {
	case "judge":
		set := r.add(CandidateSet, "place: request of judge", "/effect/input/candidates", "", in.Get("candidates"))
		set.Rules = in.Get("rules")
		if c := out.Get("certificate"); c.Kind() == canon.KindObject {
			r.add(Certificate, "place: answer of judge", "/response/certificate", certified(c), c)
		} else if !out.Get("refusal").IsAbsent() {
			id, _ := in.Get("id").Str()
			r.add(Refusal, "place: answer of judge", "/response", id, out)
		}
		return
	case "tool":
		tool, _ := in.Get("tool").Str()
		r.add(ToolRequest, "place: request of "+tool, "/effect/input/arguments", of, in.Get("arguments"))
		if failed, _ := out.Get("isError").Bool(); failed {
			r.add(Refusal, "place: answer of "+tool, "/response", of, out)
			return
		}
		r.result(out.Get("structuredContent"), tool, of)
		return
	}
	r.search(in, "/effect/input", of, 0)
	r.search(out, "/response", of, 0)
}

// result is a tool's answer: a ToolResult by its place, whatever it lacks; and what is inside.
func (r *recogniser) result(v canon.Value, tool, of string) {
	if v.Kind() != canon.KindObject {
		return
	}
	kind := ToolResult
	if inner, _, ok := byFields(v.Get("value")); ok && inner == TimingReport {
		kind = STAResult
	}
	of = linkOf(v, of)
	r.add(kind, "place: answer of "+tool, "/response/structuredContent", of, v)
	r.search(v.Get("value"), "/response/structuredContent/value", of, 1)
}

// search looks for types in a value, from the outside in. What was recognised is looked into only where the contract puts
// something of its own there: a proposal's expected delta is the proposal's, a result's value is not the result's.
func (r *recogniser) search(v canon.Value, pointer, of string, depth int) {
	if depth == 0 && !mayHold(v.Text()) {
		return
	}
	if r.nodes++; r.nodes > maxNodes || depth > maxDepth {
		return
	}
	switch v.Kind() {
	case canon.KindArray:
		for i, e := range v.Elems() {
			r.search(e, pointer+"/"+strconv.Itoa(i), of, depth+1)
		}
	case canon.KindObject:
		r.object(v, pointer, of, depth)
	}
}

func (r *recogniser) object(v canon.Value, pointer, of string, depth int) {
	of = linkOf(v, of)
	if kind, how, ok := byFields(v); ok {
		switch kind {
		case Certificate:
			r.add(kind, how, pointer, certified(v), v)
			return
		case Proposal:
			id, _ := v.Get("id").Str()
			r.add(kind, how, pointer, id, v)
			return
		case ToolResult, STAResult:
			r.add(kind, how, pointer, of, v)
			r.search(v.Get("value"), pointer+"/value", of, depth+1)
			return
		}
		r.add(kind, how, pointer, of, v)
		return
	}
	for name, m := range v.Members() {
		if k := m.Kind(); k == canon.KindObject || k == canon.KindArray {
			r.search(m, pointer+"/"+escape(name), of, depth+1)
		}
	}
}

func escape(name string) string {
	return strings.ReplaceAll(strings.ReplaceAll(name, "~", "~0"), "/", "~1")
}

// links are the members that say which candidate an object is about.
var links = []string{"proposal_id", "candidate_id", "candidate"}

// linkOf is which candidate an object says that it is about, else what is known from around it.
func linkOf(v canon.Value, around string) string {
	if v.Kind() != canon.KindObject {
		return around
	}
	for _, name := range links {
		if id, ok := v.Get(name).Str(); ok && id != "" {
			return id
		}
	}
	return around
}

// certified is the candidate that a certificate is about: what stands before the fingerprints in an id of the judge's,
// else the proposal.
func certified(v canon.Value) string {
	id, _ := v.Get("proposal_id").Str()
	own, _ := v.Get("id").Str()
	parts := strings.Split(own, ":")
	if n := len(parts); n >= 3 && len(parts[n-2]) == 17 && parts[n-2][0] == 'm' && len(parts[n-1]) == 17 && parts[n-1][0] == 'o' {
		return strings.Join(parts[:n-2], ":")
	}
	return id
}
