package load

import (
	"bytes"
	"errors"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Kind says what a file holds.
type Kind uint8

// The kinds of files.
const (
	Flow Kind = iota
	Trace
	BundleKind
)

// String is the word for messages.
func (k Kind) String() string {
	switch k {
	case Trace:
		return "trace"
	case BundleKind:
		return "bundle"
	}
	return "flow"
}

// Classify tells a flow from a trace by content (design page 02): an array, or a first object with a string "type", is
// a trace; an object with our mark is a bundle; any other object is a flow, so that a broken flow gets a flow's diagnostics. The error says what the bytes
// are instead.
func Classify(data []byte) (Kind, error) {
	text := bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case len(text) == 0:
		return 0, errors.New("the file is empty; a flow or a trace is expected")
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		return 0, errors.New("this is UTF-16 text; save it as UTF-8")
	case trace.LooksLikeTrace(data):
		return Trace, nil
	case bytes.IndexByte(data[:min(len(data), 8<<10)], 0) >= 0:
		return 0, errors.New("this is binary data, neither a flow nor a trace")
	case isBundle(text):
		return BundleKind, nil
	case text[0] != '{' || isOtherObject(data):
		return 0, errors.New(`neither a flow (an object with "agents") nor a trace (an array of events, or one event per line)`)
	}
	return Flow, nil
}

// isOtherObject is true for a whole JSON object that has nothing of a flow.
func isOtherObject(data []byte) bool {
	doc, errs := canon.ParseDoc(data)
	if len(errs) > 0 || doc.Root == nil || doc.Root.Kind != canon.KindObject {
		return false
	}
	for _, m := range doc.Root.Members {
		switch m.Key {
		case "version", "id", "agents", "edges", "budget", "input":
			return false
		}
	}
	return true
}
