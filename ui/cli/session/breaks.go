package session

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"flowdbg/engine/debug"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/show"
)

func breakText(b *debug.Breakpoint) string {
	text := show.Clean(b.String())
	if !b.Enabled {
		text += "  off"
	}
	if b.Unbound {
		text += "  unbound: " + show.Clean(b.Why)
	}
	if place := b.Place(); place != "" {
		text += "  " + place
	}
	if b.Hits > 0 {
		text += "  " + show.Plural(b.Hits, "hit")
	}
	if doubt := b.Doubt(); doubt != "" {
		text += "  " + show.Clean(doubt)
	}
	return text
}

func (in *Interp) breakAt(ctx context.Context, args string) (answer, error) {
	if args == "" {
		return in.breaks(ctx, "")
	}
	b, err := debug.ParseBreakpoint(args)
	if err != nil {
		return answer{}, err
	}
	set, err := in.s.Break(b)
	if err != nil {
		return answer{}, err
	}
	return say(*set, "%s", breakText(set))
}

func (in *Interp) breakOf(args string) (*debug.Breakpoint, error) {
	id, err := strconv.Atoi(strings.TrimPrefix(args, "#"))
	if err == nil {
		for _, b := range in.s.Breakpoints() {
			if b.ID == id {
				return b, nil
			}
		}
	}
	return nil, fmt.Errorf("there is no breakpoint %q; breaks lists them", args)
}

func (in *Interp) unbreak(_ context.Context, args string) (answer, error) {
	if args == "all" {
		n := len(in.s.Breakpoints())
		for len(in.s.Breakpoints()) > 0 {
			in.s.Unbreak(in.s.Breakpoints()[0].ID)
		}
		return say(n, "%s removed", show.Plural(n, "breakpoint"))
	}
	b, err := in.breakOf(args)
	if err != nil {
		return answer{}, err
	}
	in.s.Unbreak(b.ID)
	return say(*b, "%s removed", show.Clean(b.String()))
}

func (in *Interp) enable(_ context.Context, args string) (answer, error) { return in.turn(args, true) }
func (in *Interp) disable(_ context.Context, args string) (answer, error) {
	return in.turn(args, false)
}

func (in *Interp) turn(args string, on bool) (answer, error) {
	b, err := in.breakOf(args)
	if err != nil {
		return answer{}, err
	}
	b.Enabled = on
	return say(*b, "%s", breakText(b))
}

func (in *Interp) breaks(_ context.Context, args string) (answer, error) {
	if err := in.keepOr("breaks", "breakpoints", args); err != nil {
		return answer{}, err
	}
	list := in.s.Breakpoints()
	lines := make([]string, len(list))
	for i, b := range list {
		lines[i] = breakText(b)
	}
	if len(list) == 0 {
		lines = []string{"no breakpoints"}
	}
	return answer{strings.Join(lines, "\n"), list}, nil
}

// Watch is a watched value for programs; what is absent is not there.
type Watch struct {
	Agent   string      `json:"agent"`
	Pointer string      `json:"pointer"`
	Value   canon.Value `json:"value,omitzero"`
	Changed bool        `json:"changed"` // by the step at the position
	Before  canon.Value `json:"before,omitzero"`
}

func watchesOf(s *debug.Session) []Watch {
	var list []Watch
	for _, w := range s.Watches() {
		list = append(list, Watch{w.Agent, w.Pointer, w.Value, w.Changed, w.Before})
	}
	return list
}

// watchLen is how many characters of a watched value a line shows.
const watchLen = 60

func (w Watch) text() string {
	mark, was := " ", ""
	if w.Changed {
		mark, was = "*", "  was "+show.Preview(w.Before, watchLen)
	}
	return fmt.Sprintf("%s watch %s %s  %s%s", mark, show.Clean(debug.Quote(w.Agent)), show.Clean(w.Pointer), show.Preview(w.Value, watchLen), was)
}

func (in *Interp) watch(ctx context.Context, args string) (answer, error) {
	agent, pointer, err := cutPlace(args)
	if err != nil {
		return answer{}, err
	}
	if agent == "" {
		return answer{}, fmt.Errorf("write watch AGENT POINTER, for example watch critic /pending")
	}
	if _, ok := in.s.State().Agent(agent); !ok {
		return answer{}, in.noAgent(agent)
	}
	if err := in.s.Watch(debug.Watch{Agent: agent, Pointer: pointer}); err != nil {
		return answer{}, err
	}
	return in.watches(ctx, "")
}

func (in *Interp) unwatch(ctx context.Context, args string) (answer, error) {
	n, err := strconv.Atoi(args)
	all := len(in.s.Watches())
	switch {
	case args == "all":
		for ; all > 0; all-- {
			in.s.Unwatch(0)
		}
	case err != nil || n < 1 || n > all:
		return answer{}, fmt.Errorf("there is no watch %q; there are %d", args, all)
	default:
		in.s.Unwatch(n - 1)
	}
	return in.watches(ctx, "")
}

func (in *Interp) watches(_ context.Context, args string) (answer, error) {
	if err := in.keepOr("watches", "watches", args); err != nil {
		return answer{}, err
	}
	list := watchesOf(in.s)
	lines := make([]string, len(list))
	for i, w := range list {
		lines[i] = w.text()
	}
	if len(list) == 0 {
		return say([]Watch{}, "no watches")
	}
	return answer{strings.Join(lines, "\n"), list}, nil
}
