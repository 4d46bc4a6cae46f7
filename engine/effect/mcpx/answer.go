package mcpx

import (
	"encoding/json"
	"fmt"

	"flowdbg/engine/effect"
	"flowdbg/trace/canon"
)

// ParseResult makes a canonical value of a tools/call result. An integer that canonical JSON cannot hold becomes a string of
// its own spelling (design 02); notes name each as "big_integer:<pointer>".
func ParseResult(raw []byte) (v canon.Value, notes []string, err error) {
	v, findings, err := canon.Parse(raw, canon.Options{Integers: canon.IntegersAsString})
	if err != nil {
		return canon.Value{}, nil, fmt.Errorf("the result is no strict JSON: %w", err)
	}
	if v.Kind() != canon.KindObject {
		return canon.Value{}, nil, fmt.Errorf("the result is %s, not an object", v.Kind())
	}
	for _, f := range findings {
		notes = append(notes, "big_integer:"+f.Pointer)
	}
	return v, notes, nil
}

// Noted adds notes to a side.
func Noted(side canon.Value, notes []string) canon.Value {
	for _, n := range notes {
		side = effect.Noted(side, n)
	}
	return side
}

// ClassOf reads a tool's annotations in its tools/list entry: readOnlyHint is pure, idempotentHint idempotent, anything
// else, also silence, unsafe (design 05). They are the server's own word.
func ClassOf(tool json.RawMessage) effect.Class {
	var t struct {
		Annotations struct {
			ReadOnly   bool `json:"readOnlyHint"`
			Idempotent bool `json:"idempotentHint"`
		} `json:"annotations"`
	}
	switch err := json.Unmarshal(tool, &t); {
	case err != nil:
		return effect.Unsafe
	case t.Annotations.ReadOnly:
		return effect.Pure
	case t.Annotations.Idempotent:
		return effect.Idempotent
	}
	return effect.Unsafe
}

// Tool finds a tool in a listing, nil when it is not there. Of two entries with one name the first counts.
func (l *Listing) Tool(name string) json.RawMessage {
	l.once.Do(func() {
		l.byName = make(map[string]json.RawMessage, len(l.Tools))
		for _, raw := range l.Tools {
			if n := ToolName(raw); l.byName[n] == nil {
				l.byName[n] = raw
			}
		}
	})
	return l.byName[name]
}

// ToolName is the name in a tools/list entry, "" when it has none.
func ToolName(raw json.RawMessage) string {
	var t struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(raw, &t) != nil {
		return ""
	}
	return t.Name
}
