package engine

import (
	"fmt"
	"strings"

	"flowdbg/engine/effect/secret"
	"flowdbg/trace"
)

// Leak is an event that would put the value of a secret into a file. Answers are redacted before they are delivered, so
// it comes from the flow itself: a value that someone wrote into a prompt or a config.
type Leak struct {
	Event int      // index in what was to be written
	Names []string // of the secrets
}

// Error names the secrets, never their values.
func (e *Leak) Error() string {
	return fmt.Sprintf("event %d holds the value of the secret %s: it is not written; name the secret in the flow instead of writing its value",
		e.Event, strings.Join(e.Names, ", "))
}

// FindLeak looks for values of secrets in events that are about to be written; the error is *Leak, nil when there are
// none. A nil scanner finds none.
func FindLeak(scan *secret.Scanner, events []trace.Event) error {
	if scan.Empty() {
		return nil
	}
	var line []byte
	for i := range events {
		line = events[i].AppendJSON(line[:0])
		if names := scan.Find(string(line)); names != nil {
			return &Leak{i, names}
		}
	}
	return nil
}

// GuardSink is a sink that refuses events with the values of secrets that the machine's flow names. A nil sink stays nil.
func GuardSink(s Sink, m *Machine) Sink {
	if s == nil {
		return nil
	}
	return &guardedSink{Sink: s, m: m}
}

type guardedSink struct {
	Sink
	m    *Machine
	n    int
	line []byte
}

func (g *guardedSink) Append(e *trace.Event) error {
	if scan := g.m.SecretScanner(); !scan.Empty() {
		g.line = e.AppendJSON(g.line[:0])
		if names := scan.Find(string(g.line)); names != nil {
			return &Leak{g.n, names}
		}
	}
	g.n++
	return g.Sink.Append(e)
}
