package flow

import (
	"strings"

	"flowdbg/trace/canon"
)

// need says whether a field may be left out. For an optional field null means absent, for a required one null means missing.
type need bool

const (
	required need = true
	optional need = false
)

// object reads the members of one JSON object of the file and reports what does not fit.
type object struct {
	r    *reader
	node *canon.Node
	ptr  string
}

// object is n as an object, or a report that it is none.
func (r *reader) object(n *canon.Node, ptr string) (object, bool) {
	if n.Kind != canon.KindObject {
		r.wrongType(n, ptr, "an object")
		return object{}, false
	}
	return object{r, n, ptr}, true
}

// at is the JSON Pointer of a member.
func (o object) at(key string) string { return o.ptr + "/" + escapePointer(key) }

// member is the member's value, null included, or nil. Of a repeated key (an error of its own) the last counts.
func (o object) member(key string) *canon.Node { return o.node.Get(key) }

// get is a member that is there and not null.
func (o object) get(key string, n need) (*canon.Node, bool) {
	v := o.member(key)
	if v != nil && v.Kind != canon.KindNull {
		return v, true
	}
	if n == required {
		where, what := o.node, "is missing"
		if v != nil {
			where, what = v, "is null"
		}
		o.r.report(Error, CodeMissingField, where, o.at(key), quote(key)+" "+what, "the field is required")
	}
	return nil, false
}

// str is a string member. The node is nil when there is none.
func (o object) str(key string, n need) (string, *canon.Node) {
	v, ok := o.get(key, n)
	if !ok {
		return "", nil
	}
	s, ok := v.Str()
	if !ok {
		o.r.wrongType(v, o.at(key), "a string")
		return "", nil
	}
	return s, v
}

// boolean is an optional boolean member, false when there is none.
func (o object) boolean(key string) bool {
	v, ok := o.get(key, optional)
	if !ok {
		return false
	}
	b, ok := v.Bool()
	if !ok {
		o.r.wrongType(v, o.at(key), "true or false")
	}
	return b
}

// array is an array member's elements.
func (o object) array(key string, n need) (*canon.Node, bool) {
	v, ok := o.get(key, n)
	if !ok {
		return nil, false
	}
	if v.Kind != canon.KindArray {
		o.r.wrongType(v, o.at(key), "an array")
		return nil, false
	}
	return v, true
}

// child is an optional object member.
func (o object) child(key string) (object, bool) {
	v, ok := o.get(key, optional)
	if !ok {
		return object{}, false
	}
	return o.r.object(v, o.at(key))
}

// value is any optional member, null when there is none.
func (o object) value(key string) canon.Value {
	if v, ok := o.get(key, optional); ok {
		return v.Value()
	}
	return canon.Null
}

// known reports every member whose key is not listed.
func (o object) known(keys ...string) {
members:
	for _, m := range o.node.Members {
		for _, k := range keys {
			if m.Key == k {
				continue members
			}
		}
		sev := Warning
		if o.r.opt.Strict {
			sev = Error
		}
		want := o.r.suggest.didYouMean(m.Key, keys, "known here: "+strings.Join(keys, ", "))
		o.r.reportAt(sev, CodeUnknownField, m.KeyOff, o.at(m.Key), "unknown field "+quote(m.Key)+" has no effect", want)
	}
}
