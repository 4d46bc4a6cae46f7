package contract

import "encoding/json"

// DesignRef names a design on a technology library: `design_name@tech_lib`, exactly one "@", no spaces (seed 000).
type DesignRef string

// IntentRef names what an agent wants to achieve: `intent:` and then letters, digits, ".", "_" or "-" (form: ours).
type IntentRef string

// ScenarioRef is the name of the flow step the call belongs to; it must be one of the tool's supported_scenarios.
type ScenarioRef string

// SnapshotRef is `sha256:` and 64 lower-case hex digits, or a branch name; the empty value means DefaultBranch.
type SnapshotRef string

// StableID is a hierarchical instance or net name. It is never an index and never reused for another object.
type StableID string

// Hash is `sha256:` and 64 lower-case hex digits. (The state hash of seed 002 is bare hex and is not a Hash.)
type Hash string

// Timestamp is RFC 3339 in UTC with the suffix "Z".
type Timestamp string

// DefaultBranch is the snapshot that a request without snap_ref means: "main head" (seed 000).
const DefaultBranch SnapshotRef = "main"

// Standard names of effort and fidelity (seed 000). A tool may declare others in its fidelity_levels.
const (
	EffortQuick      = "quick"
	EffortStandard   = "standard"
	EffortExhaustive = "exhaustive"
)

// Schema is a JSON Schema 2020-12: an object or a boolean, without a remote $ref. Kept as the bytes that were given.
type Schema = json.RawMessage

// CostBudget limits one call. Every member is optional and ≥ 0; an absent member is no limit.
type CostBudget struct {
	USD          *float64 `json:"usd,omitempty"`            // money
	Tokens       *int64   `json:"tokens,omitempty"`         // model tokens
	Steps        *int64   `json:"steps,omitempty"`          // scheduler or solver steps
	WallMS       *int64   `json:"wall_ms,omitempty"`        // wall-clock time, ms
	PeakMemoryMB *int64   `json:"peak_memory_mb,omitempty"` // resident memory, MB
}

// Position is a place in integer database units.
type Position struct {
	X      int64  `json:"x"`
	Y      int64  `json:"y"`
	Orient string `json:"orient,omitempty"` // one of Orients; absent = not stated
	Site   string `json:"site,omitempty"`   // name of a site or BEL, for devices with named places
}

// Orients are the eight orientations of a placed cell, in the LEF/DEF 5.8 R-notation.
var Orients = []string{"R0", "R90", "R180", "R270", "MX", "MY", "MXR90", "MYR90"}

// BBox is an axis-parallel box in integer database units, borders included; x_min ≤ x_max and y_min ≤ y_max.
type BBox struct {
	XMin int64 `json:"x_min"`
	YMin int64 `json:"y_min"`
	XMax int64 `json:"x_max"`
	YMax int64 `json:"y_max"`
}

// DirtySet is a dirty region written out: cells of one snapshot, sorted by bytes and unique, and optionally their box.
type DirtySet struct {
	Snap  SnapshotRef `json:"snap"`
	Cells []StableID  `json:"cells"`
	BBox  *BBox       `json:"bbox,omitempty"`
}

// DirtySetRef is either the id of a dirty set that the platform holds (ID) or the set itself (Set). Exactly one is set.
type DirtySetRef struct {
	ID  string
	Set *DirtySet
}
