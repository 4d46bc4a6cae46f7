package compat

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"testing"

	"flowdbg/trace/canon"
)

// rowCase is one row of testdata/rows.json. Proof is an instance that the sender's schema allows and the receiver's
// refuses; breaks without one are breaks by rule (a field gone from a result, a keyword that cannot be compared).
type rowCase struct {
	ID, Dir, Want, Who, Rule, Why string
	Old, New, Proof               canon.Value
}

func readRows(tb testing.TB) []rowCase {
	tb.Helper()
	data, err := os.ReadFile("testdata/rows.json")
	if err != nil {
		tb.Fatal(err)
	}
	var rows []rowCase
	if err := json.Unmarshal(data, &rows); err != nil {
		tb.Fatal(err)
	}
	return rows
}

func (c rowCase) direction() Direction {
	if c.Dir == "out" {
		return Results
	}
	return Arguments
}

// TestRows holds every row against the differ and against the second opinion: proofs must be counterexamples there, and
// rows that break nobody must have none.
func TestRows(t *testing.T) {
	rows := readRows(t)
	if len(rows) < 40 {
		t.Fatalf("only %d rows", len(rows))
	}
	for _, c := range rows {
		t.Run(c.ID+" "+c.Dir, func(t *testing.T) {
			found := Diff(c.direction(), c.Old, c.New)
			if got := Worst(found); got.String() != c.Want {
				t.Errorf("worst is %s, want %s (%s)\n%+v", got, c.Want, c.Why, found)
			}
			if c.Rule != "" && !hasRule(found, c.Rule) {
				t.Errorf("no finding of rule %s in %+v", c.Rule, found)
			}
			for _, f := range found {
				if f.Level == Worst(found) && f.Who != c.Who {
					t.Errorf("%s breaks %q, want %q", f.Rule, f.Who, c.Who)
				}
			}
			c.secondOpinion(t)
		})
	}
}

func (c rowCase) secondOpinion(t *testing.T) {
	o, err := newOracle(c.direction(), c.Old, c.New)
	if err != nil {
		if c.Proof.IsAbsent() {
			return // a remote reference: the other validator cannot say anything
		}
		t.Fatal(err)
	}
	if !c.Proof.IsAbsent() {
		if !accepts(o.sender, c.Proof) || accepts(o.receiver, c.Proof) {
			t.Errorf("%s is no counterexample", c.Proof)
		}
		return
	}
	if c.Want == LevelBreak.String() {
		return
	}
	if v, broken := o.search(rand.New(rand.NewPCG(1, 2)), 1500); broken {
		t.Errorf("%s is a counterexample, and the row says %s", v, c.Want)
	}
}

func hasRule(found []Finding, rule string) bool {
	for _, f := range found {
		if f.Rule == rule {
			return true
		}
	}
	return false
}
