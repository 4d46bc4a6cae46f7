package translate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The translation laws, over documents valid in version n, without members that version n lacks and without empty objects.
// CI runs the default number of pairs; the long run is
//
//	go test ./contract/translate -run 'TestLaw' -rapid.checks=200000
//
// Known exceptions are left out of the generator and have cases in testdata/laws_exceptions.json.

// pair is one rule list and one document of the older version.
type pair struct {
	texts  []string // one operation each
	ops    Ops
	side   Side
	schema string
	doc    string
}

func genPair(t *rapid.T) pair {
	root := genObject(t, 2)
	p := pair{schema: objectSchema(root, false), doc: genDoc(t, root)}
	p.side = rapid.SampledFrom([]Side{Input, Output}).Draw(t, "side")
	for range rapid.IntRange(1, 6).Draw(t, "operations") {
		if op := genOp(t, &root); op != "" {
			p.texts = append(p.texts, op)
		}
	}
	ops, err := ParseOps([]byte("[" + strings.Join(p.texts, ",") + "]"))
	if err != nil {
		t.Fatalf("generator: %v in %v", err, p.texts)
	}
	p.ops = ops
	return p
}

func (p pair) up(t *rapid.T) (string, []Note, bool) {
	out, notes, err := Apply(p.ops, Up, p.side, []byte(p.doc))
	if err != nil {
		loud(t, err)
		return "", nil, false
	}
	return string(out), notes, true
}

// loud fails for an error that names no place and no reason.
func loud(t *rapid.T, err error) {
	if code, _ := errorCode(err); !slices.Contains([]string{ReasonTargetExists, ReasonPathType, ReasonNotRepresentable}, code) {
		t.Fatalf("a refusal without a reason: %v", err)
	}
}

func (p pair) down(t *rapid.T, doc string) (string, bool) {
	out, _, err := Apply(p.ops, Down, p.side, []byte(doc))
	if err != nil {
		loud(t, err)
		return "", false
	}
	return string(out), true
}

func TestLawRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genPair(t)
		upped, notes, ok := p.up(t)
		if !ok || !Lossless(notes) {
			return
		}
		back, ok := p.down(t, upped)
		if ok && !Equal([]byte(back), []byte(p.doc)) {
			t.Fatalf("%s\n%v\nup   %s\ndown %s", p.doc, p.texts, upped, back)
		}
	})
}

func TestLawLossyIsStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genPair(t)
		upped, _, ok := p.up(t)
		if !ok {
			return
		}
		back, downNotes, err := Apply(p.ops, Down, p.side, []byte(upped))
		if err != nil {
			loud(t, err)
			return
		}
		// an empty object that a drop left behind: moved into, which the note says, or outside the terms of the laws
		if !Lossless(downNotes) || strings.Contains(string(back), "{}") {
			return
		}
		again, _, err := Apply(p.ops, Up, p.side, back)
		if err != nil {
			loud(t, err)
			return
		}
		if !Equal(again, []byte(upped)) {
			t.Fatalf("%s\n%v\nup    %s\ndown  %s\nagain %s", p.doc, p.texts, upped, back, again)
		}
	})
}

func TestLawChainIsComposition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genPair(t)
		cut := rapid.IntRange(0, len(p.texts)).Draw(t, "cut")
		rules := fmt.Sprintf(`{"rules":1,"steps":[{"from":1,"to":2,"tool":"t","%s":[%s]},{"from":2,"to":3,"tool":"t","%s":[%s]}]}`,
			p.side, strings.Join(p.texts[:cut], ","), p.side, strings.Join(p.texts[cut:], ","))
		rs, err := Load([]Source{{"r", []byte(rules)}}, nil)
		if err != nil {
			t.Fatal(err)
		}
		agent, native := 1, 3
		if p.side == Output {
			agent, native = 3, 1 // so that the result goes up
		}
		plan, err := rs.Plan(Question{Tool: "t", Agent: agent, Native: []int{native}})
		if err != nil {
			t.Fatal(err)
		}
		chained, chainNotes, chainErr := plan.Translate(p.side, []byte(p.doc))
		whole, notes, err := Apply(p.ops, Up, p.side, []byte(p.doc))
		if (chainErr == nil) != (err == nil) {
			t.Fatalf("chain: %v, whole: %v", chainErr, err)
		}
		if string(chained) != string(whole) || fmt.Sprint(chainNotes) != fmt.Sprint(notes) {
			t.Fatalf("%s\n%v cut at %d\nchain %s %v\nwhole %s %v", p.doc, p.texts, cut, chained, chainNotes, whole, notes)
		}
	})
}

func TestLawValidStaysValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genPair(t)
		schema, problems := ApplyToSchema(p.ops, p.side, []byte(p.schema))
		if slices.ContainsFunc(problems, func(x Problem) bool { return x.Fatal }) {
			return
		}
		upped, _, ok := p.up(t)
		if !ok || strings.Contains(upped, "{}") { // emptied by a drop: outside the terms
			return
		}
		if bad := invalid(t, string(schema), upped); bad != nil {
			t.Fatalf("%s\n%v\nup %s\nis not valid in %s: %v\n%v", p.doc, p.texts, upped, schema, bad, problems)
		}
		if p.side == Output {
			p.deliverable(t, string(schema), upped)
		}
	})
}

// deliverable takes members out of a result of the newer version; what the schema of the dry run still allows must come
// back as a valid result of the older version, or be refused aloud.
func (p pair) deliverable(t *rapid.T, schema, doc string) {
	root, err := parseTree([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	takeOut(t, root)
	thinner := string(root.append(nil))
	if strings.Contains(thinner, "{}") || invalid(t, schema, thinner) != nil {
		return
	}
	back, ok := p.down(t, thinner)
	if !ok || strings.Contains(back, "{}") {
		return
	}
	if bad := invalid(t, p.schema, back); bad != nil {
		t.Fatalf("%v\n%s fits %s\ndown %s\nis not valid in %s: %v", p.texts, thinner, schema, back, p.schema, bad)
	}
}

func takeOut(t *rapid.T, n *node) {
	for _, m := range slices.Clone(n.members) {
		if rapid.IntRange(0, 3).Draw(t, "take out") == 0 {
			n.remove(m.name)
			continue
		}
		takeOut(t, m.val)
	}
	for _, e := range n.elems {
		takeOut(t, e)
	}
}

func invalid(t *rapid.T, schema, doc string) []Invalid {
	s, err := parseTree([]byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	compiled, err := compileSchema(s)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	d, err := parseTree([]byte(doc))
	if err != nil {
		t.Fatal(err)
	}
	return check(compiled, d)
}

// TestGeneratorIsValid keeps the laws honest: documents fit their schema.
func TestGeneratorIsValid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := genPair(t)
		if bad := invalid(t, p.schema, p.doc); bad != nil {
			t.Fatalf("%s does not fit %s: %v", p.doc, p.schema, bad)
		}
	})
}
