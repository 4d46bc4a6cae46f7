package trace

import (
	"strconv"
	"strings"

	"flowdbg/trace/canon"
)

// Limits of version 1, in canonical bytes, so that a breach is the same on every machine (ours).
const (
	MaxMessageBytes = 1 << 20  // a message {from?, payload, tag}
	MaxStateBytes   = 16 << 20 // one agent's state
	MaxInbox        = 10_000   // messages waiting in one inbox
	MaxNesting      = 256      // depth of a payload, a state or an effect's input
	MaxSendsPerAct  = 1_000    // send events of one act, counted per edge
)

// readNesting is how deep a trace file may nest: an event wraps a value in at most a few more levels.
const readNesting = MaxNesting + 8

// LimitBreach says which limit was broken and by how much; its text is what an error event holds.
type LimitBreach struct {
	What       string
	Got, Limit int
}

// Error is the text of the table of error texts, "LimitExceeded: <what> <got> > <limit>".
func (b *LimitBreach) Error() string {
	return CodeLimitExceeded + ": " + b.What + " " + strconv.Itoa(b.Got) + " > " + strconv.Itoa(b.Limit)
}

// CheckMessage is nil or the limit that the message breaks.
func CheckMessage(m Message) *LimitBreach {
	if n := m.Text().Len(); n > MaxMessageBytes {
		return &LimitBreach{"message", n, MaxMessageBytes}
	}
	return CheckNesting("message nesting", m.Payload)
}

// CheckState is nil or the limit that an agent's state breaks.
func CheckState(v canon.Value) *LimitBreach {
	if n := v.Len(); n > MaxStateBytes {
		return &LimitBreach{"state", n, MaxStateBytes}
	}
	return CheckNesting("state nesting", v)
}

// CheckNesting is nil or the breach when v nests deeper than MaxNesting. Most values cannot: two vectorised counts
// show it without a walk.
func CheckNesting(what string, v canon.Value) *LimitBreach {
	text := v.Text()
	if len(text) < 2*MaxNesting || strings.Count(text, "[")+strings.Count(text, "{") <= MaxNesting {
		return nil
	}
	if d := depth(text); d > MaxNesting {
		return &LimitBreach{what, d, MaxNesting}
	}
	return nil
}

// depth is the deepest nesting of a canonical text.
func depth(text string) int {
	d, most := 0, 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i = skipString(text, i)
		case '[', '{':
			if d++; d > most {
				most = d
			}
		case ']', '}':
			d--
		}
	}
	return most
}

// skipString is the index of the quote that ends the string which begins at i.
func skipString(text string, i int) int {
	for i++; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return i
}
