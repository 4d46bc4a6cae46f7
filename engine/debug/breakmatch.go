package debug

import (
	"context"
	"strings"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// hit is the first enabled breakpoint that the i-th event triggers; the session stands behind it. Events are decoded
// only for breakpoints that need it. The error is the context's: the event was not judged.
func (b *breakpoints) hit(ctx context.Context, s *Session, i int) (*Breakpoint, error) {
	if len(b.list) == 0 {
		return nil, nil
	}
	h := s.Header(i)
	if h.Cancelled {
		b.pass(s, i)
		return nil, nil
	}
	var first *Breakpoint // the others are still counted, and the log-only ones noted
	for _, p := range b.list {
		if !p.Enabled {
			continue
		}
		n, err := p.count(ctx, s, i, h)
		if err != nil {
			return nil, err
		}
		if n == 0 || n < p.From {
			continue
		}
		if p.LogOnly {
			s.logHit(p, i)
			p.Enabled = !p.Once
			continue
		}
		if first == nil {
			first = p
		}
	}
	if first != nil && first.Once {
		first.Enabled = false
	}
	return first, nil
}

// count says which of its matches the i-th event is, counted from 1 in the order of events, and 0 when it is none. The
// error is the context's: the event was not judged.
func (b *Breakpoint) count(ctx context.Context, s *Session, i int, h trace.Header) (int, error) {
	if b.counted.run != s.run {
		b.counted, b.seen = judged{run: s.run}, map[string]*hitList{}
	}
	n := 0
	if b.matches(ctx, s, i, h) {
		if b.Kind == BreakChanged && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		ok, err := b.holdsTrue(ctx, s, i, h)
		if err != nil {
			return 0, err
		}
		if ok {
			n = b.ordinal(i, h.Agent)
			b.Hits = max(b.Hits, n)
		}
	}
	if i == b.counted.upTo {
		b.counted.upTo++
	}
	return n, nil
}

// holdsTrue evaluates the condition. One that fails stops the session too: a condition that cannot be told must not be
// passed over silently. One that only stumbles over what the event does not have is not true; it is counted. The error is
// the context's.
func (b *Breakpoint) holdsTrue(ctx context.Context, s *Session, i int, h trace.Header) (bool, error) {
	if b.query == nil {
		return true, nil
	}
	if !b.query.May(h) {
		return false, nil
	}
	ok, stumble, err := s.judge(ctx, b.query, i)
	if err != nil && ctx.Err() != nil {
		return false, ctx.Err()
	}
	b.note(i, stumble, err)
	if err != nil {
		s.problems = append(s.problems, Problem{Severity: "error", Source: "breakpoint", Text: b.String() + ": " + err.Error(), Event: i})
		return true, nil
	}
	return ok, nil
}

func (b *Breakpoint) matches(ctx context.Context, s *Session, i int, h trace.Header) bool {
	switch b.Kind {
	case BreakAgent:
		return h.Type == trace.Receive && h.Agent == b.Name
	case BreakTag:
		return h.Type == trace.Receive && s.Event(i).Message.Tag == b.Name
	case BreakPort, BreakEdge:
		return h.Type == trace.SendEvent && b.sends(s.Event(i))
	case BreakOp:
		return (h.Type == trace.EffectEvent || h.Type == trace.ErrorEvent) && b.names(s.Event(i))
	case BreakError:
		return h.Type == trace.ErrorEvent
	case BreakUSD, BreakTokens:
		return (h.Type == trace.EffectEvent || h.Type == trace.ErrorEvent) && b.passes(s, i)
	case BreakSteps:
		return h.Type == trace.Receive && float64(s.State().Begun()) == b.Limit
	case BreakChanged:
		return h.Agent == b.Name && changesState(h.Type) && b.changes(ctx, s, i)
	case BreakHash:
		d := s.Divergence()
		return d != nil && i == d.Index
	case BreakContract:
		return h.Type == trace.EffectEvent && contractVerdict(s.Event(i), b.Name)
	case BreakCertificate:
		return (h.Type == trace.EffectEvent || h.Type == trace.Receive) && certificate(s.Event(i), b.Name)
	case BreakLine:
		return (h.Type == trace.Act || h.Type == trace.ErrorEvent && h.Agent != "") && b.runsLine(s, i, h.Agent)
	case BreakWhen:
		return true
	}
	return false
}

func (b *Breakpoint) sends(e *trace.Event) bool {
	from := trace.OutputKey(e.Agent, e.Port)
	if b.Kind == BreakEdge {
		from += ">" + e.To
	}
	return from == b.Name
}

func (b *Breakpoint) names(e *trace.Event) bool {
	r := e.Effect
	if r == nil && e.Error != nil {
		r = e.Error.Request
	}
	return r != nil && r.Op == b.Name
}

// passes is true for the event whose cost takes the ledger over the limit.
func (b *Breakpoint) passes(s *Session, i int) bool {
	after, cost := s.State().Ledger(), s.Event(i).Usage
	if b.Kind == BreakUSD {
		return after.USD > b.Limit && after.USD-cost.USD <= b.Limit
	}
	return after.Tokens() > b.Limit && after.Tokens()-cost.Tokens() <= b.Limit
}

func changesState(t trace.Type) bool {
	return t == trace.Act || t == trace.XInit || t == trace.XIntervene
}

// changes compares the value at the pointer behind the event with the one that the agent's state had before it. It is true
// too when the context ended before that could be told.
func (b *Breakpoint) changes(ctx context.Context, s *Session, i int) bool {
	now, ok := stateSet(s.Event(i))
	if !ok {
		return false
	}
	before, ok := s.lookStateBefore(ctx, b.Name, i)
	return !ok || valueAt(before, b.Pointer) != valueAt(now, b.Pointer)
}

// stateSet is the state that an event leaves behind, when it sets one.
func stateSet(e *trace.Event) (canon.Value, bool) {
	v := e.State
	if e.Type != trace.Act {
		v = e.Extra.Get("state")
	}
	return v, !v.IsAbsent()
}

func valueAt(v canon.Value, ptr string) canon.Value {
	at, err := v.Pointer(ptr)
	if err != nil {
		return canon.Value{}
	}
	return at
}

// contractVerdict is true for a contract call whose side data says so: translated, lossy, sunset, or a refusal's code.
func contractVerdict(e *trace.Event, want string) bool {
	c := e.Side.Get("contract")
	code, _ := e.Answer().Get("structuredContent").Get("code").Str()
	if c.IsAbsent() && code == "" {
		return false
	}
	switch want {
	case "":
		return true
	case "translated":
		return c.Get("plan").Count() > 0
	case "lossy":
		return c.Get("losses").Count() > 0
	case "sunset":
		return c.Get("sunset").Kind() == canon.KindString
	}
	return code == want
}

// certificate is true for an answer or message that holds a certificate with the verdict.
func certificate(e *trace.Event, want string) bool {
	v := e.Message.Payload
	if e.Type == trace.EffectEvent {
		v = e.Answer()
	}
	for _, c := range []canon.Value{v, v.Get("certificate"), v.Get("value")} {
		verdict, ok := c.Get("gate_result").Get("verdict").Str()
		if ok && (want == "" || strings.EqualFold(verdict, want)) {
			return true
		}
	}
	return false
}

// logHit notes a hit of a log-only breakpoint, once per event.
func (s *Session) logHit(b *Breakpoint, i int) {
	text := b.String() + ": " + string(s.Header(i).Type) + " of " + s.Header(i).Agent
	if value := s.printed(b, i); value != "" {
		text += ": " + value
	}
	for k := len(s.problems) - 1; k >= 0 && k > len(s.problems)-50; k-- {
		if s.problems[k].Event == i && s.problems[k].Text == text {
			return
		}
	}
	s.problems = append(s.problems, Problem{Severity: "info", Source: "breakpoint", Text: text, Event: i})
}
