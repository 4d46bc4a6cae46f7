package contract

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"flowdbg/trace/canon"
)

// explain turns a validation error into findings, one for each thing that a person has to repair.
func (r *Registry) explain(err *jsonschema.ValidationError) Findings {
	x := explainer{registry: r}
	x.walk(err)
	return x.findings
}

type explainer struct {
	registry *Registry
	findings Findings
}

func (x *explainer) add(at []string, rule, format string, args ...any) {
	x.findings = append(x.findings, Finding{SeverityError, pointerOf(at), rule, fmt.Sprintf(format, args...)})
}

func pointerOf(tokens []string) string {
	ptr := ""
	for _, t := range tokens {
		ptr = canon.AppendPointer(ptr, t)
	}
	return ptr
}

// walk visits causes before it decides about members that nobody evaluated: a base schema that fails passes on no
// evaluations, so its own members would look unknown.
func (x *explainer) walk(err *jsonschema.ValidationError) {
	switch k := err.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.Reference, *kind.AllOf:
		for _, cause := range err.Causes {
			x.walk(cause)
		}
	case *kind.AnyOf:
		x.alternatives(err, "anyOf")
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			x.add(err.InstanceLocation, "oneOf", "fits more than one of the forms of which exactly one is allowed%s", x.forms(err.SchemaURL))
			return
		}
		x.alternatives(err, "oneOf")
	case *kind.Required:
		for _, name := range k.Missing {
			x.add(append(slices.Clone(err.InstanceLocation), name), "required", "is missing")
		}
	case *kind.DependentRequired:
		for _, name := range k.Missing {
			x.add(append(slices.Clone(err.InstanceLocation), name), "dependentRequired", "is missing, and %q needs it", k.Prop)
		}
	case *kind.AdditionalProperties:
		for _, name := range k.Properties {
			x.unknown(append(slices.Clone(err.InstanceLocation), name), err.SchemaURL)
		}
	case *kind.FalseSchema:
		x.falseSchema(err)
	case *kind.PropertyNames:
		x.add(append(slices.Clone(err.InstanceLocation), k.Property), "propertyNames", "the name is not allowed")
	case *kind.Pattern:
		x.add(err.InstanceLocation, "pattern", "is %s; must be %s", short(k.Got), x.form(err.SchemaURL, k.Want))
	default:
		x.add(err.InstanceLocation, keyword(err.ErrorKind), "%s", describe(err.ErrorKind))
	}
}

// form says in words what a pattern wants: the schema's description, or else the pattern itself.
func (x *explainer) form(schemaURL, pattern string) string {
	schema, _ := lookup(x.registry.docs, schemaURL).(map[string]any)
	if words, ok := schema["description"].(string); ok {
		return words
	}
	return "a text that matches " + pattern
}

// falseSchema is a member that may not be there. Below unevaluatedProperties it is unknown only if no part of the schema
// declares it.
func (x *explainer) falseSchema(err *jsonschema.ValidationError) {
	owner, uneval := strings.CutSuffix(err.SchemaURL, "/unevaluatedProperties")
	if !uneval || len(err.InstanceLocation) == 0 {
		x.add(err.InstanceLocation, "false", "nothing is allowed here")
		return
	}
	known := declared(x.registry.docs, owner)
	if !known.has(err.InstanceLocation[len(err.InstanceLocation)-1]) {
		x.unknown(err.InstanceLocation, owner)
	}
}

func (x *explainer) unknown(at []string, schemaURL string) {
	name := at[len(at)-1]
	x.add(at, RuleUnknown, "is not a member of this type%s", nearest(name, declared(x.registry.docs, schemaURL).names))
}

// alternatives reports the one form that was meant, if that can be told: forms that fail by the type of the very value are
// not meant, and of the others the one with the fewest complaints is reported.
func (x *explainer) alternatives(err *jsonschema.ValidationError, rule string) {
	var best Findings
	var types []string
	for _, cause := range err.Causes {
		branch := explainer{registry: x.registry}
		branch.walk(cause)
		if want := wantsOtherType(cause, len(err.InstanceLocation)); want != nil {
			types = append(types, want...)
			continue
		}
		if best == nil || len(branch.findings) < len(best) {
			best = branch.findings
		}
	}
	forms := x.forms(err.SchemaURL)
	switch {
	case best == nil && len(types) > 0:
		x.add(err.InstanceLocation, "type", "must be %s", strings.Join(types, " or "))
	case best == nil || forms != "":
		x.add(err.InstanceLocation, rule, "fits none of the allowed forms%s", forms)
	default:
		x.findings = append(x.findings, best...)
	}
}

// forms names the members among which a choice is to be made, when the forms differ in required members only.
func (x *explainer) forms(schemaURL string) string {
	schema, _ := lookup(x.registry.docs, schemaURL).(map[string]any)
	branches, _ := schema["oneOf"].([]any)
	var names []string
	for _, branch := range branches {
		object, _ := branch.(map[string]any)
		required, _ := object["required"].([]any)
		if len(object) != 1 || len(required) != 1 {
			return ""
		}
		names = append(names, fmt.Sprint(required[0]))
	}
	if len(names) == 0 {
		return ""
	}
	return ": give exactly one of " + strings.Join(names, ", ")
}

// wantsOtherType is the types that a form wants when it fails by the type of the value itself, at depth in the instance.
func wantsOtherType(err *jsonschema.ValidationError, depth int) []string {
	if k, ok := err.ErrorKind.(*kind.Type); ok && len(err.InstanceLocation) == depth {
		return k.Want
	}
	if _, ok := err.ErrorKind.(*kind.Reference); ok && len(err.Causes) == 1 {
		return wantsOtherType(err.Causes[0], depth)
	}
	return nil
}

func keyword(k jsonschema.ErrorKind) string {
	path := k.KeywordPath()
	if len(path) == 0 {
		return "not"
	}
	return path[0]
}

// describe says what is wrong with a value in words.
func describe(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return fmt.Sprintf("is %s; must be %s", k.Got, strings.Join(k.Want, " or "))
	case *kind.Enum:
		return fmt.Sprintf("is %s; must be one of %s", short(k.Got), listOf(k.Want))
	case *kind.Const:
		return fmt.Sprintf("is %s; must be %s", short(k.Got), short(k.Want))
	case *kind.Format:
		return fmt.Sprintf("is %s; must be a %s", short(k.Got), k.Want)
	case *kind.Minimum:
		return fmt.Sprintf("is %s; must be at least %s", rat(k.Got), rat(k.Want))
	case *kind.Maximum:
		return fmt.Sprintf("is %s; must be at most %s", rat(k.Got), rat(k.Want))
	case *kind.ExclusiveMinimum:
		return fmt.Sprintf("is %s; must be above %s", rat(k.Got), rat(k.Want))
	case *kind.ExclusiveMaximum:
		return fmt.Sprintf("is %s; must be below %s", rat(k.Got), rat(k.Want))
	case *kind.MultipleOf:
		return fmt.Sprintf("is %s; must be a multiple of %s", rat(k.Got), rat(k.Want))
	case *kind.MinLength:
		return fmt.Sprintf("has %d characters; must have at least %d", k.Got, k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("has %d characters; must have at most %d", k.Got, k.Want)
	case *kind.MinItems:
		return fmt.Sprintf("has %d elements; must have at least %d", k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %d elements; must have at most %d", k.Got, k.Want)
	case *kind.UniqueItems:
		return fmt.Sprintf("elements %d and %d are equal", k.Duplicates[0], k.Duplicates[1])
	}
	return fmt.Sprintf("does not satisfy %q of the schema", keyword(k))
}

func rat(r *big.Rat) string {
	f, _ := r.Float64()
	return number(f)
}

func listOf(values []any) string {
	parts := make([]string, len(values))
	for i, v := range values {
		parts[i] = short(v)
	}
	return strings.Join(parts, ", ")
}

// short is a value as JSON, cut to what fits a line.
func short(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // "<= 5%" must not read "\u003c= 5%"
	if err := enc.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if runes := []rune(text); len(runes) > 60 {
		return string(runes[:60]) + "…"
	}
	return text
}

// nearest proposes the declared name that is one slip away.
func nearest(name string, known map[string]any) string {
	best, bestAt := "", 3
	for k := range known {
		if d := distance(name, k, bestAt+1); d < bestAt || d == bestAt && best != "" && k < best {
			best, bestAt = k, d
		}
	}
	if best == "" || len(name) < 3 {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", best)
}

// distance is the edit distance of two names, or limit when it is at least that.
func distance(a, b string, limit int) int {
	if len(a)-len(b) >= limit || len(b)-len(a) >= limit {
		return limit
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return min(row[len(b)], limit)
}
