package debug

import (
	"fmt"
	"slices"
	"testing"
)

// An op breakpoint holds only the hits that it stops at, and a held effect is not stopped at again.
func TestHeldHits(t *testing.T) {
	for spec, want := range map[string][]string{
		"op llm":                    {"held 2", "held 4", "held 6"},
		"op llm from 2":             {"held 4", "held 6"},
		"op llm from 4":             nil,
		"op llm once":               {"held 2"},
		"op llm per agent from 2":   nil,
		"op search":                 {"held 1"},
		"op llm when agent != None": {"step 2", "step 4", "step 6"}, // a condition is about the answer: nothing is held
	} {
		t.Run(spec, func(t *testing.T) {
			s := open(t, seedFlow(t), nil)
			b := Breakpoint{Kind: BreakOp, Name: "llm"}
			switch spec {
			case "op llm from 2":
				b.From = 2
			case "op llm from 4":
				b.From = 4
			case "op llm once":
				b.Once = true
			case "op llm per agent from 2":
				b.From, b.PerAgent = 2, true
			case "op search":
				b.Name = "search"
			case "op llm when agent != None":
				b.When = "agent != None"
			}
			mustBreak(t, s, b)
			var got []string
			for range 20 {
				stop := s.Continue().Run(ctx)
				if stop.Reason == StopEnd {
					break
				}
				if p := s.Pending(); p != nil {
					got = append(got, fmt.Sprintf("held %d", p.Step))
					if err := s.SendPending(); err != nil {
						t.Fatal(err)
					}
					s.Step(ctx) // over the effect's event, which the breakpoint names too
					continue
				}
				got = append(got, fmt.Sprintf("step %d", stop.Step))
			}
			if !slices.Equal(got, want) {
				t.Errorf("%v, expected %v", got, want)
			}
		})
	}
}
