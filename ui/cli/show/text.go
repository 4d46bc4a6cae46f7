// Package show is how values, events and ledgers of flows and traces read as text, and the small JSON forms that several
// answers share. It may hold formatting only: it reads no file, knows no command and prints to no one but its caller.
package show

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
)

// PreviewLen is how many characters of a value a line of text shows.
const PreviewLen = 100

// Preview is the start of a value's text; a cut one says how long it is. Only --json shows values whole.
func Preview(v canon.Value, most int) string {
	if v.IsAbsent() {
		return "nothing"
	}
	text := v.Text()
	if n := cutAt(text, most); n >= 0 {
		return fmt.Sprintf("%s… (%s)", text[:n], SizeText(len(text)))
	}
	return text
}

// cutAt is where the text is cut to have most characters, or -1 when it has no more than that.
func cutAt(text string, most int) int {
	if len(text) <= most {
		return -1
	}
	n := 0
	for i := range text {
		if n == most {
			return i
		}
		n++
	}
	return -1
}

// PreviewPair is the previews of two values that differ. When they begin alike for long, both begin shortly before the
// first difference.
func PreviewPair(a, b canon.Value, most int) (string, string) {
	x, y := a.Text(), b.Text()
	same := 0
	for same < len(x) && same < len(y) && x[same] == y[same] {
		same++
	}
	if same < most/2 || len(x) <= most && len(y) <= most {
		return Preview(a, most), Preview(b, most)
	}
	from := same - most/4
	for from > 0 && !utf8.RuneStart(x[from]) {
		from--
	}
	part := func(s string) string {
		if n := cutAt(s[from:], most); n >= 0 {
			return "…" + s[from:from+n] + "…"
		}
		return "…" + s[from:]
	}
	return part(x), part(y)
}

// SizeText is a size with its unit.
func SizeText(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	case bytes >= 10<<10:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return Plural(bytes, "byte")
}

// Clean is a name out of a file, on one line and without anything that could forge another: SafeWriter lets newlines and
// tabs through. Names in foreign traces have no bound; one that is longer than any line is cut and says how long it is.
func Clean(s string) string {
	if n := cutAt(s, nameLen); n >= 0 {
		return cell.Sanitize(s[:n]) + "… (" + SizeText(len(s)) + ")"
	}
	return cell.Sanitize(s)
}

// nameLen is how many characters of a name, a pointer or an error a line of text shows (ours).
const nameLen = 500

// Plural is "1 step", "2 steps".
func Plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// Number is the canonical form, as everything hashed has it.
func Number(f float64) string { return string(canon.AppendFloat(nil, f)) }

// Dollars shows 1e-9 dollars without trailing zeros, at least two places.
func Dollars(nano int64) string {
	sign := ""
	if nano < 0 {
		sign, nano = "-", -nano
	}
	frac := strings.TrimRight(fmt.Sprintf("%09d", uint64(nano)%1e9), "0")
	for len(frac) < 2 {
		frac += "0"
	}
	return fmt.Sprintf("%s$%d.%s", sign, uint64(nano)/1e9, frac)
}

// Spent is the ledger as one phrase; ≥ says that some usage is not known.
func Spent(l trace.Ledger) string {
	least := ""
	if l.Unknown > 0 {
		least = "≥ "
	}
	return fmt.Sprintf("%s%s · %s tokens (%s in, %s out)", least, Dollars(l.NanoUSD), Number(l.Tokens()), Number(l.InputTokens), Number(l.OutputTokens))
}

// BudgetText is the budget as one phrase.
func BudgetText(b *trace.Budget) string {
	if b == nil {
		return "unlimited"
	}
	var parts []string
	if b.USD != nil {
		parts = append(parts, Dollars(trace.NanoUSD(*b.USD)))
	}
	if b.Tokens != nil {
		parts = append(parts, "tokens "+Number(*b.Tokens))
	}
	if b.Steps > 0 {
		parts = append(parts, "steps "+strconv.Itoa(b.Steps))
	}
	if len(parts) == 0 {
		return "unlimited"
	}
	return strings.Join(parts, " · ")
}

// NoModel is the name of effects that name no model, in the tables of a ledger.
const NoModel = "(no model)"

// Ledger is the ledger in JSON answers. usd is the plain sum that is hashed.
type Ledger struct {
	InputTokens  float64 `json:"input_tokens"`
	OutputTokens float64 `json:"output_tokens"`
	USD          float64 `json:"usd"`
	NanoUSD      int64   `json:"nano_usd"` // exact sum of the usages, each rounded to 1e-9 dollars
	AtLeast      bool    `json:"at_least"` // some usage is not known
}

// LedgerOf is the ledger's JSON form.
func LedgerOf(l trace.Ledger) Ledger {
	return Ledger{l.InputTokens, l.OutputTokens, l.USD, l.NanoUSD, l.Unknown > 0}
}

// Budget is the budget in JSON answers; a missing member is unlimited.
type Budget struct {
	USD    *float64 `json:"usd,omitempty"`
	Tokens *float64 `json:"tokens,omitempty"`
	Steps  int      `json:"steps,omitempty"`
}

// BudgetOf is the budget's JSON form, nil for none.
func BudgetOf(b *trace.Budget) *Budget {
	if b == nil {
		return nil
	}
	return &Budget{b.USD, b.Tokens, b.Steps}
}

// Table aligns the columns of tab-separated lines.
func Table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 8, 2, ' ', 0) }

// MessageText is "tag from sender payload".
func MessageText(m trace.Message, most int) string {
	from := "input"
	if m.HasFrom {
		from = Clean(m.From)
	}
	return fmt.Sprintf("%s from %s  %s", Clean(m.Tag), from, Preview(m.Payload, most))
}

// Indented is a value over several lines.
func Indented(v canon.Value) string {
	if v.IsAbsent() {
		return "null"
	}
	var raw json.RawMessage = []byte(v.Text())
	text, err := json.MarshalIndent(raw, "", "  ")
	if err != nil {
		return v.Text()
	}
	return string(text)
}

// OrDash is the text, or a dash for none.
func OrDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
