package translate

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// Invalid is one way in which a document does not fit a schema.
type Invalid struct {
	Path string `json:"path"` // JSON Pointer into the document
	Text string `json:"text"`
}

// String is "pointer: text".
func (v Invalid) String() string { return fmt.Sprintf("%q: %s", v.Path, v.Text) }

// noLoader refuses every schema that is not in the document itself: validation never reads a file or the network.
type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("schema %q lies outside the document: only local $ref is followed", url)
}

const schemaURL = "urn:flowdbg:schema"

// compileSchema compiles one schema text, local references only, JSON Schema 2020-12 unless it says otherwise.
func compileSchema(schema *node) (*jsonschema.Schema, error) {
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	if err := c.AddResource(schemaURL, schema.goValue()); err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	s, err := c.Compile(schemaURL)
	if err != nil {
		return nil, fmt.Errorf("schema: %w", err)
	}
	return s, nil
}

// check validates a document and returns every leaf of the validator's error tree, by pointer.
func check(s *jsonschema.Schema, doc *node) []Invalid {
	err := s.Validate(doc.goValue())
	if err == nil {
		return nil
	}
	var ve *jsonschema.ValidationError
	if !errors.As(err, &ve) {
		return []Invalid{{Text: err.Error()}}
	}
	var out []Invalid
	p := message.NewPrinter(language.English)
	var walk func(*jsonschema.ValidationError)
	walk = func(e *jsonschema.ValidationError) {
		for _, c := range e.Causes {
			walk(c)
		}
		if len(e.Causes) == 0 {
			segs := make([]segment, len(e.InstanceLocation))
			for i, name := range e.InstanceLocation {
				segs[i] = segment{name: name}
			}
			out = append(out, Invalid{Path: pointer(segs, nil), Text: e.ErrorKind.LocalizedString(p)})
		}
	}
	walk(ve)
	slices.SortStableFunc(out, func(a, b Invalid) int { return strings.Compare(a.Path, b.Path) })
	return slices.Compact(out)
}

// validValue says whether a value fits a schema that lies inside root (whose $defs it may use). A schema that cannot be
// compiled allows nothing.
func validValue(root, schema, value *node) bool {
	alone := schema.clone()
	if alone.kind == kindObject {
		for _, key := range []string{"$defs", "definitions"} {
			if d := root.get(key); d != nil && alone.get(key) == nil {
				alone.set(key, d)
			}
		}
	}
	s, err := compileSchema(alone)
	return err == nil && check(s, value) == nil
}

// goValue is the tree as the validator wants it. Numbers stay exact where it can hold them.
func (n *node) goValue() any {
	switch n.kind {
	case kindObject:
		m := make(map[string]any, len(n.members))
		for _, x := range n.members {
			m[x.name] = x.val.goValue()
		}
		return m
	case kindArray:
		a := make([]any, len(n.elems))
		for i, e := range n.elems {
			a[i] = e.goValue()
		}
		return a
	case kindString:
		return unquote(n.raw)
	case kindNumber:
		return numberValue(n.raw)
	case kindNull:
		return nil
	}
	return n.kind == kindTrue
}

// numberValue keeps the spelling unless exact arithmetic on it would be refused or ruinous (1e-999999 has a million
// digits as a fraction): then it is the nearest float64.
func numberValue(raw string) any {
	if len(raw) > 15 || strings.ContainsAny(raw, "eE") {
		f, err := json.Number(raw).Float64()
		if err != nil || math.Abs(f) < 1e-300 {
			return f
		}
	}
	return json.Number(raw)
}
