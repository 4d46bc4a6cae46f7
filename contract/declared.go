package contract

import "regexp"

// members are the member names that a schema declares for an object.
type members struct {
	names    map[string]any
	patterns []*regexp.Regexp
	seen     map[string]bool
}

// declared collects the names that the schema at url declares for the object it describes, through references and
// composition, but not for objects inside it.
func declared(docs map[string]any, url string) members {
	m := members{names: map[string]any{}, seen: map[string]bool{}}
	m.collect(docs, lookup(docs, url), url)
	return m
}

func (m *members) collect(docs map[string]any, node any, base string) {
	schema, ok := node.(map[string]any)
	if !ok {
		return
	}
	if properties, ok := schema["properties"].(map[string]any); ok {
		for name := range properties {
			m.names[name] = true
		}
	}
	if patterns, ok := schema["patternProperties"].(map[string]any); ok {
		for pattern := range patterns {
			if re, err := regexp.Compile(pattern); err == nil {
				m.patterns = append(m.patterns, re)
			}
		}
	}
	if ref, ok := schema["$ref"].(string); ok {
		if target := resolve(base, ref); !m.seen[target] {
			m.seen[target] = true
			m.collect(docs, lookup(docs, target), target)
		}
	}
	for _, key := range []string{"allOf", "anyOf", "oneOf"} {
		branches, _ := schema[key].([]any)
		for _, branch := range branches {
			m.collect(docs, branch, base)
		}
	}
	for _, key := range []string{"if", "then", "else"} {
		m.collect(docs, schema[key], base)
	}
	dependent, _ := schema["dependentSchemas"].(map[string]any)
	for _, branch := range dependent {
		m.collect(docs, branch, base)
	}
}

func (m *members) has(name string) bool {
	if _, ok := m.names[name]; ok {
		return true
	}
	for _, re := range m.patterns {
		if re.MatchString(name) {
			return true
		}
	}
	return false
}
