package translate

import (
	"encoding/json"
	"strings"

	"flowdbg/contract"
)

// CapableBy builds Platform.Capable out of declared capabilities. find gives a tool's capability, nil for a tool that
// declares none: such a tool takes everything. cells is the design's number of cells, nil when it is not known. Of several
// fields that are outside, the refusal names the first and tells of all.
func CapableBy(find func(tool string) *contract.ToolCapability, cells *int64) func(tool string, arguments []byte) *contract.Refusal {
	return func(tool string, arguments []byte) *contract.Refusal {
		capability := find(tool)
		if capability == nil {
			return nil
		}
		var req contract.ToolRequest
		if err := json.Unmarshal(orEmpty(arguments), &req); err != nil {
			return &contract.Refusal{Reason: "the arguments are no ToolRequest: " + err.Error()}
		}
		refusals := contract.CheckRequest(capability, &req, cells).Refusals
		if len(refusals) == 0 {
			return nil
		}
		reasons := make([]string, len(refusals))
		for i, r := range refusals {
			reasons[i] = r.Reason
		}
		out := *refusals[0]
		out.Reason = strings.Join(reasons, "; ")
		return &out
	}
}

func orEmpty(arguments []byte) []byte {
	if len(arguments) == 0 {
		return []byte("{}")
	}
	return arguments
}
