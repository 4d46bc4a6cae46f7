package contractcmd

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/contract/design"
)

// aloneBins is how many classes the histogram of displacements has.
const aloneBins = 8

// PrintDelta writes a DesignDelta that stands alone, without the snapshots that it was measured between: counts,
// displacements in database units, the farthest moves, the other lists (each cut at rows), and a map of the die.
func PrintDelta(w io.Writer, d *contract.DesignDelta, rows int, ascii bool) error {
	p := &linePrinter{w: w}
	r := &deltaReport{Answer: &design.Answer{Delta: *d}}
	p.line("cells   %d affected: %d placed, %d unplaced, %d moved, %d resized, %d renamed, %d added, %d removed", d.Summary.CellsAffected,
		len(d.PlacedCells), len(d.UnplacedCells), len(d.MovedCells), len(d.ResizedCells), len(d.RenamedCells), len(d.AddedCells), len(d.RemovedCells))
	p.line("nets    %d affected", d.Summary.NetsAffected)
	area := "not measured"
	if d.Summary.AreaDelta != nil {
		area = signedLength(*d.Summary.AreaDelta) + " µm²"
	}
	p.line("area    %s", area)
	if len(d.NotMeasured) > 0 {
		p.line("not measured: %s", strings.Join(d.NotMeasured, ", "))
	}
	r.aloneMoves(p, rows)
	r.printLists(p, rows)
	listRows(p, "timing", rows, d.TimingChanges, func(t contract.TimingDelta) string {
		name := t.Endpoint
		if name == "" {
			name = t.Clock
		}
		return fmt.Sprintf("%s %s %s  wns %s → %s ns, tns %s → %s ns", t.Mode, t.Scenario, name, lengthText(t.Before.WNS), lengthText(t.After.WNS),
			lengthText(t.Before.TNS), lengthText(t.After.TNS))
	})
	listRows(p, "drc", rows, d.DRCChanges, func(c contract.DRCDelta) string {
		return strings.TrimSpace(fmt.Sprintf("%s %s  %d → %d", c.Rule, c.Layer, c.Before, c.After))
	})
	r.printMap(p, ascii)
	return p.err
}

// aloneMoves writes the histogram of displacements and the farthest moves.
func (r *deltaReport) aloneMoves(p *linePrinter, rows int) {
	moves := slices.Clone(r.Delta.MovedCells)
	if len(moves) == 0 {
		return
	}
	far := func(m contract.CellMove) float64 { return m.From.Distance(m.To, 1) }
	slices.SortStableFunc(moves, func(a, b contract.CellMove) int {
		switch x, y := far(a), far(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return strings.Compare(string(a.CellID), string(b.CellID))
	})
	sum, most := 0.0, far(moves[0])
	bins := make([]int, aloneBins)
	for _, m := range moves {
		sum += far(m)
		i := 0
		if most > 0 {
			i = min(int(far(m)/most*aloneBins), aloneBins-1)
		}
		bins[i]++
	}
	p.line("")
	p.line("displacement of %d moved cells (Manhattan, database units): max %s, mean %s, sum %s", len(moves), lengthText(most), lengthText(sum/float64(len(moves))), lengthText(sum))
	top := slices.Max(bins)
	for i, n := range bins {
		p.line("  %8s … %-8s %6d  %s", lengthText(most*float64(i)/aloneBins), lengthText(most*float64(i+1)/aloneBins), n, strings.Repeat("#", (n*40+top-1)/top))
	}
	listRows(p, "moved, farthest first", rows, moves, func(m contract.CellMove) string {
		return fmt.Sprintf("%8s  %s  %s → %s", lengthText(far(m)), m.CellID, positionText(m.From), positionText(m.To))
	})
}

// PrintMeasured writes what was measured between two snapshots as PrintDelta does, with displacements in their own unit.
func PrintMeasured(w io.Writer, a *design.Answer, rows int, ascii bool) error {
	p := &linePrinter{w: w}
	r := &deltaReport{Answer: a, names: [2]string{string(a.Before.Snapshot), string(a.After.Snapshot)}}
	r.printCounts(p)
	r.printDisplacement(p)
	r.printMoves(p, rows)
	r.printLists(p, rows)
	r.printMap(p, ascii)
	return p.err
}
