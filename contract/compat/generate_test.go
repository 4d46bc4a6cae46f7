package compat

import (
	"math/rand/v2"
	"testing"

	"flowdbg/trace/canon"
)

// maker makes small schemas: names on each level are its own, so that "newly declared" needs no places.
type maker struct{ rng *rand.Rand }

func newMaker(seed uint64) maker { return maker{rand.New(rand.NewPCG(seed, 7))} }

func (m maker) pick(options ...string) string { return options[m.rng.IntN(len(options))] }

func obj(members ...any) canon.Value {
	var out []canon.Member
	for i := 0; i < len(members); i += 2 {
		v, err := canon.FromGo(members[i+1])
		if err != nil {
			panic(err)
		}
		out = append(out, canon.Member{Key: members[i].(string), Value: v})
	}
	return canon.Object(out...)
}

var levelsOfNames = [][]string{{"a", "b", "c"}, {"d", "e"}, {"f"}, {"g"}}

func (m maker) schema(level int) canon.Value {
	n := m.rng.IntN(20)
	switch {
	case n == 0:
		return canon.True
	case n == 1 && level > 0:
		return canon.False
	case n < 4 && level < 3:
		return m.compose(level)
	case n < 10 && level < 3:
		return m.object(level)
	case n < 12 && level < 3:
		return m.array(level)
	case n == 12 && level > 0:
		return obj("$ref", m.pick("#/$defs/D", "#/$defs/R"))
	}
	return m.scalar()
}

func (m maker) scalar() canon.Value {
	switch m.rng.IntN(8) {
	case 0:
		return obj("type", m.pick("string", "integer", "number", "boolean", "null"))
	case 1:
		return obj("type", []string{m.pick("string", "integer"), m.pick("null", "boolean")})
	case 2:
		return obj("type", "integer", m.pick("minimum", "exclusiveMinimum"), m.rng.IntN(3), m.pick("maximum", "exclusiveMaximum"), 1+m.rng.IntN(3))
	case 3:
		return obj("type", m.pick("number", "integer"), m.pick("minimum", "maximum", "multipleOf"), []float64{0.5, 1, 2}[m.rng.IntN(3)])
	case 4:
		return obj("enum", [][]any{{1, 2}, {"a", "b"}, {"a"}, {1, "a", nil}, {true}}[m.rng.IntN(5)])
	case 5:
		return obj("const", []any{1, "a", "b", nil, true}[m.rng.IntN(5)])
	case 6:
		return obj("type", "string", m.pick("minLength", "maxLength"), m.rng.IntN(3))
	}
	return obj("type", "string", "pattern", m.pick("^a", "^x-", "b$"))
}

func (m maker) object(level int) canon.Value {
	names := levelsOfNames[level]
	var props, extra []canon.Member
	var required []string
	for _, n := range names {
		if m.rng.IntN(3) > 0 {
			props = append(props, canon.Member{Key: n, Value: m.schema(level + 1)})
		}
		if m.rng.IntN(4) == 0 {
			required = append(required, n)
		}
	}
	set := func(k string, v any) { extra = append(extra, canon.Member{Key: k, Value: obj("v", v).Get("v")}) }
	if m.rng.IntN(2) == 0 {
		set("type", "object")
	}
	if len(required) > 0 {
		set("required", required)
	}
	switch m.rng.IntN(9) {
	case 0, 1:
		set("additionalProperties", false)
	case 2:
		set("additionalProperties", m.schema(level+1))
	case 3:
		set("patternProperties", obj("^x-", m.schema(level+1)))
	case 4:
		set("propertyNames", obj(m.pick("minLength", "maxLength"), 1))
	case 5:
		set(m.pick("minProperties", "maxProperties"), 1)
	case 6:
		set("dependentRequired", obj(names[0], []string{names[len(names)-1]}))
	case 7:
		set(m.pick("unevaluatedProperties"), false)
	}
	return canon.Object(append(extra, canon.Member{Key: "properties", Value: canon.Object(props...)})...)
}

func (m maker) array(level int) canon.Value {
	s := []canon.Member{{Key: "type", Value: canon.String("array")}}
	set := func(k string, v any) { s = append(s, canon.Member{Key: k, Value: obj("v", v).Get("v")}) }
	if m.rng.IntN(3) > 0 {
		set("items", m.schema(level+1))
	}
	switch m.rng.IntN(6) {
	case 0:
		set("prefixItems", []canon.Value{m.schema(level + 1), m.schema(level + 1)})
	case 1:
		set(m.pick("minItems", "maxItems"), m.rng.IntN(3))
	case 2:
		set("uniqueItems", true)
	case 3:
		set("contains", m.scalar())
		if m.rng.IntN(2) == 0 {
			set(m.pick("minContains", "maxContains"), m.rng.IntN(3))
		}
	case 4:
		set("unevaluatedItems", m.schema(level+1))
	}
	return canon.Object(s...)
}

func (m maker) compose(level int) canon.Value {
	one := func() canon.Value { return m.schema(level) }
	switch m.rng.IntN(8) {
	case 0, 1:
		return obj("anyOf", []canon.Value{one(), one()})
	case 2, 3:
		return obj("oneOf", []canon.Value{one(), one()})
	case 4:
		return obj("allOf", []canon.Value{one(), one()})
	case 5:
		return obj("not", one())
	case 6:
		return obj("if", one(), m.pick("then", "else"), one())
	}
	o := m.object(level)
	return canon.Object(canon.Member{Key: "anyOf", Value: canon.Array(one(), one())}, canon.Member{Key: "properties", Value: o.Get("properties")},
		canon.Member{Key: m.pick("unevaluatedProperties", "additionalProperties"), Value: canon.False})
}

// root adds the definitions that references point at; R is recursive.
func (m maker) root() canon.Value {
	if m.rng.IntN(6) == 0 {
		return m.mutual()
	}
	s := m.schema(0)
	if s.Kind() != canon.KindObject {
		return s
	}
	defs := obj("D", m.scalar(), "R", obj("type", "object", "properties", obj("r", obj("$ref", "#/$defs/R"), "v", m.scalar())))
	members := []canon.Member{{Key: "$defs", Value: defs}}
	for k, v := range s.Members() {
		members = append(members, canon.Member{Key: k, Value: v})
	}
	return canon.Object(members...)
}

// mutual makes definitions that refer to each other, some through arrays and alternatives.
func (m maker) mutual() canon.Value {
	ref := func() canon.Value {
		r := obj("$ref", m.pick("#/$defs/A", "#/$defs/B", "#/$defs/C"))
		switch m.rng.IntN(4) {
		case 0:
			return obj("type", "array", "items", r)
		case 1:
			return obj("anyOf", []canon.Value{r, m.scalar()})
		}
		return r
	}
	var defs []canon.Member
	for _, name := range []string{"A", "B", "C"} {
		d := obj("type", "object", "properties", obj("r", ref(), "s", ref(), "v", m.scalar()))
		if m.rng.IntN(3) == 0 {
			d = canon.Object(append(membersOf(d), canon.Member{Key: "required", Value: canon.Array(canon.String("v"))})...)
		}
		defs = append(defs, canon.Member{Key: name, Value: d})
	}
	return obj("$defs", canon.Object(defs...), "$ref", "#/$defs/A")
}

// mutate changes one place of a schema.
func (m maker) mutate(v canon.Value, level int) canon.Value {
	if v.Count() == 0 || m.rng.IntN(4) == 0 {
		return m.schema(min(level, 3))
	}
	at := m.rng.IntN(v.Count())
	var members []canon.Member
	i := 0
	for k, c := range v.Members() {
		if i == at {
			c = m.mutateMember(k, c, level)
		}
		i++
		members = append(members, canon.Member{Key: k, Value: c})
	}
	return canon.Object(members...)
}

func (m maker) mutateMember(k string, c canon.Value, level int) canon.Value {
	switch k {
	case "properties", "$defs", "patternProperties":
		var out []canon.Member
		at := m.rng.IntN(c.Count() + 1)
		i := 0
		for name, p := range c.Members() {
			if i == at {
				if m.rng.IntN(3) == 0 && k == "properties" {
					i++
					continue
				}
				p = m.mutate(p, level+1)
			}
			i++
			out = append(out, canon.Member{Key: name, Value: p})
		}
		return canon.Object(out...)
	case "items", "additionalProperties", "unevaluatedProperties", "contains":
		return m.mutate(c, level+1)
	case "not", "if", "then", "else":
		return m.mutate(c, level)
	case "anyOf", "oneOf", "allOf", "prefixItems":
		vals := elems(c)
		i := m.rng.IntN(len(vals))
		if m.rng.IntN(3) == 0 && len(vals) > 1 {
			vals = append(vals[:i], vals[i+1:]...)
		} else {
			vals[i] = m.mutate(vals[i], level)
		}
		return canon.Array(vals...)
	}
	if f, ok := c.Int(); ok {
		return canon.Int(max(0, f+int64(m.rng.IntN(3))-1))
	}
	return c
}

// pairs makes a schema and what became of it.
func (m maker) pair() (old, new canon.Value) {
	old = m.root()
	if m.rng.IntN(6) == 0 {
		return old, m.root()
	}
	new = m.mutate(old, 0)
	if m.rng.IntN(3) == 0 {
		new = m.mutate(new, 0)
	}
	return old, new
}

// TestOracleAgreement compares answers about random changes with the second opinion: a counterexample must be a break.
func TestOracleAgreement(t *testing.T) {
	pairs := 700
	if testing.Short() {
		pairs = 300
	}
	decided, total := 0, 0
	for seed := range pairs {
		m := newMaker(uint64(seed))
		old, new := m.pair()
		for _, dir := range []Direction{Arguments, Results} {
			if _, same := agree(t, dir, old, new, uint64(seed), 150); same {
				decided++
			}
			total++
		}
		if t.Failed() {
			t.Fatalf("at seed %d", seed)
		}
	}
	t.Logf("%d of %d answers agree; the rest are breaks for which no counterexample was met", decided, total)
	if decided*2 < total {
		t.Errorf("only %d of %d agree: the proof has become too timid", decided, total)
	}
}
