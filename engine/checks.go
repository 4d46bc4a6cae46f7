package engine

import (
	"fmt"
	"unicode"
	"unicode/utf8"

	"flowdbg/engine/behavior"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// What a behaviour returned is checked as a whole before its act is recorded: a breach leaves receive and error only.

// checkNames holds what a behaviour names to the rules for names: they are written into the trace and read back.
func checkNames(res behavior.Result) error {
	for i, send := range res.Sends {
		at := fmt.Sprintf("/send/%d", i)
		if why := badPort(send.Port); why != "" {
			return &behavior.BadValue{Pointer: at + "/port", Why: why}
		}
		if !utf8.ValidString(send.Tag) {
			return &behavior.BadValue{Pointer: at + "/tag", Why: "is not UTF-8"}
		}
	}
	if res.Effect != nil && !utf8.ValidString(res.Effect.Op) {
		return &behavior.BadValue{Pointer: "/effect/op", Why: "is not UTF-8"}
	}
	return nil
}

// badPort is why a name is none for a port, as in a flow's edges; "" when it is one.
func badPort(port string) string {
	switch {
	case port == "":
		return "is empty"
	case !utf8.ValidString(port):
		return "is not UTF-8"
	}
	for _, c := range port {
		if unicode.IsControl(c) {
			return fmt.Sprintf("holds the control character U+%04X", c)
		}
	}
	return ""
}

// deliveries lists the send events of an act, per send the edges in edges[] order, and checks every limit before any
// of them is delivered: how many there are, then message by message its size and the inboxes it goes to.
func (s *step) deliveries(sends []trace.Send) ([]trace.Event, *trace.LimitBreach) {
	total := 0
	for _, send := range sends {
		total += max(1, len(s.m.targets[target{s.id, send.Port}]))
	}
	if total == 0 {
		return nil, nil
	}
	if total > trace.MaxSendsPerAct {
		return nil, &trace.LimitBreach{What: "sends", Got: total, Limit: trace.MaxSendsPerAct}
	}
	events := s.m.sends[:0] // used again by the next step; what is in it was copied into the log by then
	for _, send := range sends {
		msg := trace.NewMessage(s.id, send.Tag, send.Payload)
		if b := trace.CheckMessage(msg); b != nil {
			return nil, b
		}
		ev := trace.Event{Type: trace.SendEvent, Step: s.n, Agent: s.id, Port: send.Port, Message: msg}
		targets := s.m.targets[target{s.id, send.Port}]
		if len(targets) == 0 {
			events = append(events, ev)
		}
		for _, to := range targets {
			ev.To = to
			events = append(events, ev)
			if b := s.checkInbox(to, events); b != nil {
				return nil, b
			}
		}
	}
	s.m.sends = events
	return events, nil
}

// checkInbox is nil or the breach of the inbox that the events so far would fill.
func (s *step) checkInbox(to string, events []trace.Event) *trace.LimitBreach {
	n := s.st.InboxLen(to)
	if n+len(events) <= trace.MaxInbox {
		return nil // even if all went there
	}
	for i := range events {
		if events[i].To == to {
			n++
		}
	}
	if n > trace.MaxInbox {
		return &trace.LimitBreach{What: "inbox", Got: n, Limit: trace.MaxInbox}
	}
	return nil
}

// check is nil or the limit that the new state or the request breaks.
func check(state canon.Value, req *trace.Request) *trace.LimitBreach {
	if b := trace.CheckState(state); b != nil {
		return b
	}
	if req == nil {
		return nil
	}
	if n := req.Text().Len(); n > trace.MaxMessageBytes {
		return &trace.LimitBreach{What: "request", Got: n, Limit: trace.MaxMessageBytes}
	}
	return trace.CheckNesting("request nesting", req.Input)
}
