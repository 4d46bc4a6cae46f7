package trace

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"flowdbg/trace/canon"
)

// Ref names something in a trace that has a cause: an event, a message in an output, or a message in an inbox.
type Ref struct {
	Event  int    // the event's index when Output and Agent are ""
	Output string // key of an output, "agent.port"
	Agent  string // the agent whose inbox is meant
	Index  int    // place in the output or in the inbox, from 0; negative counts from the end, for outputs only
	At     int    // inbox: the position (so many events applied) at which it is looked at; negative is the trace's end
}

// EventRef names an event.
func EventRef(i int) Ref { return Ref{Event: i} }

// OutputRef names the i-th message of an output.
func OutputRef(key string, i int) Ref { return Ref{Output: key, Index: i} }

// InboxRef names the i-th message that waits for an agent at a position, head first.
func InboxRef(agent string, i, at int) Ref { return Ref{Agent: agent, Index: i, At: at} }

// String is the form that ParseRef reads.
func (r Ref) String() string {
	switch {
	case r.Output != "":
		return fmt.Sprintf("%s[%d]", r.Output, r.Index)
	case r.Agent != "" && r.At < 0:
		return fmt.Sprintf("inbox:%s[%d]", r.Agent, r.Index)
	case r.Agent != "":
		return fmt.Sprintf("inbox:%s[%d]@%d", r.Agent, r.Index, r.At)
	case r.Event == InputEvent:
		return string(LinkInput)
	}
	return strconv.Itoa(r.Event)
}

// ParseRef reads "input" (the message that the run began with), "9" (event 9), "writer.out[0]" (a message of an output; -1 is the last), "inbox:critic[0]@12" (what
// waits for critic behind the first 12 events; without @ at the end). An index that is left out is 0.
func ParseRef(text string) (Ref, error) {
	bad := func() (Ref, error) {
		return Ref{}, fmt.Errorf(`%q names nothing; write an event's number, "input", an output like "writer.out[0]", or "inbox:critic[0]@12"`, text)
	}
	if text == string(LinkInput) {
		return EventRef(InputEvent), nil
	}
	if n, err := strconv.Atoi(text); err == nil {
		if n < 0 {
			return bad()
		}
		return EventRef(n), nil
	}
	name, inbox := strings.CutPrefix(text, "inbox:")
	at := -1
	if inbox {
		if i := strings.LastIndexByte(name, '@'); i >= 0 {
			n, err := strconv.Atoi(name[i+1:])
			if err != nil || n < 0 {
				return bad()
			}
			name, at = name[:i], n
		}
	}
	index := 0
	if open := strings.LastIndexByte(name, '['); open >= 0 && strings.HasSuffix(name, "]") {
		n, err := strconv.Atoi(name[open+1 : len(name)-1])
		if err != nil {
			return bad()
		}
		name, index = name[:open], n
	}
	switch {
	case name == "" || inbox && index < 0 || !inbox && !strings.Contains(name, "."):
		return bad()
	case inbox:
		return InboxRef(name, index, at), nil
	}
	return OutputRef(name, index), nil
}

// LinkKind says what a link of a causal chain is.
type LinkKind string

// The kinds of links. The first five make a message.
const (
	LinkInput   LinkKind = "input"
	LinkSend    LinkKind = "send"
	LinkOutput  LinkKind = "output"
	LinkEffect  LinkKind = "effect"
	LinkInject  LinkKind = "inject"
	LinkReceive LinkKind = "receive"
	LinkAct     LinkKind = "act"
	LinkIntent  LinkKind = "intent" // an effect that was about to be asked for
	LinkError   LinkKind = "error"
	LinkFinish  LinkKind = "finish"
	LinkOther   LinkKind = "other" // lines of ours, unknown types, damage
)

// Link is one link of a causal chain: what made a message, and the act and the receive that it came from.
type Link struct {
	Kind    LinkKind    `json:"kind"`
	Event   int         `json:"event"` // what is shown when one jumps to the link; for the input the receive that took it, -1 while it waits
	Step    int         `json:"step"`
	Agent   string      `json:"agent,omitempty"`
	Text    string      `json:"text"`            // one line, with names from the trace as they are
	Detail  canon.Value `json:"detail,omitzero"` // the payload sent, or the input of the request
	Cost    *LinkCost   `json:"cost,omitempty"`  // of an effect
	Act     int         `json:"act"`             // the act that it came from, or -1
	Receive int         `json:"receive"`         // the receive that the act answered, or -1
	Edit    int         `json:"edit"`            // the edit that replaced its payload while it waited, or -1
	Note    string      `json:"note,omitempty"`  // what does not fit
}

// Where is the link's place in the schedule as both faces write it: "input", "step 3", "end" for what belongs to no step
// because the run was over, and "before step 1" for what a person or a behaviour set before anything ran.
func (l *Link) Where() string {
	switch {
	case l.Kind == LinkInput:
		return "input"
	case l.Step > 0:
		return "step " + strconv.Itoa(l.Step)
	case l.Kind == LinkFinish:
		return "end"
	}
	return "before step 1"
}

// LinkCost is the usage of an effect, with the seed's names in JSON.
type LinkCost struct {
	InputTokens  float64 `json:"input_tokens"`
	OutputTokens float64 `json:"output_tokens"`
	USD          float64 `json:"usd"`
	Unknown      bool    `json:"unknown,omitempty"` // the answer came without usage
}

// Causes answers where messages came from and what came of them. It may be used while a Store is being indexed; it then
// knows the events indexed so far.
type Causes struct {
	log   Log
	index inboxIndex
}

// NewCauses prepares the questions: nothing to do for a Store, one pass over any other log.
func NewCauses(ctx context.Context, log Log, progress Progress) (*Causes, error) {
	x, err := indexOf(ctx, log, progress)
	if err != nil {
		return nil, err
	}
	return &Causes{log: log, index: x}, nil
}

// made is the event that a Ref is about, or InputEvent; inbox edits come with it.
func (c *Causes) made(r Ref) (Delivery, error) {
	switch {
	case r.Output != "":
		n, i := c.index.OutputCount(r.Output), r.Index
		if i < 0 {
			i += n
		}
		e := c.index.OutputEvent(r.Output, i)
		if e == NoEvent {
			return Delivery{}, fmt.Errorf("output %q holds %d messages; there is no [%d]", r.Output, n, r.Index)
		}
		return Delivery{e, NoEvent}, nil
	case r.Agent != "":
		at := r.At
		if at < 0 || at > c.log.Len() {
			at = c.log.Len()
		}
		d, ok := c.index.Waiting(r.Agent, at, r.Index)
		if !ok {
			return Delivery{}, fmt.Errorf("no message [%d] waits for %q behind event %d", r.Index, r.Agent, at-1)
		}
		return d, nil
	case r.Event == InputEvent:
		if _, m := c.index.Input(); m.IsZero() {
			return Delivery{}, fmt.Errorf("the trace does not tell its input")
		}
		return Delivery{InputEvent, NoEvent}, nil
	case r.Event < 0 || r.Event >= c.log.Len():
		return Delivery{}, fmt.Errorf("there is no event %d; the trace has %d", r.Event, c.log.Len())
	}
	return Delivery{r.Event, NoEvent}, nil
}

// Event is the event that a Ref names: what delivered the message, or InputEvent.
func (c *Causes) Event(r Ref) (int, error) {
	d, err := c.made(r)
	return d.Event, err
}

// origin finds the act and the receive that an event came from: the nearest receive before it, when step and agent
// agree. Both are NoEvent when the trace does not tell.
func (c *Causes) origin(i int, h Header) (act, receive int) {
	act = NoEvent
	if h.Type == Receive {
		return act, i
	}
	for j := i - 1; j >= 0; j-- {
		b := c.log.Header(j)
		same := b.Agent == h.Agent && b.Step == h.Step
		switch b.Type {
		case Act:
			if same && act == NoEvent && h.Type != Act {
				act = j
			}
		case Receive:
			if same {
				return act, j
			}
			return NoEvent, NoEvent
		}
	}
	return NoEvent, NoEvent
}

// delivers is true when the delivery's message is m, compared by canonical text.
func (c *Causes) delivers(d Delivery, m Message) (bool, error) {
	got, err := c.message(d)
	return err == nil && got.Equal(m), err
}

// message is the message of a delivery as it waited.
func (c *Causes) message(d Delivery) (Message, error) {
	var m Message
	if d.Event == InputEvent {
		_, m = c.index.Input()
	} else {
		e, err := c.log.Event(d.Event)
		if err != nil {
			return Message{}, err
		}
		m = deliveredBy(e)
	}
	if d.Edit != NoEvent {
		e, err := c.log.Event(d.Edit)
		if err != nil {
			return Message{}, err
		}
		m = newMessage(m.From, m.HasFrom, m.Tag, e.Extra.Get("payload"))
	}
	return m, nil
}
