package trace

import (
	"fmt"

	"flowdbg/trace/canon"
)

// Finding is something odd in a trace that does not stop reading: kind, event index (−1 when it is not about one), and
// the pointer inside the event.
type Finding struct {
	Kind    string `json:"kind"`
	Event   int    `json:"event"`
	Pointer string `json:"pointer,omitempty"`
	Text    string `json:"text"`
}

// Kinds of findings that reading and folding report.
const (
	FindUnknownType   = "unknown_type"    // a type without x- that the seed does not define: the hash verdict is partial
	FindExtraMember   = "extra_member"    // a member that the type does not define
	FindBigInteger    = "big_integer"     // an integer beyond ±(2^53−1) in a foreign trace
	FindMissing       = "missing_member"  // a required member is not there
	FindInboxHead     = "inbox_head"      // receive took another message than the head
	FindEmptyInbox    = "empty_inbox"     // receive from an empty inbox
	FindUnknownAgent  = "unknown_agent"   // an agent that the flow does not have
	FindAfterFinish   = "after_finish"    // an event behind finish
	FindNoFinish      = "no_finish"       // the trace ends without finish
	FindStepsNotDense = "steps_not_dense" // a step number that does not follow
	FindNested        = "nested_response" // response is {output, usage}
	FindBadExtension  = "bad_extension"   // an x- event of ours with a wrong shape
	FindDamage        = "damage"          // text in the middle of a file that is no event
)

// DecodeError is an event that cannot be read: what is wrong and what would be right, inside the event.
type DecodeError struct {
	Pointer, What, Want string
}

// Error joins place, fault and cure.
func (e *DecodeError) Error() string {
	p := e.Pointer
	if p == "" {
		p = "(the event)"
	}
	return p + ": " + e.What + "; " + e.Want
}

// IsEvent is true for a value that a trace holds: an object with a string member "type".
func IsEvent(v canon.Value) bool { return v.Get("type").Kind() == canon.KindString }

// decoder collects what is odd about one event.
type decoder struct {
	v        canon.Value
	ev       Event
	index    int
	findings []Finding
	err      *DecodeError
	seen     int // members that were used
}

// DecodeEvent reads an event from its object. Null counts as absent for optional members. Findings carry index.
func DecodeEvent(v canon.Value, index int) (Event, []Finding, error) {
	d := &decoder{v: v, index: index}
	if v.Kind() != canon.KindObject {
		return Event{}, nil, &DecodeError{"", "an event is an object", `write {"type":"receive",…}`}
	}
	typ, ok := v.Get("type").Str()
	if !ok {
		return Event{}, nil, &DecodeError{"/type", "the type is missing or not a string", "use one of receive, act, send, effect, error, finish"}
	}
	d.ev.Type = Type(typ)
	d.seen = 1
	d.ev.Side = d.optional("side")
	if d.ev.Type.Known() {
		d.known()
		d.rest()
	} else {
		d.extension()
	}
	if d.err != nil {
		return Event{}, d.findings, d.err
	}
	return d.ev, d.findings, nil
}

func (d *decoder) known() {
	if d.ev.Type == FinishEvent {
		d.finish()
		return
	}
	d.step()
	switch d.ev.Type {
	case Receive:
		d.ev.Agent = d.text("agent")
		d.ev.Message = d.message("message")
	case Act:
		d.ev.Agent = d.text("agent")
		d.ev.State = d.member("state")
		d.ev.Send = d.optional("send")
		if d.ev.Send.IsAbsent() {
			d.ev.Send = canon.EmptyArray
		}
		if d.ev.Send.Kind() != canon.KindArray {
			d.fail("/send", "send is not an array", "write an array of {port, tag, payload}")
		}
		d.ev.Effect = d.request("effect")
	case SendEvent:
		d.send()
	case EffectEvent:
		d.ev.Agent = d.text("agent")
		if d.ev.Effect = d.request("request"); d.ev.Effect == nil {
			d.fail("/request", "the request is missing", "write {op, input}")
		}
		d.ev.Response = d.member("response")
		if d.ev.Response.IsAbsent() {
			d.ev.Response = canon.Null
			d.find(FindMissing, "/response", "the effect has no response; null is used")
		}
		d.usage()
	case ErrorEvent:
		d.errorInfo()
	}
}

func (d *decoder) send() {
	d.ev.Agent = d.text("from")
	d.ev.Port = d.text("port")
	if to := d.optional("to"); !to.IsAbsent() {
		s, ok := to.Str()
		if !ok {
			d.fail("/to", "to is not a string", "name the receiving agent, or leave it out for a terminal port")
		}
		d.ev.To = s
		d.ev.flags |= flagHasTo
	}
	d.ev.Message = d.message("message")
}

// usage reads the seed's usage, or the foreign form in which the response is {output, usage}.
func (d *decoder) usage() {
	u := d.optional("usage")
	if u.IsAbsent() {
		d.ev.flags |= flagNoUsage
		r := d.ev.Response
		if r.Kind() == canon.KindObject && r.Count() == 2 && !r.Get("output").IsAbsent() && r.Get("usage").Kind() == canon.KindObject {
			d.ev.flags |= flagNestedAnswer
			d.ev.Usage = d.cost(r.Get("usage"), "/response/usage")
			d.find(FindNested, "/response", "response holds {output, usage}")
		}
		return
	}
	d.ev.Usage = d.cost(u, "/usage")
}

func (d *decoder) errorInfo() {
	d.ev.Agent, _ = d.optional("agent").Str()
	info := &ErrorInfo{}
	switch e := d.member("error"); e.Kind() {
	case canon.KindString:
		info.Text, _ = e.Str()
	case canon.Absent:
		d.fail("/error", "the error text is missing", `write "Code: text"`)
	default:
		info.Text = e.Text()
		d.find(FindMissing, "/error", "the error is not a string; its JSON text is shown")
	}
	info.Code, _ = d.optional("code").Str()
	info.Request = d.request("request")
	if u := d.optional("usage"); !u.IsAbsent() {
		info.HasUsage = true
		d.ev.Usage = d.cost(u, "/usage")
	}
	d.ev.Error = info
}

func (d *decoder) finish() {
	f := &Finish{Steps: d.int("steps"), Outputs: d.optional("outputs")}
	f.StateHash, _ = d.optional("state_hash").Str()
	f.Reason, _ = d.optional("reason").Str()
	if f.Outputs.IsAbsent() {
		f.Outputs = canon.EmptyObject
		d.find(FindMissing, "/outputs", "finish has no outputs")
	}
	if l := d.optional("ledger"); l.IsAbsent() {
		d.find(FindMissing, "/ledger", "finish has no ledger")
	} else {
		u := d.cost(l, "/ledger")
		f.Ledger = Ledger{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, USD: u.USD}
	}
	if s := d.optional("step"); !s.IsAbsent() {
		d.find(FindExtraMember, "/step", "finish has no step; steps counts them")
	}
	d.ev.Finish = f
}

// extension keeps a line of ours, or of an unknown type, whole: everything but type, step and side is Extra.
func (d *decoder) extension() {
	if s := d.optional("step"); s.IsAbsent() {
		d.ev.flags |= flagNoStep
	} else {
		d.step()
	}
	var rest []canon.Member
	for k, v := range d.v.Members() {
		if k != "type" && k != "step" && k != "side" {
			rest = append(rest, canon.Member{Key: k, Value: v})
		}
	}
	if len(rest) > 0 {
		d.ev.Extra = canon.Object(rest...)
	}
	d.ev.Agent, _ = d.ev.Extra.Get("agent").Str()
	if !d.ev.Type.IsExtension() {
		d.find(FindUnknownType, "/type", fmt.Sprintf("unknown event type %q; state hashes from here on are partial", d.ev.Type))
	}
}

// rest keeps members that the type does not define, so that nothing is lost when the trace is written again.
func (d *decoder) rest() {
	if d.v.Count() == d.seen || d.err != nil {
		return
	}
	var rest []canon.Member
	for k, v := range d.v.Members() {
		if !defined(d.ev.Type, k) && !v.IsNull() {
			rest = append(rest, canon.Member{Key: k, Value: v})
			d.find(FindExtraMember, "/"+k, fmt.Sprintf("%s events have no member %q; it is kept and not compared", d.ev.Type, k))
		}
	}
	if len(rest) > 0 {
		d.ev.Extra = canon.Object(rest...)
	}
}

var definedMembers = map[Type][]string{
	Receive:     {"type", "step", "agent", "message", "side"},
	Act:         {"type", "step", "agent", "state", "send", "effect", "side"},
	SendEvent:   {"type", "step", "from", "port", "to", "message", "side"},
	EffectEvent: {"type", "step", "agent", "request", "response", "usage", "side"},
	ErrorEvent:  {"type", "step", "agent", "error", "code", "request", "usage", "side"},
	FinishEvent: {"type", "steps", "state_hash", "ledger", "outputs", "reason", "side", "step"},
}

func defined(t Type, key string) bool {
	for _, k := range definedMembers[t] {
		if k == key {
			return true
		}
	}
	return false
}
