package contract

import (
	"fmt"
	"strings"
	"sync"

	"flowdbg/trace/canon"
)

// typeInfo is what the semantic walk knows of a type; all of it but the rule is read out of the schema, so that a new
// member of a new type is walked without another list to keep.
type typeInfo struct {
	links []link
	names map[string]any // declared members of an open object type; nil for a closed one and for a scalar
	rule  func(c *checker, v canon.Value, ptr string)
}

// link says that a member holds values of another type.
type link struct {
	member string // "" = the value itself
	each   bool   // its elements (of an array) or members (of an object) are of that type
	typ    string
}

// rules holds the checks that a schema cannot express, by type.
var rules = map[string]func(c *checker, v canon.Value, ptr string){
	"Timestamp":          checkTimestamp,
	"MetricGoal":         checkMetricGoal,
	"Schema":             checkSchemaValue,
	"BBox":               checkBBox,
	"DirtySet":           checkDirtySet,
	"TimingReport":       checkTimingReport,
	"ClockSummary":       checkClockSummary,
	"Path":               checkPath,
	"Proposal":           checkProposal,
	"DesignDelta":        checkDesignDelta,
	"CellMove":           checkCellMove,
	"NetChange":          checkNetChange,
	"TimingDelta":        checkTimingDelta,
	"GateJudgment":       checkGateJudgment,
	"GateCheck":          checkGateCheck,
	"ParetoRank":         checkParetoRank,
	"Certificate":        checkCertificate,
	"ToolCapability":     checkCapabilityLists,
	"InputConstraints":   checkInputConstraints,
	"PerformanceProfile": checkProfile,
}

// typeInfos is read once out of the embedded schema.
var typeInfos = sync.OnceValue(func() map[string]typeInfo {
	docs := map[string]any{SchemaURL: mustTree(schemaText)}
	infos := map[string]typeInfo{}
	for name, node := range docs[SchemaURL].(map[string]any)["$defs"].(map[string]any) {
		schema, _ := node.(map[string]any)
		info := typeInfo{links: linksOf(docs, schema), rule: rules[name]}
		if schema["type"] == "object" && schema["additionalProperties"] == nil && schema["unevaluatedProperties"] == nil {
			info.names = declared(docs, SchemaURL+"#/$defs/"+name).names
		}
		infos[name] = info
	}
	return infos
})

func linksOf(docs map[string]any, schema map[string]any) []link {
	var links []link
	for _, key := range []string{"allOf", "anyOf"} {
		branches, _ := schema[key].([]any)
		for _, branch := range branches {
			if typ, ok := refName(branch); !ok {
				continue
			} else if key == "anyOf" {
				links = append(links, link{typ: typ})
			} else if base, ok := lookup(docs, SchemaURL+"#/$defs/"+typ).(map[string]any); ok {
				links = append(links, linksOf(docs, base)...)
			}
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for member, node := range properties {
		if typ, ok := refName(node); ok {
			links = append(links, link{member: member, typ: typ})
		}
		object, _ := node.(map[string]any)
		for _, inner := range []any{object["items"], object["additionalProperties"]} {
			if typ, ok := refName(inner); ok {
				links = append(links, link{member: member, each: true, typ: typ})
			}
		}
	}
	return links
}

func refName(node any) (string, bool) {
	object, _ := node.(map[string]any)
	ref, _ := object["$ref"].(string)
	return strings.CutPrefix(ref, "#/$defs/")
}

// checker walks a value along the types of its parts. Values of a wrong kind are passed over in silence: the schema has
// told them already.
type checker struct {
	composed bool // the root is a tool's extended request, whose own members the contract does not know
	findings Findings
}

func (c *checker) add(severity, ptr, rule, format string, args ...any) {
	c.findings = append(c.findings, Finding{severity, ptr, rule, fmt.Sprintf(format, args...)})
}

func (c *checker) fail(ptr, rule, format string, args ...any) {
	c.add(SeverityError, ptr, rule, format, args...)
}

func (c *checker) warn(ptr, rule, format string, args ...any) {
	c.add(SeverityWarning, ptr, rule, format, args...)
}

func (c *checker) check(typ string, v canon.Value, ptr string) {
	info := typeInfos()[typ]
	if info.names != nil && !(c.composed && ptr == "") {
		c.unknown(typ, info.names, v, ptr)
	}
	if info.rule != nil {
		info.rule(c, v, ptr)
	}
	for _, l := range info.links {
		part, at := v, ptr
		if l.member != "" {
			if v.Kind() != canon.KindObject {
				continue
			}
			if part = v.Get(l.member); part.IsAbsent() {
				continue
			}
			at = canon.AppendPointer(ptr, l.member)
		}
		switch {
		case !l.each:
			c.check(l.typ, part, at)
		case part.Kind() == canon.KindArray:
			for i, element := range part.Elems() {
				c.check(l.typ, element, fmt.Sprintf("%s/%d", at, i))
			}
		case part.Kind() == canon.KindObject:
			for name, member := range part.Members() {
				c.check(l.typ, member, canon.AppendPointer(at, name))
			}
		}
	}
}

// unknown warns of members that an open type does not declare: allowed, but a misspelt name would hide among them.
func (c *checker) unknown(typ string, names map[string]any, v canon.Value, ptr string) {
	if v.Kind() != canon.KindObject {
		return
	}
	for name := range v.Members() {
		_, ok := names[name]
		switch _, last, _ := strings.Cut(name, "/"); {
		case ok:
		case typ == "ToolRequest" && ptr == "" && (isVersionName(name) || isVersionName(last)):
			c.fail(canon.AppendPointer(ptr, name), RuleUnknown, "a contract version travels in _meta, never in arguments (seed 003)")
		default:
			c.warn(canon.AppendPointer(ptr, name), RuleUnknown, "%s does not declare it, so it was not checked%s", typ, nearest(name, names))
		}
	}
}

func isVersionName(name string) bool {
	return name == "contract_version" || name == "contract_versions"
}

// num reads a number member; false when it is absent or no number.
func num(v canon.Value, member string) (float64, bool) {
	if v.Kind() != canon.KindObject {
		return 0, false
	}
	return v.Get(member).Float()
}

// text reads a string member; "" when it is absent or no string.
func text(v canon.Value, member string) string {
	if v.Kind() != canon.KindObject {
		return ""
	}
	s, _ := v.Get(member).Str()
	return s
}

// list yields the elements of an array member, none when it is absent or no array.
func list(v canon.Value, member string) []canon.Value {
	if v.Kind() != canon.KindObject {
		return nil
	}
	array := v.Get(member)
	if array.Kind() != canon.KindArray {
		return nil
	}
	elements := make([]canon.Value, 0, array.Count())
	for _, e := range array.Elems() {
		elements = append(elements, e)
	}
	return elements
}
