package contract

// ToolCapability is a tool's own statement of what it can do, so that an agent can choose before any call (seed 000).
type ToolCapability struct {
	ToolName           string             `json:"tool_name"` // such as "iPL.place"
	Version            string             `json:"version"`   // semantic version of the tool
	SupportedScenarios []string           `json:"supported_scenarios"`
	FidelityLevels     []string           `json:"fidelity_levels"`
	InputConstraints   InputConstraints   `json:"input_constraints"`
	OutputSchema       Schema             `json:"output_schema"` // describes ToolResult.value
	KnownLimitations   []string           `json:"known_limitations"`
	PerformanceProfile PerformanceProfile `json:"performance_profile"`
}

// InputConstraints says what a tool needs of its input.
type InputConstraints struct {
	RequiresSnapshot bool   `json:"requires_snapshot"`
	RequiresDirtySet bool   `json:"requires_dirty_set"`
	MaxDesignCells   *int64 `json:"max_design_cells,omitempty"` // cells; nil = no declared limit
	// SupportedTechs holds technology libraries; nil (absent or null) = all. An empty list that is present means none.
	SupportedTechs []string `json:"supported_techs,omitzero"`
}

// PerformanceProfile is what a call typically costs.
type PerformanceProfile struct {
	TypicalLatencyMS int64  `json:"typical_latency_ms"` // ms
	PeakMemoryMB     int64  `json:"peak_memory_mb"`     // MB
	Scaling          string `json:"scaling"`            // ScalingLinear, ScalingNLogN, ScalingQuadratic or a word of the tool's own
	// ReferenceCells is the design size that TypicalLatencyMS holds for; nil = not stated, so nothing can be scaled. Ours.
	ReferenceCells *int64 `json:"reference_cells,omitempty"`
}

// Standard names of scaling (seed 000).
const (
	ScalingLinear    = "linear"
	ScalingNLogN     = "nlogn"
	ScalingQuadratic = "quadratic"
)
