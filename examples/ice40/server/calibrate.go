package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"flowdbg/trace/canon"
)

// calibrate measures how far the estimate before routing is from the routed frequency, over two designs, three recipes and
// six seeds, and writes what calibration.json holds.
func (b *bench) calibrate(ctx context.Context, w io.Writer) error {
	c := calibration{NextpnrSeen: b.programs["nextpnr-ice40"]}
	sum := 0.0
	for _, design := range []string{"gcd", "fir"} {
		for _, recipe := range []string{"", "abc9", "nocarry"} {
			netlist, err := b.calibrationNetlist(ctx, design, recipe)
			if err != nil {
				return err
			}
			for seed := 1; seed <= 6; seed++ {
				var fmax [2]float64
				for i, level := range []string{"quick", "standard"} {
					args, _, err := canon.ParseString(fmt.Sprintf(`{"design_ref":"%s@%s","effort":"%s","options":{"seed":%d},"snap_ref":"%s"}`, design, tech, level, seed, netlist), canon.Options{})
					if err != nil {
						return err
					}
					a, err := b.place(ctx, args)
					if err != nil {
						return err
					}
					v, _ := a.Value.(*placeValue)
					if v == nil || v.FmaxMHz == nil {
						return fmt.Errorf("%s %s seed %d: %s", design, recipe, seed, a.summary)
					}
					fmax[i] = *v.FmaxMHz
				}
				off := math.Abs(fmax[0]-fmax[1]) / fmax[1]
				c.Runs++
				sum += off
				c.MaxError = max(c.MaxError, math.Round(off*1e4)/1e4)
			}
		}
	}
	c.MeanError = math.Round(sum/float64(c.Runs)*1e4) / 1e4
	return json.NewEncoder(w).Encode(c)
}

func (b *bench) calibrationNetlist(ctx context.Context, design, recipe string) (string, error) {
	list := ""
	if recipe != "" {
		list = `"` + recipe + `"`
	}
	args, _, err := canon.ParseString(fmt.Sprintf(`{"design_ref":"%s@%s","options":{"recipe":[%s]}}`, design, tech, list), canon.Options{})
	if err != nil {
		return "", err
	}
	a, err := b.synth(ctx, args)
	if err != nil {
		return "", err
	}
	v, _ := a.Value.(*synthValue)
	if v == nil || v.Snap == "" {
		return "", fmt.Errorf("%s %s: %s", design, recipe, a.summary)
	}
	return string(v.Snap), nil
}
