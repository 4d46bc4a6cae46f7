package contract

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"flowdbg/trace/canon"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

//go:embed schema.json
var schemaText []byte

// SchemaURL is the base of all types; a type is SchemaURL + "#/$defs/" + name. It is a name, not a place to fetch from.
const SchemaURL = "urn:flowdbg:contract"

const (
	draft2020    = "https://json-schema.org/draft/2020-12/schema"
	extensionURL = "urn:flowdbg:extension:"
	composedURL  = "urn:flowdbg:composed:"
)

// SchemaText is the whole schema file with all types as $defs. The caller owns the copy.
func SchemaText() []byte { return slices.Clone(schemaText) }

// Registry holds the types that documents can be validated against: the contract's own and the tools' extensions.
// It is safe for concurrent use.
type Registry struct {
	mu       sync.Mutex
	docs     map[string]any // every schema document by its URL
	compiled map[string]*jsonschema.Schema
	types    map[string]entry
}

// entry is one type by name.
type entry struct {
	url  string
	base string // the contract type whose semantic checks apply as well
}

// refuse is a loader that loads nothing: a schema may not reach for files or the network.
type refuse struct{}

func (refuse) Load(url string) (any, error) {
	return nil, fmt.Errorf("remote reference %s: a schema must be complete in itself", url)
}

// NewRegistry holds the types of the contract itself.
func NewRegistry() *Registry {
	r := &Registry{docs: map[string]any{}, compiled: map[string]*jsonschema.Schema{}, types: map[string]entry{}}
	root := mustTree(schemaText)
	r.docs[SchemaURL] = root
	for name := range root.(map[string]any)["$defs"].(map[string]any) {
		r.types[name] = entry{url: SchemaURL + "#/$defs/" + name, base: name}
	}
	return r
}

// mustTree reads the embedded schema; the package's tests read it too, so a failure cannot leave the house.
func mustTree(data []byte) any {
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		panic("contract: the embedded schema is not JSON: " + err.Error())
	}
	return tree
}

// defaultRegistry serves the package-level functions; it holds no extensions.
var defaultRegistry = sync.OnceValue(NewRegistry)

// TypeNames lists the types of the registry in order.
func (r *Registry) TypeNames() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	names := make([]string, 0, len(r.types))
	for name := range r.types {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// RegisterRequest adds a type named name that extends ToolRequest by a tool's own schema of its parameters: a document must
// satisfy both, and members that neither declares are refused (unless the tool's schema says that it takes any). The schema
// must describe an object and be complete in itself. Registering a name twice is an error.
func (r *Registry) RegisterRequest(name string, own Schema) error {
	return r.extend(name, "ToolRequest", own, func(ref, tree any) map[string]any {
		composed := map[string]any{"$schema": draft2020,
			"allOf": []any{map[string]any{"$ref": SchemaURL + "#/$defs/ToolRequest"}, ref}}
		if !takesAny(tree) {
			composed["unevaluatedProperties"] = false
		}
		return composed
	})
}

// RegisterResult adds a type named name that extends ToolResult: output describes the member value (seed 000's
// output_schema). The rest of the result stays open, because a newer tool may add fields (seed 000, MINOR).
func (r *Registry) RegisterResult(name string, output Schema) error {
	return r.extend(name, "ToolResult", output, func(ref, _ any) map[string]any {
		return map[string]any{"$schema": draft2020,
			"allOf":      []any{map[string]any{"$ref": SchemaURL + "#/$defs/ToolResult"}},
			"properties": map[string]any{"value": ref}}
	})
}

func (r *Registry) extend(name, base string, own Schema, compose func(ref, tree any) map[string]any) error {
	value, _, err := canon.Parse(own, canon.Options{Integers: canon.IntegersAccept})
	if err != nil {
		return fmt.Errorf("schema of %s: %w", name, err)
	}
	tree := value.ToGo()
	if object, ok := tree.(map[string]any); ok && base == "ToolRequest" {
		if kind, stated := object["type"]; stated && kind != "object" {
			return fmt.Errorf("schema of %s: parameters are an object, not %v", name, kind)
		}
		tree = opened(object, declared(r.docs, SchemaURL+"#/$defs/ToolRequest").names)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, taken := r.types[name]; taken {
		return fmt.Errorf("type %s exists already", name)
	}
	ownURL, url := extensionURL+escapeURL(name), composedURL+escapeURL(name)
	r.docs[ownURL] = tree
	r.docs[url] = compose(map[string]any{"$ref": ownURL}, value.ToGo())
	if _, err := r.compile(url); err != nil {
		delete(r.docs, ownURL)
		delete(r.docs, url)
		return fmt.Errorf("schema of %s: %w", name, err)
	}
	r.types[name] = entry{url: url, base: base}
	return nil
}

// opened makes room for the standard fields in a tool's own schema: a closing keyword at its root is dropped (the composed
// schema closes the union instead), and one with a schema of its own does not get to see the standard fields.
func opened(schema map[string]any, standard map[string]any) map[string]any {
	open := maps.Clone(schema)
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		switch schema[key] {
		case nil, true:
		case false:
			delete(open, key)
		default:
			own, _ := schema["properties"].(map[string]any)
			properties := make(map[string]any, len(own)+len(standard))
			for field := range standard {
				properties[field] = true
			}
			maps.Copy(properties, own)
			open["properties"] = properties
		}
	}
	return open
}

// takesAny says whether a tool's schema itself admits members that it does not name.
func takesAny(tree any) bool {
	object, ok := tree.(map[string]any)
	if !ok {
		return tree == true
	}
	for _, key := range []string{"additionalProperties", "unevaluatedProperties"} {
		if value, stated := object[key]; stated && value != false {
			return true
		}
	}
	return false
}

// escapeURL keeps a type's name inside the last part of a URN.
func escapeURL(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '.' || c == '-' || c == '_' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// schema finds a type and its compiled schema.
func (r *Registry) schema(name string) (entry, *jsonschema.Schema, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.types[name]
	if !ok {
		return entry{}, nil, fmt.Errorf("no type %q", name)
	}
	s, err := r.compile(e.url)
	return e, s, err
}

// compile is called with the lock held.
func (r *Registry) compile(url string) (*jsonschema.Schema, error) {
	if s, ok := r.compiled[url]; ok {
		return s, nil
	}
	s, err := r.compiler().Compile(url)
	if err != nil {
		return nil, err
	}
	r.compiled[url] = s
	return s, nil
}

func (r *Registry) compiler() *jsonschema.Compiler {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(refuse{})
	for url, doc := range r.docs {
		// It fails only on a URL that is added twice, and a map has none.
		_ = c.AddResource(url, doc)
	}
	return c
}

// CheckSchema reports what keeps a value from being a Schema of the contract: a JSON Schema 2020-12, object or boolean,
// complete in itself. nil = it is one.
func CheckSchema(v canon.Value) error {
	if kind := v.Kind(); kind != canon.KindObject && kind != canon.KindBool {
		return fmt.Errorf("a schema is an object or a boolean, not %s", kind)
	}
	if s, ok := v.Get("$schema").Str(); ok && strings.TrimSuffix(s, "#") != draft2020 {
		return fmt.Errorf("$schema is %q; the contract uses %s", s, draft2020)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(refuse{})
	const url = "urn:flowdbg:schema"
	if err := c.AddResource(url, v.ToGo()); err != nil {
		return err
	}
	_, err := c.Compile(url)
	return err
}

// TypeSchema is one type as a schema document of its own: the type's definition with the definitions that it needs.
func (r *Registry) TypeSchema(name string) (canon.Value, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	e, ok := r.types[name]
	if !ok {
		return canon.Value{}, fmt.Errorf("no type %q", name)
	}
	return bundle(r.docs, e.url)
}
