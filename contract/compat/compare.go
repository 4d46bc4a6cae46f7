package compat

import (
	"fmt"
	"math/big"
	"strings"

	"flowdbg/trace/canon"
)

// compare proves that a sender shape of one type lies within one receiver shape, or lists why not.
func (e *engine) compare(s, r *shape, q question) []miss {
	if lost := s.types &^ r.types; lost != 0 {
		return []miss{typeMiss(s.types, lost, []*shape{r})}
	}
	var out []miss
	if r.isListed && !(s.isListed && subset(s.listed, r.listed)) {
		out = append(out, miss{rule: ruleEnumAdded, ptr: "/" + r.listKey, sent: listValue(s), taken: listValue(r),
			what: fmt.Sprintf("may hold more values than are listed; takes only %s", list(r.listed))})
	}
	switch s.types {
	case tInt, tFrac, tNumber:
		out = append(out, compareNumber(s, r)...)
	case tString:
		out = append(out, compareString(s, r)...)
	case tArray:
		out = append(out, e.compareArray(s, r, q)...)
	case tObject:
		out = append(out, e.compareObject(s, r, q)...)
	}
	out = append(out, compareOpaque(s, r)...)
	if len(out) == 0 { // the dearest test, and it would add nothing to a reviewer's picture
		out = e.compareNots(s, r)
	}
	return out
}

func subset(a, b []canon.Value) bool {
	have := map[canon.Value]bool{}
	for _, v := range b {
		have[v] = true
	}
	for _, v := range a {
		if !have[v] {
			return false
		}
	}
	return true
}

func compareNumber(s, r *shape) []miss {
	var out []miss
	lo, hi := s.lo, s.hi
	rlo, rhi := r.lo, r.hi
	if s.types == tInt {
		lo, hi, rlo, rhi = integerEnd(lo, 1), integerEnd(hi, -1), integerEnd(rlo, 1), integerEnd(rhi, -1)
	}
	if rlo.at != nil && (lo.at == nil || lo.at.Cmp(rlo.at) < 0 || lo.at.Cmp(rlo.at) == 0 && rlo.open && !lo.open) {
		out = append(out, miss{rule: ruleMinimum, ptr: "/" + r.lo.key, sent: lo.text, taken: r.lo.text,
			what: fmt.Sprintf("may hold numbers %s; takes only numbers %s", sayBound(lo, "down to", "above"), sayBound(r.lo, "from", "above"))})
	}
	if rhi.at != nil && (hi.at == nil || hi.at.Cmp(rhi.at) > 0 || hi.at.Cmp(rhi.at) == 0 && rhi.open && !hi.open) {
		out = append(out, miss{rule: ruleMaximum, ptr: "/" + r.hi.key, sent: hi.text, taken: r.hi.text,
			what: fmt.Sprintf("may hold numbers %s; takes only numbers %s", sayBound(hi, "up to", "below"), sayBound(r.hi, "up to", "below"))})
	}
	for _, step := range r.steps {
		if !onRaster(s, step) {
			out = append(out, miss{rule: ruleMultipleOf, ptr: "/multipleOf", sent: ratValue(s.steps), taken: ratValue(r.steps),
				what: fmt.Sprintf("may hold numbers that are no multiples of %s; takes only multiples", step.RatString())})
			break
		}
	}
	return append(out, compareSets(ruleFormat, s.formats, r.formats, formatImplies)...)
}

func sayBound(b bound, closed, open string) string {
	switch {
	case b.at == nil:
		return "without such an end"
	case b.open:
		return open + " " + b.text.Text()
	}
	return closed + " " + b.text.Text()
}

// onRaster says that every number of s is a multiple of step.
func onRaster(s *shape, step *big.Rat) bool {
	steps := s.steps
	if s.types == tInt {
		steps = append([]*big.Rat{big.NewRat(1, 1)}, steps...)
	}
	for _, own := range steps {
		if new(big.Rat).Quo(own, step).IsInt() {
			return true
		}
	}
	return false
}

func ratValue(steps []*big.Rat) canon.Value {
	if len(steps) == 0 {
		return canon.Value{}
	}
	f, _ := steps[0].Float64()
	v, _ := canon.Float(f)
	return v
}

func compareString(s, r *shape) []miss {
	var out []miss
	if s.minLen < r.minLen {
		out = append(out, miss{rule: ruleMinLength, ptr: "/minLength", sent: sizeValue(s.minLen, 0), taken: sizeValue(r.minLen, 0),
			what: fmt.Sprintf("may hold strings of %d characters; takes only %d or more", s.minLen, r.minLen)})
	}
	if exceeds(s.maxLen, r.maxLen) {
		out = append(out, miss{rule: ruleMaxLength, ptr: "/maxLength", sent: sizeValue(s.maxLen, -1), taken: sizeValue(r.maxLen, -1),
			what: fmt.Sprintf("may hold strings of %s characters; takes at most %d", sayLimit(s.maxLen), r.maxLen)})
	}
	out = append(out, compareSets(rulePattern, s.patterns, r.patterns, nil)...)
	return append(out, compareSets(ruleFormat, s.formats, r.formats, formatImplies)...)
}

// exceeds compares upper limits, of which a negative one is none.
func exceeds(sent, taken int64) bool { return taken >= 0 && (sent < 0 || sent > taken) }

func sayLimit(n int64) string {
	if n < 0 {
		return "any number of"
	}
	return fmt.Sprint(n)
}

// sizeValue is a size as the keyword would hold it, absent when it is the value that says nothing.
func sizeValue(n, nothing int64) canon.Value {
	if n == nothing {
		return canon.Value{}
	}
	return canon.Int(n)
}

// formatImplies lists formats whose strings (or numbers) are all of another format, by the specifications that define them.
var formatImplies = map[string][]string{
	"format uri":           {"format uri-reference", "format iri", "format iri-reference"},
	"format uri-reference": {"format iri-reference"},
	"format iri":           {"format iri-reference"},
	"format email":         {"format idn-email"},
	"format hostname":      {"format idn-hostname"},
	"format int8":          {"format int16", "format int32", "format int64"},
	"format int16":         {"format int32", "format int64"},
	"format int32":         {"format int64"},
	"format uint8":         {"format uint16", "format uint32", "format uint64"},
	"format uint16":        {"format uint32", "format uint64"},
	"format uint32":        {"format uint64"},
	"format float":         {"format double"},
}

// compareSets wants every text constraint of the receiver kept by the sender, by the same text or one that implies it.
func compareSets(rule string, sent, taken map[string]bool, implies map[string][]string) []miss {
	kept := map[string]bool{}
	for have := range sent {
		kept[have] = true
		for _, more := range implies[have] {
			kept[more] = true
		}
	}
	for _, want := range sortedKeys(taken) {
		if kept[want] {
			continue
		}
		key, text := "pattern", want
		if rule == ruleFormat {
			key, text, _ = strings.Cut(want, " ")
		}
		return []miss{{rule: rule, ptr: "/" + key, sent: setValue(sent, rule, key), taken: canon.String(text),
			what: fmt.Sprintf("may hold strings outside %s %s; takes only those", key, brief(canon.String(text)))}}
	}
	return nil
}

// setValue shows the sender's constraint of the same keyword.
func setValue(set map[string]bool, rule, key string) canon.Value {
	for _, have := range sortedKeys(set) {
		if rule != ruleFormat {
			return canon.String(have)
		}
		if k, text, _ := strings.Cut(have, " "); k == key {
			return canon.String(text)
		}
	}
	return canon.Value{}
}

// compareNots wants every exclusion of the receiver kept by the sender: by an exclusion of at least as much, or because
// the sender's shape has nothing in common with what is excluded.
func (e *engine) compareNots(s, r *shape) []miss {
	for _, excluded := range r.nots {
		kept := false
		for _, own := range s.nots {
			kept = kept || len(e.includes(excluded, own, nil)) == 0
		}
		if !kept && !e.disjoint(s, excluded) {
			return []miss{{rule: ruleNot, ptr: "/not", taken: excluded[0].text,
				what: "may hold what is excluded; excludes " + brief(excluded[0].text)}}
		}
	}
	return nil
}

// compareOpaque wants keywords that cannot be compared to be the same on both sides.
func compareOpaque(s, r *shape) []miss {
	keys := map[string]bool{}
	for k := range s.opaque {
		keys[k] = true
	}
	for k := range r.opaque {
		keys[k] = true
	}
	var out []miss
	for _, k := range sortedKeys(keys) {
		if s.opaque[k] != r.opaque[k] {
			out = append(out, miss{rule: ruleIncomparable, ptr: "/" + escapeToken(k), sent: s.opaque[k], taken: r.opaque[k], subject: k,
				what: fmt.Sprintf("is under %q, which cannot be compared and differs; has it otherwise", k)})
		}
	}
	return out
}

// escapeToken writes a reference token of a JSON Pointer.
func escapeToken(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "~", "~0"), "/", "~1")
}
