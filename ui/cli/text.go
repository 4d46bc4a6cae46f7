package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/tui/cell"
)

// previewLen is how many characters of a value a line of text shows.
const previewLen = 100

// preview is the start of a value's text; a cut one says how long it is. Only --json shows values whole.
func preview(v canon.Value, most int) string {
	if v.IsAbsent() {
		return "nothing"
	}
	text := v.Text()
	if n := cutAt(text, most); n >= 0 {
		return fmt.Sprintf("%s… (%s)", text[:n], sizeText(len(text)))
	}
	return text
}

// cutAt is where the text is cut to have most characters, or -1 when it has no more than that.
func cutAt(text string, most int) int {
	n := 0
	for i := range text {
		if n == most {
			return i
		}
		n++
	}
	return -1
}

// previewPair is the previews of two values that differ. When they begin alike for long, both begin shortly before the
// first difference.
func previewPair(a, b canon.Value, most int) (string, string) {
	x, y := a.Text(), b.Text()
	same := 0
	for same < len(x) && same < len(y) && x[same] == y[same] {
		same++
	}
	if same < most/2 || len(x) <= most && len(y) <= most {
		return preview(a, most), preview(b, most)
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

func sizeText(bytes int) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	case bytes >= 10<<10:
		return fmt.Sprintf("%d KiB", bytes>>10)
	}
	return plural(bytes, "byte")
}

// clean is a name out of a file, on one line and without anything that could forge another: SafeWriter lets newlines and
// tabs through.
func clean(s string) string { return cell.Sanitize(s) }

// plural is "1 step", "2 steps".
func plural(n int, word string) string {
	if n == 1 {
		return "1 " + word
	}
	return strconv.Itoa(n) + " " + word + "s"
}

// number is the canonical form, as everything hashed has it.
func number(f float64) string { return string(canon.AppendFloat(nil, f)) }

// dollars shows 1e-9 dollars without trailing zeros, at least two places.
func dollars(nano int64) string {
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

// spent is the ledger as one phrase; ≥ says that some usage is not known.
func spent(l trace.Ledger) string {
	least := ""
	if l.Unknown > 0 {
		least = "≥ "
	}
	return fmt.Sprintf("%s%s · %s tokens (%s in, %s out)", least, dollars(l.NanoUSD), number(l.Tokens()), number(l.InputTokens), number(l.OutputTokens))
}

// budgetText is the budget as one phrase.
func budgetText(b *trace.Budget) string {
	if b == nil {
		return "unlimited"
	}
	var parts []string
	if b.USD != nil {
		parts = append(parts, "usd "+number(*b.USD))
	}
	if b.Tokens != nil {
		parts = append(parts, "tokens "+number(*b.Tokens))
	}
	if b.Steps > 0 {
		parts = append(parts, "steps "+strconv.Itoa(b.Steps))
	}
	if len(parts) == 0 {
		return "unlimited"
	}
	return strings.Join(parts, " · ")
}

// ledgerJSON is the ledger in JSON answers. usd is the plain sum that is hashed.
type ledgerJSON struct {
	InputTokens  float64 `json:"input_tokens"`
	OutputTokens float64 `json:"output_tokens"`
	USD          float64 `json:"usd"`
	NanoUSD      int64   `json:"nano_usd"` // exact sum of the usages, each rounded to 1e-9 dollars
	AtLeast      bool    `json:"at_least"` // some usage is not known
}

func ledgerOf(l trace.Ledger) ledgerJSON {
	return ledgerJSON{l.InputTokens, l.OutputTokens, l.USD, l.NanoUSD, l.Unknown > 0}
}

// budgetJSON is the budget in JSON answers; a missing member is unlimited.
type budgetJSON struct {
	USD    *float64 `json:"usd,omitempty"`
	Tokens *float64 `json:"tokens,omitempty"`
	Steps  int      `json:"steps,omitempty"`
}

func budgetOf(b *trace.Budget) *budgetJSON {
	if b == nil {
		return nil
	}
	return &budgetJSON{b.USD, b.Tokens, b.Steps}
}

// table aligns the columns of tab-separated lines.
func table(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 8, 2, ' ', 0) }

// tell prints diagnostics, each with its line and a caret.
func tell(w io.Writer, diags []flow.Diagnostic, source []byte) {
	for _, d := range diags {
		fmt.Fprintln(w, d)
		if ex := out.Excerpt(source, d.Line, d.Col); ex != "" {
			fmt.Fprintf(w, "    %s\n", strings.ReplaceAll(ex, "\n", "\n    "))
		}
	}
}

// counts counts by severity.
func counts(diags []flow.Diagnostic) (errors, warnings, lints int) {
	for _, d := range diags {
		switch d.Severity {
		case flow.Error:
			errors++
		case flow.Warning:
			warnings++
		default:
			lints++
		}
	}
	return errors, warnings, lints
}

func countText(diags []flow.Diagnostic) string {
	e, w, l := counts(diags)
	return plural(e, "error") + ", " + plural(w, "warning") + ", " + plural(l, "lint")
}

// messageText is "tag from sender payload".
func messageText(m trace.Message, most int) string {
	from := "input"
	if m.HasFrom {
		from = clean(m.From)
	}
	return fmt.Sprintf("%s from %s  %s", clean(m.Tag), from, preview(m.Payload, most))
}
