package translate

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/contract/meta"
)

// Platform is what the platform knows when a call arrives. It is only read.
type Platform struct {
	Rules   *RuleSet
	Catalog *Catalog  // schemas by version; nil = nothing can be validated
	Keys    meta.Keys // zero = the keys of seed 003
	Current int       // the platform's own contract version, 0 = unknown
	// Capable, when set, judges the arguments in the tool's own version against its declared capability; not nil is
	// why the call is refused (code not_capable).
	Capable func(tool string, arguments []byte) *contract.Refusal
}

// Tool is what is known of a tool at the time of a call.
type Tool struct {
	Name     string
	Versions meta.Resolved
	Sunset   meta.Sunset
}

// Call is a tools/call request: its arguments and `_meta` as JSON texts; absent ones are empty.
type Call struct {
	Arguments []byte
	Meta      []byte
	// Midway, when set, sees the documents inside the chains of a call that is carried: in Prepare those of its arguments,
	// in Finish those of its result. They are what the legs made, also when the whole is refused later.
	Midway func(Midway)
}

// Prepared is a call that may be sent.
type Prepared struct {
	Tool      string
	Arguments []byte       // in the version of Meta
	Meta      []byte       // carries the version of the arguments actually sent
	Plan      *Plan        // nil for a call without a version: nothing is translated
	Notes     []Note       // what translating the arguments lost or invented
	Journal   []meta.Entry // configuration errors and warnings, in the order met

	midway func(Midway)
}

// Finished is an answer as the agent gets it.
type Finished struct {
	Result  []byte // the tools/call result in the agent's version
	Notes   []Note
	Journal []meta.Entry
}

func (p *Platform) keys() meta.Keys {
	if p.Keys.Prefix == "" {
		return meta.DefaultKeys()
	}
	return p.Keys
}

// Prepare does everything that comes before a call: versions, both plans, validation of the arguments in the agent's
// version, translation, validation in the tool's version, capability. Nothing has a side effect. The error is a
// *contract.Refusal, or a *SyntaxError when the call is no JSON; the journal is returned either way.
func (p *Platform) Prepare(call Call, tool Tool) (*Prepared, []meta.Entry, error) {
	pr := &Prepared{Tool: tool.Name, Arguments: call.Arguments, Meta: call.Meta, Journal: slices.Clone(tool.Versions.Journal), midway: call.Midway}
	args, callMeta, err := readCall(call)
	if err != nil {
		return nil, pr.Journal, err
	}
	agent, entries := meta.CallVersion(p.keys(), tool.Name, metaValues(callMeta))
	pr.Journal = append(pr.Journal, entries...)
	refuse := func(code, reason string) *contract.Refusal {
		return &contract.Refusal{Code: code, Tool: tool.Name, AgentVersion: int64(agent), ToolVersions: tool.Versions.Versions,
			Direction: string(Input), Reason: reason}
	}
	if key := meta.ArgumentKey(p.keys(), args.names()); key != "" {
		r := refuse(CodeInvalidArguments, ReasonInArguments)
		r.Path = pointer([]segment{{name: key}}, nil)
		return nil, pr.Journal, r
	}
	if tool.Sunset.Excluded {
		r := refuse(contract.CodeToolExcluded, ReasonSunset+": "+tool.Sunset.Date.String())
		r.Direction = "" // nothing was on its way
		return nil, pr.Journal, r
	}
	if agent == 0 {
		return p.asIs(pr, args, tool)
	}
	if pr.Plan, err = p.Rules.Plan(Question{Tool: tool.Name, Agent: agent, Native: tool.Versions.Versions, Current: p.Current}); err != nil {
		return nil, pr.Journal, err
	}
	if err := p.translateArguments(pr, args, refuse); err != nil {
		return nil, pr.Journal, err
	}
	if err := p.capable(pr, tool); err != nil {
		return nil, pr.Journal, err
	}
	if !pr.Plan.Identity() {
		callMeta.set(p.keys().Version, intNode(pr.Plan.ToolVersion))
		pr.Meta = callMeta.append(nil)
	}
	return pr, pr.Journal, nil
}

// asIs is the call without a version: it passes as it came, and only the capability is asked.
func (p *Platform) asIs(pr *Prepared, args *node, tool Tool) (*Prepared, []meta.Entry, error) {
	if err := p.capable(pr, tool); err != nil {
		return nil, pr.Journal, err
	}
	return pr, pr.Journal, nil
}

func (p *Platform) capable(pr *Prepared, tool Tool) error {
	if p.Capable == nil {
		return nil
	}
	r := p.Capable(tool.Name, pr.Arguments)
	if r == nil {
		return nil
	}
	out := *r
	out.Code, out.Tool = contract.CodeNotCapable, tool.Name
	if pr.Plan != nil {
		out.AgentVersion = int64(pr.Plan.AgentVersion)
	}
	out.ToolVersions, out.Direction = tool.Versions.Versions, string(Input)
	return &out
}

// translateArguments validates, translates and validates again.
func (p *Platform) translateArguments(pr *Prepared, args *node, refuse func(code, reason string) *contract.Refusal) error {
	plan := pr.Plan
	if bad := p.validate(pr.note, plan.Tool, plan.AgentVersion, Input, args); bad != nil {
		r := refuse(CodeInvalidArguments, bad.reason("in the agent's version"))
		r.Path = bad.path()
		return r
	}
	if plan.Identity() {
		return nil
	}
	notes, refusal := plan.carry(Input, args, pr.midway)
	if refusal != nil {
		return refusal
	}
	pr.Notes = append(pr.Notes, notes...)
	if bad := p.validate(pr.note, plan.Tool, plan.ToolVersion, Input, args); bad != nil {
		r := refuse(contract.CodeTranslationFailed, bad.reason("after translation"))
		r.Path = bad.path()
		return r
	}
	pr.Arguments = args.append(make([]byte, 0, len(pr.Arguments)+64))
	return nil
}

func (pr *Prepared) note(n Note) { pr.Notes = append(pr.Notes, n) }

// misfit is why a document is refused by a schema: all places, or a schema that cannot be used.
type misfit struct {
	places []Invalid
	err    error
}

func (m *misfit) path() string {
	if len(m.places) == 0 {
		return ""
	}
	return m.places[0].Path
}

func (m *misfit) reason(when string) string {
	if m.err != nil {
		return fmt.Sprintf("%s %s: %v", ReasonInvalid, when, m.err)
	}
	texts := make([]string, len(m.places))
	for i, v := range m.places {
		texts[i] = v.String()
	}
	return fmt.Sprintf("%s %s: %s", ReasonInvalid, when, strings.Join(texts, "; "))
}

// validate is nil for a document that fits, or that nothing is known about, which is noted.
func (p *Platform) validate(note func(Note), tool string, version int, side Side, doc *node) *misfit {
	bad, checked, err := p.Catalog.validate(tool, version, side, doc)
	if err != nil {
		return &misfit{err: err}
	}
	if !checked {
		note(Note{Kind: NoteNotChecked, Step: fmt.Sprintf("%s %d", side, version)})
		return nil
	}
	if len(bad) > 0 {
		return &misfit{places: bad}
	}
	return nil
}

// readCall reads the two texts of a call; absent arguments are an empty object.
func readCall(call Call) (args, callMeta *node, err error) {
	if args, err = readObject(call.Arguments, "arguments"); err != nil {
		return nil, nil, err
	}
	callMeta, err = readObject(call.Meta, "_meta")
	return args, callMeta, err
}

func readObject(data []byte, what string) (*node, error) {
	if len(data) == 0 {
		return objectNode(), nil
	}
	n, err := parseTree(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	if n.kind == kindNull {
		return objectNode(), nil
	}
	if n.kind != kindObject {
		return nil, fmt.Errorf("%s: %w", what, &SyntaxError{Line: 1, Col: 1, Text: "want an object, not " + n.what()})
	}
	return n, nil
}

func metaValues(n *node) map[string]any {
	m, _ := n.goValue().(map[string]any)
	return m
}

// names are the names of an object's members.
func (n *node) names() func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for _, m := range n.members {
			if !yield(m.name) {
				return
			}
		}
	}
}

// Answer is a refusal as the agent gets it: an answer of the tool with isError and zero usage, not the end of the flow.
// The text block says the same for models that read no structure.
func Answer(r *contract.Refusal) []byte {
	structured, err := marshal(r)
	if err != nil { // a Refusal holds strings and integers only
		structured = []byte(`{"code":` + quote(r.Code) + `}`)
	}
	out := append([]byte(`{"content":[{"type":"text","text":`), quote(r.Error())...)
	out = append(out, `}],"isError":true,"structuredContent":`...)
	return append(append(out, structured...), '}')
}

// Describe gathers what is known of a tool: versions by the order of sources, and its sunset judged on a day. The journal
// of both is in Versions.Journal.
func Describe(k meta.Keys, name string, s meta.Sources, today meta.Date) Tool {
	if k.Prefix == "" {
		k = meta.DefaultKeys()
	}
	t := Tool{Name: name, Versions: meta.Resolve(k, name, s)}
	sunset, entries := meta.ReadSunset(k, name, s.Tool, today)
	t.Sunset = sunset
	t.Versions.Journal = append(t.Versions.Journal, entries...)
	return t
}
