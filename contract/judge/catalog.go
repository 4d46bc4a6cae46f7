package judge

import (
	"strings"

	"flowdbg/contract"
)

// family is what is known about a metric by its name: which way is better, and whether it may be below 0.
type family struct {
	better contract.Direction // empty: must be declared
	signed bool
}

// moreMetrics are names that the contract's table of directions does not end with, spelled as tools spell them.
var moreMetrics = map[string]contract.Direction{
	"stwl": contract.LowerIsBetter, "total_wire_length": contract.LowerIsBetter, "drc_errors": contract.LowerIsBetter,
	"drv": contract.LowerIsBetter, "slack": contract.HigherIsBetter, "worst_slack": contract.HigherIsBetter,
}

// DirectionOf tells which way a metric gets better: contract.DirectionOf, which goes by the last part of the name
// (`finish__timing__setup__ws`, `route.HPWL`), also for names with a unit suffix (`fmax_mhz`) and for a few more
// spellings (`DRT::drv`). Empty means unknown: it must be declared.
func DirectionOf(metric string) contract.Direction { return familyOf(metric).better }

func familyOf(metric string) family {
	name := strings.ToLower(metric)
	for _, sep := range []string{"::", "__", ".", "/"} {
		if i := strings.LastIndex(name, sep); i >= 0 && i+len(sep) < len(name) {
			name = name[i+len(sep):]
		}
	}
	if i := strings.LastIndexByte(name, '_'); i > 0 {
		if _, isUnit := units[name[i+1:]]; isUnit {
			name = name[:i]
		}
	}
	better, ok := moreMetrics[name]
	if !ok {
		better = contract.DirectionOf(name, nil)
	}
	// Slack, skew and change may be negative under every name, whichever way is better.
	signed := name == "ws"
	for _, word := range []string{"slack", "skew", "delta", "tns", "wns", "_ws"} {
		signed = signed || strings.Contains(name, word)
	}
	return family{better, signed}
}

// unit is a known unit: the quantity it measures and its size in that quantity's base unit.
type unit struct {
	quantity string
	size     float64
}

var units = map[string]unit{
	"s": {"time", 1}, "ms": {"time", 1e-3}, "us": {"time", 1e-6}, "ns": {"time", 1e-9}, "ps": {"time", 1e-12}, "fs": {"time", 1e-15},
	"hz": {"frequency", 1}, "khz": {"frequency", 1e3}, "mhz": {"frequency", 1e6}, "ghz": {"frequency", 1e9},
	"m": {"length", 1}, "mm": {"length", 1e-3}, "um": {"length", 1e-6}, "µm": {"length", 1e-6}, "nm": {"length", 1e-9},
	"mm2": {"area", 1e-6}, "um2": {"area", 1e-12}, "µm²": {"area", 1e-12}, "um^2": {"area", 1e-12}, "nm2": {"area", 1e-18},
	"w": {"power", 1}, "mw": {"power", 1e-3}, "uw": {"power", 1e-6}, "nw": {"power", 1e-9},
	"v": {"voltage", 1}, "mv": {"voltage", 1e-3}, "ff": {"capacitance", 1e-15}, "pf": {"capacitance", 1e-12},
	"usd": {"money", 1}, "mb": {"memory", 1}, "gb": {"memory", 1024},
	"%": {"ratio", 0.01}, "percent": {"ratio", 0.01}, "ratio": {"ratio", 1}, "1": {"ratio", 1},
	"count": {"count", 1}, "cells": {"cells", 1}, "tiles": {"tiles", 1}, "dbu": {"dbu", 1},
}

// convert gives value in unit `to`; an empty unit on either side means "the same". MHz and mHz are not told apart:
// unit names are matched without case.
func convert(value float64, from, to string) (float64, Code) {
	if from == "" && to == "" {
		return value, ""
	}
	f, fromOK := units[strings.ToLower(from)]
	t, toOK := units[strings.ToLower(to)]
	switch {
	case from != "" && !fromOK, to != "" && !toOK:
		return value, UnknownUnit
	case from == "" || to == "" || f == t:
		return value, ""
	case f.quantity != t.quantity:
		return value, UnitMismatch
	}
	return value * f.size / t.size, ""
}
