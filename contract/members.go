package contract

import (
	"fmt"
	"slices"
)

// Members lists the members of a type of the contract in order, optional ones with a "?" at the end as seed 000 writes
// them. It is empty for a type that is no object.
func Members(typ string) ([]string, error) {
	docs := defaultRegistry().docs
	at := SchemaURL + "#/$defs/" + typ
	schema, ok := lookup(docs, at).(map[string]any)
	if !ok {
		return nil, fmt.Errorf("no type %q", typ)
	}
	members := []string{}
	if schema["type"] != "object" {
		return members, nil
	}
	required := map[string]bool{}
	collectRequired(docs, at, required)
	for name := range declared(docs, at).names {
		if !required[name] {
			name += "?"
		}
		members = append(members, name)
	}
	slices.Sort(members)
	return members, nil
}

func collectRequired(docs map[string]any, at string, into map[string]bool) {
	schema, _ := lookup(docs, at).(map[string]any)
	names, _ := schema["required"].([]any)
	for _, name := range names {
		if s, ok := name.(string); ok {
			into[s] = true
		}
	}
	branches, _ := schema["allOf"].([]any)
	for _, branch := range branches {
		if base, ok := refName(branch); ok {
			collectRequired(docs, SchemaURL+"#/$defs/"+base, into)
		}
	}
}
