package contract

import (
	"net/url"
	"strconv"
	"strings"

	"flowdbg/trace/canon"
)

// bundle writes the schema at a URL and everything it refers to as one document: references into other documents become
// references into its $defs.
func bundle(docs map[string]any, at string) (canon.Value, error) {
	b := bundler{docs: docs, defs: map[string]any{}}
	root := b.rewrite(lookup(docs, at), at)
	object, ok := root.(map[string]any)
	if !ok {
		return canon.FromGo(root)
	}
	object["$schema"] = draft2020
	if len(b.defs) > 0 {
		object["$defs"] = b.defs
	}
	return canon.FromGo(object)
}

type bundler struct {
	docs map[string]any
	defs map[string]any
}

// rewrite copies a schema and points its references into the bundle. base is the URL of the document it stands in.
func (b *bundler) rewrite(node any, base string) any {
	switch node := node.(type) {
	case map[string]any:
		out := make(map[string]any, len(node))
		for key, value := range node {
			ref, isText := value.(string)
			if key != "$ref" || !isText {
				out[key] = b.rewrite(value, base)
				continue
			}
			target := resolve(base, ref)
			if lookup(b.docs, target) == nil {
				out[key] = ref // into a part that has an $id of its own
				continue
			}
			out[key] = "#/$defs/" + b.define(target)
		}
		return out
	case []any:
		out := make([]any, len(node))
		for i, value := range node {
			out[i] = b.rewrite(value, base)
		}
		return out
	}
	return node
}

// define puts the target into the bundle's $defs once and returns its name there.
func (b *bundler) define(target string) string {
	name := target[strings.LastIndexAny(target, "/:")+1:]
	if doc, _, _ := strings.Cut(target, "#"); doc != SchemaURL {
		name = strings.NewReplacer("/", ".", "#", ".", "~", "").Replace(strings.TrimPrefix(target, "urn:flowdbg:"))
	}
	if _, done := b.defs[name]; !done {
		b.defs[name] = true // holds the place while a recursive type is copied
		b.defs[name] = b.rewrite(lookup(b.docs, target), target)
	}
	return name
}

func resolve(base, ref string) string {
	if strings.HasPrefix(ref, "#") {
		doc, _, _ := strings.Cut(base, "#")
		return doc + ref
	}
	return ref
}

// lookup finds the schema at a URL with a JSON Pointer as its fragment; nil when there is none.
func lookup(docs map[string]any, at string) any {
	doc, fragment, _ := strings.Cut(at, "#")
	pointer, err := url.PathUnescape(fragment)
	node := docs[doc]
	if err != nil {
		return nil
	}
	if pointer == "" {
		return node
	}
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		switch parent := node.(type) {
		case map[string]any:
			node = parent[unescapeToken.Replace(token)]
		case []any:
			i, err := strconv.Atoi(token)
			if err != nil || i < 0 || i >= len(parent) {
				return nil
			}
			node = parent[i]
		default:
			return nil
		}
	}
	return node
}

var unescapeToken = strings.NewReplacer("~1", "/", "~0", "~")
