package app

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/contract/design"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/cell"
)

// deltaSource is a design delta that can be shown: one that was said, or two snapshots to be measured.
type deltaSource struct {
	name          string // tells sources apart, and names them
	how           string // how it was recognised, or what is measured
	event         int    // where it was said, -1 for a measurement of ours
	of            string // candidate
	value         canon.Value
	before, after contract.SnapshotRef
}

// deltaModel is a delta made ready to be shown. It is built in a command and not changed afterwards.
type deltaModel struct {
	rows    []deltaRow
	text    []string // of the rows in lower case, for the filter
	unit    string   // of displacements
	bins    []design.Bin
	most    float64  // displacement
	box     [4]int64 // x and y, least and greatest, of all places
	placed  bool     // box holds something
	summary string
	counts  string
	names   int         // width of the longest name, at most 44
	facts   [][2]string // more lines for the detail
	err     string
	raw     string // the delta as it was said
}

// deltaRow is one change.
type deltaRow struct {
	kind     string
	name     string
	text     string  // what changed
	far      float64 // displacement, of moved cells
	from, to *contract.Position
}

// readDelta makes a model of a delta that was said.
func readDelta(v canon.Value) *deltaModel {
	var d contract.DesignDelta
	if err := json.Unmarshal([]byte(v.Text()), &d); err != nil {
		return &deltaModel{err: "the delta cannot be read: " + err.Error()}
	}
	said := design.Said(&d)
	m := &deltaModel{raw: v.Text(), unit: said.Unit, bins: said.Bins, most: said.Max, counts: deltaText(&d)}
	m.fill(&d, func(x contract.CellMove) float64 {
		return math.Abs(float64(x.To.X-x.From.X)) + math.Abs(float64(x.To.Y-x.From.Y))
	})
	return m
}

// measureDelta measures what changed between two stored snapshots.
func measureDelta(dir string, before, after contract.SnapshotRef) *deltaModel {
	store := design.NewStore(dir)
	a, err := stored(store, dir, before)
	if err != nil {
		return &deltaModel{err: err.Error()}
	}
	b, err := stored(store, dir, after)
	if err != nil {
		return &deltaModel{err: err.Error()}
	}
	ans, err := design.Delta(a, b, design.Rule{})
	if err != nil {
		return &deltaModel{err: "the two cannot be compared: " + err.Error()}
	}
	m := &deltaModel{unit: ans.Displacement.Unit, bins: ans.Displacement.Bins, most: ans.Displacement.Max, counts: ans.Counts.String()}
	if data, err := json.Marshal(ans.Delta); err == nil {
		m.raw = string(data)
	}
	m.fill(&ans.Delta, ans.Distance)
	if ans.Equal {
		m.facts = append(m.facts, [2]string{"snapshots", "equal"})
	}
	m.facts = append(m.facts, [2]string{"identity", string(ans.Rule.Identity)})
	for _, n := range ans.Notes {
		m.facts = append(m.facts, [2]string{"note", n})
	}
	return m
}

// fill makes the rows: moves, farthest first, and then the other lists in the order of the contract.
func (m *deltaModel) fill(d *contract.DesignDelta, distance func(contract.CellMove) float64) {
	for i := range d.MovedCells {
		x := &d.MovedCells[i]
		far := distance(*x)
		m.add(deltaRow{kind: "moved", name: string(x.CellID), far: far, from: &x.From, to: &x.To, text: placeText(&x.From) + " → " + placeText(&x.To)})
	}
	slices.SortStableFunc(m.rows, func(a, b deltaRow) int {
		return cmp.Or(cmp.Compare(b.far, a.far), cmp.Compare(a.name, b.name))
	})
	for i := range d.ResizedCells {
		x := &d.ResizedCells[i]
		m.add(deltaRow{kind: "resized", name: string(x.CellID), text: x.FromMaster + " → " + x.ToMaster + area(x.AreaDelta)})
	}
	for i := range d.PlacedCells {
		x := &d.PlacedCells[i]
		m.add(deltaRow{kind: "placed", name: string(x.CellID), to: &x.To, text: "→ " + placeText(&x.To)})
	}
	for i := range d.UnplacedCells {
		x := &d.UnplacedCells[i]
		m.add(deltaRow{kind: "unplaced", name: string(x.CellID), from: &x.From, text: placeText(&x.From) + " →"})
	}
	for i := range d.AddedCells {
		x := &d.AddedCells[i]
		m.add(deltaRow{kind: "added", name: string(x.CellID), to: x.To, text: x.Master + area(x.Area)})
	}
	for i := range d.RemovedCells {
		x := &d.RemovedCells[i]
		m.add(deltaRow{kind: "removed", name: string(x.CellID), from: x.From, text: x.Master + area(x.Area)})
	}
	for _, x := range d.RenamedCells {
		m.add(deltaRow{kind: "renamed", name: string(x.ToID), text: "was " + string(x.FromID)})
	}
	for _, x := range d.NewNets {
		text := x.Kind
		if len(x.PinsAdded) > 0 {
			text += "  + " + strings.Join(x.PinsAdded, " ")
		}
		if len(x.PinsRemoved) > 0 {
			text += "  - " + strings.Join(x.PinsRemoved, " ")
		}
		m.add(deltaRow{kind: "net", name: string(x.NetID), text: text})
	}
	for _, x := range d.TimingChanges {
		name := x.Endpoint + x.Clock
		m.add(deltaRow{kind: "timing", name: name, text: fmt.Sprintf("%s %s  wns %g → %g ns (%+.4g)  tns %g → %g ns (%+.4g)",
			x.Mode, x.Scenario, x.Before.WNS, x.After.WNS, x.Delta.WNS, x.Before.TNS, x.After.TNS, x.Delta.TNS)})
	}
	for _, x := range d.DRCChanges {
		m.add(deltaRow{kind: "DRC", name: strings.TrimSpace(x.Rule + " " + x.Layer), text: fmt.Sprintf("%d → %d (%+d)", x.Before, x.After, x.After-x.Before)})
	}
	m.summary = fmt.Sprintf("%s, %s affected", many(int(d.Summary.CellsAffected), "cell", "cells"), many(int(d.Summary.NetsAffected), "net", "nets"))
	if d.Summary.AreaDelta != nil {
		m.summary += fmt.Sprintf(", area %+.6g µm²", *d.Summary.AreaDelta)
	}
	if len(d.NotMeasured) > 0 {
		m.facts = append(m.facts, [2]string{"unmeasured", strings.Join(d.NotMeasured, ", ")})
	}
	m.text = make([]string, len(m.rows))
	for i := range m.rows {
		r := &m.rows[i]
		m.text[i] = strings.ToLower(r.kind + " " + r.name + " " + r.text)
	}
}

// add adds a row and makes the box hold its places.
func (m *deltaModel) add(r deltaRow) {
	m.rows = append(m.rows, r)
	m.names = min(max(m.names, cell.Width(r.name), 8), 44)
	for _, p := range []*contract.Position{r.from, r.to} {
		if p == nil {
			continue
		}
		if !m.placed {
			m.box, m.placed = [4]int64{p.X, p.X, p.Y, p.Y}, true
		}
		m.box[0], m.box[1] = min(m.box[0], p.X), max(m.box[1], p.X)
		m.box[2], m.box[3] = min(m.box[2], p.Y), max(m.box[3], p.Y)
	}
}

func area(a *float64) string {
	if a == nil {
		return ""
	}
	return fmt.Sprintf("  %+.6g µm²", *a)
}

// placeText is where a cell is: its site, else its coordinates and orientation.
func placeText(p *contract.Position) string {
	if p.Site != "" {
		return p.Site
	}
	return strings.TrimSpace(fmt.Sprintf("%d,%d %s", p.X, p.Y, p.Orient))
}
