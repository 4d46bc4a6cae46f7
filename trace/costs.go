package trace

import (
	"container/heap"
	"context"
	"sort"

	"flowdbg/trace/canon"
)

// CostRow is what one agent, op, model or step spent.
type CostRow struct {
	Name    string `json:"name"` // agent, op or model; "" is a model that nobody named
	Step    int    `json:"step,omitempty"`
	Event   int    `json:"event"` // the first effect that it counts
	Calls   int    `json:"calls"`
	Failed  int    `json:"failed,omitempty"`  // calls that ended in an error and were billed
	Unknown int    `json:"unknown,omitempty"` // calls whose usage is not known: the sums are a lower bound
	Ledger  Ledger `json:"-"`
}

// AtLeast is true when the sums are a lower bound.
func (r *CostRow) AtLeast() bool { return r.Unknown > 0 }

func (r *CostRow) add(event int, u Usage, unknown, failed bool) {
	if r.Calls == 0 {
		r.Event = event
	}
	r.Calls++
	r.Ledger = r.Ledger.Add(u)
	if unknown {
		r.Unknown++
		r.Ledger.Unknown++
	}
	if failed {
		r.Failed++
	}
}

// CostReport is the ledger of a trace taken apart. Rows are sorted by dollars, then tokens, the dearest first.
type CostReport struct {
	Total  CostRow
	Agents []CostRow
	Ops    []CostRow
	Models []CostRow
	Steps  []CostRow // the dearest ones
	// PossiblyBilled are the effects of steps that were taken back: they are not in the ledger, but were paid for.
	PossiblyBilled CostRow
	// OpenIntents counts effects that were about to be asked for and of which nothing more is known.
	OpenIntents int
	Finish      *Ledger // what finish says, nil without one
}

// DefaultTopSteps is how many steps Costs keeps when it is not told.
const DefaultTopSteps = 10

// Costs sums the usages by agent, op, model and step. Its memory grows with the agents, ops and models, not with the
// events.
func Costs(ctx context.Context, log Log, topSteps int, progress Progress) (*CostReport, error) {
	c := &costSum{texts: newTexts(log), top: orDefault(topSteps, DefaultTopSteps), agents: costRows{}, ops: costRows{}, models: costRows{}}
	c.step.Event = NoEvent
	p := pass{ctx: ctx, progress: progress, total: log.Len()}
	for i := range p.total {
		h := log.Header(i)
		if err := p.step(h.Bytes); err != nil {
			return nil, err
		}
		switch h.Type {
		case EffectEvent, ErrorEvent, FinishEvent, XIntent, XCancel:
			e, _, err := c.texts.event(i)
			if err != nil {
				return nil, err
			}
			c.event(i, e)
		}
	}
	p.end()
	c.closeStep()
	rep := &c.rep
	rep.OpenIntents += len(c.intents)
	rep.Agents, rep.Ops, rep.Models = c.agents.sorted(), c.ops.sorted(), c.models.sorted()
	rep.Steps = append([]CostRow(nil), c.steps...)
	sortRows(rep.Steps)
	return rep, nil
}

type costSum struct {
	rep     CostReport
	texts   *texts
	top     int
	agents  costRows
	ops     costRows
	models  costRows
	step    CostRow
	steps   rowHeap
	intents map[intentKey]bool
}

// intentKey tells the effect that was about to be asked for: an agent asks for one in a step.
type intentKey struct {
	step  int
	agent string
}

func (c *costSum) event(i int, e *Event) {
	switch e.Type {
	case XIntent:
		if c.intents == nil {
			c.intents = map[intentKey]bool{}
		}
		c.intents[intentKey{e.Step, e.Agent}] = true
		return
	case XCancel:
		c.cancel(e)
		return
	case FinishEvent:
		c.rep.Finish = &e.Finish.Ledger
		return
	case ErrorEvent:
		if e.Error.Request == nil && !e.Error.HasUsage {
			return
		}
	}
	delete(c.intents, intentKey{e.Step, e.Agent})
	failed := e.Type == ErrorEvent
	if failed && !e.Error.HasUsage {
		return // nothing was billed
	}
	unknown := e.UsageUnknown() || !failed && !e.HasUsage() && e.flags&(flagNestedAnswer|flagNestedOutput) == 0
	if e.Cancelled() {
		c.rep.PossiblyBilled.add(i, e.Usage, unknown, failed)
		return
	}
	r, answer := e.Effect, e.Answer()
	if failed {
		r, answer = e.Error.Request, canon.Value{}
	}
	op := ""
	if r != nil {
		op = r.Op
	}
	c.rep.Total.add(i, e.Usage, unknown, failed)
	c.agents.row(e.Agent).add(i, e.Usage, unknown, failed)
	c.ops.row(op).add(i, e.Usage, unknown, failed)
	c.models.row(modelOf(r, answer)).add(i, e.Usage, unknown, failed)
	if c.step.Calls > 0 && c.step.Step != e.Step {
		c.closeStep()
	}
	c.step.Step, c.step.Name = e.Step, e.Agent
	c.step.add(i, e.Usage, unknown, failed)
}

// cancel settles the intents of a step that was taken back: what is done again there is another effect.
func (c *costSum) cancel(e *Event) {
	step := e.Step
	if n, ok := e.Extra.Get("step").Int(); ok {
		step = int(n)
	}
	for k := range c.intents {
		if k.step == step {
			delete(c.intents, k)
			c.rep.OpenIntents++
		}
	}
}

// closeStep offers the step under way to the dearest ones.
func (c *costSum) closeStep() {
	if c.step.Calls == 0 {
		return
	}
	if len(c.steps) < c.top {
		heap.Push(&c.steps, c.step)
	} else if dearer(&c.step, &c.steps[0]) {
		c.steps[0] = c.step
		heap.Fix(&c.steps, 0)
	}
	c.step = CostRow{}
}

type costRows map[string]*CostRow

func (m costRows) row(name string) *CostRow {
	r, ok := m[name]
	if !ok {
		r = &CostRow{Name: name}
		m[name] = r
	}
	return r
}

func (m costRows) sorted() []CostRow {
	list := make([]CostRow, 0, len(m))
	for _, r := range m {
		list = append(list, *r)
	}
	sortRows(list)
	return list
}

func sortRows(list []CostRow) {
	sort.Slice(list, func(i, j int) bool { return dearer(&list[i], &list[j]) })
}

// dearer is the order of rows, total so that reports are the same every time.
func dearer(a, b *CostRow) bool {
	switch {
	case a.Ledger.USD != b.Ledger.USD:
		return a.Ledger.USD > b.Ledger.USD
	case a.Ledger.Tokens() != b.Ledger.Tokens():
		return a.Ledger.Tokens() > b.Ledger.Tokens()
	case a.Calls != b.Calls:
		return a.Calls > b.Calls
	case a.Step != b.Step:
		return a.Step < b.Step
	}
	return a.Name < b.Name
}

// rowHeap holds the dearest rows, the cheapest of them first.
type rowHeap []CostRow

func (h rowHeap) Len() int           { return len(h) }
func (h rowHeap) Less(i, j int) bool { return dearer(&h[j], &h[i]) }
func (h rowHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *rowHeap) Push(x any)        { *h = append(*h, x.(CostRow)) }
func (h *rowHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
