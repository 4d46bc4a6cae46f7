package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// synthValue is the value of ice40.synth. Snap names the netlist: the canonical JSON that yosys wrote, without the
// attributes `src`, which hold the path that the file happened to have.
type synthValue struct {
	Status        string               `json:"status"`
	Reason        string               `json:"reason,omitempty"`
	LastGoodStage string               `json:"last_good_stage"`
	Snap          contract.SnapshotRef `json:"snap,omitempty"`
	Cells         map[string]int       `json:"cells,omitempty"` // by type
	Dropped       int                  `json:"src_attributes_dropped"`
}

// recipes are the options of yosys's synth_ice40 that can be asked for.
var recipes = []string{"abc2", "abc9", "dff", "flowmap", "nocarry", "nodffe", "retime"}

// synth is ice40.synth: {design_ref, budget?, options: {recipe: [name…]}}.
func (b *bench) synth(ctx context.Context, args canon.Value) (*answer, error) {
	src, err := b.design(args)
	if err != nil {
		return nil, err
	}
	script := "read_verilog " + src.design + ".v; synth_ice40 -top " + src.design
	for i, e := range args.Get("options").Get("recipe").Elems() {
		name, _ := e.Str()
		if !slices.Contains(recipes, name) {
			return nil, fmt.Errorf("options.recipe/%d: there are %s", i, strings.Join(recipes, ", "))
		}
		script += " -" + name
	}
	j, err := b.newJob(args, map[string][]byte{src.design + ".v": src.verilog})
	if err != nil {
		return nil, err
	}
	defer j.close()
	if err := j.run(ctx, b.programs["yosys"], "yosys", "-q", "-p", script+" -json netlist.json"); err != nil {
		return nil, err
	}
	v := synthValue{Status: j.status, Reason: j.reason, LastGoodStage: "none"}
	a := &answer{Value: &v, input: src.snapshot}
	if j.status == statusOK {
		if err := b.keepNetlist(j, &v); err != nil {
			return nil, err
		}
		zero := 0.0
		a.Uncertainty = &zero // the same text and options give the same netlist
		v.LastGoodStage = "synth"
	}
	a.summary = fmt.Sprintf("%s synthesised: %s %s", src.design, v.Status, first(v.Reason, string(v.Snap)))
	j.fill(a)
	return a, nil
}

func (b *bench) keepNetlist(j *job, v *synthValue) error {
	data, err := j.output("netlist.json")
	if err != nil {
		return err
	}
	var n map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&n); err != nil {
		return fmt.Errorf("netlist.json: %w", err)
	}
	v.Dropped = dropSrc(n)
	v.Cells = cellTypes(n)
	text, err := canon.FromGo(n)
	if err != nil {
		return fmt.Errorf("netlist.json: %w", err)
	}
	v.Snap = contract.SnapshotRef("sha256:" + text.Hash())
	return b.putFile(b.netlistPath(v.Snap), []byte(text.Text()))
}

// dropSrc takes every attribute `src` away and counts them.
func dropSrc(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		if attributes, ok := v["attributes"].(map[string]any); ok {
			if _, ok := attributes["src"]; ok {
				delete(attributes, "src")
				n++
			}
		}
		for _, e := range v {
			n += dropSrc(e)
		}
	case []any:
		for _, e := range v {
			n += dropSrc(e)
		}
	}
	return n
}

// topModule is the module that yosys marks as the top, or the only one with cells.
func topModule(n map[string]any) map[string]any {
	modules, _ := n["modules"].(map[string]any)
	for _, m := range modules {
		m, _ := m.(map[string]any)
		attributes, _ := m["attributes"].(map[string]any)
		if _, ok := attributes["top"]; ok {
			return m
		}
	}
	return nil
}

func cellTypes(n map[string]any) map[string]int {
	counts := map[string]int{}
	cells, _ := topModule(n)["cells"].(map[string]any)
	for _, c := range cells {
		c, _ := c.(map[string]any)
		if kind, ok := c["type"].(string); ok {
			counts[kind]++
		}
	}
	return counts
}

func (b *bench) netlistPath(ref contract.SnapshotRef) string {
	return filepath.Join(b.dir, "netlists", strings.TrimPrefix(string(ref), "sha256:")+".json.gz")
}

// netlist reads a stored netlist and verifies it.
func (b *bench) netlist(ref contract.SnapshotRef) ([]byte, error) {
	if !ref.Resolved() {
		return nil, fmt.Errorf("snap_ref %q: want the sha256: of a netlist that ice40.synth made", ref)
	}
	data, err := b.getFile(b.netlistPath(ref))
	if err != nil {
		return nil, fmt.Errorf("no netlist %s is stored: synthesise first: %w", ref, err)
	}
	if got := hashOf(data); got != string(ref) {
		return nil, fmt.Errorf("the stored netlist %s has changed: it is %s", ref, got)
	}
	return data, nil
}

// putFile writes a file in gzip, beside and renamed.
func (b *bench) putFile(path string, data []byte) error {
	if _, err := os.Stat(path); err == nil {
		return nil // named by content
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("making the store: %w", err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-")
	if err != nil {
		return fmt.Errorf("storing: %w", err)
	}
	defer os.Remove(f.Name())
	z := gzip.NewWriter(f)
	_, err = z.Write(data)
	for _, do := range []func() error{z.Close, func() error { return f.Chmod(0o644) }, f.Close} {
		if e := do(); err == nil {
			err = e
		}
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("storing %s: %w", path, err)
	}
	return nil
}

// maxStored bounds a stored file after decompression, in bytes.
const maxStored = 64 << 20

func (b *bench) getFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	data, err := io.ReadAll(io.LimitReader(z, maxStored+1))
	if err == nil && len(data) > maxStored {
		err = fmt.Errorf("more than %d bytes", maxStored)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return data, nil
}
