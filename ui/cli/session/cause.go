package session

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"flowdbg/trace"
	"flowdbg/ui/cli/names"
	"flowdbg/ui/cli/show"
)

func (in *Interp) causes(ctx context.Context) (*trace.Causes, error) {
	return trace.NewCauses(ctx, in.log(), nil)
}

// why tells the causes of what a reference names; an inbox without a position is meant at the session's.
func (in *Interp) why(ctx context.Context, args string) (answer, error) {
	ref := trace.EventRef(in.s.Pos() - 1)
	var err error
	switch {
	case args != "":
		if args, err = oneName(args); err != nil {
			return answer{}, err
		}
		if ref, err = trace.ParseRef(args); err != nil {
			return answer{}, err
		}
	case in.s.Pos() == 0:
		ref = trace.EventRef(trace.InputEvent)
	}
	if ref.Agent != "" && ref.At < 0 {
		ref.At = in.s.Pos()
	}
	if err := names.Ref(in.log(), ref, in.agents()...); err != nil {
		return answer{}, err
	}
	c, err := in.causes(ctx)
	if err != nil {
		return answer{}, err
	}
	chain, err := c.Why(ctx, ref, 0)
	if err != nil {
		return answer{}, err
	}
	return answer{whyText(chain), chain}, nil
}

// whyText is the chain as a table, from the root to the thing.
func whyText(c *trace.Chain) string {
	var b strings.Builder
	target := show.Clean(c.Target)
	if _, err := strconv.Atoi(target); err == nil {
		target = "event " + target
	}
	fmt.Fprintf(&b, "why does %s exist?\n", target)
	tw := show.Table(&b)
	for i, l := range c.Links {
		if c.Skipped > 0 && i == c.SkipAt {
			fmt.Fprintf(tw, "\t… %d links are left out\n", c.Skipped)
		}
		step := ""
		if l.Step > 0 {
			step = fmt.Sprintf("step %d", l.Step)
		}
		cost := ""
		if l.Cost != nil && l.Cost.USD != 0 {
			cost = "  " + show.Dollars(trace.NanoUSD(l.Cost.USD))
		}
		event := ""
		if l.Event >= 0 {
			event = fmt.Sprintf("event %d", l.Event)
		}
		detail, note := "", ""
		if !l.Detail.IsAbsent() {
			detail = show.Preview(l.Detail, watchLen)
		}
		if l.Note != "" {
			note = "  (" + show.Clean(l.Note) + ")"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s%s%s\n", step, event, show.Clean(l.Text), detail, cost, note)
	}
	tw.Flush()
	switch {
	case c.Broken != "":
		fmt.Fprintf(&b, "the chain breaks: %s\n", show.Clean(c.Broken))
	case !c.Exact:
		b.WriteString("not exact: a message received is not the one that its cause delivered\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

func (in *Interp) cameOf(ctx context.Context, args string) (answer, error) {
	i, err := trace.InputEvent, error(nil)
	if args != "input" {
		if i, err = in.eventNumber(args); err != nil {
			return answer{}, err
		}
	}
	c, err := in.causes(ctx)
	if err != nil {
		return answer{}, err
	}
	tree, err := c.CameOf(ctx, i, trace.TreeLimits{}, nil)
	if err != nil {
		return answer{}, err
	}
	var b strings.Builder
	treeText(&b, tree, "")
	return answer{strings.TrimRight(b.String(), "\n"), tree}, nil
}

func treeText(b *strings.Builder, n *trace.Node, indent string) {
	fate := ""
	if n.Fate != "" {
		fate = "  " + string(n.Fate)
	}
	fmt.Fprintf(b, "%sevent %d  step %d  %s%s\n", indent, n.Event, n.Step, show.Clean(n.Text), fate)
	for _, c := range n.Children {
		treeText(b, c, indent+"  ")
	}
	if n.More > 0 {
		fmt.Fprintf(b, "%s  … %d more\n", indent, n.More)
	}
}

func (in *Interp) whoChanged(ctx context.Context, args string) (answer, error) {
	agent, pointer, err := cutPlace(args)
	if err != nil {
		return answer{}, err
	}
	if _, ok := in.s.State().Agent(agent); !ok {
		return answer{}, in.noAgent(agent)
	}
	ch, err := trace.WhoChanged(ctx, in.log(), agent, pointer, in.s.Pos(), nil)
	if err != nil {
		return answer{}, err
	}
	if ch == nil {
		return say(nil, "nothing changed %s of %s up to event %d", show.Clean(pointer), show.Clean(agent), in.s.Pos())
	}
	return say(ch, "event %d  step %d  %s of %s  %s → %s", ch.Event, ch.Step, ch.Type, show.Clean(agent), show.Preview(ch.Before, watchLen), show.Preview(ch.After, watchLen))
}
