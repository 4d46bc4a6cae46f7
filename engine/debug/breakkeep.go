package debug

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

	"flowdbg/engine/flow"
)

// readBreaks reads a saved file of breakpoints. The error names the breakpoint, from 1, and what is
// wrong with it.
func readBreaks(data []byte) ([]Breakpoint, error) {
	var list []Breakpoint
	if err := json.Unmarshal(data, &list); err != nil {
		return nil, fmt.Errorf("reading the saved breakpoints: %w", err)
	}
	for i, b := range list {
		if _, known := breakKinds[b.Kind]; known || b.Kind == BreakWhen {
			continue
		}
		kinds := []string{string(BreakWhen)}
		for k := range breakKinds {
			kinds = append(kinds, string(k))
		}
		slices.Sort(kinds)
		hint := ""
		if best := flow.Closest(string(b.Kind), kinds); best != "" {
			hint = fmt.Sprintf(" (did you mean %q?)", best)
		}
		return nil, fmt.Errorf("reading the saved breakpoints: number %d, at /%d/kind: %q is no kind of breakpoint%s", i+1, i, b.Kind, hint)
	}
	return list, nil
}

// identities are the members that tell an entry of a kept file from the others.
var identities = map[string][]string{
	"breaks.json":  {"kind", "name", "pointer", "limit", "line", "when"},
	"watches.json": {"agent", "pointer"},
	"marks.json":   {"name"},
}

// MergeKept is what to write to a kept file that another debugger may have written too: ours, and of theirs, the file as
// it is now, whatever ours does not have and has not had. had is what ours was when it was read or written last, so that
// what was taken away since then is not brought back. What theirs took away stays where ours has it: nothing is lost. A
// file that cannot be read is an error (ours).
func MergeKept(file string, had, theirs, ours []byte) ([]byte, error) {
	if bytes.Equal(had, theirs) {
		return ours, nil
	}
	var lists [3][]map[string]json.RawMessage
	for i, data := range [][]byte{had, theirs, ours} {
		if len(bytes.TrimSpace(data)) == 0 {
			continue
		}
		if err := json.Unmarshal(data, &lists[i]); err != nil {
			return nil, fmt.Errorf("%s was changed and cannot be read: %w", file, err)
		}
	}
	key := func(e map[string]json.RawMessage) string {
		var b bytes.Buffer
		for _, m := range identities[file] {
			b.Write(e[m])
			b.WriteByte(0)
		}
		return b.String()
	}
	known := map[string]bool{}
	for _, list := range [][]map[string]json.RawMessage{lists[0], lists[2]} {
		for _, e := range list {
			known[key(e)] = true
		}
	}
	merged := lists[2]
	for _, e := range lists[1] {
		if !known[key(e)] {
			merged = append(merged, e)
		}
	}
	if len(merged) == len(lists[2]) {
		return ours, nil
	}
	data, err := json.MarshalIndent(merged, "", "  ")
	return append(data, '\n'), err
}
