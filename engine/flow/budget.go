package flow

import (
	"flowdbg/trace/canon"
)

// readBudget reads the bounds of a run. null or absent is unlimited; 0 usd and 0 tokens are literally zero.
func (r *reader) readBudget(top object) *Budget {
	o, ok := top.child("budget")
	if !ok {
		return nil
	}
	b := &Budget{AllowUnmetered: o.boolean("allow_unmetered")}
	if n, ok := o.number("usd", "a number of US dollars"); ok {
		usd, _ := n.Float()
		if usd < 0 {
			r.badBudget(n, o.at("usd"), "usd is negative", "write 0 or more US dollars")
		}
		b.USD = &usd
		r.lintZero(n, o.at("usd"), usd == 0, "usd")
	}
	if tokens, n := o.whole("tokens"); n != nil {
		b.Tokens = &tokens
		r.lintZero(n, o.at("tokens"), tokens == 0, "tokens")
	}
	b.Steps, _ = o.whole("steps")
	o.known("usd", "tokens", "steps", "allow_unmetered")
	return b
}

// number is an optional number member.
func (o object) number(key, want string) (*canon.Node, bool) {
	n, ok := o.get(key, optional)
	if !ok {
		return nil, false
	}
	if n.Kind != canon.KindNumber {
		o.r.wrongType(n, o.at(key), want)
		return nil, false
	}
	return n, true
}

// whole is an optional member that counts something: a number whose value is an integer ≥ 0, however it is spelled.
func (o object) whole(key string) (int64, *canon.Node) {
	n, ok := o.number(key, "a whole number")
	if !ok {
		return 0, nil
	}
	v, ok := n.Int()
	switch {
	case !ok:
		o.r.badBudget(n, o.at(key), key+" is "+o.r.source(n)+", not a whole number up to 2^53−1", "write a whole number")
	case v < 0:
		o.r.badBudget(n, o.at(key), key+" is negative", "write 0 or more")
	default:
		return v, n
	}
	return 0, nil
}

func (r *reader) badBudget(n *canon.Node, ptr, message, want string) {
	r.report(Error, CodeBadBudget, n, ptr, message, want)
}

// lintZero points out a bound that is literally zero, because 0 steps beside it means unlimited.
func (r *reader) lintZero(n *canon.Node, ptr string, zero bool, what string) {
	if zero {
		r.report(Lint, CodeZeroBudget, n, ptr, "0 "+what+" is literally zero: only free effects pass",
			"for no bound leave "+what+" out")
	}
}
