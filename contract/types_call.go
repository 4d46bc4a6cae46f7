package contract

import "encoding/json"

// ToolRequest holds the standard fields of every call (seed 000). A tool extends it with fields of its own, so the type is
// open: a member that neither ToolRequest nor the tool's extension declares is refused by the composed schema.
type ToolRequest struct {
	DesignRef   DesignRef    `json:"design_ref"`
	IntentRef   IntentRef    `json:"intent_ref,omitempty"`
	ScenarioRef ScenarioRef  `json:"scenario_ref,omitempty"`
	Effort      string       `json:"effort,omitempty"` // one of the tool's fidelity_levels; absent = the tool's default
	Budget      *CostBudget  `json:"budget,omitempty"`
	SnapRef     SnapshotRef  `json:"snap_ref,omitempty"` // absent = DefaultBranch, resolved to a hash before the call
	DirtyHint   *DirtySetRef `json:"dirty_hint,omitempty"`
}

// PlaceRequest is the seed's example of an extension: iPL.place. All weights and the density are in [0,1].
type PlaceRequest struct {
	ToolRequest
	CongestionWeight *float64 `json:"congestion_weight,omitempty"`
	TimingWeight     *float64 `json:"timing_weight,omitempty"`
	DensityTarget    *float64 `json:"density_target,omitempty"`
	MaxIterations    *int64   `json:"max_iterations,omitempty"` // ≥ 0
}

// ToolResult holds the standard fields of every answer (seed 000). The type is open: a tool may add fields, and a newer
// tool may send fields that an older agent does not know (seed 000, MINOR).
type ToolResult struct {
	Value       json.RawMessage `json:"value"`                 // what the tool's output_schema describes
	Uncertainty *float64        `json:"uncertainty,omitempty"` // [0,1]; 0 = deterministic, absent = unstated
	Coverage    *float64        `json:"coverage,omitempty"`    // [0,1]
	Provenance  *Provenance     `json:"provenance,omitempty"`
	Warnings    []string        `json:"warnings,omitempty"` // not fatal
	ElapsedMS   int64           `json:"elapsed_ms"`         // ms, ≥ 0
}

// Provenance says which tool made a result, of what (seed 000).
type Provenance struct {
	ToolName        string      `json:"tool_name"`
	ToolVersion     string      `json:"tool_version"` // semantic version of the tool
	InputSnap       SnapshotRef `json:"input_snap"`   // always resolved: a hash, never a branch
	InputParamsHash Hash        `json:"input_params_hash"`
	ComputedAt      Timestamp   `json:"computed_at"`
}

// STAResult is the seed's example of an extended result: iSTA.analyze.
type STAResult struct {
	Value       TimingReport `json:"value"`
	Uncertainty *float64     `json:"uncertainty,omitempty"`
	Coverage    *float64     `json:"coverage,omitempty"` // share of timing paths covered, [0,1]
	Provenance  *Provenance  `json:"provenance,omitempty"`
	Warnings    []string     `json:"warnings,omitempty"`
	ElapsedMS   int64        `json:"elapsed_ms"`
}

// TimingReport is what iSTA.analyze returns; all times in ns.
type TimingReport struct {
	WNS           float64                 `json:"wns"` // worst negative slack, ns
	TNS           float64                 `json:"tns"` // total negative slack, ns, ≤ 0
	CriticalPaths []Path                  `json:"critical_paths"`
	ClockDomains  map[string]ClockSummary `json:"clock_domains"` // by clock name
	// Clipped says which WNS it is: true = 0 when nothing is violated (OpenSTA), false = the worst slack even when it is
	// positive (iEDA). Absent = not stated. Ours.
	Clipped *bool `json:"clipped,omitempty"`
}

// Path is one timing path; times in ns. (OpenSTA's JSON is in seconds: convert before filling a Path.)
type Path struct {
	PathGroup  string  `json:"path_group"`
	PathType   string  `json:"path_type"` // PathMax or PathMin
	Startpoint string  `json:"startpoint"`
	Endpoint   string  `json:"endpoint"`
	Arrival    float64 `json:"arrival"`
	Required   float64 `json:"required"`
	Slack      float64 `json:"slack"` // max: required − arrival; min: arrival − required
}

// Path types.
const (
	PathMax = "max" // setup
	PathMin = "min" // hold
)

// ClockSummary sums up one clock domain. Times in ns. What was not measured is absent, never 0.
type ClockSummary struct {
	Period         float64  `json:"period"` // ns, > 0
	SetupWNS       float64  `json:"setup_wns"`
	SetupTNS       float64  `json:"setup_tns"`
	HoldWNS        *float64 `json:"hold_wns,omitempty"`
	HoldTNS        *float64 `json:"hold_tns,omitempty"`
	SuggestFreqMHz *float64 `json:"suggest_freq_mhz,omitempty"` // MHz, > 0
	Clipped        *bool    `json:"clipped,omitempty"`          // as in TimingReport
}
