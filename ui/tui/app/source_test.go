package app

import (
	"os"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior/script"
	"flowdbg/engine/debug"
	"flowdbg/ui/tui/keymap"
)

const sumScript = `def add(a, b):
	return a + b

def act(msg, state, config):
    total = 0
    for n in msg.payload:
        total = add(total, n)
    return result(state = {"sum": total}, send = [send("out", "sum", total)])
`

// scripted opens a live session on a flow with one script.
func scripted(t *testing.T, w, h int) *driver {
	t.Helper()
	const flow = `{"version":1,"id":"sums","agents":[{"id":"adder","kind":"script","config":{"script":"sum.star"}}],"edges":[],
		"input":{"to":"adder","tag":"numbers","payload":[1,2,3]}}`
	mc, diags := engine.Parse("flow.json", []byte(flow), script.Registry(script.Options{Read: func(name string) ([]byte, error) {
		if name != "sum.star" {
			return nil, os.ErrNotExist
		}
		return []byte(sumScript), nil
	}}), false)
	if mc == nil {
		t.Fatal(diags)
	}
	s, err := debug.New(debug.Options{Machine: mc})
	if err != nil {
		t.Fatal(err)
	}
	return start(t, Config{Session: s, FlowName: "flow.json"}, w, h)
}

// TestSource walks through a call, both ways, and sets a breakpoint on a line; the run does not move.
func TestSource(t *testing.T) {
	d := scripted(t, 120, 30).do(keymap.Source).has("sum.star · adder, step 1", "statement 0 of", "in act", "variables")
	p := d.m.over.(*sourcePanel)
	line := func() int { st, _ := p.src.Statement(); return st.Line }
	at := line()
	d.do(keymap.Step, keymap.Step)
	if line() == at || line() != 7 {
		t.Fatalf("two steps lead from line %d to %d", at, line())
	}
	d.do(keymap.NextEvent).has("in add").do(keymap.Close).has("in act").do(keymap.Step).has("*total")
	forward := p.src.At()
	d.do(keymap.StepBack, keymap.Step)
	if p.src.At() != forward {
		t.Fatalf("back and over leads from statement %d to %d", forward, p.src.At())
	}
	d.do(keymap.Restart).press("end").press("k").do(keymap.BreakHere).has("breakpoint #1 line sum.star:7")
	d.do(keymap.Restart, keymap.Continue).has("breakpoint #1")
	if line() != 7 {
		t.Fatalf("it stopped in line %d", line())
	}
	d.do(keymap.BreakHere).has("removed the breakpoint on line 7").do(keymap.Continue).has("the call returned", `state {"sum":6}`, "send out sum 6")
	if d.m.s.Pos() != 0 || d.m.s.Len() != 0 {
		t.Fatalf("walking moved the run to %d of %d", d.m.s.Pos(), d.m.s.Len())
	}
	d.press("esc").do(keymap.Continue, keymap.Source).has("sum.star · adder, step 1")
	if why := open(t, 80, 24).m.why(keymap.Source); why != "the flow runs no script" {
		t.Errorf("a flow without scripts: %q", why)
	}
}
