package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"flowdbg/contract"
	"flowdbg/contract/design"
	"flowdbg/trace/canon"
)

// placeValue is the value of ice40.place. A number that was not measured is absent.
type placeValue struct {
	Status        string               `json:"status"`
	Reason        string               `json:"reason,omitempty"`
	LastGoodStage string               `json:"last_good_stage"` // none, pack, budget, place or route
	Stages        []stage              `json:"stages"`
	Snap          contract.SnapshotRef `json:"snap,omitempty"`
	Fidelity      string               `json:"fidelity"`
	Estimated     bool                 `json:"fmax_estimated"` // from before routing
	FmaxMHz       *float64             `json:"fmax_mhz,omitempty"`
	Wirelength    *int64               `json:"wirelength_tiles,omitempty"` // half-perimeter, as the tool counts it
	HPWL          *float64             `json:"hpwl_recounted,omitempty"`   // the same, recounted from the snapshot
	LogicCells    *int64               `json:"logic_cells,omitempty"`
	Seeds         []seedResult         `json:"seeds,omitempty"` // of exhaustive: every seed that was tried
	Cells         []cellPlace          `json:"cells,omitempty"` // when asked for: the cells that can be fixed

	critical map[string]bool // cells of the worst path between registers
}

// cellPlace is a cell and where it is.
type cellPlace struct {
	Cell     string `json:"cell"`
	Site     string `json:"site"`
	Critical bool   `json:"critical,omitempty"` // it is on the worst path
}

// stage is one stage that the tool finished, with the checksum that it prints.
type stage struct {
	Name     string `json:"name"`
	Checksum string `json:"checksum"`
}

type seedResult struct {
	Seed    int64   `json:"seed"`
	FmaxMHz float64 `json:"fmax_mhz"`
}

// calibration is how far the estimate before routing is off, measured by this server's -calibrate.
//
//go:embed calibration.json
var calibrationJSON []byte

type calibration struct {
	Runs        int     `json:"runs"`
	MaxError    float64 `json:"max_relative_error"`
	MeanError   float64 `json:"mean_relative_error"`
	NextpnrSeen string  `json:"nextpnr_ice40"`
}

// exhaustiveSeeds is how many seeds the effort exhaustive tries, from the one that is asked for.
const exhaustiveSeeds = 4

// placeOptions are the tool's own parameters.
type placeOptions struct {
	Seed    int64   `json:"seed"`
	Placer  string  `json:"placer"`
	Router  string  `json:"router"`
	FreqMHz float64 `json:"freq_mhz"`
}

// place is ice40.place: {design_ref, snap_ref, effort?, budget?, options: {seed, placer?, router?, freq_mhz?}, fix?: {snap,
// moves: [{cell, site}]}, list_cells?}.
func (b *bench) place(ctx context.Context, args canon.Value) (*answer, error) {
	src, err := b.design(args)
	if err != nil {
		return nil, err
	}
	ref, _ := args.Get("snap_ref").Str()
	netlist, err := b.netlist(contract.SnapshotRef(ref))
	if err != nil {
		return nil, err
	}
	if fix := args.Get("fix"); !fix.IsAbsent() {
		if netlist, err = b.fixed(netlist, fix); err != nil {
			return nil, err
		}
	}
	opt := placeOptions{Placer: "heap", Router: "router1", FreqMHz: 100}
	if err := json.Unmarshal([]byte(args.Get("options").Text()), &opt); err != nil {
		return nil, fmt.Errorf("options: %w", err)
	}
	inputs := map[string][]byte{"netlist.json": netlist}
	if src.pins != nil {
		inputs["pins.pcf"] = src.pins
	}
	j, err := b.newJob(args, inputs)
	if err != nil {
		return nil, err
	}
	defer j.close()
	level := effort(args)
	v, best, err := b.placeAll(ctx, j, opt, level)
	if err != nil {
		return nil, err
	}
	a := &answer{Value: v, input: contract.SnapshotRef(ref), Uncertainty: uncertainty(v)}
	if j.status == statusOK {
		if err := b.keepPlaced(j, v, best, args); err != nil {
			return nil, err
		}
		if list, _ := args.Get("list_cells").Bool(); list {
			if err := b.listCells(v, netlist); err != nil {
				return nil, err
			}
		}
	}
	j.fill(a)
	a.summary = fmt.Sprintf("%s seed %d: %s after %s %s", src.design, opt.Seed, v.Status, v.LastGoodStage, first(v.Reason, string(v.Snap)))
	return a, nil
}

// placeAll runs nextpnr once, or once per seed, and gives the files of the best run.
func (b *bench) placeAll(ctx context.Context, j *job, opt placeOptions, level string) (*placeValue, string, error) {
	n, first := 1, opt.Seed
	if level == contract.EffortExhaustive {
		n = exhaustiveSeeds
	}
	var best *placeValue
	var seeds []seedResult
	file := ""
	for i := range n {
		opt.Seed = first + int64(i)
		name := "s" + strconv.FormatInt(opt.Seed, 10)
		v, err := b.placeOnce(ctx, j, opt, level, name)
		if err != nil || v.Status != statusOK {
			return v, "", err
		}
		if v.FmaxMHz != nil {
			seeds = append(seeds, seedResult{opt.Seed, *v.FmaxMHz})
		}
		if best == nil || v.FmaxMHz != nil && best.FmaxMHz != nil && *v.FmaxMHz > *best.FmaxMHz {
			best, file = v, name
		}
	}
	if n > 1 {
		best.Seeds = seeds
	}
	return best, file, nil
}

func (b *bench) placeOnce(ctx context.Context, j *job, opt placeOptions, level, name string) (*placeValue, error) {
	argv := []string{"nextpnr-ice40", "--hx1k", "--package", "tq144", "--json", "netlist.json", "--freq", strconv.FormatFloat(opt.FreqMHz, 'f', -1, 64),
		"--timing-allow-fail", "--seed", strconv.FormatInt(opt.Seed, 10), "--placer", opt.Placer, "--write", name + ".placed.json", "--report", name + ".report.json"}
	if _, ok := j.made.Inputs["pins.pcf"]; ok {
		argv = append(argv, "--pcf", "pins.pcf")
	}
	if level == contract.EffortQuick {
		argv = append(argv, "--no-route")
	} else {
		argv = append(argv, "--router", opt.Router, "--asc", name+".asc")
	}
	if err := j.run(ctx, b.programs["nextpnr-ice40"], argv...); err != nil {
		return nil, err
	}
	l := readLog(j.stderr)
	v := &placeValue{Status: j.status, Reason: j.reason, Stages: l.stages, LastGoodStage: "none", Fidelity: level, Estimated: level == contract.EffortQuick}
	if n := len(l.stages); n > 0 {
		v.LastGoodStage = l.stages[n-1].Name
	}
	if j.status != statusOK {
		return v, nil
	}
	v.Wirelength = l.wirelength
	return v, j.report(name, v, l)
}

// report reads what nextpnr reported: the clock's frequency, which is in the log alone when nothing was routed.
func (j *job) report(name string, v *placeValue, l log) error {
	data, err := j.output(name + ".report.json")
	if err != nil {
		return err
	}
	var r struct {
		Fmax map[string]struct {
			Achieved float64 `json:"achieved"`
		} `json:"fmax"`
		Utilization map[string]struct {
			Used int64 `json:"used"`
		} `json:"utilization"`
		Paths []struct {
			From string `json:"from"`
			To   string `json:"to"`
			Path []struct {
				To struct {
					Cell string `json:"cell"`
				} `json:"to"`
			} `json:"path"`
		} `json:"critical_paths"`
	}
	if err := json.Unmarshal(data, &r); err != nil {
		return fmt.Errorf("%s.report.json: %w", name, err)
	}
	v.critical = map[string]bool{}
	for _, p := range r.Paths {
		if strings.Contains(p.From, "async") || strings.Contains(p.To, "async") {
			continue // from or to a pin
		}
		for _, point := range p.Path {
			v.critical[point.To.Cell] = true
		}
	}
	for _, c := range r.Fmax {
		if f := math.Round(c.Achieved*100) / 100; v.FmaxMHz == nil || f < *v.FmaxMHz {
			v.FmaxMHz = &f
		}
	}
	if v.FmaxMHz == nil {
		v.FmaxMHz = l.fmax
	}
	if lc, ok := r.Utilization["ICESTORM_LC"]; ok {
		v.LogicCells = &lc.Used
	}
	return nil
}

// uncertainty is measured: of an estimate, the largest error that the calibration saw; of several seeds, half of their
// spread over the best; of one routed seed 0, because the same seed gives the same files.
func uncertainty(v *placeValue) *float64 {
	u := 0.0
	switch {
	case v.Status != statusOK || v.FmaxMHz == nil:
		return nil
	case v.Estimated:
		var c calibration
		if json.Unmarshal(calibrationJSON, &c) != nil || c.Runs == 0 {
			return nil
		}
		u = c.MaxError
	case len(v.Seeds) > 1:
		low, high := math.Inf(1), math.Inf(-1)
		for _, s := range v.Seeds {
			low, high = min(low, s.FmaxMHz), max(high, s.FmaxMHz)
		}
		u = math.Round((high-low)/(2*high)*1e4) / 1e4
	}
	return &u
}

// keepPlaced stores the snapshot of a run, and how to make its bitstream again.
func (b *bench) keepPlaced(j *job, v *placeValue, name string, args canon.Value) error {
	data, err := j.output(name + ".placed.json")
	if err != nil {
		return err
	}
	snap, err := design.Read(bytes.NewReader(data), design.Options{})
	if err != nil {
		return fmt.Errorf("%s.placed.json: %w", name, err)
	}
	if v.Snap, err = b.store.Put(snap); err != nil {
		return err
	}
	if h := snap.HPWL(nil); h.Value != nil {
		v.HPWL = h.Value
	}
	if v.Estimated {
		return nil
	}
	if err := b.keepHow(v.Snap, args); err != nil {
		return err
	}
	asc, err := j.output(name + ".asc")
	if err != nil {
		return err
	}
	if err := os.WriteFile(b.bitstreamPath(v.Snap), asc, 0o600); err != nil {
		return fmt.Errorf("keeping the bitstream: %w", err)
	}
	return nil
}

func (b *bench) bitstreamPath(ref contract.SnapshotRef) string {
	return filepath.Join(b.scratch, string(ref)[len("sha256:"):]+".asc")
}
