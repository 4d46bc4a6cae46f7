package trace

import (
	"strings"

	"flowdbg/trace/canon"
)

// FromEffect is the sender that an effect's answer carries, and TagEffect its tag (seed 002 §2, §3).
const (
	FromEffect = "effect"
	TagEffect  = "effect"
)

// Message is what waits in an inbox (seed 002 §2): {tag, payload, from?}. It is immutable; its canonical text is made
// once, when it is born. The input message has no sender.
type Message struct {
	Tag     string
	From    string
	Payload canon.Value
	HasFrom bool
	text    canon.Value
}

// NewMessage makes a message from its sender; payload absent counts as null.
func NewMessage(from, tag string, payload canon.Value) Message {
	return newMessage(from, true, tag, payload)
}

// NewInput makes the first message of a run, which has no sender.
func NewInput(tag string, payload canon.Value) Message {
	return newMessage("", false, tag, payload)
}

func newMessage(from string, hasFrom bool, tag string, payload canon.Value) Message {
	if payload.IsAbsent() {
		payload = canon.Null
	}
	n := payload.Len() + len(from) + len(tag) + 40
	buf := make([]byte, 0, n)
	buf = append(buf, '{')
	if hasFrom {
		buf = append(buf, `"from":`...)
		buf = canon.AppendString(buf, from)
		buf = append(buf, ',')
	}
	buf = append(buf, `"payload":`...)
	at := len(buf)
	buf = append(buf, payload.Text()...)
	buf = append(buf, `,"tag":`...)
	buf = canon.AppendString(buf, tag)
	buf = append(buf, '}')
	text := string(buf)
	// The payload becomes a slice of the message's own text: one copy of the bytes is kept, not two.
	return Message{Tag: tag, From: from, HasFrom: hasFrom, Payload: canon.Raw(text[at : at+payload.Len()]), text: canon.Raw(text)}
}

// Text is the message as a canonical JSON object; absent for the zero Message.
func (m Message) Text() canon.Value { return m.text }

// IsZero is true for a message that was never made.
func (m Message) IsZero() bool { return m.text.IsAbsent() }

// Equal compares by canonical text.
func (m Message) Equal(o Message) bool { return m.text == o.text }

// Send is one entry of act.send: what a behaviour sends on a port (seed 002 §5; ours: {port, tag, payload}).
type Send struct {
	Port, Tag string
	Payload   canon.Value
}

// SendsValue is the canonical array that act.send holds.
func SendsValue(sends []Send) canon.Value {
	if len(sends) == 0 {
		return canon.EmptyArray
	}
	var b strings.Builder
	n := 2
	for _, s := range sends {
		n += s.Payload.Len() + len(s.Port) + len(s.Tag) + 40
	}
	b.Grow(n)
	var buf [64]byte
	for i, s := range sends {
		if i == 0 {
			b.WriteString(`[{"payload":`)
		} else {
			b.WriteString(`,{"payload":`)
		}
		p := s.Payload
		if p.IsAbsent() {
			p = canon.Null
		}
		b.WriteString(p.Text())
		b.WriteString(`,"port":`)
		b.Write(canon.AppendString(buf[:0], s.Port))
		b.WriteString(`,"tag":`)
		b.Write(canon.AppendString(buf[:0], s.Tag))
		b.WriteByte('}')
	}
	b.WriteByte(']')
	return canon.Raw(b.String())
}

// Request is what an agent asks of the world (seed 002 §4): {op, input}.
type Request struct {
	Op    string
	Input canon.Value
	text  canon.Value
	hash  string
}

// NewRequest makes a request; input absent counts as null.
func NewRequest(op string, input canon.Value) *Request {
	if input.IsAbsent() {
		input = canon.Null
	}
	buf := make([]byte, 0, input.Len()+len(op)+24)
	buf = append(buf, `{"input":`...)
	at := len(buf)
	buf = append(buf, input.Text()...)
	buf = append(buf, `,"op":`...)
	buf = canon.AppendString(buf, op)
	buf = append(buf, '}')
	text := string(buf)
	return &Request{Op: op, Input: canon.Raw(text[at : at+input.Len()]), text: canon.Raw(text)}
}

// Asks is what is asked for, in a few words: the op and what it names, which is a model, a tool (behind its server, where one
// is named), an URL or a program; "nothing" for nil. The names are those of the inputs that the ops take (page 05).
func (r *Request) Asks() string {
	if r == nil {
		return "nothing"
	}
	name := func(key string) string {
		s, _ := r.Input.Get(key).Str()
		return s
	}
	model, tool, server, url := name("model"), name("tool"), name("server"), name("url")
	switch {
	case model != "":
		return r.Op + " " + model
	case tool != "" && server != "":
		return r.Op + " " + server + "/" + tool
	case tool != "":
		return r.Op + " " + tool
	case url != "":
		return r.Op + " " + url
	}
	for _, program := range r.Input.Get("argv").Elems() {
		if s, ok := program.Str(); ok && s != "" {
			return r.Op + " " + s
		}
		break
	}
	return r.Op
}

// Text is the request as a canonical JSON object; absent for nil.
func (r *Request) Text() canon.Value {
	if r == nil {
		return canon.Value{}
	}
	return r.text
}

// Hash is request_hash = sha256hex(JCS({op, input})), computed at first use. Not for concurrent first use.
func (r *Request) Hash() string {
	if r.hash == "" {
		r.hash = r.text.Hash()
	}
	return r.hash
}

// Equal compares by canonical text; two nils are equal.
func (r *Request) Equal(o *Request) bool { return r.Text() == o.Text() }
