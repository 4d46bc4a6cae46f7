package contract

// Certificate is an evaluator's signed judgment of a proposal (seed 000). The members from RegretKind on are optional
// additions of ours that bind the certificate to what was judged.
type Certificate struct {
	ID             string       `json:"id"`
	ProposalID     string       `json:"proposal_id"`
	GateResult     GateJudgment `json:"gate_result"`
	ParetoPosition ParetoRank   `json:"pareto_position"`
	Regret         *float64     `json:"regret"`    // nil (null) only when no candidate passes the gate; that null is ours
	SignedBy       string       `json:"signed_by"` // `Name/vX.Y.Z`, such as "Evaluation/v0.2.0"
	SignedAt       Timestamp    `json:"signed_at"`

	RegretKind      string        `json:"regret_kind,omitempty"`   // absent = RegretScalar
	RegretDetail    *RegretDetail `json:"regret_detail,omitempty"` // the other measures, shown together with the rank
	CandidateSet    Hash          `json:"candidate_set,omitempty"` // hash of JCS([{id, metrics, feasible}… by id])
	ParentSnap      SnapshotRef   `json:"parent_snap,omitempty"`   // resolved
	ResultSnap      SnapshotRef   `json:"result_snap,omitempty"`   // resolved
	ToolName        string        `json:"tool_name,omitempty"`
	ToolVersion     string        `json:"tool_version,omitempty"`
	InputParamsHash Hash          `json:"input_params_hash,omitempty"`
	RulesHash       Hash          `json:"rules_hash,omitempty"` // hash of the gate rule file
	Digest          Hash          `json:"digest,omitempty"`     // hash of JCS(the certificate without digest)
}

// Kinds of regret.
const (
	RegretScalar    = "scalar"
	RegretChebyshev = "chebyshev"
	RegretPareto    = "pareto"
)

// RegretDetail holds regret by other measures, each relative to the candidates that pass the gate. A nil is not computable.
type RegretDetail struct {
	Scalar    *float64            `json:"scalar"`
	Chebyshev *float64            `json:"chebyshev"`
	Pareto    *float64            `json:"pareto"`
	PerMetric map[string]*float64 `json:"per_metric"` // range-normalised, by metric
}

// GateJudgment is the verdict over all rules of a gate; every rule is judged.
type GateJudgment struct {
	Verdict string      `json:"verdict"` // GatePass, GateFail, GateInconclusive or GateError
	Checks  []GateCheck `json:"checks"`
}

// Verdicts of a gate.
const (
	GatePass         = "PASS"
	GateFail         = "FAIL"
	GateInconclusive = "INCONCLUSIVE"
	GateError        = "ERROR"
)

// GateCheck is one rule judged. Margin is how far inside (≥ 0) or outside (< 0) of the limit the metric is, in its unit.
type GateCheck struct {
	Metric  string   `json:"metric"`
	Op      string   `json:"op"` // < <= > >= ==
	Limit   float64  `json:"limit"`
	Actual  *float64 `json:"actual"`           // nil = missing or not a usable number
	Level   string   `json:"level"`            // LevelError or LevelWarning
	Verdict string   `json:"verdict"`          // CheckPass, CheckFail, CheckWarn, CheckMissing or CheckNotComparable
	Margin  *float64 `json:"margin"`           // nil = not computable
	Reason  string   `json:"reason,omitempty"` // why it is missing or not comparable
}

// Levels of a gate rule.
const (
	LevelError   = "error"
	LevelWarning = "warning"
)

// Verdicts of one check.
const (
	CheckPass          = "pass"
	CheckFail          = "fail"
	CheckWarn          = "warn"
	CheckMissing       = "missing"
	CheckNotComparable = "not_comparable"
)

// ParetoRank is the position of a candidate among all candidates.
type ParetoRank struct {
	Rank       *int64      `json:"rank"`       // 0-based front; nil (null) when infeasible or not rankable
	FrontSize  int64       `json:"front_size"` // number of candidates on the same front; on the first one when Rank is nil
	Candidates int64       `json:"candidates"` // number of candidates judged
	Crowding   *float64    `json:"crowding"`   // crowding distance; nil (null) on the boundary or when Rank is nil
	Objectives []Objective `json:"objectives"`
}

// Objective is a metric that is ranked, and which way is better.
type Objective struct {
	Metric    string    `json:"metric"`
	Direction Direction `json:"direction"`
}

// Direction says which way a metric gets better.
type Direction string

// The directions; the empty value is unknown and must be declared before a goal or a rank can be decided.
const (
	LowerIsBetter  Direction = "lower"
	HigherIsBetter Direction = "higher"
)
