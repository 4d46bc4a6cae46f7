package flow

import (
	"flowdbg/trace/canon"
)

// Options say how strictly a flow is read and which kinds exist.
type Options struct {
	Strict bool // unknown fields are errors

	// KnownKind tells whether a behaviour is registered under a kind; nil leaves kinds unchecked.
	KnownKind func(kind string) bool
	KindNames []string // what "did you mean" chooses from
}

// Parse reads a flow. The file's name is only used in diagnostics. The flow is nil iff one of the diagnostics is an error;
// the diagnostics are sorted by place.
func Parse(file string, data []byte, opt Options) (*Flow, []Diagnostic) {
	r := &reader{file: file, opt: opt, suggest: newSuggester(), known: map[string]bool{}}
	f := r.read(data)
	r.locate()
	SortDiagnostics(r.diags)
	if HasErrors(r.diags) {
		return nil, r.diags
	}
	return f, r.diags
}

// reader reads one document and collects what there is to say about it.
type reader struct {
	file    string
	opt     Options
	doc     *canon.Doc
	suggest *suggester
	diags   []Diagnostic
	offsets []int // where in the text each of diags is

	unreadable map[int]bool // offsets of what the document's reader refused
	lines      []int        // offsets of line ends, once asked for

	ids   []string        // the agents' ids that could be read
	known map[string]bool // the same as a set
}

func (r *reader) read(data []byte) *Flow {
	doc := r.readDocument(data)
	if doc == nil {
		return nil
	}
	top, ok := r.object(doc.Root, "")
	if !ok {
		return nil
	}
	f := r.readFlow(top)
	f.doc, f.file = doc, r.file
	f.index = newIndex(f.Agents, f.Edges)
	if HasErrors(r.diags) {
		return nil
	}
	r.lint(f)
	f.canonical = doc.Root.Value()
	f.sha256 = f.canonical.Hash()
	return f
}

// readFlow reads every field of the document that has the right type.
func (r *reader) readFlow(top object) *Flow {
	f := &Flow{Version: r.readVersion(top)}
	f.ID, _ = top.str("id", required)
	f.Agents = r.readAgents(top)
	f.Edges = r.readEdges(top)
	f.Budget = r.readBudget(top)
	f.Effects = r.readSettings(top, "effects")
	f.MCPServers = r.readServers(top)
	f.Contracts = r.readContracts(top)
	f.Messages = r.readMessages(top)
	f.rules = indexRules(f.Messages)
	f.Input = r.readInput(top, f.rules)
	top.known("version", "id", "agents", "edges", "budget", "input", "effects", "mcpServers", "contracts", "messages")
	return f
}

func (r *reader) readVersion(top object) int {
	n, ok := top.get("version", required)
	if !ok {
		return 0
	}
	if n.Kind != canon.KindNumber {
		r.wrongType(n, "/version", "the number 1")
		return 0
	}
	if v, ok := n.Int(); !ok || v != 1 {
		r.report(Error, CodeBadVersion, n, "/version", "version "+r.source(n)+" is not supported", "this program reads version 1")
		return 0
	}
	return 1
}

// report adds a diagnostic at a value. A number that has no canonical form was reported as such; nothing is added to that.
func (r *reader) report(sev Severity, code Code, n *canon.Node, ptr, message, want string) {
	if n.Kind == canon.KindNumber && r.unreadable[n.Off] {
		return
	}
	r.reportAt(sev, code, n.Off, ptr, message, want)
}

// reportAt adds a diagnostic at a byte offset. Its line and column are filled in at the end, see locate.
func (r *reader) reportAt(sev Severity, code Code, off int, ptr, message, want string) {
	r.offsets = append(r.offsets, off)
	r.diags = append(r.diags, Diagnostic{
		Severity: sev, Code: code, File: r.file, Pointer: ptr, Message: message, Want: want,
	})
}

func (r *reader) wrongType(n *canon.Node, ptr, want string) {
	r.report(Error, CodeWrongType, n, ptr, "this is "+kindName(n.Kind), "write "+want)
}

// source shows a number as the file has it.
func (r *reader) source(n *canon.Node) string {
	text := r.doc.Data[n.Off:min(n.End, n.Off+maxQuoted)] // only used on numbers, which are ASCII
	if n.End-n.Off > maxQuoted {
		return string(text) + "…"
	}
	return string(text)
}

func kindName(k canon.Kind) string {
	switch k {
	case canon.KindNull:
		return "null"
	case canon.KindBool:
		return "a boolean"
	case canon.KindNumber:
		return "a number"
	case canon.KindString:
		return "a string"
	case canon.KindArray:
		return "an array"
	case canon.KindObject:
		return "an object"
	}
	return "nothing"
}
