package trace

import "flowdbg/trace/canon"

// Normalise settles what one event alone cannot tell: which steps an x-cancel takes back, and which form a foreign
// nested answer has (read off the receive that consumes it). Effect events get their answer message, which shares the
// text of the message received. It is idempotent.
func Normalise(events []Event) {
	for i := range events {
		if e := &events[i]; e.Type == XCancel {
			cancelStep(events[:i], e.Extra.Get("step"), e.Step)
		}
	}
	waiting := map[string][]*Event{} // answers of one agent are consumed in order
	for i := range events {
		switch e := &events[i]; {
		case e.Cancelled():
		case e.Type == EffectEvent:
			waiting[e.Agent] = append(waiting[e.Agent], e)
		case e.Type == Receive && e.Message.HasFrom && e.Message.From == FromEffect:
			if q := waiting[e.Agent]; len(q) > 0 {
				settleAnswer(q[0], e.Message)
				waiting[e.Agent] = q[1:]
			}
		}
	}
	for _, q := range waiting {
		for _, e := range q {
			settleNested(e, canon.Value{})
			e.Message = e.AnswerMessage()
		}
	}
}

func settleAnswer(effect *Event, received Message) {
	settleNested(effect, received.Payload)
	if received.Tag == TagEffect && received.Payload == effect.Answer() {
		effect.Message = received
	} else {
		effect.Message = effect.AnswerMessage()
	}
}

// settleNested chooses the form whose payload was received; when neither was, the seed's form (the output) is used.
func settleNested(effect *Event, received canon.Value) {
	if effect.flags&(flagNestedAnswer|flagNestedOutput) != 0 {
		effect.flags &^= flagNestedAnswer | flagNestedOutput
		if effect.Response == received {
			effect.flags |= flagNestedAnswer
		} else {
			effect.flags |= flagNestedOutput
		}
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
		if e.Type.IsExtension() || !e.HasStep() || e.Cancelled() {
			continue
		}
		if e.Step != step {
			return
		}
		e.flags |= flagCancelled
		if e.Type == Receive {
			return
		}
	}
}

// Cancelled is true for an event of a step that was taken back.
func (e *Event) Cancelled() bool { return e.flags&flagCancelled != 0 }
