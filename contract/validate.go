package contract

import (
	"errors"
	"fmt"

	"flowdbg/trace/canon"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Validate holds a document against a type of the contract and reports all findings, of the schema and of the rules that a
// schema cannot express. The error is for a document that is no strict JSON (a *canon.Error) and for an unknown type.
func Validate(typ string, data []byte) (Findings, error) {
	return defaultRegistry().Validate(typ, data)
}

// ValidateValue is Validate for a value that was read already.
func ValidateValue(typ string, v canon.Value) (Findings, error) {
	return defaultRegistry().ValidateValue(typ, v)
}

// TypeNames lists the types of the contract in order.
func TypeNames() []string { return defaultRegistry().TypeNames() }

// TypeSchema is one type as a schema document of its own.
func TypeSchema(name string) (canon.Value, error) { return defaultRegistry().TypeSchema(name) }

// Validate is like the function of that name, and knows the registered extensions too.
func (r *Registry) Validate(typ string, data []byte) (Findings, error) {
	if _, _, err := r.schema(typ); err != nil {
		return nil, err
	}
	v, _, err := canon.Parse(data, canon.Options{})
	if err != nil {
		return nil, err
	}
	return r.ValidateValue(typ, v)
}

// ValidateValue is Validate for a value that was read already.
func (r *Registry) ValidateValue(typ string, v canon.Value) (Findings, error) {
	e, schema, err := r.schema(typ)
	if err != nil {
		return nil, err
	}
	var findings Findings
	if err := schema.Validate(v.ToGo()); err != nil {
		var invalid *jsonschema.ValidationError
		if !errors.As(err, &invalid) {
			return nil, fmt.Errorf("validate as %s: %w", typ, err)
		}
		r.mu.Lock()
		findings = r.explain(invalid)
		r.mu.Unlock()
	}
	c := checker{composed: e.base != typ && e.base == "ToolRequest"}
	c.check(e.base, v, "")
	if len(c.findings) == 0 && len(findings) == 0 {
		return Findings{}, nil
	}
	return append(findings, c.findings...).sorted(), nil
}
