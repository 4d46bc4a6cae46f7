package tool

import (
	"encoding/json"

	"flowdbg/contract"
	"flowdbg/contract/meta"
	"flowdbg/contract/translate"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// SideKey is the member of an effect event's side that holds Details.
const SideKey = "contract"

// Sides of a call, as in contract/translate.
const (
	SideInput  = string(translate.Input)
	SideOutput = string(translate.Output)
)

// Details is everything that was decided and done for one call, beside its answer. It is never compared or hashed. Texts of
// JSON are kept as strings, byte for byte.
type Details struct {
	Tool         string            `json:"tool"`
	Server       string            `json:"server,omitempty"`
	Today        string            `json:"today"`                   // the day that sunsets were judged on, UTC
	AgentVersion int               `json:"agent_version,omitempty"` // contract version of the call; 0 = none
	ToolVersion  int               `json:"tool_version,omitempty"`  // that the arguments were sent in; 0 = nothing was planned
	ToolVersions []int             `json:"tool_versions,omitempty"` // that the tool implements
	Source       string            `json:"source,omitempty"`        // who said so, in the order of seed 003
	Semver       string            `json:"semver,omitempty"`        // of the tool
	Sunset       string            `json:"sunset,omitempty"`
	Class        string            `json:"class,omitempty"`
	USD          float64           `json:"usd"`
	ElapsedMS    int64             `json:"elapsed_ms"`
	Rules        string            `json:"rules,omitempty"` // hash of the rule set
	Tried        []Tried           `json:"tried,omitempty"` // nearer versions without a plan
	Steps        []Step            `json:"steps,omitempty"` // in the order they were done: input up to the call, output back
	Sent         string            `json:"sent,omitempty"`  // params of tools/call as they went over the wire
	Received     string            `json:"received,omitempty"`
	Refusal      *contract.Refusal `json:"refusal,omitempty"` // when the answer is one
	Notes        []Note            `json:"notes,omitempty"`
	Journal      []meta.Entry      `json:"journal,omitempty"`

	Asked    string `json:"asked,omitempty"`    // the agent's arguments; filled in by CallDetails from the request
	Answered string `json:"answered,omitempty"` // what the agent got; filled in by CallDetails from the response
	Error    string `json:"error,omitempty"`    // of a call that failed; filled in by CallDetails
}

// Tried is a native version that no plan leads to.
type Tried struct {
	Version int               `json:"version"`
	Why     *contract.Refusal `json:"why"`
}

// Step is one step of the plan. Before and After are the arguments, or the structured content, as JSON texts; only After of a
// step inside a chain is recorded, the others follow from the call. Both are "" where the document was never made, or where
// it was above maxStep bytes.
type Step struct {
	Side   string `json:"side"`      // input or output
	Step   string `json:"step"`      // "1->2"
	Dir    string `json:"direction"` // up or down
	Ops    int    `json:"ops"`
	Rule   string `json:"rule,omitempty"` // where it is written: file and pointer
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
}

// Note is a loss, an invention or a remark of a translation.
type Note struct {
	Side string `json:"side"`
	translate.Note
}

// Losses are the notes about values that did not get through.
func (d *Details) Losses() []Note { return d.notes(translate.NoteLoss) }

// Inventions are the notes about values that nobody sent.
func (d *Details) Inventions() []Note { return d.notes(translate.NoteInvented) }

func (d *Details) notes(kind string) []Note {
	var list []Note
	for _, n := range d.Notes {
		if n.Kind == kind {
			list = append(list, n)
		}
	}
	return list
}

// Verdict is one word for what became of the call: unchanged, translated, as it came (without a version), the refusal's code,
// or failed.
func (d *Details) Verdict() string {
	switch {
	case d.Error != "":
		return "failed"
	case d.Refusal != nil:
		return d.Refusal.Code
	case d.AgentVersion == 0:
		return "as it came"
	case d.AgentVersion == d.ToolVersion:
		return "unchanged"
	}
	return "translated"
}

// CallDetails is what an effect or error event says about its contract call; ok is false when it is about none. Nothing is
// looked up outside of the event, so any trace can be shown anywhere.
func CallDetails(e *trace.Event) (d *Details, ok bool) {
	v := e.SideFlag(SideKey)
	if v.Kind() != canon.KindObject {
		return nil, false
	}
	d = &Details{}
	if err := json.Unmarshal([]byte(v.Text()), d); err != nil {
		return nil, false
	}
	for i := range d.Tried {
		if d.Tried[i].Why == nil { // in a trace of somebody else's
			d.Tried[i].Why = &contract.Refusal{Tool: d.Tool, Reason: "not recorded"}
		}
	}
	request := e.Effect
	switch e.Type {
	case trace.EffectEvent:
		d.Answered = e.Answer().Text()
	case trace.ErrorEvent:
		if e.Error == nil {
			return nil, false
		}
		request = e.Error.Request
		d.Error = e.Error.Text
		if text, ok := e.SideFlag("detail").Str(); ok {
			d.Error += ": " + text
		}
	default:
		return nil, false
	}
	if request != nil {
		d.Asked = request.Input.Get("arguments").Text()
	}
	d.fillSteps(e.Answer())
	return d, true
}

// fillSteps derives the documents between the steps from what was asked, sent, received and answered.
func (d *Details) fillSteps(answer canon.Value) {
	ends := map[string][2]string{
		SideInput:  {d.Asked, member(d.Sent, "arguments")},
		SideOutput: {member(d.Received, "structuredContent"), ""},
	}
	if d.Refusal == nil && d.Error == "" {
		ends[SideOutput] = [2]string{ends[SideOutput][0], answer.Get("structuredContent").Text()}
	}
	for _, side := range []string{SideInput, SideOutput} {
		before, last := ends[side][0], -1
		for i := range d.Steps {
			s := &d.Steps[i]
			if s.Side != side {
				continue
			}
			s.Before, before, last = before, s.After, i
		}
		if last >= 0 {
			d.Steps[last].After = ends[side][1]
		}
	}
}

// member is the text of one member of a JSON object, as it is spelt there.
func member(text, key string) string {
	var m map[string]json.RawMessage
	if json.Unmarshal([]byte(text), &m) != nil {
		return ""
	}
	return string(m[key])
}
