package compat

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"flowdbg/trace/canon"
)

// The second opinion: another validator and plain search. It knows nothing of the differ's shapes; it tries instances, and
// one that the sender's schema allows and the receiver's refuses is a proof that the change breaks.
type oracle struct {
	sender, receiver *jsonschema.Schema
	// Where each side declares which names: a name that only the receiver declares at a place is not assumed to be in use
	// there (see the package comment).
	sent, taken declarations
	pool        *pool
	roots       [2]canon.Value
}

type noLoader struct{}

func (noLoader) Load(url string) (any, error) {
	return nil, fmt.Errorf("%s: nothing is loaded here", url)
}

func compileSchema(v canon.Value) (*jsonschema.Schema, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(v.Text())))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	if err := c.AddResource("mem:///schema.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("mem:///schema.json")
}

func newOracle(dir Direction, old, new canon.Value) (*oracle, error) {
	sender, receiver := old, new
	if dir == Results {
		sender, receiver = new, old
	}
	o := &oracle{sent: declarations{}, taken: declarations{}, pool: newPool(old, new), roots: [2]canon.Value{old, new}}
	var err error
	if o.sender, err = compileSchema(sender); err != nil {
		return nil, err
	}
	if o.receiver, err = compileSchema(receiver); err != nil {
		return nil, err
	}
	o.sent.collect(sender, sender, "", 0)
	o.taken.collect(receiver, receiver, "", 0)
	return o, nil
}

// declarations holds "place\x00name" for names under properties. A place is a path of member names, "*" for the elements of
// an array and "%" for members without a declaration.
type declarations map[string]bool

const deepest = 5

func (d declarations) collect(root, s canon.Value, place string, depth int) {
	if s.Kind() != canon.KindObject || depth > 4*deepest || strings.Count(place, "/") > deepest {
		return
	}
	if ref, ok := s.Get("$ref").Str(); ok && strings.HasPrefix(ref, "#") {
		if target, err := root.Pointer(ref[1:]); err == nil {
			d.collect(root, target, place, depth+1)
		}
	}
	for k, m := range s.Members() {
		switch k {
		case "properties":
			for name, p := range m.Members() {
				if p != canon.False {
					d[place+"\x00"+name] = true
				}
				d.collect(root, p, place+"/"+name, depth+1)
			}
		case "patternProperties":
			for _, p := range m.Members() {
				d.collect(root, p, place+"/%", depth+1)
			}
		case "additionalProperties", "unevaluatedProperties":
			d.collect(root, m, place+"/%", depth+1)
		case "items", "contains", "unevaluatedItems":
			d.collect(root, m, place+"/*", depth+1)
		case "prefixItems":
			for _, p := range m.Elems() {
				d.collect(root, p, place+"/*", depth+1)
			}
		case "anyOf", "oneOf", "allOf":
			for _, p := range m.Elems() {
				d.collect(root, p, place, depth+1)
			}
		case "dependentSchemas":
			for _, p := range m.Members() {
				d.collect(root, p, place, depth+1)
			}
		case "if", "then", "else":
			d.collect(root, m, place, depth+1)
		}
	}
}

func (d declarations) at(places []string, name string) bool {
	for _, p := range places {
		if d[p+"\x00"+name] {
			return true
		}
	}
	return false
}

func accepts(s *jsonschema.Schema, v canon.Value) bool {
	inst, err := jsonschema.UnmarshalJSON(strings.NewReader(v.Text()))
	return err == nil && s.Validate(inst) == nil
}

// breaks says that the instance is a counterexample.
func (o *oracle) breaks(v canon.Value) bool {
	return accepts(o.sender, v) && !accepts(o.receiver, v) && !o.usesNewName(v, []string{""})
}

func (o *oracle) usesNewName(v canon.Value, places []string) bool {
	below := func(segments ...string) []string {
		var out []string
		for _, p := range places {
			for _, s := range segments {
				out = append(out, p+"/"+s)
			}
		}
		return out
	}
	for _, e := range v.Elems() {
		if o.usesNewName(e, below("*")) {
			return true
		}
	}
	for k, m := range v.Members() {
		if o.taken.at(places, k) && !o.sent.at(places, k) || o.usesNewName(m, below(k, "%")) {
			return true
		}
	}
	return false
}

// search tries n instances.
func (o *oracle) search(rng *rand.Rand, n int) (canon.Value, bool) {
	for i := range n {
		v := o.pool.instance(rng, i%4)
		if i%2 == 0 {
			v = o.guided(rng, o.roots[i/2%2], 0)
		}
		if o.breaks(v) {
			return v, true
		}
	}
	return canon.Value{}, false
}

// pool holds what instances are made of: scalars around the limits that the schemas name, and member names.
type pool struct {
	scalars []canon.Value
	names   []string
}

func newPool(schemas ...canon.Value) *pool {
	p := &pool{}
	for _, text := range []string{`null`, `true`, `false`, `0`, `1`, `2`, `-1`, `0.5`, `7`, `""`, `"a"`, `"ab"`, `"abcdef"`, `"x"`, `"x-1"`} {
		p.scalars = append(p.scalars, canon.Raw(text))
	}
	names := map[string]bool{"zz": true, "x-z": true}
	for _, s := range schemas {
		p.harvest(s, names)
	}
	p.names = sortedKeys(names)
	return p
}

func (p *pool) harvest(v canon.Value, names map[string]bool) {
	for k, m := range v.Members() {
		switch k {
		case "properties", "dependentRequired", "dependentSchemas":
			for name := range m.Members() {
				names[name] = true
			}
		case "required":
			for _, n := range m.Elems() {
				if name, ok := n.Str(); ok {
					names[name] = true
				}
			}
		case "enum":
			p.scalars = append(p.scalars, elems(m)...)
		case "const":
			p.scalars = append(p.scalars, m)
		}
		if f, ok := m.Float(); ok {
			for _, d := range []float64{-1, -0.5, 0, 0.5, 1} {
				if n, err := canon.Float(f + d); err == nil {
					p.scalars = append(p.scalars, n)
				}
			}
		}
		p.harvest(m, names)
	}
	for _, e := range v.Elems() {
		p.harvest(e, names)
	}
}

func (p *pool) instance(rng *rand.Rand, depth int) canon.Value {
	kind := rng.IntN(10)
	if depth == 0 || kind < 3 {
		return p.scalars[rng.IntN(len(p.scalars))]
	}
	if kind < 5 {
		var vals []canon.Value
		for range rng.IntN(4) {
			vals = append(vals, p.instance(rng, depth-1))
		}
		return canon.Array(vals...)
	}
	var members []canon.Member
	for range rng.IntN(5) {
		members = append(members, canon.Member{Key: p.names[rng.IntN(len(p.names))], Value: p.instance(rng, depth-1)})
	}
	return canon.Object(members...)
}

// agree fails the test when the oracle finds a counterexample to an answer without breaks.
func agree(tb testing.TB, dir Direction, old, new canon.Value, seed uint64, tries int) (level Level, decided bool) {
	tb.Helper()
	o, err := newOracle(dir, old, new)
	if err != nil {
		return LevelNone, false
	}
	found := Diff(dir, old, new)
	rng := rand.New(rand.NewPCG(seed, 1))
	v, broken := o.search(rng, tries)
	if broken && Worst(found) < LevelBreak {
		tb.Errorf("%s: the sender may send %s, which the receiver refuses, and the answer is %s\nold %s\nnew %s\n%v",
			dir, v, Worst(found), old, new, found)
	}
	return Worst(found), broken == (Worst(found) == LevelBreak)
}
