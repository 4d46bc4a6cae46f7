package app

import (
	"os"
	"strings"
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
	return scriptedAs(t, sumScript, "[1,2,3]", w, h)
}

// scriptedAs is scripted with another script and another first payload.
func scriptedAs(t *testing.T, text, payload string, w, h int) *driver {
	t.Helper()
	flow := `{"version":1,"id":"sums","agents":[{"id":"adder","kind":"script","config":{"script":"sum.star"}}],"edges":[],
		"input":{"to":"adder","tag":"numbers","payload":` + payload + `}}`
	mc, diags := engine.Parse("flow.json", []byte(flow), script.Registry(script.Options{Read: func(name string) ([]byte, error) {
		if name != "sum.star" {
			return nil, os.ErrNotExist
		}
		return []byte(text), nil
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

// TestSourceValues: variables are a tree, a long value is read in full, and so is a long line of the source.
func TestSourceValues(t *testing.T) {
	long := strings.Repeat("word ", 60) + "THE END"
	script := "def act(msg, state, config):\n    deep = msg.payload[\"a\"]\n    text = msg.payload[\"long\"]\n" +
		"    line = [" + strings.Repeat("1, ", 60) + "77777]\n    return result(state = text)\n"
	for _, size := range [][2]int{{150, 40}, {80, 24}, {60, 20}, {50, 16}} {
		d := scriptedAs(t, script, `{"a":{"b":[1,{"c":"inside"}]},"long":"`+long+`"}`, size[0], size[1]).do(keymap.Source)
		d.do(keymap.Step, keymap.Step, keymap.Step).hasNot("77777")
		for range 20 {
			d.do(keymap.Wider)
		}
		d.has("77777", "from column")
		for range 20 {
			d.do(keymap.Narrower)
		}
		d.has("def act(msg").hasNot("from column")
		d.do(keymap.NextPane).has("deep", "Enter opens").press("home").do(keymap.Open, keymap.Down).has("b [2]")
		for range 200 {
			if ptr, _, _, _ := d.m.over.(*sourcePanel).vars.tree.Selected(); ptr == "/text" {
				break
			}
			d.do(keymap.Down)
		}
		d.hasNot("THE END").press("enter").has("text, ", "THE END", "Esc goes back").do(keymap.Copy).has("copied text")
		d.press("esc").hasNot("THE END").do(keymap.StepBack).has("statement 2 of").do(keymap.NextPane).has("def act(msg").press("esc")
		if d.m.over != nil {
			t.Fatal("Esc does not close the source")
		}
	}
	d := scripted(t, 150, 40).do(keymap.Source, keymap.NextPane, keymap.Continue).has("the call returned", "sum").press("esc")
	if d.m.over != nil {
		t.Fatal("Esc does not close the variables")
	}
}
