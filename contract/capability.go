package contract

import (
	"fmt"
	"slices"
	"strings"
)

// Keys of a tool's `_meta` under which capability and semantic version travel over MCP (ours).
const (
	MetaCapability = "flowdbg/capability"
	MetaVersion    = "flowdbg/version"
)

// CapabilityCheck is a request held against a capability.
type CapabilityCheck struct {
	// Refusals holds one not_capable for every field that is outside, with Path as its pointer in the request. Any refusal
	// means: do not call.
	Refusals []*Refusal `json:"refusals"`
	// NotCheckable holds what could not be decided and why. It never counts as a pass.
	NotCheckable []string `json:"not_checkable"`
	// Warnings holds what is allowed but over the request's budget by prediction.
	Warnings []string `json:"warnings"`
}

// CheckRequest decides before a call whether a request lies in the capability that the tool declares (seed 000). cells is
// the design's number of cells, nil when it is not known. Everything is checked, never only the first field:
//
//   - scenario_ref and effort, when given, must be declared; absent ones are the tool's to choose;
//   - requires_snapshot wants snap_ref (a caller that resolved the default has filled it in), requires_dirty_set wants dirty_hint;
//   - the technology of design_ref must be supported, and cells must not exceed max_design_cells.
func CheckRequest(tool *ToolCapability, req *ToolRequest, cells *int64) CapabilityCheck {
	check := CapabilityCheck{Refusals: []*Refusal{}, NotCheckable: []string{}, Warnings: []string{}}
	refuse := func(path, format string, args ...any) {
		check.Refusals = append(check.Refusals, &Refusal{Code: CodeNotCapable, Tool: tool.ToolName, Path: path, Reason: fmt.Sprintf(format, args...)})
	}
	in := tool.InputConstraints
	if s := string(req.ScenarioRef); s != "" && !slices.Contains(tool.SupportedScenarios, s) {
		refuse("/scenario_ref", "scenario %q is not among supported_scenarios %s", s, names(tool.SupportedScenarios))
	}
	if req.Effort != "" && !slices.Contains(tool.FidelityLevels, req.Effort) {
		refuse("/effort", "effort %q is not among fidelity_levels %s", req.Effort, names(tool.FidelityLevels))
	}
	if in.RequiresSnapshot && req.SnapRef == "" {
		refuse("/snap_ref", "the tool requires a snapshot (requires_snapshot)")
	}
	if in.RequiresDirtySet && req.DirtyHint == nil {
		refuse("/dirty_hint", "the tool requires a dirty set (requires_dirty_set)")
	}
	design, tech, err := req.DesignRef.Parse()
	if err != nil {
		refuse("/design_ref", "%v", err)
	} else if in.SupportedTechs != nil && !slices.Contains(in.SupportedTechs, tech) {
		refuse("/design_ref", "technology %q is not among supported_techs %s", tech, names(in.SupportedTechs))
	}
	if limit := in.MaxDesignCells; limit != nil && cells == nil {
		check.NotCheckable = append(check.NotCheckable, fmt.Sprintf("max_design_cells %d: the number of cells is not known", *limit))
	} else if limit != nil && *cells > *limit {
		refuse("/design_ref", "%s has %d cells, above max_design_cells %d", design, *cells, *limit)
	}
	for _, a := range profileAspects(tool, cells, req.Budget) {
		switch a.Status {
		case StatusWarning:
			check.Warnings = append(check.Warnings, a.Reason)
		case StatusNotCheckable:
			check.NotCheckable = append(check.NotCheckable, a.Reason)
		}
	}
	return check
}

// names writes a list for a message.
func names(list []string) string { return "[" + strings.Join(list, ", ") + "]" }

// ResolveEffort is the effort that a call runs with, for the record: the request's, else the tool's default, which is
// "standard" if it declares that level, else its first level; "" when it declares none (the default: ours).
func ResolveEffort(tool *ToolCapability, req *ToolRequest) string {
	switch {
	case req.Effort != "":
		return req.Effort
	case slices.Contains(tool.FidelityLevels, EffortStandard):
		return EffortStandard
	case len(tool.FidelityLevels) > 0:
		return tool.FidelityLevels[0]
	}
	return ""
}
