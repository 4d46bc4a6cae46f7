package main

import (
	"context"
	"fmt"

	"flowdbg/contract"
	"flowdbg/contract/design"
	"flowdbg/trace/canon"
)

// deltaValue is the value of ice40.delta.
type deltaValue struct {
	Status   string               `json:"status"`
	Before   contract.SnapshotRef `json:"before"`
	After    contract.SnapshotRef `json:"after"`
	Identity design.Identity      `json:"identity"`
	Equal    bool                 `json:"snapshots_equal"`
	HPWL     *float64             `json:"hpwl_delta,omitempty"` // tiles
	Counts   design.Counts        `json:"counts"`
	Delta    contract.DesignDelta `json:"delta"`
}

// delta is ice40.delta: {design_ref, snap_ref, after, identity?}: what changed from one stored snapshot to another.
func (b *bench) delta(_ context.Context, args canon.Value) (*answer, error) {
	ref := func(key string) contract.SnapshotRef { s, _ := args.Get(key).Str(); return contract.SnapshotRef(s) }
	v := deltaValue{Status: statusOK, Before: ref("snap_ref"), After: ref("after"), Identity: design.ByName}
	if s, ok := args.Get("identity").Str(); ok {
		v.Identity = design.Identity(s)
	}
	before, err := b.store.Get(v.Before)
	if err != nil {
		return nil, fmt.Errorf("snap_ref: %w", err)
	}
	after, err := b.store.Get(v.After)
	if err != nil {
		return nil, fmt.Errorf("after: %w", err)
	}
	d, err := design.Delta(before, after, design.Rule{Identity: v.Identity, Ignore: []string{design.ClassPacker}})
	if err != nil {
		return nil, err
	}
	v.Equal, v.HPWL, v.Counts, v.Delta = d.Equal, d.HPWL.Delta, d.Counts, d.Delta
	zero := 0.0
	a := &answer{Value: &v, input: v.Before, Uncertainty: &zero, summary: d.Counts.String()}
	a.Made = made{Programs: map[string]string{}, Inputs: map[string]string{"before": string(v.Before), "after": string(v.After)}, Outputs: map[string]string{}}
	return a, nil
}
