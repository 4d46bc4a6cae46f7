package contract

// Proposal is what an agent suggests before a tool is called (seed 000).
type Proposal struct {
	ID              string                `json:"id"`
	IntentRef       IntentRef             `json:"intent_ref"`
	ExpectedDelta   DesignDelta           `json:"expected_delta"`
	ExpectedMetrics map[string]MetricGoal `json:"expected_metrics"` // {"hpwl": "-5%"}
	Rationale       string                `json:"rationale,omitempty"`
	ParentSnap      SnapshotRef           `json:"parent_snap"`
	Confidence      *float64              `json:"confidence,omitempty"` // [0,1]
}

// MetricGoal is `[+-]N%` of the parent snapshot, `[+-]N` as an absolute change, or `(<|<=|>|>=|==) N`; see ParseGoal.
type MetricGoal string

// DesignDelta is a change of a design (seed 000). The members from PlacedCells on are optional additions of ours: the
// seed's form cannot hold a first placement, nor added or removed cells.
type DesignDelta struct {
	MovedCells    []CellMove    `json:"moved_cells"`
	ResizedCells  []CellResize  `json:"resized_cells"`
	NewNets       []NetChange   `json:"new_nets"`
	TimingChanges []TimingDelta `json:"timing_changes"`
	DRCChanges    []DRCDelta    `json:"drc_changes"`
	Summary       DeltaSummary  `json:"summary"`

	PlacedCells   []CellPlace   `json:"placed_cells,omitempty"`   // had no place before
	UnplacedCells []CellUnplace `json:"unplaced_cells,omitempty"` // have no place any more
	AddedCells    []CellAdd     `json:"added_cells,omitempty"`
	RemovedCells  []CellRemove  `json:"removed_cells,omitempty"`
	RenamedCells  []CellRename  `json:"renamed_cells,omitempty"`
	// NotMeasured names the members that hold no measurement, such as "area_delta" or "timing_changes". A list named here
	// is empty because nobody looked, and summary.area_delta may be absent only when it is named here. Never 0 for unknown.
	NotMeasured []string `json:"not_measured,omitempty"`
}

// Names that NotMeasured holds.
const (
	NotMeasuredArea   = "area_delta"
	NotMeasuredTiming = "timing_changes"
	NotMeasuredDRC    = "drc_changes"
)

// DeltaSummary is recounted by Validate and never trusted: CellsAffected is the number of distinct cells in the delta's
// lists, NetsAffected the number of distinct nets in new_nets, AreaDelta the change of total cell area in µm².
type DeltaSummary struct {
	CellsAffected int64    `json:"cells_affected"`
	NetsAffected  int64    `json:"nets_affected"`
	AreaDelta     *float64 `json:"area_delta,omitempty"` // µm²; nil only when listed in not_measured
}

// CellMove is a cell that was placed before and is placed elsewhere, or otherwise oriented, now.
type CellMove struct {
	CellID StableID `json:"cell_id"`
	From   Position `json:"from"`
	To     Position `json:"to"`
}

// CellResize is a cell whose master changed.
type CellResize struct {
	CellID     StableID `json:"cell_id"`
	FromMaster string   `json:"from_master"`
	ToMaster   string   `json:"to_master"`
	AreaDelta  *float64 `json:"area_delta,omitempty"` // µm²; nil = not measured
}

// NetChange is a net that was added, removed or reconnected. Pins are named `instance/pin`, ports `PIN/port`.
type NetChange struct {
	NetID       StableID `json:"net_id"`
	Kind        string   `json:"kind"` // NetAdded, NetRemoved or NetReconnected
	PinsAdded   []string `json:"pins_added"`
	PinsRemoved []string `json:"pins_removed"`
}

// Kinds of NetChange.
const (
	NetAdded       = "added"
	NetRemoved     = "removed"
	NetReconnected = "reconnected"
)

// Slack is a pair of worst and total negative slack, ns.
type Slack struct {
	WNS float64 `json:"wns"`
	TNS float64 `json:"tns"`
}

// TimingDelta is a change of slack at one endpoint or of one clock (exactly one of the two is set). Delta = After − Before.
type TimingDelta struct {
	Endpoint string `json:"endpoint,omitempty"`
	Clock    string `json:"clock,omitempty"`
	Mode     string `json:"mode"`     // ModeSetup or ModeHold
	Scenario string `json:"scenario"` // corner and mode under which it was measured
	Before   Slack  `json:"before"`
	After    Slack  `json:"after"`
	Delta    Slack  `json:"delta"`
}

// Modes of TimingDelta.
const (
	ModeSetup = "setup"
	ModeHold  = "hold"
)

// DRCDelta is a change of the number of violations of one design rule, on one layer or on all.
type DRCDelta struct {
	Rule   string `json:"rule"`
	Layer  string `json:"layer,omitempty"`
	Before int64  `json:"before"`
	After  int64  `json:"after"`
}

// CellPlace is a cell that got its first place.
type CellPlace struct {
	CellID StableID `json:"cell_id"`
	To     Position `json:"to"`
}

// CellUnplace is a cell that lost its place.
type CellUnplace struct {
	CellID StableID `json:"cell_id"`
	From   Position `json:"from"`
}

// CellAdd is a cell that exists only after the change.
type CellAdd struct {
	CellID StableID  `json:"cell_id"`
	Master string    `json:"master"`
	To     *Position `json:"to,omitempty"`   // nil = not placed
	Area   *float64  `json:"area,omitempty"` // µm²; nil = not measured
}

// CellRemove is a cell that exists only before the change.
type CellRemove struct {
	CellID StableID  `json:"cell_id"`
	Master string    `json:"master"`
	From   *Position `json:"from,omitempty"` // nil = was not placed
	Area   *float64  `json:"area,omitempty"` // µm²; nil = not measured
}

// CellRename is one cell under two names; the identity rule that matched them belongs to whoever made the delta.
// Other lists of the same delta use the new name.
type CellRename struct {
	FromID StableID `json:"from_id"`
	ToID   StableID `json:"to_id"`
}
