package contract

import (
	"encoding/json"
	"errors"
	"fmt"

	"flowdbg/trace/canon"
)

// ListedTool is one tool of a platform, as far as a listing states it.
type ListedTool struct {
	Name       string
	Version    string          // semantic version as stated; "" = none
	Capability *ToolCapability // nil = none stated, or an invalid one (then Findings say so)
	Pointer    string          // where the tool stands in the listing
	Findings   Findings        // pointers are relative to the listing
}

// ReadTools reads a listing of tools in any of the forms that platforms have: a ToolCapability, a list of them, or an object
// with `tools` (also inside the `result` of a JSON-RPC answer), a list or an object by name, whose entries are ToolCapabilities, `tools/list` entries with the `_meta` keys
// flowdbg/version and flowdbg/capability, or {name, version, capability}. A tool without version or capability is listed
// without; it is never left out. The error is for a document that is no listing.
func ReadTools(v canon.Value) ([]ListedTool, error) {
	if v.Kind() == canon.KindObject && !v.Get("tool_name").IsAbsent() {
		return []ListedTool{readTool("", v, "")}, nil
	}
	list, ptr := v, ""
	if v.Kind() == canon.KindObject {
		list, ptr = v.Get("tools"), "/tools"
		if result := v.Get("result"); list.IsAbsent() && result.Kind() == canon.KindObject {
			list, ptr = result.Get("tools"), "/result/tools"
		}
	}
	tools := []ListedTool{}
	switch list.Kind() {
	case canon.KindArray:
		for i, entry := range list.Elems() {
			tools = append(tools, readTool("", entry, fmt.Sprintf("%s/%d", ptr, i)))
		}
	case canon.KindObject:
		for name, entry := range list.Members() {
			tools = append(tools, readTool(name, entry, canon.AppendPointer(ptr, name)))
		}
	default:
		return nil, errors.New("no list of tools: want a ToolCapability, a list of them, or an object with \"tools\"")
	}
	return tools, nil
}

func readTool(name string, entry canon.Value, ptr string) ListedTool {
	tool := ListedTool{Name: name, Pointer: ptr}
	fail := func(at, format string, args ...any) {
		tool.Findings = append(tool.Findings, Finding{SeverityError, at, RuleConsistency, fmt.Sprintf(format, args...)})
	}
	if version, ok := entry.Str(); ok && name != "" {
		tool.Version = version // {"iPL.place": "1.3.1"}
		return tool
	}
	if entry.Kind() != canon.KindObject {
		fail(ptr, "is no tool")
		return tool
	}
	capability, at := entry, ptr
	if entry.Get("tool_name").IsAbsent() {
		if stated := text(entry, "name"); stated != "" {
			tool.Name = stated
		}
		tool.Version = text(entry, "version")
		capability, at = entry.Get("capability"), ptr+"/capability"
		if meta := entry.Get("_meta"); meta.Kind() == canon.KindObject {
			if version := text(meta, MetaVersion); version != "" {
				tool.Version = version
			}
			if stated := meta.Get(MetaCapability); !stated.IsAbsent() {
				capability, at = stated, canon.AppendPointer(ptr+"/_meta", MetaCapability)
			}
		}
	}
	if !capability.IsAbsent() {
		tool.readCapability(capability, at)
	}
	if tool.Name == "" {
		fail(ptr, "has no name")
	}
	return tool
}

// readCapability takes a capability that is valid, and says what is wrong with one that is not. A capability that is about
// another tool or another version than the listing states is not this tool's.
func (t *ListedTool) readCapability(v canon.Value, at string) {
	findings, err := ValidateValue("ToolCapability", v)
	if err != nil {
		findings = append(findings, Finding{SeverityError, "", RuleSchema, err.Error()})
	}
	for _, f := range findings {
		f.Pointer = at + f.Pointer
		t.Findings = append(t.Findings, f)
	}
	if !findings.Valid() {
		if t.Name == "" {
			t.Name = text(v, "tool_name")
		}
		return
	}
	var c ToolCapability
	if err := json.Unmarshal([]byte(v.Text()), &c); err != nil {
		t.Findings = append(t.Findings, Finding{SeverityError, at, RuleSchema, err.Error()})
		return
	}
	for _, pair := range []struct {
		mine *string
		his  string
		what string
	}{{&t.Name, c.ToolName, "tool_name"}, {&t.Version, c.Version, "version"}} {
		switch *pair.mine {
		case "":
			*pair.mine = pair.his
		case pair.his:
		default:
			t.Findings = append(t.Findings, Finding{SeverityError, at + "/" + pair.what, RuleConsistency,
				fmt.Sprintf("is %q, but the listing says %q", pair.his, *pair.mine)})
			return
		}
	}
	t.Capability = &c
}

// SuitListed is Suit for a listing: a tool that states no capability, or an invalid one, is answered as not checkable.
func SuitListed(tools []ListedTool, wish Wish) []Suitability {
	var known []ToolCapability
	var silent []Suitability
	for _, t := range tools {
		if t.Capability != nil {
			known = append(known, *t.Capability)
			continue
		}
		a := Aspect{"capability", StatusNotCheckable, "the tool states no capability"}
		if !t.Findings.Valid() {
			a.Reason = "the stated capability is invalid: " + t.Findings.Err().Error()
		}
		silent = append(silent, Suitability{Tool: t.Name, Version: t.Version, Status: StatusNotCheckable, Aspects: []Aspect{a}, Limitations: []string{}})
	}
	return sortSuitable(append(Suit(known, wish), silent...))
}
