package forensics

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// shown is how many characters of a value a line of text shows.
const shown = 60

// nameLen is how many characters of a name, a pointer or an error a line of text shows (ours).
const nameLen = 500

// clean is text from a trace on one line of a table: a tab or a line break would break the table, and names in foreign
// traces have no bound.
func clean(s string) string {
	s = cut(s, nameLen)
	return strings.Map(func(r rune) rune {
		if r == '\t' || r == '\n' || r == '\r' {
			return ' '
		}
		return r
	}, s)
}

// cut is the start of a text; a cut one says how long it is.
func cut(text string, most int) string {
	n := 0
	for i := range text {
		if n == most {
			return fmt.Sprintf("%s… (%s)", text[:i], plural(len(text), "byte"))
		}
		n++
	}
	return text
}

func preview(v canon.Value) string { return cut(v.Text(), shown) }

// plural is "1 step", "2 steps".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

func number(f float64) string { return string(canon.AppendFloat(nil, f)) }

// dollars shows 1e-9 dollars without trailing zeros, at least two places.
func dollars(nano int64) string {
	sign := ""
	n := uint64(nano)
	if nano < 0 {
		sign, n = "-", -n
	}
	frac := strings.TrimRight(fmt.Sprintf("%09d", n%1e9), "0")
	for len(frac) < 2 {
		frac += "0"
	}
	return fmt.Sprintf("%s$%d.%s", sign, n/1e9, frac)
}

// table aligns the columns of tab-separated lines.
func table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 8, 2, ' ', 0) }

// what says what happened in one event, on one line.
func what(e *trace.Event) string {
	switch e.Type {
	case trace.Receive:
		from := "the input"
		if e.Message.HasFrom {
			from = e.Message.From
		}
		return clean(fmt.Sprintf("%s ← %s  %s  ", e.Agent, from, e.Message.Tag)) + preview(e.Message.Payload)
	case trace.Act:
		return clean(e.Agent) + "  state " + preview(e.State)
	case trace.SendEvent:
		to := "outputs"
		if e.HasTo() {
			to = e.To
		}
		return clean(fmt.Sprintf("%s.%s → %s  %s  ", e.Agent, e.Port, to, e.Message.Tag)) + preview(e.Message.Payload)
	case trace.EffectEvent:
		return clean(e.Agent+" asked "+e.Effect.Asks()+"  ") + preview(e.Answer())
	case trace.ErrorEvent:
		return clean(cut(e.Error.Text, 2*shown))
	case trace.FinishEvent:
		return clean(fmt.Sprintf("%s after %s", e.Finish.Reason, plural(e.Finish.Steps, "step")))
	}
	return preview(e.Extra)
}

// label is "event 9  step 3  send".
func label(i int, e *trace.Event) string {
	if !e.HasStep() {
		return fmt.Sprintf("event %d  %s", i, clean(string(e.Type)))
	}
	return fmt.Sprintf("event %d  step %d  %s", i, e.Step, clean(string(e.Type)))
}

// ledgerJSON is a ledger in JSON answers. usd is the plain sum that is hashed.
type ledgerJSON struct {
	InputTokens  float64 `json:"input_tokens"`
	OutputTokens float64 `json:"output_tokens"`
	USD          float64 `json:"usd"`
	NanoUSD      int64   `json:"nano_usd"` // the usages, each rounded to 1e-9 dollars, summed exactly
	AtLeast      bool    `json:"at_least"` // some usage is not known
}

func ledgerOf(l trace.Ledger) ledgerJSON {
	return ledgerJSON{l.InputTokens, l.OutputTokens, l.USD, l.NanoUSD, l.Unknown > 0}
}
