package design

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"flowdbg/contract"
)

// finish sorts the lists, counts them and says what a reader should know.
func (d *differ) finish() {
	dl, n := &d.out.Delta, &d.out.Counts
	dl.NotMeasured = append(dl.NotMeasured, contract.NotMeasuredTiming, contract.NotMeasuredDRC)
	dl.TimingChanges, dl.DRCChanges = []contract.TimingDelta{}, []contract.DRCDelta{}
	sortByID(dl.MovedCells, func(c contract.CellMove) contract.StableID { return c.CellID })
	sortByID(dl.ResizedCells, func(c contract.CellResize) contract.StableID { return c.CellID })
	sortByID(dl.PlacedCells, func(c contract.CellPlace) contract.StableID { return c.CellID })
	sortByID(dl.UnplacedCells, func(c contract.CellUnplace) contract.StableID { return c.CellID })
	sortByID(dl.RenamedCells, func(c contract.CellRename) contract.StableID { return c.ToID })
	sortByID(d.out.ResizedRenames, func(c contract.CellRename) contract.StableID { return c.ToID })
	sortByID(dl.NewNets, func(c contract.NetChange) contract.StableID { return c.NetID })
	dl.MovedCells, dl.ResizedCells, dl.NewNets = orEmpty(dl.MovedCells), orEmpty(dl.ResizedCells), orEmpty(dl.NewNets)

	n.Moved, n.Resized, n.Renamed = len(dl.MovedCells), len(dl.ResizedCells), len(dl.RenamedCells)
	n.ResizedRenamed = len(d.out.ResizedRenames)
	n.Placed, n.Unplaced = len(dl.PlacedCells), len(dl.UnplacedCells)
	n.Added, n.Removed = len(dl.AddedCells), len(dl.RemovedCells)
	n.UnmatchedBefore, n.UnmatchedAfter = n.Removed, n.Added
	n.MatchedByName, n.MatchedByNet = d.m.byName, d.m.byNet
	n.Respelled, n.UndrivenNets = d.m.respelled, d.m.undriven
	n.Changed = changedCells(dl)
	dl.Summary.CellsAffected, dl.Summary.NetsAffected = int64(n.Changed), int64(len(dl.NewNets))

	d.out.HPWL = HPWLDelta{Before: d.a.HPWL(d.rule.Library), After: d.b.HPWL(d.rule.Library)}
	if before, after := d.out.HPWL.Before.Value, d.out.HPWL.After.Value; before != nil && after != nil {
		change := *after - *before
		d.out.HPWL.Delta = &change
	}
	d.notes()
}

func (d *differ) notes() {
	note := func(format string, args ...any) { d.out.Notes = append(d.out.Notes, fmt.Sprintf(format, args...)) }
	if d.a.Design != d.b.Design {
		note("the designs are named differently: %q and %q", d.a.Design, d.b.Design)
	}
	if d.fa != 1 || d.fb != 1 {
		note("database units differ (%d and %d per micron); positions are in the finer one", d.a.DBU, d.b.DBU)
	}
	if d.out.Counts.SpecialChanged > 0 {
		note("special nets (power and ground) are counted, not listed: writers give their pins as ( * pin ), as a list, or not at all")
	}
	if d.out.HPWL.After.Points == PointsOrigin {
		note("HPWL is between cell origins: DEF holds no pin places; give --lef for the middle of the pins")
	}
	if d.out.Equal && !d.out.SameWiring {
		note("cells and connections are equal; the routing, which a delta leaves out, is not")
	}
}

func orEmpty[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

func sortByID[T any](s []T, id func(T) contract.StableID) {
	slices.SortFunc(s, func(a, b T) int { return cmp.Compare(id(a), id(b)) })
}

// changedCells counts the distinct cells in the lists; a renamed cell goes by its new name.
func changedCells(d *contract.DesignDelta) int {
	ids := map[contract.StableID]struct{}{}
	for _, c := range d.MovedCells {
		ids[c.CellID] = struct{}{}
	}
	for _, c := range d.ResizedCells {
		ids[c.CellID] = struct{}{}
	}
	for _, c := range d.PlacedCells {
		ids[c.CellID] = struct{}{}
	}
	for _, c := range d.UnplacedCells {
		ids[c.CellID] = struct{}{}
	}
	for _, c := range d.AddedCells {
		ids[c.CellID] = struct{}{}
	}
	for _, c := range d.RemovedCells {
		ids[c.CellID] = struct{}{}
	}
	for _, c := range d.RenamedCells {
		ids[c.ToID] = struct{}{}
	}
	return len(ids)
}

// String is one line for logs.
func (c Counts) String() string {
	parts := []string{}
	for _, p := range []struct {
		what string
		n    int
	}{
		{"placed", c.Placed}, {"unplaced", c.Unplaced}, {"moved", c.Moved}, {"resized", c.Resized}, {"renamed", c.Renamed},
		{"added", c.Added}, {"removed", c.Removed}, {"nets added", c.NetsAdded}, {"nets removed", c.NetsRemoved},
		{"nets reconnected", c.NetsReconnected},
	} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return "nothing changed"
	}
	return strings.Join(parts, ", ")
}
