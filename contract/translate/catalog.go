package translate

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Catalog holds the schemas of tools by contract version, as snapshots of tools/list give them. It is filled first and
// then only read; reading is safe from several goroutines.
type Catalog struct {
	schemas map[schemaKey]*node
	tools   map[string]bool

	mu       sync.Mutex
	compiled map[schemaKey]compiledSchema
}

type schemaKey struct {
	tool    string
	version int
	side    Side
}

type compiledSchema struct {
	schema *jsonschema.Schema
	proof  *proof
	err    error
}

// NewCatalog is an empty catalog.
func NewCatalog() *Catalog {
	return &Catalog{
		schemas: map[schemaKey]*node{}, tools: map[string]bool{}, compiled: map[schemaKey]compiledSchema{},
	}
}

// AddToolList reads one tools/list answer as the shape of the contract at a version: {"tools":[…]}, the JSON-RPC answer
// around it ({"result":{"tools":[…]}}), or the bare array. A tool without outputSchema has none. Names must be unique.
func (c *Catalog) AddToolList(version int, data []byte) error {
	if version < 1 {
		return fmt.Errorf("contract version %d: versions start at 1", version)
	}
	list, err := readToolList(data)
	if err != nil {
		return err
	}
	for _, t := range list {
		name, _ := t.get("name").str()
		c.tools[name] = true
		for key, side := range map[string]Side{"inputSchema": Input, "outputSchema": Output} {
			if s := t.get(key); s != nil && s.kind != kindNull {
				c.schemas[schemaKey{name, version, side}] = s
			}
		}
	}
	return nil
}

// Schema is the JSON text of a tool's schema, and whether there is one.
func (c *Catalog) Schema(tool string, version int, side Side) ([]byte, bool) {
	n := c.schema(tool, version, side)
	if n == nil {
		return nil, false
	}
	return n.append(nil), true
}

func (c *Catalog) schema(tool string, version int, side Side) *node {
	if c == nil {
		return nil
	}
	return c.schemas[schemaKey{tool, version, side}]
}

// Tools are the names of all tools of all versions, sorted.
func (c *Catalog) Tools() []string {
	if c == nil {
		return nil
	}
	out := make([]string, 0, len(c.tools))
	for name := range c.tools {
		out = append(out, name)
	}
	slices.Sort(out)
	return out
}

// has says whether a version's snapshot lists a tool.
func (c *Catalog) has(tool string, version int) bool {
	return c.schema(tool, version, Input) != nil || c.schema(tool, version, Output) != nil
}

// Validate checks a document against a tool's schema. checked is false when the catalog has no schema for it. The error
// is a schema that cannot be used or a document that is no JSON.
func (c *Catalog) Validate(tool string, version int, side Side, doc []byte) (bad []Invalid, checked bool, err error) {
	root, err := parseTree(doc)
	if err != nil {
		return nil, false, err
	}
	return c.validate(tool, version, side, root)
}

func (c *Catalog) validate(tool string, version int, side Side, doc *node) ([]Invalid, bool, error) {
	n := c.schema(tool, version, side)
	if n == nil {
		return nil, false, nil
	}
	key := schemaKey{tool, version, side}
	c.mu.Lock()
	got, ok := c.compiled[key]
	if !ok {
		if got.schema, got.err = compileSchema(n); got.err == nil {
			got.proof = newProof(got.schema)
		}
		c.compiled[key] = got
	}
	c.mu.Unlock()
	if got.err != nil {
		return nil, false, fmt.Errorf("%s, contract %d, %s: %w", tool, version, side, got.err)
	}
	if got.proof.fits(doc) {
		return nil, true, nil
	}
	return check(got.schema, doc), true, nil
}

// sameSchemas compares a tool's schemas in two versions, leaving out what does not decide validity (titles, descriptions,
// examples). known is false when a version's snapshot does not list the tool.
func (c *Catalog) sameSchemas(tool string, a, b int) (same, known bool) {
	if c == nil || !c.has(tool, a) || !c.has(tool, b) {
		return false, false
	}
	for _, side := range []Side{Input, Output} {
		if !equal(withoutProse(c.schema(tool, a, side)), withoutProse(c.schema(tool, b, side))) {
			return false, true
		}
	}
	return true, true
}

// prose are annotations that never change a meaning that rules could carry; a default does.
var prose = map[string]bool{"title": true, "description": true, "examples": true, "$comment": true, "$id": true, "$schema": true}

// schemaMaps are keywords whose members are names, not keywords.
var schemaMaps = map[string]bool{"properties": true, "patternProperties": true, "$defs": true, "definitions": true, "dependentSchemas": true,
	"dependentRequired": true, "dependencies": true}

// schemaSets are keywords whose list has no order.
var schemaSets = map[string]bool{"required": true, "type": true, "enum": true}

// withoutProse is a copy of a schema without its prose, and with its sets in one order.
func withoutProse(n *node) *node {
	if n == nil {
		return nil
	}
	out := *n
	out.members, out.elems = nil, nil
	for _, m := range n.members {
		switch {
		case prose[m.name]:
		case schemaMaps[m.name]:
			names := objectNode()
			for _, x := range m.val.members {
				names.members = append(names.members, member{x.name, x.raw, withoutProse(x.val)})
			}
			out.members = append(out.members, member{m.name, m.raw, names})
		case schemaSets[m.name]:
			out.members = append(out.members, member{m.name, m.raw, sortedSet(m.val)})
		case m.name == "const" || m.name == "default":
			out.members = append(out.members, m)
		default:
			out.members = append(out.members, member{m.name, m.raw, withoutProse(m.val)})
		}
	}
	for _, e := range n.elems {
		out.elems = append(out.elems, withoutProse(e))
	}
	return &out
}

// sortedSet is a list in the order of its elements' texts; anything else is as it was.
func sortedSet(n *node) *node {
	if n.kind != kindArray {
		return n
	}
	out := *n
	out.elems = slices.SortedFunc(slices.Values(n.elems), func(a, b *node) int {
		return strings.Compare(string(a.append(nil)), string(b.append(nil)))
	})
	return &out
}
