package design

import (
	"fmt"

	"flowdbg/contract"
)

// Run is one call of a tool and what came of it. Empty members are unknown.
type Run struct {
	Tool       string
	Version    string
	InputSnap  contract.SnapshotRef // resolved
	ParamsHash contract.Hash        // sha256 of JCS(params without snap_ref)
	Result     contract.SnapshotRef // resolved
	Wiring     string               // hash over the result's routing; "" = none
}

// Codes of alarms.
const (
	AlarmKnobWithoutEffect = "knob_without_effect"
	AlarmNondeterminism    = "nondeterminism"
)

// Alarm is something about a tool that no single result shows.
type Alarm struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

// Alarms compares two runs of one tool on one input: other parameters but the same result is a knob without effect; the same
// parameters but another result is nondeterminism. It says nothing when tool, version or input are known to differ, or when
// parameters or results are not known.
func Alarms(a, b Run) []Alarm {
	if both(a.Tool, b.Tool) && a.Tool != b.Tool || both(a.Version, b.Version) && a.Version != b.Version ||
		both(string(a.InputSnap), string(b.InputSnap)) && a.InputSnap != b.InputSnap {
		return nil
	}
	if !both(string(a.ParamsHash), string(b.ParamsHash)) || !both(string(a.Result), string(b.Result)) {
		return nil
	}
	sameParams := a.ParamsHash == b.ParamsHash
	sameResult := a.Result == b.Result && a.Wiring == b.Wiring
	switch {
	case !sameParams && sameResult:
		return []Alarm{{AlarmKnobWithoutEffect, fmt.Sprintf(
			"the parameters changed (%s, %s), but the result is the same snapshot %s with the same routing: a knob without effect",
			brief(string(a.ParamsHash)), brief(string(b.ParamsHash)), brief(string(a.Result)))}}
	case sameParams && !sameResult:
		what := fmt.Sprintf("the results differ (%s, %s)", brief(string(a.Result)), brief(string(b.Result)))
		if a.Result == b.Result {
			what = "the results differ in their routing"
		}
		return []Alarm{{AlarmNondeterminism, fmt.Sprintf("the parameters are the same (%s), but %s: the tool is not deterministic", brief(string(a.ParamsHash)), what)}}
	}
	return nil
}

func both(a, b string) bool { return a != "" && b != "" }

// brief shortens a hash for a sentence.
func brief(hash string) string {
	if len(hash) > 19 {
		return hash[:19]
	}
	return hash
}
