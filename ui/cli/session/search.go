package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/engine/query"
	"flowdbg/trace"
	"flowdbg/ui/cli/show"
)

// looked is what search looked for last, for search-next and search-prev.
type looked struct {
	text string
	expr *query.Query // in place of a text
}

// searchFor begins a search as the screen's / does: for a text, or with = for an expression.
func (in *Interp) searchFor(ctx context.Context, args string) (answer, error) {
	expr, isExpr := strings.CutPrefix(args, "=")
	switch {
	case args == "":
		return answer{}, errors.New("write search TEXT, or search =EXPR")
	case !isExpr:
		in.looked = &looked{text: args}
	default:
		q, err := query.Compile(strings.TrimSpace(expr))
		if err != nil {
			return answer{}, err
		}
		in.looked = &looked{expr: q}
	}
	return in.searchOn(ctx, false)
}

func (in *Interp) searchNext(ctx context.Context, _ string) (answer, error) {
	return in.searchOn(ctx, false)
}

func (in *Interp) searchPrev(ctx context.Context, _ string) (answer, error) {
	return in.searchOn(ctx, true)
}

// searchOn goes behind the next event that is looked for, or the one before; without one the session stays where it is.
func (in *Interp) searchOn(ctx context.Context, back bool) (answer, error) {
	switch {
	case in.looked == nil:
		return answer{}, errors.New("nothing is searched for yet: begin with search")
	case in.looked.expr != nil:
		return in.findQuery(ctx, in.looked.expr, back)
	}
	from := in.s.Pos()
	start, hit := from, -1
	if back {
		start = from - 2 // the event that the session stands behind is not looked at again
	}
	if start >= 0 && start < in.s.Total() {
		q := trace.FindQuery{Text: in.looked.text, Start: start, Backward: back}
		err := trace.Find(ctx, in.log(), q, nil, func(h trace.Hit) bool { hit = h.Event; return false })
		if err != nil {
			return answer{}, err
		}
	}
	if hit < 0 {
		return answer{}, fmt.Errorf("%q is in no further event: the session stays where it was", in.looked.text)
	}
	st, err := in.jump(ctx, hit+1, from)
	if err != nil {
		return answer{}, err
	}
	return in.foundAt(st)
}

// foundAt is the stop behind an event that was searched for, with the event before it.
func (in *Interp) foundAt(st debug.Stop) (answer, error) {
	a, err := in.stopped(st)
	if err != nil || in.s.Pos() == 0 {
		return a, err
	}
	i := in.s.Pos() - 1
	a.text = fmt.Sprintf("event %d  %s\n%s", i, eventWords(in.s.Event(i)), a.text)
	return a, nil
}

// filter lists the events for which an expression holds, as the screen's list does.
func (in *Interp) filter(ctx context.Context, args string) (answer, error) {
	q, err := query.Compile(args)
	if err != nil {
		return answer{}, err
	}
	f, err := in.s.NewFilter(q)
	if err != nil {
		return answer{}, err
	}
	for !f.Slice(ctx) {
		if err := ctx.Err(); err != nil {
			return answer{}, err
		}
	}
	lines := []string{show.Plural(len(f.Hits), "event")}
	for n, i := range f.Hits {
		if n == filterShown {
			lines = append(lines, fmt.Sprintf("… %d more", len(f.Hits)-n))
			break
		}
		lines = append(lines, fmt.Sprintf("event %d  %s", i, eventWords(in.s.Event(i))))
	}
	if f.Err != nil {
		lines = append(lines, "the expression failed for some: "+show.Clean(f.Err.Error()))
	}
	return answer{strings.Join(lines, "\n"), map[string]any{"total": len(f.Hits), "events": append([]int{}, f.Hits...)}}, nil
}

// filterShown bounds the lines of a filter's text; the data has them all.
const filterShown = 100

// breakAgent is the screen's key for a breakpoint on one agent: it sets it; removes it, or switches it when it has conditions.
func (in *Interp) breakAgent(ctx context.Context, agent string) (answer, error) {
	agent, err := in.agentName(agent)
	if err != nil {
		return answer{}, err
	}
	if b := in.s.BreakAt(agent); b != nil {
		if !b.Plain() { // one that carries conditions is not thrown away in passing
			return in.turn(fmt.Sprint(b.ID), !b.Enabled)
		}
		return in.unbreak(ctx, fmt.Sprint(b.ID))
	}
	set, err := in.s.Break(debug.Breakpoint{Kind: debug.BreakAgent, Name: agent})
	if err != nil {
		return answer{}, err
	}
	return say(*set, "%s", breakText(set))
}
