package trace

import (
	"strconv"

	"flowdbg/trace/canon"
)

// AppendJSON appends the event as one line of JSON without a newline: members in the seed's order (type, step, agent,
// …), values canonical, members that the type does not define after them, side last.
func (e *Event) AppendJSON(dst []byte) []byte {
	dst = append(dst, `{"type":`...)
	dst = canon.AppendString(dst, string(e.Type))
	if e.HasStep() {
		dst = append(dst, `,"step":`...)
		dst = strconv.AppendInt(dst, int64(e.Step), 10)
	}
	switch e.Type {
	case Receive:
		dst = appendText(dst, "agent", e.Agent)
		dst = appendValue(dst, "message", e.Message.Text())
	case Act:
		dst = appendText(dst, "agent", e.Agent)
		dst = appendValue(dst, "state", e.State)
		dst = appendValue(dst, "send", e.Send)
		dst = appendValue(dst, "effect", e.Effect.Text())
	case SendEvent:
		dst = appendText(dst, "from", e.Agent)
		dst = appendText(dst, "port", e.Port)
		if e.HasTo() {
			dst = appendText(dst, "to", e.To)
		}
		dst = appendValue(dst, "message", e.Message.Text())
	case EffectEvent:
		dst = appendText(dst, "agent", e.Agent)
		dst = appendValue(dst, "request", e.Effect.Text())
		dst = appendValue(dst, "response", e.Response)
		if e.HasUsage() {
			dst = appendValue(dst, "usage", e.Usage.Value())
		}
	case ErrorEvent:
		dst = e.appendError(dst)
	case FinishEvent:
		dst = e.appendFinish(dst)
	}
	for k, v := range e.Extra.Members() {
		dst = appendValue(dst, k, v)
	}
	dst = appendValue(dst, "side", e.Side)
	return append(dst, '}')
}

func (e *Event) appendError(dst []byte) []byte {
	if e.Agent != "" {
		dst = appendText(dst, "agent", e.Agent)
	}
	dst = appendText(dst, "error", e.Error.Text)
	if e.Error.Code != "" {
		dst = appendText(dst, "code", e.Error.Code)
	}
	dst = appendValue(dst, "request", e.Error.Request.Text())
	if e.Error.HasUsage {
		dst = appendValue(dst, "usage", e.Usage.Value())
	}
	return dst
}

func (e *Event) appendFinish(dst []byte) []byte {
	f := e.Finish
	dst = append(dst, `,"steps":`...)
	dst = strconv.AppendInt(dst, int64(f.Steps), 10)
	dst = appendText(dst, "state_hash", f.StateHash)
	dst = appendValue(dst, "ledger", f.Ledger.Value())
	dst = appendValue(dst, "outputs", f.Outputs)
	if f.Reason != "" {
		dst = appendText(dst, "reason", f.Reason)
	}
	return dst
}

func appendText(dst []byte, key, s string) []byte {
	dst = append(dst, ',')
	dst = canon.AppendString(dst, key)
	dst = append(dst, ':')
	return canon.AppendString(dst, s)
}

// appendValue leaves absent values out: absent optional keys are omitted, never null (ours).
func appendValue(dst []byte, key string, v canon.Value) []byte {
	if v.IsAbsent() {
		return dst
	}
	dst = append(dst, ',')
	dst = canon.AppendString(dst, key)
	dst = append(dst, ':')
	return append(dst, v.Text()...)
}

// Value is the event as a canonical object with every member, side included.
func (e *Event) Value() canon.Value {
	v, _, err := canon.Parse(e.AppendJSON(nil), canon.Options{Integers: canon.IntegersAccept, MaxDepth: readNesting})
	if err != nil {
		// An event is made of canonical parts; a failure here is a broken promise of this package, shown as such.
		return canon.Object(canon.Member{Key: "unprintable", Value: canon.String(err.Error())})
	}
	return v
}

// Compared is the event as a canonical object without side and without members that its type does not define, which
// is what a replay compares. A line of ours, or of an unknown type, keeps its members: they are all it has.
func (e *Event) Compared() canon.Value {
	c := *e
	c.Side = canon.Value{}
	if c.Type.Known() {
		c.Extra = canon.Value{}
	}
	return c.Value()
}
