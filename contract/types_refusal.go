package contract

import "strings"

// Codes of refused calls. All of them are answers towards the agent ({isError:true, structuredContent:{code,…}} with zero
// usage), never the end of a flow.
const (
	CodeToolOutdated      = "tool_outdated_for_agent" // the chain of translation steps is broken (seed 003)
	CodeTranslationFailed = "translation_failed"      // a value that the rules cannot carry
	CodeToolExcluded      = "tool_excluded"           // its sunset has passed (seed 003)
	CodeNotCapable        = "not_capable"             // outside the declared capability (seed 000)
)

// Refusal is a call that was refused, as a typed error and as the structuredContent of the answer.
type Refusal struct {
	Code         string `json:"code"`
	Tool         string `json:"tool"`
	AgentVersion int64  `json:"agent_version,omitempty"` // contract integer of the call; 0 = none given
	ToolVersions []int  `json:"tool_versions,omitempty"` // contract integers the tool implements
	Direction    string `json:"direction,omitempty"`     // "input" or "output"
	MissingStep  string `json:"missing_step,omitempty"`  // such as "2->3"
	Step         string `json:"step,omitempty"`          // the step that refused
	Rule         string `json:"rule,omitempty"`          // the operation that refused
	Path         string `json:"path,omitempty"`          // JSON Pointer of the place that refuses
	Reason       string `json:"reason"`
}

// Error names the tool, the code, the place and the reason.
func (r *Refusal) Error() string {
	var b strings.Builder
	b.WriteString(r.Tool + ": " + r.Code)
	if r.MissingStep != "" {
		b.WriteString(" (step " + r.MissingStep + " is missing)")
	} else if r.Step != "" {
		b.WriteString(" (step " + r.Step + ")")
	}
	if r.Path != "" {
		b.WriteString(" at " + r.Path)
	}
	if r.Reason != "" {
		b.WriteString(": " + r.Reason)
	}
	return b.String()
}
