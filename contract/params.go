package contract

import (
	"errors"
	"fmt"

	"flowdbg/trace/canon"
)

// ParamsHash is input_params_hash: the hash of JCS(params without snap_ref). The snapshot is left out because it is its own
// part of the cache key; dirty_hint stays in, because it changes what is computed. The error names params that are no object.
func ParamsHash(params canon.Value) (Hash, error) {
	if params.Kind() != canon.KindObject {
		return "", fmt.Errorf("parameters are %s, not an object", params.Kind())
	}
	var kept []canon.Member
	for key, value := range params.Members() {
		if key != "snap_ref" {
			kept = append(kept, canon.Member{Key: key, Value: value})
		}
	}
	return HashOf(canon.Object(kept...)), nil
}

// HashOf is `sha256:` and the hash of a canonical value.
func HashOf(v canon.Value) Hash { return Hash("sha256:" + v.Hash()) }

// CacheKey names a result that may be used again. Two calls with equal keys asked the same question of the same tool.
type CacheKey struct {
	ParamsHash      Hash        `json:"input_params_hash"`
	ToolName        string      `json:"tool_name"`
	ToolVersion     string      `json:"tool_version"` // semantic version of the tool
	Snapshot        SnapshotRef `json:"snapshot"`     // resolved
	ContractVersion int64       `json:"contract_version"`
	RuleSet         Hash        `json:"rule_set"` // hash of the translation rules in force
}

// Hash is the key as one hash. It fails when the snapshot is a branch, because a branch moves and the cache would not notice.
func (k CacheKey) Hash() (Hash, error) {
	if !k.Snapshot.Resolved() {
		return "", fmt.Errorf("cache key: snapshot %q is not resolved to a hash", string(k.Snapshot))
	}
	if k.ToolName == "" || k.ToolVersion == "" {
		return "", errors.New("cache key: a tool without name or version cannot be cached")
	}
	return HashOf(canon.Object(
		canon.Member{Key: "input_params_hash", Value: canon.String(string(k.ParamsHash))},
		canon.Member{Key: "tool_name", Value: canon.String(k.ToolName)},
		canon.Member{Key: "tool_version", Value: canon.String(k.ToolVersion)},
		canon.Member{Key: "snapshot", Value: canon.String(string(k.Snapshot))},
		canon.Member{Key: "contract_version", Value: canon.Int(k.ContractVersion)},
		canon.Member{Key: "rule_set", Value: canon.String(string(k.RuleSet))},
	)), nil
}

// Observation is one result as the determinism check sees it.
type Observation struct {
	ToolName    string
	ToolVersion string
	Snapshot    SnapshotRef // resolved
	ParamsHash  Hash
	Uncertainty *float64 // as the tool stated it; 0 claims a deterministic result, nil claims nothing
	ValueHash   Hash
}

// Alarm says that a result contradicts a claim of determinism.
type Alarm struct {
	First  Observation
	Second Observation
}

// Error tells the tool, its version and the two values.
func (a *Alarm) Error() string {
	return fmt.Sprintf("%s %s is not deterministic: the same parameters on %s gave %s and then %s, and it states uncertainty 0",
		a.Second.ToolName, a.Second.ToolVersion, a.Second.Snapshot, a.First.ValueHash, a.Second.ValueHash)
}

// Determinism remembers results and raises an alarm when the same tool, version, snapshot and parameters give another value
// although one of the two results states uncertainty 0 (seed 000: 0 = deterministic). The zero value is ready to use; it is
// not safe for concurrent use.
type Determinism struct{ first map[[4]string]Observation }

// Observe adds a result; the answer is nil when nothing contradicts.
func (d *Determinism) Observe(o Observation) *Alarm {
	if d.first == nil {
		d.first = map[[4]string]Observation{}
	}
	key := [4]string{o.ToolName, o.ToolVersion, string(o.Snapshot), string(o.ParamsHash)}
	first, seen := d.first[key]
	if !seen {
		d.first[key] = o
		return nil
	}
	if first.ValueHash == o.ValueHash {
		if claims(o) {
			d.first[key] = o // the same value, and perhaps now with a claim
		}
		return nil
	}
	if claims(first) || claims(o) {
		return &Alarm{First: first, Second: o}
	}
	return nil
}

func claims(o Observation) bool { return o.Uncertainty != nil && *o.Uncertainty == 0 }
