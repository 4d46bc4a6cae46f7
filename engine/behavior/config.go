package behavior

import (
	"fmt"
	"sort"
	"strings"

	"flowdbg/trace/canon"
)

// reader reads a config object member by member and collects what is wrong with it.
type reader struct {
	v        canon.Value
	problems []Problem
	known    map[string]bool
}

func readConfig(v canon.Value) *reader {
	r := &reader{v: v, known: map[string]bool{}}
	if k := v.Kind(); k != canon.KindObject && k != canon.KindNull && k != canon.Absent {
		r.bad("", "the config is not an object", "write an object, or leave it out")
		r.v = canon.EmptyObject
	}
	return r
}

func (r *reader) bad(ptr, what, want string) {
	r.problems = append(r.problems, Problem{Pointer: ptr, What: what, Want: want})
}

// done is what is wrong with the config. Members that the kind does not read are warnings, because a misspelt one would
// be dropped without a word.
func (r *reader) done() []Problem {
	for key := range r.v.Members() {
		if !r.known[key] {
			r.problems = append(r.problems, Problem{Pointer: canon.AppendPointer("", key), Warning: true,
				What: fmt.Sprintf("unknown config member %q", key), Want: "this kind reads " + strings.Join(sortedKeys(r.known), ", ")})
		}
	}
	return r.problems
}

func sortedKeys(set map[string]bool) []string {
	keys := make([]string, 0, len(set))
	for k := range set {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}

// object is an optional member that is an object.
func (r *reader) object(key, want string) canon.Value {
	v := r.get(key)
	if !v.IsAbsent() && v.Kind() != canon.KindObject {
		r.bad("/"+key, fmt.Sprintf("%q is not an object", key), want)
		return canon.EmptyObject
	}
	return v
}

func (r *reader) get(key string) canon.Value {
	r.known[key] = true
	v := r.v.Get(key)
	if v.IsNull() && key != "value" {
		return canon.Value{}
	}
	return v
}

func (r *reader) text(key, def string) string {
	v := r.get(key)
	if v.IsAbsent() {
		return def
	}
	s, ok := v.Str()
	if !ok {
		r.bad("/"+key, fmt.Sprintf("%q is not a string", key), "write a string")
	}
	return s
}

func (r *reader) positive(key string, def int64) int64 {
	v := r.get(key)
	if v.IsAbsent() {
		return def
	}
	n, ok := v.Int()
	if !ok || n < 1 {
		r.bad("/"+key, fmt.Sprintf("%q is not a whole number from 1 on", key), "write 1 or more")
		return def
	}
	return n
}

func (r *reader) number(key string) {
	if v := r.get(key); !v.IsAbsent() && v.Kind() != canon.KindNumber {
		r.bad("/"+key, fmt.Sprintf("%q is not a number", key), "write a number")
	}
}

// tags reads a list of strings as a set.
func (r *reader) tags(key string) map[string]bool {
	v := r.get(key)
	if v.IsAbsent() {
		return nil
	}
	set := map[string]bool{}
	for i, e := range v.Elems() {
		s, ok := e.Str()
		if !ok {
			r.bad(fmt.Sprintf("/%s/%d", key, i), "a tag is a string", "write a string")
		}
		set[s] = true
	}
	if v.Kind() != canon.KindArray {
		r.bad("/"+key, fmt.Sprintf("%q is not a list of tags", key), `write ["tag", …]`)
	}
	return set
}

// pointer reads a JSON Pointer.
func (r *reader) pointer(key, def string) string {
	p := r.text(key, def)
	if p != "" && p[0] != '/' {
		r.bad("/"+key, fmt.Sprintf("%q is not a JSON Pointer", p), "begin it with /")
	}
	return p
}

// llmFields are resolved into the request by the engine; here only their types are checked.
func (r *reader) llmFields() {
	r.text("model", "")
	for _, k := range []string{"temperature", "top_p", "max_tokens", "seed"} {
		r.number(k)
	}
	r.get("stop")
	r.get("response_format")
}

var ignoreField = Field{"ignore", "[tag]", "[]", "tags that are consumed and dropped instead of being an error"}

var llmDocs = []Field{
	{"model", "string", "effects.llm.model, else mock-fast", "the model to ask"},
	{"temperature", "number", "not sent", "sampling temperature"},
	{"top_p", "number", "not sent", "nucleus sampling"},
	{"max_tokens", "number", "not sent", "length of the answer at most"},
	{"seed", "number", "not sent", "seed of the sampling, where the model has one"},
	{"stop", "string or [string]", "not sent", "where the answer ends"},
	{"response_format", "any", "not sent", "form of the answer, as the provider has it"},
	{"prompt", "template", "the kind's own", "what to ask; {name} stands for a member of the message"},
	ignoreField,
}

// unexpected is the error for a tag that a kind does not know.
func unexpected(tag string, want string) error {
	return fmt.Errorf("unexpected tag %q; this kind receives %s (config ignore can list tags to drop)", tag, want)
}
