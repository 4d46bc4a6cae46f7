package debug

import (
	"strings"
	"testing"
)

// What is not there is marked, with the reason and what was probably meant.
func TestUnbound(t *testing.T) {
	for spec, want := range map[string]string{
		"agent addr":             `there is no agent "addr" (did you mean "adder"?)`,
		"changed plian /x":       `there is no agent "plian" (did you mean "plain"?)`,
		"port adder.again":       "",
		"port adder.agian":       `the flow knows no port "agian" of adder (did you mean "again"?)`,
		"port plain.out":         "",
		"port nobody.out":        `there is no agent "nobody"`,
		"edge adder.again>adder": "",
		"edge adder.again>plain": `the flow has no edge "adder.again>plain" (did you mean "adder.again>adder"?)`,
		"edge adder>adder":       `"adder>adder" is no edge`,
		"op llm":                 "",
		"op lml":                 `nothing answers the op "lml" here (did you mean "llm"?)`,
		"line sum.star:5":        "",
		"line sum.star:99":       "sum.star has 17 lines",
		"line smu.star:5":        `no agent runs a script "smu.star" (did you mean "sum.star"?)`,
		"tag nobody-knows":       "",
	} {
		s := openSums(t)
		b, err := ParseBreakpoint(spec)
		if err != nil {
			t.Fatal(err)
		}
		set := mustBreak(t, s, b)
		if set.Unbound != (want != "") || !strings.HasPrefix(set.Why, want) {
			t.Errorf("%s: %q, expected %q", spec, set.Why, want)
		}
	}
	for line, at := range map[int]int{1: 2, 4: 5, 5: 5, 8: 9, 17: 17} {
		if set := mustBreak(t, openSums(t), Breakpoint{Kind: BreakLine, Name: "sum.star", Line: line}); set.At() != at || (set.Place() == "") != (line == at) {
			t.Errorf("line %d stops at %d: %q", line, set.At(), set.Place())
		}
	}
}

// A condition that can be told nowhere is told at the end of the search, once among the problems, and in the list.
func TestConditionTroubles(t *testing.T) {
	for spec, want := range map[string]string{
		`when state["x"] > 3`:                 `NoneType > int not implemented; there is no state.x here`,
		`tag numbers when payload.deep.x > 3`: "payload.deep",
	} {
		s := openSums(t)
		b, err := ParseBreakpoint(spec)
		if err != nil {
			t.Fatal(err)
		}
		set := mustBreak(t, s, b)
		for range 2 {
			stop := s.Continue().Run(ctx)
			if stop.Reason != StopEnd || !strings.Contains(stop.Message, "could be told at none of") || !strings.Contains(stop.Message, want) {
				t.Errorf("%s: %s", spec, stop.Text())
			}
			stop = s.ReverseContinue().Run(ctx)
			if !strings.Contains(stop.Message, want) {
				t.Errorf("%s, in reverse: %s", spec, stop.Text())
			}
		}
		n := 0
		for _, p := range s.Problems() {
			if p.Source == "breakpoint" && strings.Contains(p.Text, want) {
				n++
			}
		}
		if n != 1 || !strings.Contains(set.Doubt(), want) || set.Trouble.Asked > s.Len() {
			t.Errorf("%s: %d problems, %q, %+v", spec, n, set.Doubt(), set.Trouble)
		}
	}
	s := openSums(t)
	set := mustBreak(t, s, Breakpoint{Kind: BreakWhen, When: `payload[0] == 3 and payload.missing == None`})
	if stop := s.Continue().Run(ctx); stop.Reason != StopBreak || set.Doubt() != "" {
		t.Errorf("a condition that only stumbles at events without a payload: %s %q", stop.Text(), set.Doubt())
	}
	set = mustBreak(t, s, Breakpoint{Kind: BreakWhen, When: `payload[0] + "x" == 3`})
	s.Restart()
	if stop := s.Continue().Run(ctx); stop.Reason != StopBreak || !strings.Contains(stop.Message, "int + string") {
		t.Errorf("a type error stops and says so: %s, %q", stop.Text(), set.Doubt())
	}
}

// A breakpoint tells a value with each hit; one that only logs, among the problems.
func TestBreakpointPrints(t *testing.T) {
	s := openSums(t)
	for _, spec := range []string{"tag numbers log print payload[0]", "line sum.star:5 log print [a, b]"} {
		b, err := ParseBreakpoint(spec)
		if err != nil {
			t.Fatal(err)
		}
		mustBreak(t, s, b)
	}
	data, err := s.SaveBreaks()
	if err != nil {
		t.Fatal(err)
	}
	again := openSums(t)
	if err := again.RestoreBreaks(data); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*Session{s, again} {
		s.Continue().Run(ctx)
		var log []string
		for _, p := range s.Problems() {
			_, value, _ := strings.Cut(p.Text, " = ")
			log = append(log, value)
		}
		if got := strings.Join(log, " "); got != "1 [0,1] 2 [6,2] 3 [11,3]" {
			t.Errorf("%s: %v", got, s.Problems())
		}
	}
	s = openSums(t)
	mustBreak(t, s, Breakpoint{Kind: BreakTag, Name: "numbers", Print: "payload + 1"})
	if stop := s.Continue().Run(ctx); !strings.Contains(stop.Message, "payload + 1: expression") {
		t.Errorf("what cannot be told is told so: %s", stop.Text())
	}
	if _, err := s.Break(Breakpoint{Kind: BreakTag, Name: "numbers", Print: "("}); err == nil {
		t.Error("an expression that cannot be read is taken")
	}
}
