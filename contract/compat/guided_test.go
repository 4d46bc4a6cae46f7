package compat

import (
	"math/rand/v2"
	"strings"

	"flowdbg/trace/canon"
)

// guided makes an instance along a schema: mostly what the keywords ask for, sometimes beside it. It need not be valid; the
// validators judge it.
func (o *oracle) guided(rng *rand.Rand, s canon.Value, depth int) canon.Value {
	if s.Kind() != canon.KindObject || depth > 7 || rng.IntN(12) == 0 {
		return o.pool.instance(rng, max(0, 3-depth))
	}
	var parts []canon.Value // schemas to follow instead of, or together with, the node's own keywords
	if ref, ok := s.Get("$ref").Str(); ok && strings.HasPrefix(ref, "#") {
		for _, root := range o.roots {
			if target, err := root.Pointer(ref[1:]); err == nil {
				parts = append(parts, target)
			}
		}
	}
	for _, k := range []string{"anyOf", "oneOf", "allOf"} {
		parts = append(parts, elems(s.Get(k))...)
	}
	for _, k := range []string{"if", "then", "else", "not"} {
		if m := s.Get(k); m.Kind() == canon.KindObject {
			parts = append(parts, m)
		}
	}
	v := o.own(rng, s, depth)
	if len(parts) > 0 {
		other := o.guided(rng, parts[rng.IntN(len(parts))], depth+1)
		if v.Kind() == canon.KindObject && other.Kind() == canon.KindObject && rng.IntN(4) > 0 {
			return canon.Object(append(membersOf(v), membersOf(other)...)...)
		}
		if v.IsAbsent() || rng.IntN(2) == 0 {
			return other
		}
	}
	if v.IsAbsent() {
		return o.pool.instance(rng, 2)
	}
	return v
}

// own follows the keywords of the node itself; absent when they say nothing to follow.
func (o *oracle) own(rng *rand.Rand, s canon.Value, depth int) canon.Value {
	if list := elems(s.Get("enum")); len(list) > 0 {
		return list[rng.IntN(len(list))]
	}
	if c := s.Get("const"); !c.IsAbsent() {
		return c
	}
	t := s.Get("type")
	if t.Kind() == canon.KindArray && t.Count() > 0 {
		t = t.At(rng.IntN(t.Count()))
	}
	name, _ := t.Str()
	switch {
	case name == "object" || name == "" && !s.Get("properties").IsAbsent():
		return o.object(rng, s, depth)
	case name == "array":
		var vals []canon.Value
		for i := range rng.IntN(4) {
			item := s.Get("prefixItems").At(i)
			if item.IsAbsent() {
				item = s.Get("items")
			}
			if c := s.Get("contains"); c.Kind() == canon.KindObject && rng.IntN(2) == 0 {
				item = c
			}
			vals = append(vals, o.guided(rng, item, depth+1))
		}
		return canon.Array(vals...)
	case name != "":
		for range 20 {
			v := o.pool.scalars[rng.IntN(len(o.pool.scalars))]
			if typeNames[name]&typeOf(v) != 0 {
				return v
			}
		}
	}
	return canon.Value{}
}

func (o *oracle) object(rng *rand.Rand, s canon.Value, depth int) canon.Value {
	required := s.Get("required").Text()
	var members []canon.Member
	for name, p := range s.Get("properties").Members() {
		if strings.Contains(required, canon.String(name).Text()) && rng.IntN(10) > 0 || rng.IntN(2) == 0 {
			members = append(members, canon.Member{Key: name, Value: o.guided(rng, p, depth+1)})
		}
	}
	if rng.IntN(4) == 0 {
		extra := s.Get("additionalProperties")
		members = append(members, canon.Member{Key: o.pool.names[rng.IntN(len(o.pool.names))], Value: o.guided(rng, extra, depth+1)})
	}
	for _, r := range s.Get("required").Elems() {
		if name, _ := r.Str(); s.Get("properties").Get(name).IsAbsent() && rng.IntN(4) > 0 {
			members = append(members, canon.Member{Key: name, Value: o.pool.instance(rng, 1)})
		}
	}
	return canon.Object(members...)
}
