package design

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"flowdbg/contract"
)

// items are the entries of one list of a delta: what happened to each id, as text that is equal when the entries are.
type items map[contract.StableID]string

// listItems are the lists of a delta that can be held against each other, by quantity.
func listItems(d *contract.DesignDelta) map[string]items {
	all := map[string]items{}
	put := func(q string, id contract.StableID, what string) {
		if all[q] == nil {
			all[q] = items{}
		}
		all[q][id] = what
	}
	for _, c := range d.MovedCells {
		put(QMoved, c.CellID, place(c.To))
	}
	for _, c := range d.PlacedCells {
		put(QPlaced, c.CellID, place(c.To))
	}
	for _, c := range d.UnplacedCells {
		put(QUnplaced, c.CellID, "")
	}
	for _, c := range d.ResizedCells {
		put(QResized, c.CellID, c.ToMaster)
	}
	for _, c := range d.AddedCells {
		put(QAdded, c.CellID, c.Master)
	}
	for _, c := range d.RemovedCells {
		put(QRemoved, c.CellID, c.Master)
	}
	for _, c := range d.RenamedCells {
		put(QRenamed, c.ToID, string(c.FromID))
	}
	for _, n := range d.NewNets {
		q := map[string]string{contract.NetAdded: QNetsAdded, contract.NetRemoved: QNetsRemoved}[n.Kind]
		if q == "" {
			q = QNetsChanged
		}
		put(q, n.NetID, pinText(n.PinsAdded)+" - "+pinText(n.PinsRemoved))
	}
	return all
}

// place is a position without its orientation, which proposals rarely state.
func place(p contract.Position) string { return fmt.Sprintf("%d %d %s", p.X, p.Y, p.Site) }

func pinText(pins []string) string {
	pins = slices.Clone(pins)
	slices.Sort(pins)
	return strings.Join(pins, " ")
}

// listMembers says which member of a DesignDelta holds the list of a quantity.
var listMembers = []struct{ quantity, member string }{
	{QPlaced, "placed_cells"}, {QUnplaced, "unplaced_cells"}, {QMoved, "moved_cells"}, {QResized, "resized_cells"},
	{QRenamed, "renamed_cells"}, {QAdded, "added_cells"}, {QRemoved, "removed_cells"}, {QNetsAdded, "new_nets"},
	{QNetsRemoved, "new_nets"}, {QNetsChanged, "new_nets"},
}

// compareLists holds the lists of a claimed delta against the measured ones, entry by entry: equal numbers of different cells
// are not equal. A list that the claim leaves out, or says it did not measure, is not claimed.
func (a *Answer) compareLists(c *Claim) []ClaimLine {
	claimed, measured := listItems(c.Delta), listItems(&a.Delta)
	var lines []ClaimLine
	for _, lm := range listMembers {
		if !c.lists[lm.member] || slices.Contains(c.Delta.NotMeasured, lm.member) {
			continue
		}
		x, y := claimed[lm.quantity], measured[lm.quantity]
		if len(x) == 0 && len(y) == 0 {
			continue
		}
		n, m := float64(len(x)), float64(len(y))
		l := ClaimLine{Quantity: lm.quantity, Claimed: &n, Measured: &m, Verdict: VerdictEqual, From: lm.member}
		if note := difference(x, y); note != "" {
			l.Verdict, l.Note = VerdictDiffers, note
		}
		lines = append(lines, l)
	}
	for _, unmeasured := range []struct {
		member string
		n      int
	}{{"timing_changes", len(c.Delta.TimingChanges)}, {"drc_changes", len(c.Delta.DRCChanges)}} {
		if unmeasured.n > 0 {
			n := float64(unmeasured.n)
			lines = append(lines, ClaimLine{Quantity: unmeasured.member, Claimed: &n, Verdict: VerdictNotMeasured, From: unmeasured.member})
		}
	}
	return append(lines, a.compareSummary(c)...)
}

func (a *Answer) compareSummary(c *Claim) []ClaimLine {
	var lines []ClaimLine
	if !c.lists["summary"] {
		return nil
	}
	for _, s := range []struct {
		quantity string
		claimed  int64
	}{{QCellsAll, c.Delta.Summary.CellsAffected}, {QNetsAll, c.Delta.Summary.NetsAffected}} {
		n := float64(s.claimed)
		m, _ := a.measured(s.quantity)
		l := ClaimLine{Quantity: s.quantity, Claimed: &n, Measured: &m, Verdict: VerdictEqual, From: "summary"}
		if n != m {
			l.Verdict = VerdictDiffers
		}
		lines = append(lines, l)
	}
	if area := c.Delta.Summary.AreaDelta; area != nil {
		l := ClaimLine{Quantity: QArea, Claimed: area, Verdict: VerdictNotMeasured, From: "summary"}
		if m, ok := a.measured(QArea); ok {
			l.Measured = &m
			l.Verdict = VerdictEqual
			if math.Abs(m-*area) > 1e-6*math.Max(1, math.Abs(m)) {
				l.Verdict = VerdictDiffers
			}
		}
		lines = append(lines, l)
	}
	return lines
}

// difference says how two lists differ, with up to three names of each kind; "" when they are equal.
func difference(claimed, measured items) string {
	var missing, extra, other []string
	for id, what := range claimed {
		got, ok := measured[id]
		switch {
		case !ok:
			missing = append(missing, string(id))
		case got != what:
			other = append(other, string(id))
		}
	}
	for id := range measured {
		if _, ok := claimed[id]; !ok {
			extra = append(extra, string(id))
		}
	}
	var parts []string
	for _, p := range []struct {
		what string
		ids  []string
	}{{"claimed but did not happen", missing}, {"happened otherwise", other}, {"happened unclaimed", extra}} {
		if len(p.ids) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s (%s)", len(p.ids), p.what, few(p.ids)))
		}
	}
	return strings.Join(parts, ", ")
}

func few(ids []string) string {
	slices.Sort(ids)
	if len(ids) > 3 {
		return strings.Join(ids[:3], ", ") + ", …"
	}
	return strings.Join(ids, ", ")
}
