package tool

import (
	"flowdbg/contract"
	"flowdbg/contract/meta"
	"flowdbg/trace/canon"
)

// object collects members that are not empty, as encoding/json's omitempty does. Building the canonical text directly takes
// a fifth of the time of encoding and reading it again, and a call does it once.
type object []canon.Member

func (o *object) text(key, s string) {
	if s != "" {
		*o = append(*o, canon.Member{Key: key, Value: canon.String(s)})
	}
}

func (o *object) number(key string, n int64) {
	if n != 0 {
		*o = append(*o, canon.Member{Key: key, Value: canon.Int(n)})
	}
}

func (o *object) add(key string, v canon.Value) {
	*o = append(*o, canon.Member{Key: key, Value: v})
}

// list adds an array of what each makes of the elements, unless there are none.
func list[T any](o *object, key string, elems []T, each func(T) canon.Value) {
	if len(elems) == 0 {
		return
	}
	values := make([]canon.Value, len(elems))
	for i, e := range elems {
		values[i] = each(e)
	}
	o.add(key, canon.Array(values...))
}

func ofInt(n int) canon.Value { return canon.Int(int64(n)) }

// value is the record as the member of side: what json.Marshal would write, in canonical form.
func (d *Details) value() canon.Value {
	o := make(object, 0, 24)
	o.add("tool", canon.String(d.Tool))
	o.text("server", d.Server)
	o.add("today", canon.String(d.Today))
	o.number("agent_version", int64(d.AgentVersion))
	o.number("tool_version", int64(d.ToolVersion))
	list(&o, "tool_versions", d.ToolVersions, ofInt)
	o.text("source", d.Source)
	o.text("semver", d.Semver)
	o.text("sunset", d.Sunset)
	o.text("class", d.Class)
	usd, err := canon.Float(d.USD)
	if err != nil { // prices are read as finite numbers
		usd = canon.Int(0)
	}
	o.add("usd", usd)
	o.add("elapsed_ms", canon.Int(d.ElapsedMS))
	o.text("rules", d.Rules)
	list(&o, "tried", d.Tried, func(t Tried) canon.Value {
		return canon.Object(canon.Member{Key: "version", Value: ofInt(t.Version)}, canon.Member{Key: "why", Value: refusalValue(t.Why)})
	})
	list(&o, "steps", d.Steps, Step.value)
	o.text("sent", d.Sent)
	o.text("received", d.Received)
	if d.Refusal != nil {
		o.add("refusal", refusalValue(d.Refusal))
	}
	list(&o, "notes", d.Notes, Note.value)
	list(&o, "journal", d.Journal, entryValue)
	return canon.Object(o...)
}

func (s Step) value() canon.Value {
	o := make(object, 0, 8)
	o.add("side", canon.String(s.Side))
	o.add("step", canon.String(s.Step))
	o.add("direction", canon.String(s.Dir))
	o.add("ops", ofInt(s.Ops))
	o.text("rule", s.Rule)
	o.text("before", s.Before)
	o.text("after", s.After)
	return canon.Object(o...)
}

func (n Note) value() canon.Value {
	o := make(object, 0, 4)
	o.add("side", canon.String(n.Side))
	o.add("kind", canon.String(n.Kind))
	o.add("path", canon.String(n.Path))
	o.text("step", n.Step)
	return canon.Object(o...)
}

func entryValue(e meta.Entry) canon.Value {
	o := make(object, 0, 5)
	o.add("level", canon.String(e.Level))
	o.add("code", canon.String(e.Code))
	o.text("tool", e.Tool)
	o.add("source", canon.String(string(e.Source)))
	o.add("text", canon.String(e.Text))
	return canon.Object(o...)
}

func refusalValue(r *contract.Refusal) canon.Value {
	if r == nil {
		return canon.Null
	}
	o := make(object, 0, 10)
	o.add("code", canon.String(r.Code))
	o.add("tool", canon.String(r.Tool))
	o.number("agent_version", r.AgentVersion)
	list(&o, "tool_versions", r.ToolVersions, ofInt)
	o.text("direction", r.Direction)
	o.text("missing_step", r.MissingStep)
	o.text("step", r.Step)
	o.text("rule", r.Rule)
	o.text("path", r.Path)
	o.add("reason", canon.String(r.Reason))
	return canon.Object(o...)
}
