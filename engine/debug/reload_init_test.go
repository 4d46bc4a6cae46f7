package debug

import (
	"fmt"
	"testing"

	"flowdbg/engine"
	"flowdbg/trace"
)

func askerMachine(t *testing.T, start int) *engine.Machine {
	t.Helper()
	m, diags := engine.Parse("flow.json", fmt.Appendf(nil, `{"version":1,"id":"f","agents":[{"id":"a","kind":"echo"},{"id":"b","kind":"asker","config":{"start":%d}}],
"edges":[],"input":{"to":"a","tag":"go","payload":1}}`, start), propertyKinds(), false)
	if m == nil {
		t.Fatal(diags)
	}
	return m
}

// A reload that changes a first state stops there, though the agent never runs and no other event differs.
func TestReloadOfAnotherFirstState(t *testing.T) {
	recorded := func() *trace.Trace {
		s, err := New(Options{Machine: askerMachine(t, 1)})
		if err != nil {
			t.Fatal(err)
		}
		return &trace.Trace{Events: toEnd(t, s)}
	}
	for name, tr := range map[string]*trace.Trace{"live": nil, "replay": recorded()} {
		for _, c := range []struct {
			start int
			path  string
			got   string
		}{{2, "/state/n", "2"}, {-1, "", ""}, {1, "none", ""}} {
			t.Run(fmt.Sprint(name, c.start), func(t *testing.T) {
				s, err := New(Options{Machine: askerMachine(t, 1), Trace: tr})
				if err != nil {
					t.Fatal(err)
				}
				toEnd(t, s)
				res := s.Reload(ctx, askerMachine(t, c.start), nil, nil)
				if c.path == "none" {
					if res.Difference != nil {
						t.Fatal(res.Difference)
					}
					return
				}
				if d := res.Difference; d == nil || d.Index != 0 || d.Path != c.path || d.Got.Text() != c.got || d.Verdict != engine.EventDiffers {
					t.Fatalf("%v", res.Difference)
				}
				if want, _ := s.Fold().Agent("b"); c.start == 2 && want.State.Text() != `{"n":2}` {
					t.Fatalf("the new first state is not in force: %s", want.State)
				}
			})
		}
	}
}
