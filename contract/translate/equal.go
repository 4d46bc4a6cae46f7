package translate

import (
	"math/big"
	"strings"
)

// equal is equality of JSON values: members in any order, numbers by value (1.0 = 1, 1e2 = 100) without rounding, strings
// by their unescaped text. Text and number never mix.
func equal(a, b *node) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case kindObject:
		return equalObjects(a, b)
	case kindArray:
		if len(a.elems) != len(b.elems) {
			return false
		}
		for i := range a.elems {
			if !equal(a.elems[i], b.elems[i]) {
				return false
			}
		}
		return true
	case kindNumber:
		return a.raw == b.raw || decimalOf(a.raw).equal(decimalOf(b.raw))
	case kindString:
		return a.raw == b.raw || unquote(a.raw) == unquote(b.raw)
	}
	return true
}

func equalObjects(a, b *node) bool {
	if len(a.members) != len(b.members) {
		return false
	}
	if len(a.members) > 16 { // a map pays only for wide objects
		byName := make(map[string]*node, len(b.members))
		for _, m := range b.members {
			byName[m.name] = m.val
		}
		for _, m := range a.members {
			if v, ok := byName[m.name]; !ok || !equal(m.val, v) {
				return false
			}
		}
		return true
	}
	for _, m := range a.members {
		i := b.find(m.name)
		if i < 0 || !equal(m.val, b.members[i].val) {
			return false
		}
	}
	return true
}

// decimal is a number as sign, digits without outer zeros, and a power of ten. It is exact, and its size is that of the
// spelling: 1e-999999999 costs nothing.
type decimal struct {
	neg    bool
	digits string // "" for zero, whose sign is dropped
	exp    *big.Int
}

func (d decimal) equal(e decimal) bool {
	if d.digits == "" || e.digits == "" {
		return d.digits == e.digits
	}
	return d.neg == e.neg && d.digits == e.digits && d.exp.Cmp(e.exp) == 0
}

func decimalOf(raw string) decimal {
	var d decimal
	if strings.HasPrefix(raw, "-") {
		d.neg, raw = true, raw[1:]
	}
	d.exp = new(big.Int)
	if i := strings.IndexAny(raw, "eE"); i >= 0 {
		d.exp.SetString(strings.TrimPrefix(raw[i+1:], "+"), 10)
		raw = raw[:i]
	}
	whole, frac, _ := strings.Cut(raw, ".")
	digits := whole + frac
	d.exp.Sub(d.exp, big.NewInt(int64(len(frac))))
	trimmed := strings.TrimRight(digits, "0")
	d.exp.Add(d.exp, big.NewInt(int64(len(digits)-len(trimmed))))
	d.digits = strings.TrimLeft(trimmed, "0")
	return d
}
