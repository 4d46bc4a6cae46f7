package trace

import (
	"fmt"

	"flowdbg/trace/canon"
)

// member is a member of the event, absent when it is not there; null stays null.
func (d *decoder) member(key string) canon.Value {
	v := d.v.Get(key)
	if !v.IsAbsent() {
		d.seen++
	}
	return v
}

// optional is member with null read as absent.
func (d *decoder) optional(key string) canon.Value {
	v := d.member(key)
	if v.IsNull() {
		return canon.Value{}
	}
	return v
}

func (d *decoder) text(key string) string {
	s, ok := d.member(key).Str()
	if !ok {
		d.fail("/"+key, fmt.Sprintf("%q is missing or not a string", key), "write a string")
	}
	return s
}

func (d *decoder) int(key string) int {
	n, ok := d.member(key).Int()
	if !ok || n < 0 {
		d.fail("/"+key, fmt.Sprintf("%q is missing or not a whole number from 0 on", key), "write a whole number")
	}
	return int(n)
}

func (d *decoder) step() { d.ev.Step = d.int("step") }

func (d *decoder) message(key string) Message {
	v := d.member(key)
	if v.Kind() != canon.KindObject {
		d.fail("/"+key, "the message is missing or not an object", "write {tag, payload, from?}")
		return Message{}
	}
	tag, ok := v.Get("tag").Str()
	if !ok {
		d.fail("/"+key+"/tag", "the tag is missing or not a string", "write a string")
		return Message{}
	}
	from, hasFrom := v.Get("from").Str()
	if f := v.Get("from"); !hasFrom && !f.IsAbsent() && !f.IsNull() {
		d.fail("/"+key+"/from", "from is not a string", "name the sender, or leave it out for the input")
	}
	if v.Get("payload").IsAbsent() {
		d.find(FindMissing, "/"+key+"/payload", "the message has no payload; null is used")
	}
	for k := range v.Members() {
		if k != "tag" && k != "from" && k != "payload" {
			d.find(FindExtraMember, "/"+key+"/"+k, fmt.Sprintf("messages have no member %q; it is not kept", k))
		}
	}
	return newMessage(from, hasFrom, tag, v.Get("payload"))
}

func (d *decoder) request(key string) *Request {
	v := d.optional(key)
	if v.IsAbsent() {
		return nil
	}
	op, ok := v.Get("op").Str()
	if !ok {
		d.fail("/"+key+"/op", "the op is missing or not a string", "write {op, input}")
		return nil
	}
	for k := range v.Members() {
		if k != "op" && k != "input" {
			d.find(FindExtraMember, "/"+key+"/"+k, fmt.Sprintf("requests have no member %q; it is not kept", k))
		}
	}
	return NewRequest(op, v.Get("input"))
}

// cost reads usage or ledger; a missing or null number is 0 with a finding.
func (d *decoder) cost(v canon.Value, ptr string) Usage {
	if v.Kind() != canon.KindObject {
		d.fail(ptr, "not an object", "write {input_tokens, output_tokens, usd}")
		return Usage{}
	}
	read := func(key string) float64 {
		m := v.Get(key)
		f, ok := m.Float()
		if !ok {
			if m.IsAbsent() || m.IsNull() {
				d.find(FindMissing, ptr+"/"+key, key+" is missing; 0 is used")
			} else {
				d.fail(ptr+"/"+key, key+" is not a number", "write a number")
			}
		}
		return f
	}
	return Usage{InputTokens: read("input_tokens"), OutputTokens: read("output_tokens"), USD: read("usd")}
}

func (d *decoder) fail(ptr, what, want string) {
	if d.err == nil {
		d.err = &DecodeError{ptr, what, want}
	}
}

func (d *decoder) find(kind, ptr, text string) {
	d.findings = append(d.findings, Finding{Kind: kind, Event: d.index, Pointer: ptr, Text: text})
}
