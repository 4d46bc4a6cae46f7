package forensics

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"flowdbg/trace"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/cli/show"
)

// ledgerRow is one row of `ledger --json`.
type ledgerRow struct {
	Name    string `json:"name,omitempty"`
	Step    int    `json:"step,omitempty"`
	Event   int    `json:"event"` // the first call
	Calls   int    `json:"calls"`
	Failed  int    `json:"failed,omitempty"`  // billed although they failed
	Unknown int    `json:"unknown,omitempty"` // usage not known
	ledgerJSON
}

// ledgerAnswer is `ledger --json`.
type ledgerAnswer struct {
	File           string      `json:"file"`
	Total          ledgerRow   `json:"total"`
	ByAgent        []ledgerRow `json:"by_agent"`
	ByOp           []ledgerRow `json:"by_op"`
	ByModel        []ledgerRow `json:"by_model"`
	TopSteps       []ledgerRow `json:"top_steps"`
	PossiblyBilled *ledgerRow  `json:"possibly_billed,omitempty"`
	OpenIntents    int         `json:"open_intents,omitempty"`
	Finish         *ledgerJSON `json:"finish,omitempty"`
	FinishEqual    *bool       `json:"finish_equal,omitempty"`
}

func (t *tool) ledgerCmd() *cobra.Command {
	var asJSON bool
	var top int
	cmd := &cobra.Command{
		Use:   "ledger TRACE",
		Short: "Say who spent what: by agent, op, model and step",
		Long: `Sum the usage of every effect by agent, by op, by model, and name the dearest steps. ≥ says that some usage is not known,
so that a sum is a lower bound. Effects of steps that were taken back, and effects that were about to be asked for and of
which nothing more is known, are told apart: they may have been billed.

Exit 1 when the sum is not the ledger of finish.`,
		Example: `  flowdbg ledger trace.json
  flowdbg ledger trace.json --top 3
  flowdbg ledger trace.json --json | jq '.by_model[] | {name, usd}'`,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: traceFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			if top < 1 {
				return out.Bad("--top %d: at least 1", top)
			}
			o, err := t.open(cmd, args[0])
			if err != nil {
				return err
			}
			defer o.Close()
			tell, stop := t.progress()
			rep, err := trace.Costs(cmd.Context(), o.Log(), top, tell)
			stop()
			if err != nil {
				return failed(err)
			}
			a := ledgerAnswerOf(o.Name, rep)
			if asJSON {
				err = out.JSON(cmd.OutOrStdout(), a)
			} else {
				printLedger(cmd.OutOrStdout(), rep)
			}
			if err == nil && a.FinishEqual != nil && !*a.FinishEqual {
				return out.No("")
			}
			return err
		},
	}
	cmd.Flags().IntVar(&top, "top", trace.DefaultTopSteps, "how many of the dearest `steps` are told")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the sums as one JSON document")
	return cmd
}

func ledgerAnswerOf(file string, r *trace.CostReport) *ledgerAnswer {
	rows := func(list []trace.CostRow) []ledgerRow {
		rows := make([]ledgerRow, len(list))
		for i := range list {
			rows[i] = ledgerRowOf(&list[i])
		}
		return rows
	}
	a := &ledgerAnswer{File: file, Total: ledgerRowOf(&r.Total), ByAgent: rows(r.Agents), ByOp: rows(r.Ops), ByModel: rows(r.Models), TopSteps: rows(r.Steps), OpenIntents: r.OpenIntents}
	if r.PossiblyBilled.Calls > 0 {
		row := ledgerRowOf(&r.PossiblyBilled)
		a.PossiblyBilled = &row
	}
	if r.Finish != nil {
		l, equal := ledgerOf(*r.Finish), r.Finish.Equal(r.Total.Ledger)
		l.NanoUSD = trace.NanoUSD(l.USD)
		a.Finish, a.FinishEqual = &l, &equal
	}
	return a
}

func ledgerRowOf(r *trace.CostRow) ledgerRow {
	return ledgerRow{r.Name, r.Step, r.Event, r.Calls, r.Failed, r.Unknown, ledgerOf(r.Ledger)}
}

// rowsShown bounds a table of the text; --json has all rows.
const rowsShown = 20

func printLedger(w io.Writer, r *trace.CostReport) {
	tw := table(w)
	row := func(name string, r *trace.CostRow) {
		least, note := "", ""
		if r.AtLeast() {
			least = "≥ "
			note = fmt.Sprintf("\t%d of unknown usage", r.Unknown)
		}
		if r.Failed > 0 {
			note += fmt.Sprintf("\t%d failed", r.Failed)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s%s\t%s%s tokens%s\n", name, plural(r.Calls, "effect"), least, dollars(r.Ledger.NanoUSD), least, number(r.Ledger.Tokens()), note)
	}
	row("total", &r.Total)
	for _, part := range []struct {
		title string
		rows  []trace.CostRow
	}{{"by agent", r.Agents}, {"by op", r.Ops}, {"by model", r.Models}} {
		if len(part.rows) > 0 {
			fmt.Fprintf(tw, "%s\n", part.title)
		}
		for i := range part.rows {
			if i == rowsShown {
				fmt.Fprintf(tw, "  … %d more\n", len(part.rows)-i)
				break
			}
			name := part.rows[i].Name
			if name == "" {
				name = show.NoModel
			}
			row("  "+clean(name), &part.rows[i])
		}
	}
	if r.PossiblyBilled.Calls > 0 {
		row("possibly billed (cancelled steps)", &r.PossiblyBilled)
	}
	tw.Flush()
	if len(r.Steps) > 0 {
		fmt.Fprintln(w, "dearest steps") // a table of its own: step, agent and event are columns
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		row(fmt.Sprintf("  step %d\t%s\tevent %d", s.Step, clean(s.Name), s.Event), s)
	}
	tw.Flush()
	if r.OpenIntents > 0 {
		fmt.Fprintf(w, "%s without an answer: possibly billed, nobody knows how much\n", plural(r.OpenIntents, "effect"))
	}
	switch {
	case r.Finish == nil:
		fmt.Fprintln(w, "the trace has no finish to compare with")
	case r.Finish.Equal(r.Total.Ledger):
		fmt.Fprintln(w, "≡ the ledger of finish")
	default:
		fmt.Fprintf(w, "≠ finish says %s, %s tokens\n", dollars(trace.NanoUSD(r.Finish.USD)), number(r.Finish.Tokens()))
	}
}
