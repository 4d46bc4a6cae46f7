package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"flowdbg/contract"
	"flowdbg/contract/design"
	"flowdbg/trace/canon"
)

// sizing is a netlist with the resizes that were kept so far. Its snapshot is the hash of exactly that, so a request that was
// made for another state is refused.
type sizing struct {
	s       *session
	areas   *design.Library
	lib     string // the Liberty file's name inside OpenSTA
	netlist string // sha256 of its text
	masters map[string]string
	changed map[string]string // cell → master, only those that differ from the netlist
	area    float64           // µm²
	base    map[string]string
}

// config is where things lie.
type config struct {
	lib, netlist, top, clock, period, load string
}

func start(ctx context.Context, c config) (*sizing, error) {
	text, err := os.ReadFile(c.netlist)
	if err != nil {
		return nil, fmt.Errorf("the netlist: %w", err)
	}
	f, err := os.Open(c.lib)
	if err != nil {
		return nil, fmt.Errorf("the library (Debian's package qflow-tech-osu035 has it): %w", err)
	}
	defer f.Close()
	z := &sizing{areas: design.NewLibrary(), changed: map[string]string{}, masters: map[string]string{}, lib: "osu035_stdcells"}
	if err := z.areas.ReadLib(f); err != nil {
		return nil, fmt.Errorf("%s: %w", c.lib, err)
	}
	sum := sha256.Sum256(text)
	z.netlist = "sha256:" + hex.EncodeToString(sum[:])
	z.s, err = open(ctx, map[string]string{"LIB": c.lib, "NETLIST": c.netlist, "TOP": c.top, "CLOCK": c.clock, "PERIOD": c.period, "LOAD": c.load})
	if err != nil {
		return nil, err
	}
	list, err := z.s.ask(ctx, "masters")
	if err != nil {
		z.s.close()
		return nil, err
	}
	words := strings.Fields(list)
	for i := 0; i+1 < len(words); i += 2 {
		z.masters[words[i]] = words[i+1]
		a, _ := z.areas.Area(words[i+1]) // fillers are in no Liberty file and have no area here
		z.area += a
	}
	z.base = cloned(z.masters)
	return z, nil
}

func cloned(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for k, v := range m {
		out[k] = v
	}
	return out
}

// snapshot is sha256(JCS({netlist, resized})).
func (z *sizing) snapshot() contract.SnapshotRef {
	members := make([]canon.Member, 0, len(z.changed))
	for cell, master := range z.changed {
		members = append(members, canon.Member{Key: cell, Value: canon.String(master)})
	}
	return contract.SnapshotRef(contract.HashOf(canon.Object(
		canon.Member{Key: "netlist", Value: canon.String(z.netlist)}, canon.Member{Key: "resized", Value: canon.Object(members...)})))
}

// families lists the masters that have one function and the same pins, weakest first. Names say it in this library.
func (z *sizing) families() map[string][]string {
	all := map[string][]string{}
	for _, name := range []string{"INV", "BUF", "AND2", "OR2", "CLKBUF"} {
		for drive := 1; drive <= 8; drive++ {
			master := name + "X" + strconv.Itoa(drive)
			if name == "CLKBUF" {
				master = name + strconv.Itoa(drive)
			}
			if _, ok := z.areas.Area(master); ok {
				all[name] = append(all[name], master)
			}
		}
	}
	return all
}

// statusValue is the value of sta.status.
type statusValue struct {
	Status   string               `json:"status"`
	Snap     contract.SnapshotRef `json:"snap"`
	WNS      float64              `json:"wns"`        // ns, not clipped
	TNS      float64              `json:"tns"`        // ns
	Area     float64              `json:"area"`       // µm²
	Families map[string][]string  `json:"families"`   // masters by function, weakest first
	Cells    [][2]string          `json:"cells"`      // those that can be resized, with their masters, by name
	Path     []string             `json:"worst_path"` // cells of the worst path, in order
}

// status is sta.status: {design_ref}.
func (z *sizing) status(ctx context.Context, _ canon.Value) (any, contract.SnapshotRef, error) {
	v := statusValue{Status: "ok", Snap: z.snapshot(), Area: round(z.area), Families: z.families()}
	var err error
	if v.WNS, err = z.s.number(ctx, "worst_ns"); err != nil {
		return nil, "", err
	}
	if v.TNS, err = z.s.number(ctx, "total_ns"); err != nil {
		return nil, "", err
	}
	path, err := z.s.ask(ctx, "worst_path")
	if err != nil {
		return nil, "", err
	}
	for _, pin := range strings.Fields(path) {
		cell, _, ok := strings.Cut(pin, "/")
		if ok && !slices.Contains(v.Path, cell) {
			v.Path = append(v.Path, cell)
		}
	}
	for cell, master := range z.masters {
		if len(v.Families[familyOf(v.Families, master)]) > 1 {
			v.Cells = append(v.Cells, [2]string{cell, master})
		}
	}
	slices.SortFunc(v.Cells, func(a, b [2]string) int { return strings.Compare(a[0], b[0]) })
	return v, v.Snap, nil
}

func familyOf(families map[string][]string, master string) string {
	for name, list := range families {
		if slices.Contains(list, master) {
			return name
		}
	}
	return ""
}

// whatIfValue is the value of sta.what_if. Snap is the state after it: another one only when the resize was kept.
type whatIfValue struct {
	Status string               `json:"status"` // ok or failed
	Reason string               `json:"reason,omitempty"`
	Snap   contract.SnapshotRef `json:"snap"`
	From   string               `json:"from,omitempty"` // master before
	WNS    *float64             `json:"wns,omitempty"`  // ns, with the resize
	TNS    *float64             `json:"tns,omitempty"`
	Area   *float64             `json:"area,omitempty"` // µm²
	Kept   bool                 `json:"kept"`
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9_.]+$`)

// whatIf is sta.what_if: {design_ref, snap_ref, cell, master, keep?}. The resize is taken back unless keep is true.
func (z *sizing) whatIf(ctx context.Context, args canon.Value) (any, contract.SnapshotRef, error) {
	ref, _ := args.Get("snap_ref").Str()
	cell, _ := args.Get("cell").Str()
	master, _ := args.Get("master").Str()
	keep, _ := args.Get("keep").Bool()
	input := z.snapshot()
	if contract.SnapshotRef(ref) != input {
		return nil, "", fmt.Errorf("snap_ref: this session stands at %s, not at %s: ask sta.status", input, ref)
	}
	from, ok := z.masters[cell]
	if !nameForm.MatchString(cell) || !nameForm.MatchString(master) || !ok {
		return nil, "", fmt.Errorf("there is no cell %q, or no master %q", cell, master)
	}
	v := whatIfValue{Status: "ok", Snap: input, From: from}
	old, okOld := z.areas.Area(from)
	new, okNew := z.areas.Area(master)
	if !okOld || !okNew {
		v.Status, v.Reason = "failed", fmt.Sprintf("the library knows no area of %s or %s", from, master)
		return v, input, nil
	}
	err := z.try(ctx, cell, master, &v)
	if errors.Is(err, errTcl) {
		v.Status, v.Reason = "failed", err.Error()
	} else if err != nil {
		return nil, "", err
	}
	area := round(z.area + new - old)
	if v.Status == "ok" {
		v.Area = &area
	}
	if v.Status == "ok" && keep {
		z.keep(cell, master, area)
		v.Snap, v.Kept = z.snapshot(), true
		return v, input, nil
	}
	if _, err := z.s.ask(ctx, fmt.Sprintf("resize %s %s/%s", cell, z.lib, from)); err != nil {
		return nil, "", fmt.Errorf("taking the resize back: %w", err)
	}
	return v, input, nil
}

func (z *sizing) try(ctx context.Context, cell, master string, v *whatIfValue) error {
	if _, err := z.s.ask(ctx, fmt.Sprintf("resize %s %s/%s", cell, z.lib, master)); err != nil {
		return err
	}
	wns, err := z.s.number(ctx, "worst_ns")
	if err != nil {
		return err
	}
	tns, err := z.s.number(ctx, "total_ns")
	if err != nil {
		return err
	}
	v.WNS, v.TNS = &wns, &tns
	return nil
}

func (z *sizing) keep(cell, master string, area float64) {
	z.masters[cell], z.area = master, area
	z.changed[cell] = master
	if z.base[cell] == master {
		delete(z.changed, cell)
	}
}

// round takes the noise of summing off an area: 1e-4 µm².
func round(f float64) float64 { return math.Round(f*1e4) / 1e4 }

func sinceMS(t time.Time) int64 { return time.Since(t).Milliseconds() }
