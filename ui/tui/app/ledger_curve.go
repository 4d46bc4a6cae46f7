package app

import (
	"context"
	"math"
	"strings"

	"flowdbg/trace"
	"flowdbg/ui/tui/cell"
)

// spendCurve is what was spent behind each effect, over all events that are there.
type spendCurve struct {
	run, n int
	events []int32
	nano   []int64 // spent up to and with it
	tokens []float64

	drawn sparkKey // what the columns were made for
	high  []float64
	most  float64
}

// sparkKey is everything that the columns of the curve depend on.
type sparkKey struct {
	run, n, w int
	money     bool
}

// extend takes over events that are new; those of another run take the place of all.
func (c *spendCurve) extend(ctx context.Context, run int, log trace.Log, tell trace.Progress) error {
	if c.run != run || c.n > log.Len() {
		*c = spendCurve{run: run}
	}
	var nano int64
	var tok float64
	if k := len(c.nano); k > 0 {
		nano, tok = c.nano[k-1], c.tokens[k-1]
	}
	for ; c.n < log.Len(); c.n++ {
		if c.n%1000 == 0 {
			if tell != nil {
				tell(c.n, log.Len())
			}
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		h := log.Header(c.n)
		if h.Cancelled || h.Type != trace.EffectEvent && h.Type != trace.ErrorEvent {
			continue
		}
		e, err := log.Event(c.n)
		if err != nil {
			return err
		}
		if h.Type == trace.ErrorEvent && (e.Error == nil || !e.Error.HasUsage) {
			continue
		}
		nano, tok = nano+trace.NanoUSD(e.Usage.USD), tok+e.Usage.Tokens()
		c.events, c.nano, c.tokens = append(c.events, int32(c.n)), append(c.nano, nano), append(c.tokens, tok)
	}
	return nil
}

// spark is the spending over the events in w columns: each column is as high as what was spent in it. It is made once for a
// width.
func (c *spendCurve) spark(w int, money bool) (heights []float64, most float64) {
	if key := (sparkKey{c.run, c.n, w, money}); key != c.drawn || c.high == nil {
		c.drawn = key
		c.high, c.most = c.columns(w, money)
	}
	return c.high, c.most
}

func (c *spendCurve) columns(w int, money bool) (heights []float64, most float64) {
	heights = make([]float64, w)
	if w == 0 || c.n == 0 {
		return heights, 0
	}
	before := 0.0
	for i, e := range c.events {
		now := c.tokens[i]
		if money {
			now = float64(c.nano[i])
		}
		x := int(int64(e) * int64(w) / int64(c.n))
		heights[x] += now - before
		most = math.Max(most, heights[x])
		before = now
	}
	return heights, most
}

// drawCurve is the spending over the events as a sparkline; what lies ahead of the position is dim.
func (v *ledgerView) drawCurve(m *Model, w int) []string {
	th := m.th
	n := w - 12
	if n < 8 || len(v.curve.events) == 0 {
		return nil
	}
	inMoney := v.curve.nano[len(v.curve.nano)-1] > 0
	heights, most := v.curve.spark(n, inMoney)
	here := int(int64(max(m.s.Pos()-1, 0)) * int64(n) / int64(max(v.curve.n, 1)))
	var done, ahead strings.Builder
	for x, y := range heights {
		g := " "
		if y > 0 && most > 0 {
			g = th.Glyph.Spark[min(int(y/most*7.999), 7)]
		}
		if x <= here {
			done.WriteString(g)
		} else {
			ahead.WriteString(g)
		}
	}
	name := "tokens"
	if inMoney {
		name = "usd"
	}
	var b cell.Builder
	b.Start(th.Charset, w, "")
	b.Skip(1)
	b.Field("spent", 8, th.Past)
	b.Put(done.String(), th.Accent)
	b.Put(ahead.String(), th.Past)
	first := b.Line()
	b.Start(th.Charset, w, "")
	// What does not find room behind the arrow stands before it.
	note, label := name+" per column, all events", th.Glyph.Up+" here"
	highest := "highest " + count(most)
	if inMoney {
		highest = "highest " + money(int64(most))
	}
	note += ", " + highest
	const gap = 3
	at, behind := 9+here, true
	if at+len("^ here") > w {
		at, label = at-len("here "), "here "+th.Glyph.Up
	}
	if len(note)+gap+len("^ here")+9 > w {
		note = highest
	}
	if at+len("^ here")+gap+len(note) > w {
		if behind = false; at-gap-len(note) >= 9 {
			b.Skip(at - gap - len(note))
			b.Put(note, th.Past)
		}
	}
	b.To(at)
	b.Put(label, th.Accent)
	if behind {
		b.Skip(gap)
		b.Put(note, th.Past)
	}
	return []string{first, b.Line(), cell.Blank(w)}
}
