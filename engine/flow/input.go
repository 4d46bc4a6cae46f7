package flow

import "fmt"

// readInput reads the first message. It comes after the agents and the message schemas, which it is held against.
func (r *reader) readInput(top object, rules messageRules) *Input {
	o, ok := top.child("input")
	if !ok {
		return nil
	}
	in := &Input{Payload: o.value("payload")}
	to, nTo := o.str("to", required)
	if nTo != nil {
		in.To = to
		r.checkAgent(nTo, o.at("to"), to)
	}
	tag, nTag := o.str("tag", required)
	if nTag != nil {
		in.Tag = tag
		r.checkInputMessage(o, in, rules)
		if tag == EffectName {
			r.report(Lint, CodeReservedTag, nTag, o.at("tag"), `the tag "effect" is the tag of effect answers`,
				"an agent that waits for an effect takes this message for its answer; use another tag")
		}
	}
	o.known("to", "tag", "payload")
	return in
}

// checkInputMessage holds the input to the limits and to the schema of its tag. No event can report either at run time,
// because no send comes before the input.
func (r *reader) checkInputMessage(o object, in *Input, rules messageRules) {
	if n := in.Message().Text().Len(); n > MaxMessageBytes {
		r.report(Error, CodeMessageTooLarge, o.node, o.ptr, fmt.Sprintf("the input message has %d canonical bytes", n),
			fmt.Sprintf("a message has at most %d", MaxMessageBytes))
		return
	}
	problems, policy := rules.check(in.Tag, in.Payload)
	sev := Warning
	if policy == PolicyError {
		sev = Error
	}
	for _, p := range problems {
		ptr := o.at("payload") + p.Pointer
		r.reportAt(sev, CodeMessageInvalid, nearest(r.doc.Root, ptr).Off, ptr,
			"the input does not fit the schema of tag "+quote(in.Tag)+": "+p.Why, "the schema is at /messages/"+printable(escapePointer(in.Tag)))
	}
}
