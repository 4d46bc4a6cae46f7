package flow

import (
	"errors"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"flowdbg/trace/canon"
)

// Policy says what happens to a message that does not fit the schema of its tag.
type Policy string

// The policies. PolicyWarn is the default.
const (
	PolicyWarn  Policy = "warn"  // the message is delivered, the send event tells of it in its side data
	PolicyError Policy = "error" // MessageInvalid after the send event, and the run ends
)

// MessageRule says what payloads of one tag look like. In the file it is a member of "messages", named by the tag: either the
// JSON Schema itself, or {"schema": …, "policy": "warn"|"error"} to choose the policy. No keyword of JSON Schema is called
// "schema", so the two cannot be mixed up. Schemas are 2020-12 unless "$schema" says otherwise, and self-contained. All ours.
type MessageRule struct {
	Tag    string
	Policy Policy
	Schema canon.Value // of the payload

	compiled *jsonschema.Schema
}

// messageRules finds a rule by its tag.
type messageRules map[string]*MessageRule

func indexRules(list []MessageRule) messageRules {
	m := make(messageRules, len(list))
	for i := range list {
		m[list[i].Tag] = &list[i]
	}
	return m
}

// CheckMessage tells what is wrong with a payload under the schema of its tag, sorted by pointer and text, always the same
// for the same payload. A tag without a schema has no problems and the policy "".
func (f *Flow) CheckMessage(tag string, payload canon.Value) ([]Problem, Policy) {
	return f.rules.check(tag, payload)
}

func (m messageRules) check(tag string, payload canon.Value) ([]Problem, Policy) {
	rule := m[tag]
	if rule == nil || rule.compiled == nil {
		return nil, ""
	}
	return problems(rule.compiled.Validate(payload.ToGo())), rule.Policy
}

// readMessages reads and compiles the schemas.
func (r *reader) readMessages(top object) []MessageRule {
	o, ok := top.child("messages")
	if !ok {
		return nil
	}
	var rules []MessageRule
	seen := map[string]bool{}
	for _, m := range o.node.Members {
		if m.Value.Kind == canon.KindNull || seen[m.Key] {
			continue
		}
		seen[m.Key] = true
		if rule, ok := r.readMessageRule(m.Key, m.Value, o.at(m.Key)); ok {
			rules = append(rules, rule)
		}
	}
	return rules
}

func (r *reader) readMessageRule(tag string, n *canon.Node, ptr string) (MessageRule, bool) {
	rule := MessageRule{Tag: tag, Policy: PolicyWarn}
	schema := n
	if o := (object{r, n, ptr}); n.Kind == canon.KindObject && o.member("schema") != nil {
		var ok bool
		if schema, ok = o.get("schema", required); !ok {
			return rule, false
		}
		rule.Policy = r.readPolicy(o)
		o.known("schema", "policy")
		ptr = o.at("schema")
	}
	if schema.Kind != canon.KindObject && schema.Kind != canon.KindBool {
		r.wrongType(schema, ptr, "a JSON Schema: an object, true or false")
		return rule, false
	}
	rule.Schema = schema.Value()
	compiled, err := compileSchema(rule.Schema)
	if err != nil {
		r.reportSchema(schema, ptr, err)
		return rule, false
	}
	rule.compiled = compiled
	return rule, true
}

func (r *reader) readPolicy(o object) Policy {
	s, n := o.str("policy", optional)
	if n == nil {
		return PolicyWarn
	}
	switch p := Policy(s); p {
	case PolicyWarn, PolicyError:
		return p
	}
	r.report(Error, CodeBadPolicy, n, o.at("policy"), "unknown policy "+quote(s), `write "warn" or "error"`)
	return PolicyWarn
}

// schemaURL is the address of every schema of a flow, and schemaBase what relative references are resolved against. Nothing
// is ever fetched from there.
const (
	schemaBase = "flow:///"
	schemaURL  = schemaBase + "schema"
)

// refuse is the loader of what a schema refers to outside itself: it has no files and no network.
type refuse struct{}

// Load refuses every address.
func (refuse) Load(url string) (any, error) { return nil, fmt.Errorf("%q is not looked up", url) }

func compileSchema(schema canon.Value) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(refuse{})
	if err := c.AddResource(schemaURL, schema.ToGo()); err != nil {
		return nil, err
	}
	return c.Compile(schemaURL)
}

// reportSchema reports why a schema does not compile, at the place inside it when the compiler names one.
func (r *reader) reportSchema(schema *canon.Node, ptr string, err error) {
	const want = "write a JSON Schema (2020-12) that refers only to itself"
	var invalid *jsonschema.SchemaValidationError
	if errors.As(err, &invalid) {
		for _, p := range problems(invalid.Err) {
			n := nearest(schema, p.Pointer)
			r.report(Error, CodeBadSchema, n, ptr+p.Pointer, "this is no JSON Schema: "+p.Why, want)
		}
		return
	}
	why := "the schema cannot be used: " + printable(strings.ReplaceAll(err.Error(), schemaURL, ""))
	var load *jsonschema.LoadURLError
	if errors.As(err, &load) {
		why = "the schema refers to " + quote(strings.TrimPrefix(load.URL, schemaBase)) + ", and nothing outside it is looked up"
	}
	r.report(Error, CodeBadSchema, schema, ptr, why, want)
}
