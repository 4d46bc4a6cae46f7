package debug

import (
	"strings"
	"testing"
)

func TestPrint(t *testing.T) {
	s := openSums(t)
	is := func(expr, want, place string) {
		t.Helper()
		p, err := s.Print(expr)
		if err != nil || p.Brief() != want || p.Place != place || p.Expr != expr {
			t.Errorf("%s: %+v, %v; expected %s at %s", expr, p, err, want, place)
		}
	}
	fails := func(expr, want string) {
		t.Helper()
		if p, err := s.Print(expr); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %+v, %v; expected %s", expr, p, err, want)
		}
	}
	s.Restart()
	is(`state_of("adder")`, `null`, "position 0")
	is(`[type, agent, payload, spent]`, `["",null,null,0]`, "position 0")
	s.Step(ctx)
	is(`state_of("adder").sum`, `6`, "position 4")
	is(`[tag, payload]`, `["numbers",[2,3]]`, "position 4")
	is(`{"n": payload}`, `{"n":[2,3]}`, "position 4")
	fails("", "write an expression")
	fails("x ==", "column")
	fails("c", "undefined: c")
	fails("[i for i in range(10000000)]", "too many steps")
	before := s.Hash()

	src, err := s.Source()
	if err != nil {
		t.Fatal(err)
	}
	src.Goto(4) // return c
	is("a + b", "1", "sum.star:6 in add")
	is("[c, state_of(\"adder\").sum]", "[1,6]", "sum.star:6 in add")
	fails("total", "undefined: total")
	src.Goto(5)
	is("[n, msg.payload]", "[2,[1,2,3]]", "sum.star:11 in act")
	is("msg", `{"from":null,"payload":[1,2,3],"sender":null,"tag":"numbers"}`, "sum.star:11 in act")
	is("state.update({\"sum\": 5}) or state", `{"sum":5}`, "sum.star:11 in act")
	is("state", `{"sum":0}`, "sum.star:11 in act")
	if p, err := s.Print("add"); err != nil || !p.Value.IsAbsent() || p.Text != "<function add>" {
		t.Errorf("%+v %v", p, err)
	}
	src.Goto(src.Len())
	is("tag", `"numbers"`, "position 4") // the call has returned
	src.Goto(4)
	s.Step(ctx)
	fails("a + b", "undefined")
	s.StepBack()
	if s.Hash() != before {
		t.Error("printing changed the run")
	}
}
