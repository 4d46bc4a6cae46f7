package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// placeRequest is the contract's version 3 of iPL.place.
type placeRequest struct {
	DesignRef     string  `json:"design_ref"`
	Effort        string  `json:"effort"`
	SnapRef       string  `json:"snap_ref"`
	DensityTarget float64 `json:"density_target"`
	Options       struct {
		MaxIterations int `json:"max_iterations"`
		Seed          int `json:"seed"`
	} `json:"options"`
}

type placeValue struct {
	HPWL      float64 `json:"hpwl_um"` // half-perimeter wire length, µm
	Overflow  float64 `json:"overflow"`
	Legalized bool    `json:"legalized"`
}

// result is a ToolResult of seed 000. Nothing here takes time or varies, so elapsed_ms and uncertainty are 0.
type result struct {
	Value       any      `json:"value"`
	Uncertainty float64  `json:"uncertainty"`
	Warnings    []string `json:"warnings,omitempty"`
	ElapsedMS   int64    `json:"elapsed_ms"`
}

// place is a smooth function of its parameters: shorter wires the denser the placement, up to where it no longer fits.
func place(arguments json.RawMessage) (any, error) {
	var r placeRequest
	if err := json.Unmarshal(arguments, &r); err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	if r.Options.MaxIterations < 1 {
		return nil, errors.New("options.max_iterations must be at least 1")
	}
	rounds := float64(min(r.Options.MaxIterations, 400))
	hpwl := 18400 * (1.35 - 0.45*r.DensityTarget) * (1 + 12/rounds)
	overflow := math.Max(0, r.DensityTarget-0.78) + 2/rounds
	out := result{Value: placeValue{HPWL: to(hpwl, 10), Overflow: to(overflow, 1e4), Legalized: overflow < 0.1}}
	if overflow >= 0.1 {
		out.Warnings = []string{"the placement is not legal: lower density_target or raise options.max_iterations"}
	}
	return out, nil
}

// analyze is iSTA.analyze in the contract's version 3: what the placement means for timing.
func analyze(arguments json.RawMessage) (any, error) {
	var r struct {
		HPWL   float64 `json:"hpwl_um"`
		Period float64 `json:"period_ns"`
	}
	if err := json.Unmarshal(arguments, &r); err != nil {
		return nil, fmt.Errorf("arguments: %w", err)
	}
	wns := to(r.Period-1.1-r.HPWL/22000, 1e4)
	return result{Value: map[string]float64{"wns": wns, "tns": to(math.Min(0, wns)*14, 1e4)}}, nil
}

// to rounds to a fraction, so that the last digits of a machine's arithmetic do not show.
func to(x, fraction float64) float64 { return math.Round(x*fraction) / fraction }
