package platform

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"flowdbg/contract"
	"flowdbg/contract/require"
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/mcpx"
	"flowdbg/engine/flow"
	"flowdbg/trace/canon"
)

// Codes of diagnostics.
const (
	CodeBadPlatform    flow.Code = "bad_platform"    // the platform's file, or a file that it names
	CodeBadRule        flow.Code = "bad_rule"        // a translation rule
	CodeBadRequirement flow.Code = "bad_requirement" // a constraint under contracts.requires
)

// Declared is what the platform's file says of a tool.
type Declared struct {
	Server     string                   // where the tool is; "" = wherever it is listed
	Version    string                   // semantic version, for a server that states none
	Capability *contract.ToolCapability // for a server that states none
	USD        float64                  // of one answered call; 0 is "declared free"
	Class      effect.Class             // "" = by the tool's annotations
}

// fileReader reads one JSON document and collects what is wrong with it, each at its place.
type fileReader struct {
	name  string
	doc   *canon.Doc
	diags []flow.Diagnostic
}

func newFileReader(name string, data []byte) *fileReader {
	r := &fileReader{name: name}
	doc, errs := canon.ParseDoc(data)
	for _, e := range errs {
		r.diags = append(r.diags, flow.Diagnostic{Severity: flow.Error, Code: CodeBadPlatform, File: name, Line: e.Line, Col: e.Col,
			Pointer: e.Pointer, Message: e.What, Want: e.Want})
	}
	if doc != nil && doc.Root != nil && len(errs) == 0 {
		r.doc = doc
	}
	return r
}

func (r *fileReader) report(sev flow.Severity, n *canon.Node, ptr, message, want string) {
	line, col := r.doc.Position(n.Off)
	r.diags = append(r.diags, flow.Diagnostic{Severity: sev, Code: CodeBadPlatform, File: r.name, Line: line, Col: col,
		Pointer: ptr, Message: message, Want: want})
}

func (r *fileReader) bad(n *canon.Node, ptr, message, want string) {
	r.report(flow.Error, n, ptr, message, want)
}

// at is the member's value unless it is absent or null.
func at(n *canon.Node, key string) *canon.Node {
	v := n.Get(key)
	if v == nil || v.Kind == canon.KindNull {
		return nil
	}
	return v
}

// object gives the members of an optional object.
func (r *fileReader) object(n *canon.Node, ptr string) []canon.NodeMember {
	if n == nil {
		return nil
	}
	if n.Kind != canon.KindObject {
		r.bad(n, ptr, "this is "+kindWord(n)+", not an object", "write an object")
		return nil
	}
	return n.Members
}

// kindWord is a value's kind with its article.
func kindWord(n *canon.Node) string {
	switch n.Kind {
	case canon.KindNull:
		return "null"
	case canon.KindArray:
		return "an array"
	case canon.KindObject:
		return "an object"
	}
	return "a " + n.Kind.String()
}

func (r *fileReader) text(n *canon.Node, ptr string) string {
	if n == nil {
		return ""
	}
	s, ok := n.Str()
	if !ok {
		r.bad(n, ptr, "this is "+kindWord(n)+", not a string", "write a string")
	}
	return s
}

// known reports members that nothing reads: a misspelt one must not be passed over.
func (r *fileReader) known(n *canon.Node, ptr string, names ...string) {
	for _, m := range n.Members {
		found := false
		for _, name := range names {
			found = found || m.Key == name
		}
		if !found {
			r.report(flow.Warning, m.Value, canon.AppendPointer(ptr, m.Key), fmt.Sprintf("unknown field %q has no effect", m.Key), fmt.Sprintf("known here: %v", names))
		}
	}
}

func (r *fileReader) version(n *canon.Node, ptr string) int {
	if n == nil {
		return 0
	}
	v, ok := n.Int()
	if !ok || v < 1 || v > 1_000_000 {
		r.bad(n, ptr, "this is no contract version", "write an integer of at least 1")
		return 0
	}
	return int(v)
}

// platformFile is the document as it was read.
type platformFile struct {
	version   int
	servers   map[string]canon.Value
	tools     map[string]Declared
	contracts []snapshotName
}

type snapshotName struct {
	version   int
	path, ptr string
	node      *canon.Node
}

func (r *fileReader) platform(dir string) (f platformFile) {
	if r.doc == nil {
		return f
	}
	root := r.doc.Root
	if root.Kind != canon.KindObject {
		r.bad(root, "", "a platform's file is an object, not "+kindWord(root), `begin with {"platform": 1, …}`)
		return f
	}
	r.known(root, "", "platform", "version", "servers", "tools", "contracts", "note")
	form := root.Get("platform")
	if v, ok := intOf(form); !ok || v != 1 {
		where := root
		if form != nil {
			where = form
		}
		r.bad(where, "/platform", `"platform" must be 1: the version of this file's form`, `write "platform": 1`)
	}
	f.version = r.version(at(root, "version"), "/version")
	f.servers = map[string]canon.Value{}
	for _, m := range r.object(at(root, "servers"), "/servers") {
		ptr := canon.AppendPointer("/servers", m.Key)
		if _, err := mcpx.ParseServer(m.Key, m.Value.Value(), dir); err != nil {
			r.bad(m.Value, ptr, err.Error(), "")
			continue
		}
		f.servers[m.Key] = m.Value.Value()
	}
	f.tools = map[string]Declared{}
	for _, m := range r.object(at(root, "tools"), "/tools") {
		ptr := canon.AppendPointer("/tools", m.Key)
		if r.object(m.Value, ptr) != nil || m.Value.Kind == canon.KindObject {
			f.tools[m.Key] = r.tool(m.Key, m.Value, ptr)
		}
	}
	for _, m := range r.object(at(root, "contracts"), "/contracts") {
		ptr := canon.AppendPointer("/contracts", m.Key)
		v, err := strconv.Atoi(m.Key)
		if err != nil || v < 1 || v > 1_000_000 || strconv.Itoa(v) != m.Key {
			r.bad(m.Value, ptr, "the member's name is no contract version", "name it by a whole number from 1")
			continue
		}
		if path := r.text(m.Value, ptr); path != "" {
			f.contracts = append(f.contracts, snapshotName{v, path, ptr, m.Value})
		}
	}
	return f
}

func intOf(n *canon.Node) (int64, bool) {
	if n == nil {
		return 0, false
	}
	return n.Int()
}

// tool reads one member of "tools".
func (r *fileReader) tool(name string, n *canon.Node, ptr string) Declared {
	r.known(n, ptr, "server", "version", "capability", "usd", "class", "note")
	d := Declared{Server: r.text(at(n, "server"), ptr+"/server"), Version: r.text(at(n, "version"), ptr+"/version")}
	if d.Version != "" {
		if _, err := require.ParseVersion(d.Version); err != nil {
			r.bad(n.Get("version"), ptr+"/version", err.Error(), "")
		}
	}
	if v := at(n, "usd"); v != nil {
		usd, ok := v.Float()
		if !ok || usd < 0 || usd > 1e6 {
			r.bad(v, ptr+"/usd", "this is no price", "write US dollars per call, 0 or more")
		}
		d.USD = usd
	}
	if v := at(n, "class"); v != nil {
		switch c := effect.Class(r.text(v, ptr+"/class")); c {
		case effect.Pure, effect.Idempotent, effect.Unsafe:
			d.Class = c
		default:
			r.bad(v, ptr+"/class", "this is no class", "write pure, idempotent or unsafe")
		}
	}
	if v := at(n, "capability"); v != nil {
		d.Capability = r.capability(name, v, ptr+"/capability")
	}
	return d
}

func (r *fileReader) capability(tool string, n *canon.Node, ptr string) *contract.ToolCapability {
	v := n.Value()
	findings, err := contract.ValidateValue("ToolCapability", v)
	if err != nil {
		r.bad(n, ptr, err.Error(), "")
		return nil
	}
	for _, f := range findings {
		if f.Severity == contract.SeverityError {
			r.bad(r.nearest(ptr+f.Pointer), ptr+f.Pointer, f.Message, "")
		}
	}
	var c contract.ToolCapability
	if !findings.Valid() {
		return nil
	}
	if err := json.Unmarshal([]byte(v.Text()), &c); err != nil {
		r.bad(n, ptr, err.Error(), "")
		return nil
	}
	if c.ToolName != tool {
		r.bad(n.Get("tool_name"), ptr+"/tool_name", fmt.Sprintf("the capability is about %q, and stands under %q", c.ToolName, tool), "write the same name")
		return nil
	}
	return &c
}

// nearest is the node at a pointer, or the deepest one on the way there.
func (r *fileReader) nearest(ptr string) *canon.Node {
	n := r.doc.Root
	for _, token := range strings.Split(ptr, "/")[1:] {
		token = strings.NewReplacer("~1", "/", "~0", "~").Replace(token)
		next := n.Get(token)
		if i, err := strconv.Atoi(token); err == nil && n.Kind == canon.KindArray && i >= 0 && i < len(n.Elems) {
			next = n.Elems[i]
		}
		if next == nil {
			return n
		}
		n = next
	}
	return n
}
