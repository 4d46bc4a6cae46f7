package translate

import (
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// proof is a schema in a form that proves of the usual documents that they fit, on the tree as it is. It never refuses: a
// document that is not proven to fit is judged by the validator, which knows every keyword and says what is wrong where. A
// schema with a keyword that is not known here proves nothing.
type proof struct {
	nothing bool // proves nothing
	all     bool // the schema true

	kinds      []jsontext.Kind // of the keyword type; nil = any
	integer    bool            // type has integer and not number
	texts      []string        // of enum and const, nil = any; only texts are proven
	required   []string
	properties map[string]*proof
	others     *proof // additionalProperties
	items      *proof

	minItems, maxItems *int
	minLen, maxLen     *int
	pattern            jsonschema.Regexp
	bounds             bounds
}

// bounds are the limits of a number; nil = none.
type bounds struct{ min, max, above, below *big.Rat }

// provable are the members of a compiled schema that are looked at here or that decide nothing. Any other that is set makes
// a schema that proves nothing, also one that a later version of the library adds.
var provable = func() map[string]bool {
	known := map[string]bool{}
	for _, name := range strings.Fields(`up resource dynamicAnchors allPropsEvaluated allItemsEvaluated numItemsEvaluated DraftVersion Location Bool ID
		Anchor Types Enum Const Required Properties AdditionalProperties MinItems MaxItems Items2020 MinLength MaxLength Pattern Maximum Minimum
		ExclusiveMaximum ExclusiveMinimum Title Description Default Comment ReadOnly WriteOnly Examples Deprecated`) {
		known[name] = true
	}
	return known
}()

func isProvable(s *jsonschema.Schema) bool {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		if !provable[v.Type().Field(i).Name] && !v.Field(i).IsZero() {
			return false
		}
	}
	return s.DraftVersion == 2020
}

// newProof reads a compiled schema; nil stands for an absent one, which allows everything.
func newProof(s *jsonschema.Schema) *proof {
	if s == nil {
		return &proof{all: true}
	}
	if s.Bool != nil {
		return &proof{all: *s.Bool, nothing: !*s.Bool}
	}
	if !isProvable(s) {
		return &proof{nothing: true}
	}
	p := &proof{required: s.Required, items: newProof(s.Items2020), minItems: s.MinItems, maxItems: s.MaxItems, minLen: s.MinLength, maxLen: s.MaxLength,
		pattern: s.Pattern, bounds: bounds{s.Minimum, s.Maximum, s.ExclusiveMinimum, s.ExclusiveMaximum}}
	p.types(s.Types)
	p.values(s)
	p.properties = make(map[string]*proof, len(s.Properties))
	for name, sub := range s.Properties {
		p.properties[name] = newProof(sub)
	}
	switch more := s.AdditionalProperties.(type) {
	case nil:
		p.others = newProof(nil)
	case *jsonschema.Schema:
		p.others = newProof(more)
	case bool:
		p.others = &proof{all: more, nothing: !more}
	default:
		p.others = &proof{nothing: true}
	}
	return p
}

func (p *proof) types(types *jsonschema.Types) {
	if types == nil || types.IsEmpty() {
		return
	}
	names := types.ToStrings()
	for _, name := range names {
		switch name {
		case "null":
			p.kinds = append(p.kinds, kindNull)
		case "boolean":
			p.kinds = append(p.kinds, kindTrue, kindFalse)
		case "string":
			p.kinds = append(p.kinds, kindString)
		case "array":
			p.kinds = append(p.kinds, kindArray)
		case "object":
			p.kinds = append(p.kinds, kindObject)
		case "number", "integer":
			p.kinds = append(p.kinds, kindNumber)
		default:
			p.nothing = true
		}
	}
	p.integer = slices.Contains(names, "integer") && !slices.Contains(names, "number")
}

// values takes enum and const.
func (p *proof) values(s *jsonschema.Schema) {
	if s.Enum != nil {
		p.texts = textsOf(s.Enum.Values)
	}
	if s.Const != nil {
		only := textsOf([]any{*s.Const})
		if s.Enum != nil {
			only = slices.DeleteFunc(only, func(t string) bool { return !slices.Contains(p.texts, t) })
		}
		p.texts = only
	}
}

func textsOf(values []any) []string {
	texts := []string{}
	for _, v := range values {
		if t, ok := v.(string); ok {
			texts = append(texts, t)
		}
	}
	return texts
}

// fits is true for a document that certainly fits the schema.
func (p *proof) fits(n *node) bool {
	if p.all {
		return true
	}
	if p.nothing || p.kinds != nil && !slices.Contains(p.kinds, n.kind) || p.texts != nil && n.kind != kindString {
		return false
	}
	switch n.kind {
	case kindString:
		return p.text(unquote(n.raw))
	case kindNumber:
		return p.number(n.raw)
	case kindArray:
		if p.minItems != nil && len(n.elems) < *p.minItems || p.maxItems != nil && len(n.elems) > *p.maxItems {
			return false
		}
		for _, e := range n.elems {
			if !p.items.fits(e) {
				return false
			}
		}
	case kindObject:
		return p.object(n)
	}
	return true
}

func (p *proof) object(n *node) bool {
	for _, name := range p.required {
		if n.find(name) < 0 {
			return false
		}
	}
	for i := range n.members {
		sub := p.properties[n.members[i].name]
		if sub == nil {
			sub = p.others
		}
		if !sub.fits(n.members[i].val) {
			return false
		}
	}
	return true
}

func (p *proof) text(s string) bool {
	if p.texts != nil && !slices.Contains(p.texts, s) {
		return false
	}
	if p.minLen != nil || p.maxLen != nil {
		n := utf8.RuneCountInString(s)
		if p.minLen != nil && n < *p.minLen || p.maxLen != nil && n > *p.maxLen {
			return false
		}
	}
	return p.pattern == nil || p.pattern.MatchString(s)
}

// number proves of numbers of at most 15 bytes without an exponent: they are exact as digits and a power of ten.
func (p *proof) number(raw string) bool {
	if p.bounds == (bounds{}) && !p.integer {
		return true
	}
	if len(raw) > 15 || strings.ContainsAny(raw, "eE") {
		return false
	}
	whole, frac, point := strings.Cut(raw, ".")
	if point && p.integer { // 1.0 is an integer too, which is left to the validator
		return false
	}
	digits, err := strconv.ParseInt(whole+frac, 10, 64)
	if err != nil {
		return false
	}
	return p.bounds.hold(digits, len(frac))
}

// hold says whether digits / 10^scale certainly lies within.
func (b bounds) hold(digits int64, scale int) bool {
	within := func(limit *big.Rat, good func(order int) bool) bool {
		if limit == nil {
			return true
		}
		order, ok := compareTo(limit, digits, scale)
		return ok && good(order)
	}
	return within(b.min, func(o int) bool { return o >= 0 }) && within(b.max, func(o int) bool { return o <= 0 }) &&
		within(b.above, func(o int) bool { return o > 0 }) && within(b.below, func(o int) bool { return o < 0 })
}

// compareTo orders digits / 10^scale against a limit; ok is false for a limit that is no small integer.
func compareTo(limit *big.Rat, digits int64, scale int) (order int, ok bool) {
	if !limit.IsInt() || !limit.Num().IsInt64() {
		return 0, false
	}
	n := limit.Num().Int64()
	for range scale {
		if n > 1<<59 || n < -1<<59 {
			return 0, false
		}
		n *= 10
	}
	switch {
	case digits < n:
		return -1, true
	case digits > n:
		return 1, true
	}
	return 0, true
}
