package trace

import "flowdbg/trace/canon"

// Normalise settles what one event alone cannot tell: which form a foreign nested answer has (read off the next receive
// of that agent), and which steps an x-cancel takes back. It is idempotent.
func Normalise(events []Event) {
	waiting := map[string][]int{}
	for i := range events {
		e := &events[i]
		switch e.Type {
		case EffectEvent:
			if e.flags&(flagNestedAnswer|flagNestedOutput) != 0 {
				waiting[e.Agent] = append(waiting[e.Agent], i)
			}
		case Receive:
			if q := waiting[e.Agent]; len(q) > 0 && e.Message.From == FromEffect && e.Message.HasFrom {
				settleNested(&events[q[0]], e.Message.Payload)
				waiting[e.Agent] = q[1:]
			}
		case XCancel:
			cancelStep(events[:i], e.Extra.Get("step"), e.Step)
		}
	}
}

// settleNested chooses the form whose payload was received; when neither was, the seed's form (the output) is used.
func settleNested(effect *Event, received canon.Value) {
	effect.flags &^= flagNestedAnswer | flagNestedOutput
	if effect.Response == received {
		effect.flags |= flagNestedAnswer
	} else {
		effect.flags |= flagNestedOutput
	}
	effect.Message = Message{}
}

// cancelStep marks the events of the step before an x-cancel, so that the fold passes over them. The member step is
// read as the event's own step when it is written there.
func cancelStep(before []Event, member canon.Value, step int) {
	if n, ok := member.Int(); ok {
		step = int(n)
	}
	for i := len(before) - 1; i >= 0; i-- {
		e := &before[i]
		if e.HasStep() && e.Step != step && !e.Type.IsExtension() {
			return
		}
		if e.HasStep() && e.Step == step && !e.Type.IsExtension() {
			e.flags |= flagCancelled
			if e.Type == Receive {
				return
			}
		}
	}
}

// Cancelled is true for an event of a step that was taken back.
func (e *Event) Cancelled() bool { return e.flags&flagCancelled != 0 }
