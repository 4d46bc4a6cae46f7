package flow

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"flowdbg/trace/canon"
)

// Problem is one place where a value does not fit a schema.
type Problem struct {
	Pointer string `json:"pointer"` // RFC 6901, inside the value
	Why     string `json:"why"`
}

// problems lists what a validation found. The texts are ours and sorted, because they become part of recorded events: the
// library's own follow the order of Go maps and may change with its version.
func problems(err error) []Problem {
	var top *jsonschema.ValidationError
	if !errors.As(err, &top) {
		if err != nil {
			return []Problem{{Why: err.Error()}}
		}
		return nil
	}
	return problemsIn(top)
}

func problemsIn(causes ...*jsonschema.ValidationError) []Problem {
	var list []Problem
	for _, c := range causes {
		collectProblems(c, &list)
	}
	slices.SortFunc(list, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Pointer, b.Pointer), cmp.Compare(a.Why, b.Why))
	})
	return slices.Compact(list)
}

// collectProblems goes down to what a reader can act on: through references and groups to the keyword that failed. The
// alternatives of anyOf and oneOf, of which any one would do, make one problem together.
func collectProblems(e *jsonschema.ValidationError, list *[]Problem) {
	switch e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference, *kind.ContentSchema:
		for _, c := range e.Causes {
			collectProblems(c, list)
		}
		if len(e.Causes) > 0 {
			return
		}
	}
	var b strings.Builder
	for _, token := range e.InstanceLocation {
		b.WriteString("/" + escapePointer(token))
	}
	ptr, why := b.String(), whyInvalid(e.ErrorKind)
	switch e.ErrorKind.(type) {
	case *kind.AnyOf, *kind.OneOf:
		why += alternatives(ptr, problemsIn(e.Causes...))
	}
	*list = append(*list, Problem{Pointer: ptr, Why: why})
}

// alternatives tells why the alternatives at a pointer do not fit, or nothing when that would be too long to help.
func alternatives(ptr string, list []Problem) string {
	const most = 4
	if len(list) == 0 || len(list) > most {
		return ""
	}
	words := make([]string, len(list))
	for i, p := range list {
		words[i] = p.Why
		if inside := strings.TrimPrefix(p.Pointer, ptr); inside != "" {
			words[i] = printable(inside) + " " + p.Why
		}
	}
	return " (" + strings.Join(words, "; ") + ")"
}

// whyInvalid words one failed keyword.
func whyInvalid(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "is " + k.Got + ", not " + strings.Join(k.Want, " or ")
	case *kind.Enum:
		return "is " + show(k.Got) + ", not one of " + show(k.Want)
	case *kind.Const:
		return "is " + show(k.Got) + ", not " + show(k.Want)
	case *kind.Format:
		return "is no " + k.Want
	case *kind.FalseSchema:
		return "is not allowed at all"
	case *kind.Not:
		return "fits the schema that it must not fit"
	case *kind.AnyOf:
		return "fits none of the alternatives in anyOf"
	case *kind.OneOf:
		if len(k.Subschemas) == 0 {
			return "fits none of the alternatives in oneOf"
		}
		return "fits more than one of the alternatives in oneOf: " + joinInts(k.Subschemas)
	case *kind.RefCycle:
		return "cannot be checked: the schema refers to itself without going deeper"
	}
	if s := whyObject(k); s != "" {
		return s
	}
	if s := whyArray(k); s != "" {
		return s
	}
	if s := whyScalar(k); s != "" {
		return s
	}
	return "does not satisfy " + strings.Join(k.KeywordPath(), "/")
}

func whyObject(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Required:
		return "lacks " + sorted(k.Missing)
	case *kind.AdditionalProperties:
		return "has members that are not allowed: " + sorted(k.Properties)
	case *kind.PropertyNames:
		return "has a member whose name is not allowed: " + quote(k.Property)
	case *kind.MinProperties:
		return fmt.Sprintf("has %d members, fewer than %d", k.Got, k.Want)
	case *kind.MaxProperties:
		return fmt.Sprintf("has %d members, more than %d", k.Got, k.Want)
	case *kind.DependentRequired:
		return "has " + quote(k.Prop) + " but lacks " + sorted(k.Missing)
	case *kind.Dependency:
		return "has " + quote(k.Prop) + " but lacks " + sorted(k.Missing)
	}
	return ""
}

func whyArray(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinItems:
		return fmt.Sprintf("has %d items, fewer than %d", k.Got, k.Want)
	case *kind.MaxItems:
		return fmt.Sprintf("has %d items, more than %d", k.Got, k.Want)
	case *kind.AdditionalItems:
		return fmt.Sprintf("has %d items too many", k.Count)
	case *kind.UniqueItems:
		return fmt.Sprintf("has equal items at %d and %d", k.Duplicates[0], k.Duplicates[1])
	case *kind.Contains:
		return "has no item that fits contains"
	case *kind.MinContains:
		return fmt.Sprintf("has %d items that fit contains, fewer than %d", len(k.Got), k.Want)
	case *kind.MaxContains:
		return fmt.Sprintf("has %d items that fit contains, more than %d", len(k.Got), k.Want)
	}
	return ""
}

func whyScalar(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return fmt.Sprintf("has %d characters, fewer than %d", k.Got, k.Want)
	case *kind.MaxLength:
		return fmt.Sprintf("has %d characters, more than %d", k.Got, k.Want)
	case *kind.Pattern:
		return "is " + quote(k.Got) + ", which does not match " + quote(k.Want)
	case *kind.Minimum:
		return "is " + rat(k.Got) + ", less than " + rat(k.Want)
	case *kind.Maximum:
		return "is " + rat(k.Got) + ", more than " + rat(k.Want)
	case *kind.ExclusiveMinimum:
		return "is " + rat(k.Got) + ", not more than " + rat(k.Want)
	case *kind.ExclusiveMaximum:
		return "is " + rat(k.Got) + ", not less than " + rat(k.Want)
	case *kind.MultipleOf:
		return "is " + rat(k.Got) + ", no multiple of " + rat(k.Want)
	}
	return ""
}

// show is a value as canonical JSON, cut when long.
func show(v any) string {
	c, err := canon.FromGo(v)
	if err != nil {
		return fmt.Sprintf("a %T", v)
	}
	n := 0
	for i := range c.Text() {
		if n == maxQuoted {
			return printable(c.Text()[:i]) + "…"
		}
		n++
	}
	return printable(c.Text())
}

// rat is a number in canonical form.
func rat(r *big.Rat) string {
	f, _ := r.Float64()
	return string(canon.AppendFloat(nil, f))
}

func sorted(names []string) string {
	names = slices.Clone(names)
	slices.Sort(names)
	return quoteAll(names)
}

func joinInts(list []int) string {
	words := make([]string, len(list))
	for i, n := range list {
		words[i] = strconv.Itoa(n)
	}
	return strings.Join(words, ", ")
}
