package trace

import (
	"math"

	"flowdbg/trace/canon"
)

// Usage is what one effect cost: token counts and US dollars (seed 002 §4). Token counts are float64 because foreign
// traces hold any JSON number; ours are integers.
type Usage struct {
	InputTokens, OutputTokens, USD float64
}

// Tokens is input plus output tokens.
func (u Usage) Tokens() float64 { return u.InputTokens + u.OutputTokens }

// IsZero is true for a free effect.
func (u Usage) IsZero() bool { return u == Usage{} }

// Valid is true for amounts that can be written and summed: finite, not negative, tokens up to 2^53−1.
func (u Usage) Valid() bool {
	const most = 1<<53 - 1
	return u.InputTokens >= 0 && u.InputTokens <= most && u.OutputTokens >= 0 && u.OutputTokens <= most && u.USD >= 0 && u.USD <= math.MaxFloat64
}

// Ledger is the sum of usages in effect order, as plain float64 additions (seed 002 §4; the order and the type decide
// the last bit, which the state hash sees). It is never subtracted from: undo restores the former value.
type Ledger struct {
	InputTokens, OutputTokens, USD float64
	// NanoUSD is a shadow sum in 1e-9 dollars, rounded per effect. It is shown and explains a budget edge; it is never
	// hashed or compared.
	NanoUSD int64
	// Unknown counts effects whose usage is not known: the ledger is a lower bound when it is not 0.
	Unknown int
}

// Add is the ledger after one more effect. The sums must not fuse with any product: each addend is rounded first.
func (l Ledger) Add(u Usage) Ledger {
	l.InputTokens = l.InputTokens + u.InputTokens
	l.OutputTokens = l.OutputTokens + u.OutputTokens
	l.USD = l.USD + u.USD
	l.NanoUSD += NanoUSD(u.USD)
	return l
}

// Tokens is input plus output tokens.
func (l Ledger) Tokens() float64 { return l.InputTokens + l.OutputTokens }

// Equal compares what is hashed.
func (l Ledger) Equal(o Ledger) bool {
	return l.InputTokens == o.InputTokens && l.OutputTokens == o.OutputTokens && l.USD == o.USD
}

// NanoUSD is usd in 1e-9 dollars, rounded half away from zero, saturated at the int64 range.
func NanoUSD(usd float64) int64 {
	n := math.Round(float64(usd * 1e9))
	switch {
	case math.IsNaN(n):
		return 0
	case n >= math.MaxInt64:
		return math.MaxInt64
	case n <= math.MinInt64:
		return math.MinInt64
	}
	return int64(n)
}

// appendCost appends the canonical object {input_tokens, output_tokens, usd}.
func appendCost(dst []byte, in, out, usd float64) []byte {
	dst = append(dst, `{"input_tokens":`...)
	dst = canon.AppendFloat(dst, in)
	dst = append(dst, `,"output_tokens":`...)
	dst = canon.AppendFloat(dst, out)
	dst = append(dst, `,"usd":`...)
	dst = canon.AppendFloat(dst, usd)
	return append(dst, '}')
}

// Value is the usage as a canonical object.
func (u Usage) Value() canon.Value {
	return canon.Raw(string(appendCost(nil, u.InputTokens, u.OutputTokens, u.USD)))
}

// Value is the ledger as the canonical object of the hash document.
func (l Ledger) Value() canon.Value {
	return canon.Raw(string(appendCost(nil, l.InputTokens, l.OutputTokens, l.USD)))
}

// Budget bounds a run (seed 002 §1). A nil member is unlimited; Steps 0 is unlimited; USD 0 and Tokens 0 are literally
// zero (ours). The budget in force is part of the fold but not of the hash document.
type Budget struct {
	USD            *float64
	Tokens         *float64
	Steps          int
	AllowUnmetered bool
}

// Exceeded names the limit that the ledger is strictly over: "usd 0.12 > 0.1" or "tokens 10200 > 10000", with numbers
// in canonical form; "" when it is within the budget. Dollars are compared in 1e-9 dollars, both rounded alike, and are
// named first (ours).
func (b *Budget) Exceeded(l Ledger) string {
	if b == nil {
		return ""
	}
	if b.USD != nil && math.Round(float64(l.USD*1e9)) > math.Round(float64(*b.USD*1e9)) {
		return "usd " + number(l.USD) + " > " + number(*b.USD)
	}
	if b.Tokens != nil && l.Tokens() > *b.Tokens {
		return "tokens " + number(l.Tokens()) + " > " + number(*b.Tokens)
	}
	return ""
}

// Metered is true when money or tokens are bounded, so that unknown usage is an error.
func (b *Budget) Metered() bool { return b != nil && (b.USD != nil || b.Tokens != nil) }

func number(f float64) string { return string(canon.AppendFloat(nil, f)) }
