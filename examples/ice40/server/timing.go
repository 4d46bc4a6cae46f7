package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// timeValue is the value of ice40.time: a TimingReport (seed 000) with the status that every tool here has.
type timeValue struct {
	Status        string `json:"status"`
	Reason        string `json:"reason,omitempty"`
	LastGoodStage string `json:"last_good_stage"` // none or time
	*contract.TimingReport
}

// time is ice40.time: {design_ref, snap_ref of a routed placement, period_ns, budget?}. It asks icetime, which shares no code
// with nextpnr's own analysis.
func (b *bench) time(ctx context.Context, args canon.Value) (*answer, error) {
	src, err := b.design(args)
	if err != nil {
		return nil, err
	}
	text, _ := args.Get("snap_ref").Str()
	ref := contract.SnapshotRef(text)
	period, ok := args.Get("period_ns").Float()
	if !ok || period <= 0 {
		return nil, errors.New("period_ns: want a number of ns above 0")
	}
	asc, err := b.bitstream(ctx, ref)
	if err != nil {
		return nil, err
	}
	inputs := map[string][]byte{"routed.asc": asc}
	argv := []string{"icetime", "-d", "hx1k", "-P", "tq144", "-j", "paths.json"}
	if src.pins != nil {
		inputs["pins.pcf"] = src.pins
		argv = append(argv, "-p", "pins.pcf")
	}
	j, err := b.newJob(args, inputs)
	if err != nil {
		return nil, err
	}
	defer j.close()
	if err := j.run(ctx, b.programs["icetime"], append(argv, "routed.asc")...); err != nil {
		return nil, err
	}
	v := timeValue{Status: j.status, Reason: j.reason, LastGoodStage: "none"}
	a := &answer{Value: &v, input: ref}
	if j.status == statusOK {
		if v.TimingReport, err = j.paths(period); err != nil {
			return nil, err
		}
		v.LastGoodStage = "time"
		zero := 0.0
		a.Uncertainty = &zero
		if v.WNS < 0 {
			j.warnings = append(j.warnings, "icetime lists the worst path only: tns is that path's slack, the true one may be lower")
		}
	}
	j.fill(a)
	a.summary = fmt.Sprintf("%s timed: %s %s", src.design, v.Status, v.Reason)
	return a, nil
}

// paths reads what icetime -j wrote: a list of paths, worst first, each a list of points with the delay up to there.
func (j *job) paths(period float64) (*contract.TimingReport, error) {
	data, err := j.output("paths.json")
	if err != nil {
		return nil, err
	}
	var paths [][]struct {
		Net   string  `json:"net"`
		Cell  string  `json:"cell"`
		Delay float64 `json:"delay_ns"`
	}
	if err := json.Unmarshal(data, &paths); err != nil {
		return nil, fmt.Errorf("paths.json: %w", err)
	}
	if len(paths) == 0 || len(paths[0]) == 0 {
		return nil, errors.New("paths.json: icetime found no path")
	}
	worst := paths[0]
	last := worst[len(worst)-1]
	slack := math.Round((period-last.Delay)*1000) / 1000
	tns, exact := math.Min(0, slack), false
	best := math.Round(1e5/last.Delay) / 100
	return &contract.TimingReport{WNS: slack, TNS: tns, Clipped: &exact,
		CriticalPaths: []contract.Path{{PathGroup: "clk", PathType: contract.PathMax, Startpoint: first(worst[0].Net, worst[0].Cell), Endpoint: first(last.Net, last.Cell),
			Arrival: last.Delay, Required: period, Slack: slack}},
		ClockDomains: map[string]contract.ClockSummary{"clk": {Period: period, SetupWNS: slack, SetupTNS: tns, SuggestFreqMHz: &best, Clipped: &exact}},
	}, nil
}

// bitstream is the routed bitstream of a placed snapshot: of this session, or made again from how the snapshot was made.
func (b *bench) bitstream(ctx context.Context, ref contract.SnapshotRef) ([]byte, error) {
	if !ref.Resolved() {
		return nil, fmt.Errorf("snap_ref %q: want the sha256: of a placement that ice40.place made", ref)
	}
	if asc, err := os.ReadFile(b.bitstreamPath(ref)); err == nil {
		return asc, nil
	}
	how, err := os.ReadFile(b.howPath(ref))
	if err != nil {
		return nil, fmt.Errorf("no routed placement %s is known here: place first: %w", ref, err)
	}
	args, _, err := canon.Parse(how, canon.Options{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", b.howPath(ref), err)
	}
	a, err := b.place(ctx, args)
	if err != nil {
		return nil, fmt.Errorf("placing %s again: %w", ref, err)
	}
	if v, ok := a.Value.(*placeValue); !ok || v.Snap != ref {
		return nil, fmt.Errorf("placing %s again gave another placement: these programs are not those that made it", ref)
	}
	return os.ReadFile(b.bitstreamPath(ref))
}

// howPath is where the arguments that made a placement are kept.
func (b *bench) howPath(ref contract.SnapshotRef) string {
	return filepath.Join(b.dir, "made", string(ref)[len("sha256:"):]+".json")
}

func (b *bench) keepHow(ref contract.SnapshotRef, args canon.Value) error {
	path := b.howPath(ref)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("making the store: %w", err)
	}
	if err := os.WriteFile(path, []byte(args.Text()+"\n"), 0o666); err != nil {
		return fmt.Errorf("noting how %s was made: %w", ref, err)
	}
	return nil
}
