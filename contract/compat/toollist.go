package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/contract/meta"
	"flowdbg/trace/canon"
)

// Tool is one entry of a tool list.
type Tool struct {
	Name          string
	Raw           canon.Value    // the entry as it was listed
	Input, Output canon.Value    // schemas, with the list's shared $defs if it has any; Output is absent when none is declared
	Meta          map[string]any // its `_meta`, numbers as spelt
	Versions      []int          // contract integers of its own `_meta`, ascending; nil when it lists none that can be read
	Sunset        meta.Date      // zero when it has none that can be read
	Version       string         // its semantic version (`_meta` flowdbg/version), "" when unstated
	Capability    canon.Value    // `_meta` flowdbg/capability, absent when unstated
	Journal       []meta.Entry   // what is wrong with its `_meta`
}

// Newest is the highest contract integer that the tool lists, 0 when it lists none.
func (t *Tool) Newest() int {
	if len(t.Versions) == 0 {
		return 0
	}
	return t.Versions[len(t.Versions)-1]
}

// ToolList is what tools/list answered, sorted by name.
type ToolList struct {
	Head     canon.Value // serverInfo, protocolVersion, `_meta` and $defs as they were given, without the tools
	Package  string      // serverInfo.version, "" when not given
	Contract int         // the initialize answer's contract integer, else the newest that a tool lists; 0 when nothing says
	Defs     canon.Value // shared definitions ($defs beside the tools; ours), absent when there are none
	Tools    []*Tool
	Journal  []meta.Entry // what is wrong with the head's `_meta`, and numbers that are compared rounded
}

// Find is the tool of that name, nil when there is none.
func (l *ToolList) Find(name string) *Tool {
	i, found := slices.BinarySearchFunc(l.Tools, name, func(t *Tool, name string) int { return canon.CompareKeys(t.Name, name) })
	if !found {
		return nil
	}
	return l.Tools[i]
}

// headKeys are the members beside the tools that belong to a snapshot. The JSON-RPC envelope and cursors do not.
var headKeys = []string{"$defs", "_meta", "protocolVersion", "serverInfo"}

// ReadToolList reads tools/list answers: {"tools": […]}, the JSON-RPC answer around it, or the bare list; a snapshot is of
// the first form. Several pages make one list. Members serverInfo, protocolVersion and `_meta` beside the tools are those
// of the initialize answer. It is an error when a page is missing (nextCursor on the last one), a tool has no name, or two
// tools share one, because a list that is not whole would look like a removal. Syntax errors are *canon.Error.
func ReadToolList(keys meta.Keys, pages ...[]byte) (*ToolList, error) {
	l := &ToolList{}
	head := map[string]canon.Value{}
	more := false
	for _, data := range pages {
		doc, rounded, err := canon.Parse(data, canon.Options{Integers: canon.IntegersAccept})
		if err != nil {
			return nil, err
		}
		for _, r := range rounded {
			l.Journal = append(l.Journal, meta.Entry{Level: meta.LevelWarning, Code: "number_rounded",
				Text: fmt.Sprintf("%s holds %s, which is compared rounded to a float64", r.Pointer, r.Text)})
		}
		if result := doc.Get("result"); doc.Kind() == canon.KindObject && result.Kind() == canon.KindObject {
			doc = result
		}
		tools := doc
		if doc.Kind() == canon.KindObject {
			tools = doc.Get("tools")
			for _, k := range headKeys {
				if v := doc.Get(k); !v.IsAbsent() {
					head[k] = v
				}
			}
			more = !doc.Get("nextCursor").IsAbsent() && !doc.Get("nextCursor").IsNull()
		}
		if tools.Kind() != canon.KindArray {
			return nil, errors.New(`no tools/list answer: want an object with "tools", or a list of tools`)
		}
		if err := l.addTools(keys, tools); err != nil {
			return nil, err
		}
	}
	if more {
		return nil, errors.New("the list ends with a nextCursor: give the next pages as well, or what is on them looks removed")
	}
	return l, l.finish(keys, head)
}

func (l *ToolList) addTools(keys meta.Keys, tools canon.Value) error {
	for i, raw := range tools.Elems() {
		name, ok := raw.Get("name").Str()
		if !ok || name == "" {
			return fmt.Errorf("/tools/%d has no name", i)
		}
		t := &Tool{Name: name, Raw: raw, Input: raw.Get("inputSchema"), Output: raw.Get("outputSchema")}
		t.readMeta(keys)
		l.Tools = append(l.Tools, t)
	}
	return nil
}

func (t *Tool) readMeta(keys meta.Keys) {
	var err error
	if t.Meta, err = readMeta(t.Raw.Get("_meta")); err != nil {
		t.Journal = append(t.Journal, meta.Entry{Level: meta.LevelError, Code: meta.CodeConfiguration, Tool: t.Name,
			Source: meta.SourceTool, Text: err.Error()})
	}
	if _, listed := t.Meta[keys.Versions]; listed {
		r := meta.Resolve(keys, t.Name, meta.Sources{Tool: t.Meta, Current: 1})
		if r.Source == meta.SourceTool {
			t.Versions = r.Versions
		}
		for _, e := range r.Journal {
			if e.Source == meta.SourceTool {
				t.Journal = append(t.Journal, e)
			}
		}
	}
	sunset, entries := meta.ReadSunset(keys, t.Name, t.Meta, meta.Date{})
	t.Sunset = sunset.Date
	t.Journal = append(t.Journal, entries...)
	t.Version, _ = t.Raw.Get("_meta").Get(contract.MetaVersion).Str()
	t.Capability = t.Raw.Get("_meta").Get(contract.MetaCapability)
	declared := func(yield func(string) bool) {
		for name := range t.Input.Get("properties").Members() {
			if !yield(name) {
				return
			}
		}
	}
	if e := meta.SchemaFinding(keys, t.Name, declared); e != nil {
		t.Journal = append(t.Journal, *e)
	}
}

func readMeta(v canon.Value) (map[string]any, error) {
	if v.IsAbsent() {
		return nil, nil
	}
	return meta.Parse([]byte(v.Text()))
}

func (l *ToolList) finish(keys meta.Keys, head map[string]canon.Value) error {
	slices.SortFunc(l.Tools, func(a, b *Tool) int { return canon.CompareKeys(a.Name, b.Name) })
	for i := 1; i < len(l.Tools); i++ {
		if l.Tools[i].Name == l.Tools[i-1].Name {
			return fmt.Errorf("two tools have the name %q", l.Tools[i].Name)
		}
	}
	var members []canon.Member
	for k, v := range head {
		members = append(members, canon.Member{Key: k, Value: v})
	}
	l.Head = canon.Object(members...)
	l.Package, _ = head["serverInfo"].Get("version").Str()
	l.Defs = head["$defs"]
	for _, t := range l.Tools {
		t.Input, t.Output = withDefs(t.Input, l.Defs), withDefs(t.Output, l.Defs)
		l.Contract = max(l.Contract, t.Newest())
	}
	hello, err := readMeta(head["_meta"])
	if err != nil {
		return err
	}
	if v, ok := hello[keys.Version]; ok {
		n, err := meta.Integer(v)
		if err != nil {
			l.Journal = append(l.Journal, meta.Entry{Level: meta.LevelError, Code: meta.CodeConfiguration,
				Source: meta.SourceInitialize, Text: fmt.Sprintf("%s: %v", keys.Version, err)})
			return nil
		}
		l.Contract = n
	}
	return nil
}

// withDefs lends a schema the shared definitions that it does not define itself.
func withDefs(schema, shared canon.Value) canon.Value {
	if shared.Kind() != canon.KindObject || schema.Kind() != canon.KindObject {
		return schema
	}
	defs := membersOfValue(shared)
	defs = append(defs, membersOfValue(schema.Get("$defs"))...) // a later duplicate wins: the schema's own
	return canon.Object(append(membersOfValue(schema), canon.Member{Key: "$defs", Value: canon.Object(defs...)})...)
}

func membersOfValue(v canon.Value) []canon.Member {
	var out []canon.Member
	for k, m := range v.Members() {
		out = append(out, canon.Member{Key: k, Value: m})
	}
	return out
}

// Snapshot is the stable form of a tool list for golden files: tools sorted by name, members in canonical order
// (RFC 8785), the sets `required`, `type` and the contract versions sorted, two spaces of indentation, a newline at the end. Two lists that
// differ only in order have the same snapshot, and ReadToolList reads it back.
func (l *ToolList) Snapshot(keys meta.Keys) ([]byte, error) {
	var tools []canon.Value
	for _, t := range l.Tools {
		tools = append(tools, stable(t.Raw, keys, false))
	}
	members := append(membersOfValue(stable(l.Head, keys, false)), canon.Member{Key: "tools", Value: canon.Array(tools...)})
	var b bytes.Buffer
	if err := json.Indent(&b, []byte(canon.Object(members...).Text()), "", "  "); err != nil {
		return nil, fmt.Errorf("snapshot: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// stable sorts the arrays that are sets. named says that the members of v are names and not keywords, so that an argument
// called "required" is left alone.
func stable(v canon.Value, keys meta.Keys, named bool) canon.Value {
	switch v.Kind() {
	case canon.KindArray:
		vals := elems(v)
		for i := range vals {
			vals[i] = stable(vals[i], keys, false)
		}
		return canon.Array(vals...)
	case canon.KindObject:
		var out []canon.Member
		for k, m := range v.Members() {
			switch {
			case !named && (k == "enum" || k == "const" || k == "default" || k == "examples"):
			case !named && m.Kind() == canon.KindArray && (k == "required" || k == "type" || k == keys.Versions):
				m = sorted(m)
			default:
				m = stable(m, keys, !named && holdsNames[k])
			}
			out = append(out, canon.Member{Key: k, Value: m})
		}
		return canon.Object(out...)
	}
	return v
}

// holdsNames are keywords whose members are names that the schema's author chose.
var holdsNames = map[string]bool{"properties": true, "patternProperties": true, "$defs": true, "definitions": true,
	"dependentSchemas": true, "dependentRequired": true}

func sorted(v canon.Value) canon.Value {
	vals := elems(v)
	slices.SortFunc(vals, func(a, b canon.Value) int {
		if x, ok := a.Float(); ok {
			if y, ok := b.Float(); ok && x != y {
				if x < y {
					return -1
				}
				return 1
			}
		}
		return strings.Compare(a.Text(), b.Text())
	})
	return canon.Array(vals...)
}
