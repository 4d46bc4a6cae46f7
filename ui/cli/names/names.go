// Package names judges the names that a command is asked about: one that nothing in a trace has is an error of usage that
// says which one was probably meant, never an empty answer. It may look at a log; it decides nothing else.
package names

import (
	"slices"
	"strings"

	"flowdbg/trace"
	"flowdbg/ui/cli/out"
)

// Agents is nil when every one of ids is an agent of the log, or of more (a flow's agents, which need not have run yet).
func Agents(log trace.Log, ids []string, more ...string) error {
	if len(ids) == 0 {
		return nil
	}
	known := agents(log, more)
	for _, id := range ids {
		if !slices.Contains(known, id) {
			return out.Bad("there is no agent %q%s", id, suggest(id, known))
		}
	}
	return nil
}

func agents(log trace.Log, more []string) []string {
	seen := map[string]bool{"": true}
	var list []string
	add := func(id string) {
		if !seen[id] {
			seen[id] = true
			list = append(list, id)
		}
	}
	for _, id := range more {
		add(id)
	}
	for i := range log.Len() {
		h := log.Header(i)
		add(h.Agent)
		add(h.To)
	}
	return list
}

// Types is nil when every one of types is a type of events that this program knows, or one that the log has.
func Types(log trace.Log, types []string) error {
	known := []string{}
	for _, t := range []trace.Type{trace.Receive, trace.Act, trace.SendEvent, trace.EffectEvent, trace.ErrorEvent, trace.FinishEvent,
		trace.XInit, trace.XCancel, trace.XIntervene, trace.XIntent, trace.XDamage} {
		known = append(known, string(t))
	}
	for _, t := range types {
		if slices.Contains(known, t) {
			continue
		}
		for i := range log.Len() {
			if own := string(log.Header(i).Type); !slices.Contains(known, own) {
				known = append(known, own)
			}
		}
		if !slices.Contains(known, t) {
			return out.Bad("there are no events of type %q%s", t, suggest(t, known))
		}
	}
	return nil
}

// Ref is nil when what a reference names, an output or the agent of an inbox, is in the log.
func Ref(log trace.Log, r trace.Ref, more ...string) error {
	if r.Agent != "" {
		return Agents(log, []string{r.Agent}, more...)
	}
	if r.Output == "" {
		return nil
	}
	var known []string
	for i := range log.Len() {
		h := log.Header(i)
		if h.Type != trace.SendEvent || h.To != "" {
			continue
		}
		e, err := log.Event(i)
		if err != nil {
			return out.Bad("event %d: %w", i, err)
		}
		key := trace.OutputKey(e.Agent, e.Port)
		if key == r.Output {
			return nil
		}
		if !slices.Contains(known, key) {
			known = append(known, key)
		}
	}
	if len(known) == 0 {
		return out.Bad("there is no output %q: no message has left the flow", r.Output)
	}
	return out.Bad("there is no output %q%s", r.Output, suggest(r.Output, known))
}

// Tags is nil when every one of tags stands on a message of the log.
func Tags(log trace.Log, tags []string) error {
	var known []string
	for i := range log.Len() {
		if t := log.Header(i).Type; t != trace.Receive && t != trace.SendEvent {
			continue
		}
		e, err := log.Event(i)
		if err != nil {
			return out.Bad("event %d: %w", i, err)
		}
		if tag := e.Message.Tag; !slices.Contains(known, tag) {
			known = append(known, tag)
		}
	}
	for _, tag := range tags {
		if !slices.Contains(known, tag) {
			return out.Bad("no message has the tag %q%s", tag, suggest(tag, known))
		}
	}
	return nil
}

// shown is how many names an error lists when none is near.
const shown = 12

// suggest is the near name, or else all of them when they are few.
func suggest(name string, known []string) string {
	if s := out.DidYouMean(name, known); s != "" || len(known) == 0 || len(known) > shown {
		return s
	}
	return "; there are " + strings.Join(known, ", ")
}
