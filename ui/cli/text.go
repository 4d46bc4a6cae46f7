package cli

import (
	"fmt"
	"io"
	"strings"

	"flowdbg/engine/flow"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/show"
)

// What several answers print alike lives in show; these are the names that this package uses.
const previewLen = show.PreviewLen

var (
	preview     = show.Preview
	previewPair = show.PreviewPair
	clean       = show.Clean
	plural      = show.Plural
	number      = show.Number
	dollars     = show.Dollars
	spent       = show.Spent
	budgetText  = show.BudgetText
	ledgerOf    = show.LedgerOf
	budgetOf    = show.BudgetOf
	table       = show.Table
	messageText = show.MessageText
	eventLine   = show.EventLine
	indented    = show.Indented
	orUnknown   = show.OrUnknown
	orDash      = show.OrDash
)

type (
	ledgerJSON = show.Ledger
	budgetJSON = show.Budget
)

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
