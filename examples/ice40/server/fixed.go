package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// fixed pins every cell of a netlist to its site in a placed snapshot, and then the moved ones to where they shall go. What
// the tool makes of a place that cannot be is its answer. A cell that the packer made up is not in the netlist and is left
// to it.
func (b *bench) fixed(netlist []byte, fix canon.Value) ([]byte, error) {
	ref, _ := fix.Get("snap").Str()
	snap, err := b.store.Get(contract.SnapshotRef(ref))
	if err != nil {
		return nil, fmt.Errorf("fix.snap: %w", err)
	}
	var n map[string]any
	dec := json.NewDecoder(bytes.NewReader(netlist))
	dec.UseNumber()
	if err := dec.Decode(&n); err != nil {
		return nil, fmt.Errorf("the netlist: %w", err)
	}
	cells, _ := topModule(n)["cells"].(map[string]any)
	sites := map[string]string{}
	for i := range snap.Cells {
		sites[snap.Cells[i].Name] = snap.Cells[i].Site
	}
	for i, m := range fix.Get("moves").Elems() {
		cell, _ := m.Get("cell").Str()
		site, _ := m.Get("site").Str()
		if _, ok := sites[cell]; !ok || site == "" {
			return nil, fmt.Errorf("fix.moves/%d: the snapshot has no cell %q, or the site is missing", i, cell)
		}
		sites[cell] = site
	}
	for name, site := range sites {
		if c := netlistCell(cells, name); c != nil && site != "" {
			attributes, ok := c["attributes"].(map[string]any)
			if !ok {
				attributes = map[string]any{}
				c["attributes"] = attributes
			}
			attributes["BEL"] = site
		}
	}
	text, err := canon.FromGo(n)
	if err != nil {
		return nil, fmt.Errorf("the netlist: %w", err)
	}
	return []byte(text.Text()), nil
}

// netlistCell finds the cell of the netlist that a placed logic cell was made of; the packer appends _LC to a look-up table
// and _DFFLC to a flip-flop without one.
func netlistCell(cells map[string]any, placed string) map[string]any {
	for suffix, kind := range map[string]string{"_DFFLC": "SB_DFF", "_LC": "SB_LUT4"} {
		name, ok := strings.CutSuffix(placed, suffix)
		if !ok {
			continue
		}
		if c, ok := cells[name].(map[string]any); ok {
			if t, _ := c["type"].(string); strings.HasPrefix(t, kind) {
				return c
			}
		}
	}
	return nil
}

// listCells lists the cells of a stored placement that fix can pin, by name.
func (b *bench) listCells(v *placeValue, netlist []byte) error {
	snap, err := b.store.Get(v.Snap)
	if err != nil {
		return err
	}
	var n map[string]any
	if err := json.Unmarshal(netlist, &n); err != nil {
		return fmt.Errorf("the netlist: %w", err)
	}
	cells, _ := topModule(n)["cells"].(map[string]any)
	for i := range snap.Cells {
		c := &snap.Cells[i]
		if netlistCell(cells, c.Name) != nil && c.Site != "" {
			v.Cells = append(v.Cells, cellPlace{c.Name, c.Site, v.critical[c.Name]})
		}
	}
	slices.SortFunc(v.Cells, func(a, b cellPlace) int { return strings.Compare(a.Cell, b.Cell) })
	return nil
}
