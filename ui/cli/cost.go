package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"flowdbg/trace"
	"flowdbg/ui/cli/show"
)

// costAnswer says who spent what.
type costAnswer struct {
	Total   ledgerJSON `json:"total"`
	ByAgent []costRow  `json:"by_agent"`
	ByOp    []costRow  `json:"by_op"`
	ByModel []costRow  `json:"by_model"`
	total   trace.Ledger
}

// costRow is one agent, op or model.
type costRow struct {
	Name    string `json:"name"`
	Effects int    `json:"effects"`
	ledgerJSON
	sum trace.Ledger
}

// noModel names the effects that ask for no model.
const noModel = show.NoModel

// costOf adds up what the effects cost, failed ones that were billed included; cancelled steps are left out.
func costOf(log trace.Log) (costAnswer, error) {
	var c costAnswer
	agents, ops, models := costTable{}, costTable{}, costTable{}
	for i := range log.Len() {
		if t := log.Header(i).Type; t != trace.EffectEvent && t != trace.ErrorEvent {
			continue
		}
		e, err := log.Event(i)
		if err != nil {
			return c, err
		}
		req := e.Effect
		switch {
		case e.Cancelled():
			continue
		case e.Type == trace.EffectEvent:
		case e.Type == trace.ErrorEvent && e.Error.HasUsage:
			req = e.Error.Request
		default:
			continue
		}
		op, model := "(unknown)", noModel
		if req != nil {
			op = req.Op
			if name, ok := req.Input.Get("model").Str(); ok {
				model = name
			}
		}
		c.total = add(c.total, e)
		agents.add(e.Agent, e)
		ops.add(op, e)
		models.add(model, e)
	}
	c.Total = ledgerOf(c.total)
	c.ByAgent, c.ByOp, c.ByModel = agents.rows(), ops.rows(), models.rows()
	return c, nil
}

func add(l trace.Ledger, e *trace.Event) trace.Ledger {
	l = l.Add(e.Usage)
	if e.UsageUnknown() {
		l.Unknown++
	}
	return l
}

type costTable map[string]*costRow

func (t costTable) add(name string, e *trace.Event) {
	row := t[name]
	if row == nil {
		row = &costRow{Name: name}
		t[name] = row
	}
	row.Effects++
	row.sum = add(row.sum, e)
}

// rows are dearest first, then by name.
func (t costTable) rows() []costRow {
	rows := make([]costRow, 0, len(t))
	for _, r := range t {
		r.ledgerJSON = ledgerOf(r.sum)
		rows = append(rows, *r)
	}
	slices.SortFunc(rows, func(a, b costRow) int {
		if a.sum.NanoUSD != b.sum.NanoUSD {
			if a.sum.NanoUSD > b.sum.NanoUSD {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	return rows
}

func (c costAnswer) print(w io.Writer) {
	fmt.Fprintf(w, "cost     %s\n", spent(c.total))
	if len(c.ByAgent) == 0 {
		return
	}
	tw := table(w)
	for _, part := range []struct {
		name string
		rows []costRow
	}{{"by agent", c.ByAgent}, {"by op", c.ByOp}, {"by model", c.ByModel}} {
		for i, r := range part.rows {
			head := ""
			if i == 0 {
				head = part.name
			}
			if i == listShown {
				fmt.Fprintf(tw, "  \t… %d more\n", len(part.rows)-i)
				break
			}
			least := ""
			if r.AtLeast {
				least = "≥ "
			}
			fmt.Fprintf(tw, "  %s\t%s\t%s\t%s%s\t%s tokens\n", head, clean(r.Name), plural(r.Effects, "effect"), least, dollars(r.NanoUSD), number(r.sum.Tokens()))
		}
	}
	tw.Flush()
}
