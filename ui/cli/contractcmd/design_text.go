package contractcmd

import (
	"fmt"
	"io"
	"strings"

	"flowdbg/contract"
	"flowdbg/contract/design"
)

// print writes the delta as text: what was compared, the counts, the lists, the die, then claims and alarms.
func (r *deltaReport) print(w io.Writer, f *deltaFlags) error {
	p := &linePrinter{w: w}
	r.printSides(p)
	r.printCounts(p)
	r.printDisplacement(p)
	r.printMoves(p, f.moves)
	r.printLists(p, f.moves)
	if f.die != "none" {
		r.printMap(p, f.die == "ascii")
	}
	r.printClaims(p)
	for _, a := range r.Alarms {
		p.line("ALARM %s: %s", a.Code, a.Text)
	}
	for _, n := range r.Notes {
		p.line("note: %s", n)
	}
	return p.err
}

func (r *deltaReport) printSides(p *linePrinter) {
	for i, s := range []*design.SnapshotInfo{&r.Before, &r.After} {
		p.line("%-7s %s", []string{"before", "after"}[i], r.names[i])
		p.line("        %s  %s: %d cells (%d placed, %d fixed), %d nets", s.Snapshot, s.Design, s.Stats.Cells, s.Stats.PlacedCells,
			s.Stats.FixedCells, s.Stats.Nets)
		p.findings(r.names[i], &s.Source)
	}
	rule := "cells are the same by " + strings.ReplaceAll(string(r.Rule.Identity), "driven-net", "the net they drive, then by name")
	if r.Rule.Drivers != "" {
		rule += " (pin directions: " + r.Rule.Drivers + ")"
	}
	ignored := "nothing ignored"
	if len(r.Rule.Ignore) > 0 {
		ignored = fmt.Sprintf("ignored %s: %d cells before, %d after", strings.Join(r.Rule.Ignore, ", "), r.Counts.IgnoredBefore, r.Counts.IgnoredAfter)
	}
	p.line("rule    %s; %s", rule, ignored)
}

func (r *deltaReport) printCounts(p *linePrinter) {
	n := &r.Counts
	p.line("")
	if r.Equal {
		p.line("The snapshots are equal.")
	}
	renamed := ""
	if n.ResizedRenamed > 0 {
		renamed = fmt.Sprintf(" (%d under a new name)", n.ResizedRenamed)
	}
	turned := ""
	if n.Reoriented > 0 {
		turned = fmt.Sprintf(" (%d only turned)", n.Reoriented)
	}
	p.line("cells   %d placed, %d unplaced, %d moved%s, %d resized%s, %d renamed, %d added%s, %d removed%s", n.Placed, n.Unplaced, n.Moved,
		turned, n.Resized, renamed, n.Renamed, n.Added, classText(n.AddedByClass), n.Removed, classText(n.RemovedByClass))
	p.line("nets    %d added, %d removed, %d reconnected, %d special changed", n.NetsAdded, n.NetsRemoved, n.NetsReconnected, n.SpecialChanged)
	matched := fmt.Sprintf("%d by name", n.MatchedByName)
	if r.Rule.Identity == design.ByDrivenNet {
		matched = fmt.Sprintf("%d by driven net, %d by name; %d nets have no single known driver", n.MatchedByNet, n.MatchedByName, n.UndrivenNets)
	}
	p.line("matched %s; unmatched %d before, %d after", matched, n.UnmatchedBefore, n.UnmatchedAfter)
	for _, x := range []struct {
		n    int
		what string
	}{
		{n.Respelled, "names are spelled differently and were joined"}, {n.StatusChanged, "cells changed between placed and fixed without moving"},
		{n.PortsMoved, "ports of the design lie elsewhere"},
	} {
		if x.n > 0 {
			p.line("        %d %s", x.n, x.what)
		}
	}
	p.line("hpwl    %s", r.hpwlChange())
	area := "not measured (give --lef, --lib or --areas)"
	if a := r.Delta.Summary.AreaDelta; a != nil {
		area = signedLength(*a) + " µm²"
	} else if len(r.MissingAreas) > 0 {
		area = fmt.Sprintf("not measured: no area for %s", fewNames(r.MissingAreas, 5))
	}
	p.line("area    %s", area)
	p.line("not measured: %s", strings.Join(r.Delta.NotMeasured, ", "))
}

func (r *deltaReport) hpwlChange() string {
	h := &r.HPWL
	if h.Delta == nil {
		return fmt.Sprintf("before %s; after %s", hpwlText(h.Before), hpwlText(h.After))
	}
	note := ""
	if n := max(h.Before.UnplacedPins, h.After.UnplacedPins); n > 0 {
		note = fmt.Sprintf("; without up to %d pins that have no place", n)
	}
	return fmt.Sprintf("%s → %s %s (%s%s; %s%s)", lengthText(*h.Before.Value), lengthText(*h.After.Value), unitText(h.After.Unit),
		signedLength(*h.Delta), percentText(*h.Delta, *h.Before.Value), h.After.Points, note)
}

func classText(m map[string]int) string {
	var parts []string
	for _, class := range design.Classes {
		if m[class] > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", m[class], class))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

func signedLength(v float64) string {
	if v > 0 {
		return "+" + lengthText(v)
	}
	return lengthText(v)
}

func percentText(delta, of float64) string {
	if of == 0 {
		return ""
	}
	return fmt.Sprintf(", %+.2f %%", 100*delta/of)
}

func fewNames(names []string, n int) string {
	if len(names) <= n {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:n], ", "), len(names)-n)
}

func (r *deltaReport) printDisplacement(p *linePrinter) {
	d := &r.Displacement
	if r.Counts.Moved == 0 {
		return
	}
	unit := unitText(d.Unit)
	p.line("")
	p.line("displacement of %d moved cells (Manhattan, %s): max %s, mean %s, median %s, sum %s", r.Counts.Moved, unit,
		lengthText(d.Max), lengthText(d.Mean), lengthText(d.Median), lengthText(d.Sum))
	most := 0
	for _, b := range d.Bins {
		most = max(most, b.Count)
	}
	for i, b := range d.Bins {
		edge := "<"
		if i == len(d.Bins)-1 {
			edge = "≤"
		}
		bar := strings.Repeat("#", (b.Count*40+most-1)/most)
		p.line("  %8s … %s %-8s %6d  %s", lengthText(b.From), edge, lengthText(b.To), b.Count, bar)
	}
}

func (r *deltaReport) printMoves(p *linePrinter, rows int) {
	moves := r.Moves()
	if len(moves) == 0 || rows == 0 {
		return
	}
	p.line("")
	p.line("moved, farthest first")
	for i, m := range moves {
		if i == rows {
			p.line("  … %d more (--moves -1 shows all)", len(moves)-i)
			break
		}
		p.line("  %10s %s  %s  %s → %s", lengthText(m.Distance), unitText(r.Displacement.Unit), m.CellID, positionText(m.From), positionText(m.To))
	}
}

func positionText(x contract.Position) string {
	s := fmt.Sprintf("(%d, %d)", x.X, x.Y)
	if x.Orient != "" {
		s += " " + x.Orient
	}
	if x.Site != "" {
		s += " " + x.Site
	}
	return s
}

// printLists writes the other lists of the delta, each cut at rows.
func (r *deltaReport) printLists(p *linePrinter, rows int) {
	d := &r.Delta
	listRows(p, "placed", rows, d.PlacedCells, func(c contract.CellPlace) string { return fmt.Sprintf("%s at %s", c.CellID, positionText(c.To)) })
	listRows(p, "unplaced", rows, d.UnplacedCells, func(c contract.CellUnplace) string { return fmt.Sprintf("%s from %s", c.CellID, positionText(c.From)) })
	old := map[contract.StableID]contract.StableID{}
	for _, c := range r.ResizedRenames {
		old[c.ToID] = c.FromID
	}
	listRows(p, "resized", rows, d.ResizedCells, func(c contract.CellResize) string {
		s := fmt.Sprintf("%s  %s → %s", c.CellID, c.FromMaster, c.ToMaster)
		if c.AreaDelta != nil {
			s += "  " + signedLength(*c.AreaDelta) + " µm²"
		}
		if was := old[c.CellID]; was != "" {
			s += fmt.Sprintf("  (was %s)", was)
		}
		return s
	})
	listRows(p, "renamed", rows, d.RenamedCells, func(c contract.CellRename) string { return fmt.Sprintf("%s → %s", c.FromID, c.ToID) })
	listRows(p, "added", rows, d.AddedCells, func(c contract.CellAdd) string { return fmt.Sprintf("%s  %s%s", c.CellID, c.Master, placeText(c.To)) })
	listRows(p, "removed", rows, d.RemovedCells, func(c contract.CellRemove) string {
		return fmt.Sprintf("%s  %s%s", c.CellID, c.Master, placeText(c.From))
	})
	listRows(p, "nets", rows, d.NewNets, func(n contract.NetChange) string {
		var parts []string
		if len(n.PinsAdded) > 0 {
			parts = append(parts, "+ "+fewNames(n.PinsAdded, 4))
		}
		if len(n.PinsRemoved) > 0 {
			parts = append(parts, "- "+fewNames(n.PinsRemoved, 4))
		}
		return fmt.Sprintf("%-11s %s  %s", n.Kind, n.NetID, strings.Join(parts, "  "))
	})
}

func placeText(x *contract.Position) string {
	if x == nil {
		return "  not placed"
	}
	return "  " + positionText(*x)
}

func listRows[T any](p *linePrinter, title string, rows int, items []T, text func(T) string) {
	if len(items) == 0 || rows == 0 {
		return
	}
	p.line("")
	p.line("%s", title)
	for i, item := range items {
		if i == rows {
			p.line("  … %d more (--moves -1 shows all)", len(items)-i)
			break
		}
		p.line("  %s", text(item))
	}
}

// printClaims writes every claim beside the recount.
func (r *deltaReport) printClaims(p *linePrinter) {
	if len(r.Claims) == 0 {
		return
	}
	p.line("")
	p.line("claimed against measured")
	p.line("  %-18s %12s %12s  %-12s %s", "quantity", "claimed", "measured", "verdict", "source")
	for _, l := range r.Claims {
		source := l.Source
		if l.From != "" && l.From != l.Source {
			source += ": " + l.From
		}
		p.line("  %-18s %12s %12s  %-12s %s", l.Quantity, optionalLength(l.Claimed), optionalLength(l.Measured), l.Verdict, source)
		if l.Note != "" {
			p.line("  %-18s %s", "", l.Note)
		}
	}
}

func optionalLength(v *float64) string {
	if v == nil {
		return "-"
	}
	return lengthText(*v)
}
