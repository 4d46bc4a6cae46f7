// Package price knows what tokens cost: it reads price tables and multiplies. It may hold arithmetic on usage and
// nothing that asks a model.
package price

import (
	"fmt"
	"math"

	"flowdbg/trace/canon"
)

// Price is what a model's tokens cost, in US dollars per million. Cached input tokens cost what input tokens cost
// unless the table says otherwise.
type Price struct{ InputPerMTok, OutputPerMTok, CachedInputPerMTok float64 }

// Tokens is what one answer used. CachedInput is the part of Input that was read from the provider's cache.
type Tokens struct{ Input, CachedInput, Output float64 }

// Add is the sum of two.
func (t Tokens) Add(o Tokens) Tokens {
	return Tokens{t.Input + o.Input, t.CachedInput + o.CachedInput, t.Output + o.Output}
}

// Valid is true for whole numbers from 0 to 2^53−1, the cached ones at most the input.
func (t Tokens) Valid() bool {
	for _, n := range []float64{t.Input, t.CachedInput, t.Output} {
		if !(n >= 0 && n <= 1<<53-1 && n == math.Trunc(n)) {
			return false
		}
	}
	return t.CachedInput <= t.Input
}

// USD is the cost in dollars. Each product is rounded on its own: a fused multiply-add would give another last bit on
// some processors, and with it another state hash.
func (p Price) USD(t Tokens) float64 {
	in := float64((t.Input-t.CachedInput)*p.InputPerMTok) / 1e6
	cached := float64(t.CachedInput*p.CachedInputPerMTok) / 1e6
	out := float64(t.Output*p.OutputPerMTok) / 1e6
	return in + cached + out
}

// Table maps models to prices. A model that is not in it has no known price.
type Table map[string]Price

// Problem is an entry that cannot be read; Pointer is inside the table.
type Problem struct{ Pointer, What, Want string }

const form = `{"model": {"input_per_mtok": 0.5, "output_per_mtok": 1.5, "cached_input_per_mtok": 0.1}}, in US dollars per million tokens`

// Read makes a table of {model: {input_per_mtok, output_per_mtok, cached_input_per_mtok?}}; the numbers are US dollars
// per million tokens, not negative. All problems are reported at once, and then there is no table.
func Read(v canon.Value) (Table, []Problem) {
	if v.Kind() != canon.KindObject {
		return nil, []Problem{{"", "the price table is no object", form}}
	}
	t, problems := Table{}, []Problem(nil)
	for model, set := range v.Members() {
		at := canon.AppendPointer("", model)
		if set.Kind() != canon.KindObject {
			problems = append(problems, Problem{at, "the price is no object", form})
			continue
		}
		var p Price
		fields := map[string]*float64{"input_per_mtok": &p.InputPerMTok, "output_per_mtok": &p.OutputPerMTok, "cached_input_per_mtok": &p.CachedInputPerMTok}
		for key, n := range set.Members() {
			target, known := fields[key]
			f, isNumber := n.Float()
			switch {
			case !known:
				problems = append(problems, Problem{canon.AppendPointer(at, key), fmt.Sprintf("a price has no member %q", key), form})
			case !isNumber || f < 0:
				problems = append(problems, Problem{canon.AppendPointer(at, key), "the price is no number of at least 0", form})
			default:
				*target = f
			}
		}
		for _, key := range []string{"input_per_mtok", "output_per_mtok"} {
			if set.Get(key).IsAbsent() {
				problems = append(problems, Problem{at, fmt.Sprintf("the price has no %q", key), form})
			}
		}
		if set.Get("cached_input_per_mtok").IsAbsent() {
			p.CachedInputPerMTok = p.InputPerMTok
		}
		t[model] = p
	}
	if len(problems) > 0 {
		return nil, problems
	}
	return t, nil
}

// USD is what a model's tokens cost; ok is false when its price is not known. names are tried in order: the model that
// was asked for, then what the provider calls the one that answered.
func (t Table) USD(tokens Tokens, names ...string) (usd float64, ok bool) {
	for _, name := range names {
		if p, found := t[name]; found {
			return p.USD(tokens), true
		}
	}
	return 0, false
}
