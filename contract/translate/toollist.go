package translate

import (
	"fmt"
	"iter"
)

// ListedTool is what a tools/list answer says about one tool beside its schemas.
type ListedTool struct {
	Name string
	Meta map[string]any // its `_meta`, numbers as json.Number; nil when it has none

	input *node
}

// Arguments are the top-level names that the tool's input schema declares.
func (t ListedTool) Arguments() iter.Seq[string] {
	return func(yield func(string) bool) {
		props := t.input.get("properties")
		if props == nil {
			return
		}
		props.names()(yield)
	}
}

// ToolList reads the tools of a tools/list answer in their order. The forms are those of Catalog.AddToolList.
func ToolList(data []byte) ([]ListedTool, error) {
	list, err := readToolList(data)
	if err != nil {
		return nil, err
	}
	out := make([]ListedTool, 0, len(list))
	for i, t := range list {
		name, _ := t.get("name").str()
		tool := ListedTool{Name: name, input: t.get("inputSchema")}
		if m := t.get("_meta"); m != nil && m.kind != kindNull {
			if m.kind != kindObject {
				return nil, fmt.Errorf("/tools/%d/_meta: want an object, not %s", i, m.what())
			}
			tool.Meta = metaValues(m)
		}
		out = append(out, tool)
	}
	return out, nil
}

// readToolList finds the array of tools and checks that each has a name of its own.
func readToolList(data []byte) ([]*node, error) {
	root, err := parseTree(data)
	if err != nil {
		return nil, err
	}
	if r := root.get("result"); r != nil {
		root = r
	}
	if t := root.get("tools"); t != nil {
		root = t
	}
	if root.kind != kindArray {
		return nil, fmt.Errorf("no tools/list answer: want an object with \"tools\" or an array of tools")
	}
	seen := map[string]bool{}
	for i, t := range root.elems {
		name, ok := t.get("name").str()
		if !ok || name == "" {
			return nil, fmt.Errorf("/tools/%d has no name", i)
		}
		if seen[name] {
			return nil, fmt.Errorf("/tools/%d: %q is listed twice", i, name)
		}
		seen[name] = true
	}
	return root.elems, nil
}
