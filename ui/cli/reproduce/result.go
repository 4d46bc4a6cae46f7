package reproduce

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/engine/effect/tool"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// result is what an event says of the call that it records.
type result struct {
	Server     string               `json:"server,omitempty"`
	Tool       string               `json:"tool"`
	Arguments  json.RawMessage      `json:"arguments"`       // as they were sent
	Meta       json.RawMessage      `json:"_meta,omitempty"` // likewise
	Status     string               `json:"status,omitempty"`
	Reason     string               `json:"reason,omitempty"`
	Snap       contract.SnapshotRef `json:"snap,omitempty"` // of the result
	Provenance *contract.Provenance `json:"provenance,omitempty"`
	Made       *made                `json:"made,omitempty"`

	value canon.Value // of the ToolResult; absent when the tool's answer is none
}

// made is a member that a tool may add to its result (ours): how the answer came about.
type made struct {
	Commands [][]string        `json:"commands"` // argument vectors, in the order in which they ran in one empty folder
	Programs map[string]string `json:"programs"` // program → version
	Inputs   map[string]string `json:"inputs"`   // file → sha256:<hex>
	Outputs  map[string]string `json:"outputs"`
}

var errNoTool = errors.New("it is no answer of a tool; name an effect event of the op tool or mcp")

// resultOf reads the call of an effect event. What went over the wire counts, where the trace has it: the agent may have
// asked and been answered in another contract version.
func resultOf(e *trace.Event) (*result, error) {
	if e.Type != trace.EffectEvent || e.Effect == nil || e.Effect.Op != "tool" && e.Effect.Op != "mcp" {
		return nil, errNoTool
	}
	in, content := e.Effect.Input, e.Answer().Get("structuredContent")
	r := &result{Arguments: raw(in.Get("arguments")), Meta: raw(in.Get("_meta"))}
	r.Server, _ = in.Get("server").Str()
	r.Tool, _ = in.Get("tool").Str()
	if d, ok := tool.CallDetails(e); ok {
		if d.Refusal != nil && d.Received == "" {
			return nil, fmt.Errorf("the call was refused before it was sent: %w", d.Refusal)
		}
		r.Server = d.Server
		if sent := parsed(d.Sent); !sent.IsAbsent() {
			r.Arguments, r.Meta = raw(sent.Get("arguments")), raw(sent.Get("_meta"))
		}
		if received := parsed(d.Received); !received.IsAbsent() {
			content = received.Get("structuredContent")
		}
	}
	if r.Server == "" || r.Tool == "" {
		return nil, errors.New("the event does not say which server and tool answered")
	}
	if len(r.Arguments) == 0 {
		r.Arguments = json.RawMessage("{}")
	}
	return r, r.read(content)
}

// read reads a ToolResult; an answer that is none leaves everything open.
func (r *result) read(content canon.Value) error {
	r.value = content.Get("value")
	r.Status, _ = r.value.Get("status").Str()
	r.Reason, _ = r.value.Get("reason").Str()
	snap, _ := r.value.Get("snap").Str()
	r.Snap = contract.SnapshotRef(snap)
	for key, to := range map[string]any{"provenance": &r.Provenance, "made": &r.Made} {
		if v := content.Get(key); !v.IsAbsent() {
			if err := json.Unmarshal([]byte(v.Text()), to); err != nil {
				return fmt.Errorf("the result's %s cannot be read: %w", key, err)
			}
		}
	}
	return nil
}

func raw(v canon.Value) json.RawMessage {
	if v.Kind() != canon.KindObject {
		return nil
	}
	return json.RawMessage(v.Text())
}

// parsed is a recorded text as a value, absent when it is none.
func parsed(text string) canon.Value {
	v, _, err := canon.ParseString(text, canon.Options{Integers: canon.IntegersAsString})
	if err != nil {
		return canon.Value{}
	}
	return v
}

func (r *result) print(w io.Writer) {
	fmt.Fprintf(w, "server     %s\n", r.Server)
	fmt.Fprintf(w, "arguments  %s\n", r.Arguments)
	if len(r.Meta) > 0 {
		fmt.Fprintf(w, "_meta      %s\n", r.Meta)
	}
	if p := r.Provenance; p != nil {
		fmt.Fprintf(w, "version    %s %s\n", p.ToolName, p.ToolVersion)
		fmt.Fprintf(w, "input      %s\nparams     %s\n", p.InputSnap, p.InputParamsHash)
		fmt.Fprintf(w, "computed   %s\n", p.ComputedAt)
	} else {
		fmt.Fprintln(w, "version    the result has no provenance")
	}
	if r.Status != "" {
		fmt.Fprintf(w, "status     %s %s\n", r.Status, r.Reason)
	}
	if r.Snap != "" {
		fmt.Fprintf(w, "snapshot   %s\n", r.Snap)
	}
	if r.Made == nil {
		fmt.Fprintln(w, "command    the tool does not say which programs it ran")
		return
	}
	for _, argv := range r.Made.Commands {
		fmt.Fprintf(w, "command    %s\n", shell(argv))
	}
	for _, line := range sorted(r.Made.Programs) {
		fmt.Fprintf(w, "program    %s\n", line)
	}
	for _, line := range sorted(r.Made.Inputs) {
		fmt.Fprintf(w, "read       %s\n", line)
	}
	for _, line := range sorted(r.Made.Outputs) {
		fmt.Fprintf(w, "wrote      %s\n", line)
	}
}

func sorted(m map[string]string) []string {
	lines := make([]string, 0, len(m))
	for k, v := range m {
		lines = append(lines, k+" "+v)
	}
	slices.Sort(lines)
	return lines
}

// shell is an argument vector as a POSIX shell takes it.
func shell(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		if a == "" || strings.Trim(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789%+,-./:=@_") != "" {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words[i] = a
	}
	return strings.Join(words, " ")
}
