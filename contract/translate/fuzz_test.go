package translate

import (
	"errors"
	"testing"
)

// FuzzRuleLoader: any text is loaded or refused with a reason; what is loaded is refused by nobody later, and its hash and
// its lists can be read.
func FuzzRuleLoader(f *testing.F) {
	f.Add([]byte(everyForm))
	f.Add([]byte(unwrapOutput))
	f.Add([]byte(chainRules(1, 2, 3)))
	f.Add([]byte(`{"rules":1,"steps":[{"from":1,"to":3,"tool":"*","input":[{"op":"copy"}]}]}`))
	f.Add([]byte(`{"rules":1,"steps":[{"from":1e0,"to":2.0,"unchanged":["a","a"]}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		rs, err := Load([]Source{{Name: "f", Data: data}}, nil)
		if err != nil {
			var bad RuleErrors
			if !errors.As(err, &bad) || len(bad) == 0 || bad[0].Text == "" {
				t.Fatalf("a refusal without a reason: %v", err)
			}
			return
		}
		again, err := Load([]Source{{Name: "g", Data: data}}, nil)
		if err != nil || again.Hash() != rs.Hash() {
			t.Fatalf("loading twice differs: %v", err)
		}
		for _, s := range rs.Steps() {
			if s.To != s.From+1 || s.Tool == "" {
				t.Fatalf("step %+v", s)
			}
			for _, side := range []Side{Input, Output} {
				if back, err := ParseOps(opsAsWritten(s.Ops(side))); err != nil || join(back) != join(s.Ops(side)) {
					t.Fatalf("%v: %v", s.Ops(side), err)
				}
			}
		}
	})
}

// opsAsWritten spells a list as a rule file would.
func opsAsWritten(ops Ops) []byte {
	list := &node{kind: kindArray, off: -1}
	for _, o := range ops {
		n := objectNode(newMember("op", stringNode(o.kind)))
		switch o.kind {
		case OpRename:
			n.set("path", stringNode(o.path.text))
			n.set("to", stringNode(escaper.Replace(o.to.last())))
		case OpMove:
			n.set("from", stringNode(o.path.text))
			n.set("to", stringNode(o.to.text))
		case OpDefault:
			n.set("path", stringNode(o.path.text))
			n.set("value", o.value)
		default:
			n.set("path", stringNode(o.path.text))
			if o.value != nil {
				n.set("restore", o.value)
			}
		}
		list.elems = append(list.elems, n)
	}
	return list.append(nil)
}

// FuzzTranslate: any list on any document either fails aloud or yields JSON, and the input stays as it was; the same text
// taken as a schema goes through the dry run.
func FuzzTranslate(f *testing.F) {
	f.Add([]byte(`[{"op":"rename","path":"/a","to":"b"}]`), []byte(`{"a":1.50}`), true, true)
	f.Add([]byte(`[{"op":"move","from":"/c/*/x","to":"/c/*/p/x"},{"op":"drop","path":"/k","restore":null}]`), []byte(`{"c":[{"x":1},null],"k":0}`), true, false)
	f.Add([]byte(`[{"op":"default","path":"/n","value":1}]`), []byte(`{"n":10e-1}`), false, true)
	f.Add([]byte(`[{"op":"move","from":"/d/t","to":"/d"}]`), []byte(`{"d":{"t":{"t":1}}}`), true, true)
	f.Add([]byte(`[{"op":"default","path":"/n","value":1e-9999999}]`), []byte(`{"n":0.1e-9999998}`), false, true)
	f.Fuzz(func(t *testing.T, opsText, doc []byte, up, input bool) {
		ops, err := ParseOps(opsText)
		if err != nil {
			return
		}
		side := Output
		if input {
			side = Input
		}
		before := string(doc)
		out, notes, err := Apply(ops, Direction(up), side, doc)
		if string(doc) != before {
			t.Fatal("the input was modified")
		}
		if err != nil {
			if out != nil || notes != nil {
				t.Fatal("a result beside the error")
			}
			return
		}
		if _, err := parseTree(out); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
		schema, _ := ApplyToSchema(ops, side, doc)
		if schema != nil {
			if _, err := parseTree(schema); err != nil {
				t.Fatalf("schema %s: %v", schema, err)
			}
		}
	})
}
