package httpx

import (
	"flowdbg/engine/effect/price"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Attempt is one request that was made, or tried, for an operation.
type Attempt struct {
	Class        string        // of its failure; "" when it succeeded
	Detail       string        // what was wrong, in words; not redacted yet
	Status       int           // of the answer, 0 without one
	Sent         bool          // the request left this machine, so it may be billed
	WaitMS       int64         // how long was waited before it, in milliseconds
	ElapsedMS    int64         // from its start to its end, in milliseconds
	Tokens       *price.Tokens // what its answer says it used; nil: it does not say
	USD          float64       // what Tokens cost; 0 when USDUnknown
	USDUnknown   bool          // Tokens are known, their price is not
	UsageUnknown bool          // it may have been billed and nobody knows how much
}

// Log is the attempts of one operation, in order.
type Log []Attempt

// Usage sums what all attempts used, failed ones included: one effect is one operation (design 05). unknown is true when
// the sum is only a lower bound.
func (l Log) Usage() (u trace.Usage, unknown bool) {
	for i := range l {
		a := &l[i]
		if a.Tokens != nil {
			u.InputTokens += a.Tokens.Input
			u.OutputTokens += a.Tokens.Output
			u.USD = u.USD + a.USD
		}
		unknown = unknown || a.UsageUnknown || a.USDUnknown
	}
	return u, unknown
}

// served is true when the other side may have done what was asked.
func (a *Attempt) served() bool { return a.Sent && a.Status < 300 }

// possiblyServed is true when an attempt failed on this side although the other side may have done what was asked.
func (l Log) possiblyServed() bool {
	for i := range l {
		if l[i].Class != "" && l[i].served() {
			return true
		}
	}
	return false
}

// Value is the list as it stands in side: [{class?, status?, elapsed_ms, wait_ms?, detail?, usage?, usage_unknown?}].
func (l Log) Value() canon.Value {
	list := make([]canon.Value, len(l))
	for i := range l {
		list[i] = l[i].value()
	}
	return canon.Array(list...)
}

func (a *Attempt) value() canon.Value {
	members := []canon.Member{{Key: "elapsed_ms", Value: canon.Int(a.ElapsedMS)}}
	add := func(key string, v canon.Value) { members = append(members, canon.Member{Key: key, Value: v}) }
	if a.Class != "" {
		add("class", canon.String(a.Class))
		add("detail", canon.String(cut(a.Detail, 500)))
	}
	if a.Status != 0 {
		add("status", canon.Int(int64(a.Status)))
	}
	if a.WaitMS != 0 {
		add("wait_ms", canon.Int(a.WaitMS))
	}
	if a.Tokens != nil {
		add("usage", trace.Usage{InputTokens: a.Tokens.Input, OutputTokens: a.Tokens.Output, USD: a.USD}.Value())
	}
	if a.UsageUnknown {
		add("usage_unknown", canon.True)
	}
	if a.USDUnknown {
		add("usd_unknown", canon.True)
	}
	return canon.Object(members...)
}

// Side is what an operation leaves beside its answer: {attempts?, notes?}. A single attempt that succeeded leaves no
// list, only how long it took.
func (l Log) Side() canon.Value {
	if len(l) == 1 && l[0].Class == "" {
		return canon.Object(canon.Member{Key: "elapsed_ms", Value: canon.Int(l[0].ElapsedMS)})
	}
	if len(l) == 0 {
		return canon.Value{}
	}
	members := []canon.Member{{Key: "attempts", Value: l.Value()}}
	if _, unknown := l.Usage(); unknown && l.possiblyServed() {
		members = append(members, canon.Member{Key: "notes", Value: canon.Array(canon.String("possibly billed"))})
	}
	return canon.Object(members...)
}

// cut shortens a text to at most n bytes, on a character.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + " …"
}
