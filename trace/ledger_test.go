package trace

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

func bounds(usd, tokens float64) *Budget {
	b := &Budget{}
	if usd >= 0 {
		b.USD = &usd
	}
	if tokens >= 0 {
		b.Tokens = &tokens
	}
	return b
}

// Exceeded iff strictly greater; usd in 1e-9 dollars, both sides rounded alike, and named first. −1 means no bound.
func TestBudgetExceeded(t *testing.T) {
	cases := map[string]struct {
		usd, tokens float64
		ledger      Ledger
		want        string
	}{
		"within":                        {0.1, 100, Ledger{InputTokens: 60, OutputTokens: 40, USD: 0.1}, ""},
		"usd":                           {0.1, -1, Ledger{USD: 0.12}, "usd 0.12 > 0.1"},
		"tokens":                        {-1, 10000, Ledger{InputTokens: 10000, OutputTokens: 200}, "tokens 10200 > 10000"},
		"tokens are input plus output":  {-1, 10, Ledger{InputTokens: 5, OutputTokens: 6}, "tokens 11 > 10"},
		"usd is named first":            {0.1, 1, Ledger{InputTokens: 2, USD: 0.2}, "usd 0.2 > 0.1"},
		"dust of float addition":        {0.3, -1, Ledger{USD: 0.1 + 0.2 + 1e-16}, ""},
		"less than half a nano-dollar":  {0.1, -1, Ledger{USD: 0.1 + 4e-10}, ""},
		"more than half a nano-dollar":  {0.1, -1, Ledger{USD: 0.1 + 6e-10}, "usd 0.1000000006 > 0.1"},
		"budget is rounded like ledger": {0.1 + 4e-10, -1, Ledger{USD: 0.1 + 6e-10}, "usd 0.1000000006 > 0.1000000004"},
		"budget rounds up too":          {0.1 + 6e-10, -1, Ledger{USD: 0.1 + 14e-10}, ""},
		"zero usd, free":                {0, -1, Ledger{InputTokens: 5}, ""},
		"zero usd, paid":                {0, -1, Ledger{USD: 1e-9}, "usd 1e-9 > 0"},
		"zero tokens, free":             {-1, 0, Ledger{USD: 5}, ""},
		"zero tokens, one token":        {-1, 0, Ledger{OutputTokens: 1}, "tokens 1 > 0"},
		"unlimited":                     {-1, -1, Ledger{InputTokens: 1e12, USD: 1e12}, ""},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if got := bounds(c.usd, c.tokens).Exceeded(c.ledger); got != c.want {
				t.Fatalf("got %q, want %q", got, c.want)
			}
		})
	}
	var none *Budget
	if none.Exceeded(Ledger{USD: 1e9}) != "" || none.Metered() || bounds(-1, -1).Metered() || !bounds(0, -1).Metered() || !bounds(-1, 0).Metered() {
		t.Fatal("no budget bounds nothing; a budget of steps alone meters nothing")
	}
}

// The ledger is the plain float64 sum in the order of the effects: order and type decide the last bit.
func TestLedgerIsAPlainSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		usd := rapid.SliceOfN(rapid.Float64Range(0, 1e-2), 1, 50).Draw(t, "usd")
		var l Ledger
		var sum float64
		for i, u := range usd {
			l = l.Add(Usage{InputTokens: float64(i), OutputTokens: 2, USD: u})
			sum += u
		}
		n := float64(len(usd))
		if l.USD != sum || l.InputTokens != n*(n-1)/2 || l.OutputTokens != 2*n {
			t.Fatalf("%+v, want usd %v", l, sum)
		}
		if math.Abs(float64(l.NanoUSD)-sum*1e9) > n/2+1 {
			t.Fatalf("shadow sum %d of %v", l.NanoUSD, sum)
		}
	})
	a := Ledger{}.Add(Usage{USD: 0.1}).Add(Usage{USD: 0.2}).Add(Usage{USD: 0.3})
	b := Ledger{}.Add(Usage{USD: 0.3}).Add(Usage{USD: 0.2}).Add(Usage{USD: 0.1})
	if a.USD == b.USD || a.Equal(b) {
		t.Fatal("the sum does not keep the order")
	}
	a.NanoUSD, a.Unknown = 7, 7
	if c := (Ledger{InputTokens: a.InputTokens, OutputTokens: a.OutputTokens, USD: a.USD}); !a.Equal(c) || a.Value() != c.Value() {
		t.Fatal("the shadow sum or the unknown count is compared or hashed")
	}
}

func TestNanoUSDSaturates(t *testing.T) {
	for usd, want := range map[float64]int64{0: 0, 1e-9: 1, 1.5e-9: 2, 0.1: 100_000_000, 1e300: math.MaxInt64, -1e300: math.MinInt64, math.Inf(1): math.MaxInt64} {
		if got := NanoUSD(usd); got != want {
			t.Errorf("NanoUSD(%v) = %d, want %d", usd, got, want)
		}
	}
	if NanoUSD(math.NaN()) != 0 {
		t.Error("NaN is no money")
	}
}

// Undo restores the former ledger; it does not subtract, which would leave dust.
func TestUndoRestoresTheLedger(t *testing.T) {
	s := NewState(testSetup(1))
	effect := func(usd float64) Event {
		return Event{Type: EffectEvent, Step: 1, Agent: "a0", Effect: NewRequest("llm", num(1)), Response: num(1), Usage: Usage{1, 1, usd}}
	}
	first, second := effect(0.1), effect(0.7)
	s.Apply(&first)
	before := s.Ledger()
	u, _ := s.Apply(&second)
	if s.Ledger().USD-0.7 == before.USD {
		t.Fatal("this case cannot tell subtraction from restoring")
	}
	s.Undo(&second, u)
	if s.Ledger() != before {
		t.Fatalf("%v, want %v", s.Ledger(), before)
	}
}
