package design

import (
	"fmt"
	"slices"

	"flowdbg/contract"
)

// Answer is a measured delta and everything needed to judge how far to trust it.
type Answer struct {
	Delta  contract.DesignDelta `json:"delta"`
	Rule   RuleUsed             `json:"rule"`
	Counts Counts               `json:"counts"`
	Before SnapshotInfo         `json:"before"`
	After  SnapshotInfo         `json:"after"`
	// Equal says that the content hashes are equal; SameWiring that the routing, which the model leaves out, is too.
	Equal      bool `json:"snapshots_equal"`
	SameWiring bool `json:"wiring_equal"`
	// Displacement is over the moved cells, in µm (DEF) or tiles (nextpnr), Manhattan.
	Displacement Displacement `json:"displacement"`
	HPWL         HPWLDelta    `json:"hpwl"`
	// ResizedRenames are the old and new names of cells in resized_cells whose name changed too. The kinds are exclusive:
	// such a cell is a resize, not a rename (many libraries name a cell after its master).
	ResizedRenames []contract.CellRename `json:"resized_renames,omitempty"`
	MissingAreas   []string              `json:"missing_areas,omitempty"` // masters whose area was needed and is not known
	Notes          []string              `json:"notes,omitempty"`

	unit float64 // database units (or tiles) per unit of displacement
}

// RuleUsed is the identity rule as it was applied.
type RuleUsed struct {
	Identity Identity `json:"identity"`
	Ignore   []string `json:"ignore,omitempty"` // classes, then patterns as master=… and name=…
	Drivers  string   `json:"drivers,omitempty"`
}

// SnapshotInfo names one side.
type SnapshotInfo struct {
	Snapshot contract.SnapshotRef `json:"snapshot"`
	Design   string               `json:"design"`
	Unit     Unit                 `json:"unit"`
	DBU      int64                `json:"dbu_per_micron,omitempty"`
	Die      []Point              `json:"die,omitempty"`
	Stats    Stats                `json:"stats"`
	Source   Source               `json:"source"`
}

// Info describes the snapshot.
func (s *Snapshot) Info() SnapshotInfo {
	return SnapshotInfo{
		Snapshot: contract.SnapshotRef(s.Hash()), Design: s.Design, Unit: s.Unit, DBU: s.DBU, Die: s.Die, Stats: s.Stats(), Source: s.Source,
	}
}

// Counts are the sizes of the delta's lists and of what the rule did.
type Counts struct {
	Placed          int `json:"placed"`
	Unplaced        int `json:"unplaced"`
	Moved           int `json:"moved"`
	Reoriented      int `json:"reoriented"` // of the moved: same place, other orientation
	Resized         int `json:"resized"`
	Renamed         int `json:"renamed"`         // name changed, master did not
	ResizedRenamed  int `json:"resized_renamed"` // of the resized: the name changed too
	Added           int `json:"added"`
	Removed         int `json:"removed"`
	NetsAdded       int `json:"nets_added"`
	NetsRemoved     int `json:"nets_removed"`
	NetsReconnected int `json:"nets_reconnected"`
	SpecialChanged  int `json:"special_nets_changed"` // power and ground: counted, not listed (see Notes)
	StatusChanged   int `json:"status_changed"`       // placed ↔ fixed at the same place: not a move
	PortsMoved      int `json:"ports_moved"`          // pins of the design itself; the seed's delta has no place for them

	MatchedByName   int            `json:"matched_by_name"`
	MatchedByNet    int            `json:"matched_by_net,omitempty"`
	Respelled       int            `json:"respelled,omitempty"` // matched although escapes or bus brackets differ
	UnmatchedBefore int            `json:"unmatched_before"`
	UnmatchedAfter  int            `json:"unmatched_after"`
	UndrivenNets    int            `json:"undriven_nets,omitempty"` // nets of both sides without exactly one known driver cell
	IgnoredBefore   int            `json:"ignored_before"`
	IgnoredAfter    int            `json:"ignored_after"`
	AddedByClass    map[string]int `json:"added_by_class,omitempty"` // of the added: fillers, taps, …
	RemovedByClass  map[string]int `json:"removed_by_class,omitempty"`
	Changed         int            `json:"cells_changed"` // distinct cells in the lists
}

// HPWLDelta is the wirelength of both sides and the change, nil when one side is not known.
type HPWLDelta struct {
	Before HPWL     `json:"before"`
	After  HPWL     `json:"after"`
	Delta  *float64 `json:"delta,omitempty"`
}

// Delta measures what changed from before to after. It fails when the two cannot be compared: tiles against microns, or
// database units of which neither is a multiple of the other; or when the rule is malformed.
func Delta(before, after *Snapshot, rule Rule) (*Answer, error) {
	if err := rule.check(); err != nil {
		return nil, err
	}
	if rule.Identity == "" {
		rule.Identity = ByName
	}
	d := &differ{a: before, b: after, rule: &rule, fa: 1, fb: 1}
	if err := d.scale(); err != nil {
		return nil, err
	}
	d.m = match(before, after, &rule)
	d.out = &Answer{
		Rule:   RuleUsed{Identity: rule.Identity, Ignore: rule.describe(), Drivers: d.m.driverSource},
		Before: before.Info(), After: after.Info(), unit: d.unit(),
	}
	d.out.Equal = d.out.Before.Snapshot == d.out.After.Snapshot
	d.out.SameWiring = before.Source.Wiring == after.Source.Wiring
	d.cells()
	d.ports()
	d.nets()
	d.areas()
	d.finish()
	d.out.Displacement = d.out.displacement()
	return d.out, nil
}

func (r *Rule) describe() []string {
	out := slices.Clone(r.Ignore)
	for _, p := range r.IgnoreMasters {
		out = append(out, "master="+p)
	}
	for _, p := range r.IgnoreNames {
		out = append(out, "name="+p)
	}
	return out
}

// differ builds an Answer.
type differ struct {
	a, b   *Snapshot
	rule   *Rule
	m      *matching
	out    *Answer
	fa, fb int64 // factors that bring both sides to the finer database unit
}

var unitNames = map[Unit]string{UnitDBU: "database units (DEF)", UnitTile: "tiles (nextpnr)"}

func (d *differ) scale() error {
	a, b := d.a, d.b
	switch {
	case a.Unit != b.Unit:
		return fmt.Errorf("the places before are in %s, those after in %s: they cannot be compared", unitNames[a.Unit], unitNames[b.Unit])
	case a.DBU == b.DBU:
	case a.DBU > 0 && b.DBU%a.DBU == 0:
		d.fa = b.DBU / a.DBU
	case b.DBU > 0 && a.DBU%b.DBU == 0:
		d.fb = a.DBU / b.DBU
	default:
		return fmt.Errorf("database units %d and %d per micron: neither is a multiple of the other, so places cannot be compared exactly", a.DBU, b.DBU)
	}
	return nil
}

func (d *differ) unit() float64 {
	if d.a.Unit == UnitTile {
		return 1
	}
	return float64(max(d.a.DBU, d.b.DBU))
}

func position(c *Cell, factor int64) contract.Position {
	p := contract.Position{X: c.X * factor, Y: c.Y * factor, Site: c.Site}
	if c.Orient > 0 {
		p.Orient = contract.Orients[c.Orient-1]
	}
	return p
}

// cells compares matched cells and lists the others.
func (d *differ) cells() {
	n, dl := &d.out.Counts, &d.out.Delta
	for _, at := range d.a.cells {
		if d.m.ignA[at] {
			n.IgnoredBefore++
			continue
		}
		c := &d.a.Cells[at]
		if to := d.m.cellTo[at]; to >= 0 {
			d.cell(c, &d.b.Cells[to])
			continue
		}
		r := contract.CellRemove{CellID: contract.StableID(c.Name), Master: c.Master}
		if c.Status != Unplaced {
			p := position(c, d.fa)
			r.From = &p
		}
		dl.RemovedCells = append(dl.RemovedCells, r)
		count(&n.RemovedByClass, classOf(c))
	}
	for _, at := range d.b.cells {
		if d.m.ignB[at] {
			n.IgnoredAfter++
			continue
		}
		if d.m.cellFrom[at] >= 0 {
			continue
		}
		c := &d.b.Cells[at]
		r := contract.CellAdd{CellID: contract.StableID(c.Name), Master: c.Master}
		if c.Status != Unplaced {
			p := position(c, d.fb)
			r.To = &p
		}
		dl.AddedCells = append(dl.AddedCells, r)
		count(&n.AddedByClass, classOf(c))
	}
}

func count(m *map[string]int, class string) {
	if class == "" {
		return
	}
	if *m == nil {
		*m = map[string]int{}
	}
	(*m)[class]++
}

func (d *differ) cell(x, y *Cell) {
	n, dl := &d.out.Counts, &d.out.Delta
	id := contract.StableID(y.Name)
	respelled := x.Name != y.Name && plainName(x.Name, d.a.Source.BusBits) == plainName(y.Name, d.b.Source.BusBits)
	renamed := x.Name != y.Name && !respelled
	if x.Master != y.Master {
		dl.ResizedCells = append(dl.ResizedCells, contract.CellResize{CellID: id, FromMaster: x.Master, ToMaster: y.Master})
		if renamed {
			d.out.ResizedRenames = append(d.out.ResizedRenames, contract.CellRename{FromID: contract.StableID(x.Name), ToID: id})
		}
	} else if renamed {
		dl.RenamedCells = append(dl.RenamedCells, contract.CellRename{FromID: contract.StableID(x.Name), ToID: id})
	}
	from, to := position(x, d.fa), position(y, d.fb)
	switch {
	case x.Status == Unplaced && y.Status == Unplaced:
	case x.Status == Unplaced:
		dl.PlacedCells = append(dl.PlacedCells, contract.CellPlace{CellID: id, To: to})
	case y.Status == Unplaced:
		dl.UnplacedCells = append(dl.UnplacedCells, contract.CellUnplace{CellID: id, From: from})
	case moved(from, to):
		dl.MovedCells = append(dl.MovedCells, contract.CellMove{CellID: id, From: from, To: to})
		if from.X == to.X && from.Y == to.Y && from.Site == to.Site {
			n.Reoriented++
		}
	case x.Status != y.Status:
		n.StatusChanged++
	}
}

// moved compares places; an orientation that one side does not state is no difference.
func moved(from, to contract.Position) bool {
	if from.Orient == "" || to.Orient == "" {
		from.Orient, to.Orient = "", ""
	}
	return from != to
}

// ports counts the design's own pins that lie elsewhere.
func (d *differ) ports() {
	a, b := side{order: d.a.ports, name: func(i int32) string { return d.a.Ports[i].Name }, bus: d.a.Source.BusBits},
		side{order: d.b.ports, name: func(i int32) string { return d.b.Ports[i].Name }, bus: d.b.Source.BusBits}
	a.out = func(int32) bool { return false }
	b.out = a.out
	pairNames(a, b, func(i, j int32) {
		p, q := &d.a.Ports[i], &d.b.Ports[j]
		if p.HasBox && q.HasBox {
			for k := range p.Box {
				if p.Box[k]*d.fa != q.Box[k]*d.fb {
					d.out.Counts.PortsMoved++
					return
				}
			}
		}
	})
}

// areas fills in every area that the library knows, and the total when it knows all that are needed: those of the masters of
// added, removed and resized cells. Without a library nothing is known, also when no master changed.
func (d *differ) areas() {
	dl := &d.out.Delta
	lib := d.rule.Library
	if !lib.knowsAreas() {
		dl.NotMeasured = append(dl.NotMeasured, contract.NotMeasuredArea)
		return
	}
	sum := 0.0
	missing := map[string]struct{}{}
	area := func(master string) *float64 {
		a, ok := lib.Area(master)
		if !ok {
			missing[master] = struct{}{}
			return nil
		}
		return &a
	}
	for i := range dl.AddedCells {
		c := &dl.AddedCells[i]
		if c.Area = area(c.Master); c.Area != nil {
			sum += *c.Area
		}
	}
	for i := range dl.RemovedCells {
		c := &dl.RemovedCells[i]
		if c.Area = area(c.Master); c.Area != nil {
			sum -= *c.Area
		}
	}
	for i := range dl.ResizedCells {
		c := &dl.ResizedCells[i]
		if from, to := area(c.FromMaster), area(c.ToMaster); from != nil && to != nil {
			diff := *to - *from
			c.AreaDelta = &diff
			sum += diff
		}
	}
	if len(missing) > 0 {
		d.out.MissingAreas = lib.missingAreas(missing)
		dl.NotMeasured = append(dl.NotMeasured, contract.NotMeasuredArea)
		return
	}
	dl.Summary.AreaDelta = &sum
}
