package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"flowdbg/contract"
	"flowdbg/contract/design"
	"flowdbg/trace/canon"
)

const serverVersion = "2.0.0"

const tech = "ice40-hx1k"

// bench is the folders and programs that the tools work with. Its calls take turns.
type bench struct {
	rtl      string
	dir      string // of the store
	store    *design.Store
	scratch  string            // routed bitstreams of this session, by snapshot
	programs map[string]string // program → version, "" when it is not installed
	turn     sync.Mutex
}

func newBench(rtl, store string) (*bench, error) {
	b := &bench{rtl: rtl, dir: store, store: design.NewStore(store), programs: map[string]string{}}
	for name, args := range map[string][]string{"yosys": {"-V"}, "nextpnr-ice40": {"--version"}} {
		out, _ := exec.Command(name, args...).CombinedOutput() // a program that is not there has no version
		b.programs[name] = versionIn(string(out))
	}
	// icetime tells no version; it belongs to the package of nextpnr's chip database.
	if _, err := exec.LookPath("icetime"); err == nil {
		b.programs["icetime"] = "unstated"
	}
	var err error
	if b.scratch, err = os.MkdirTemp("", "ice40-server-"); err != nil {
		return nil, fmt.Errorf("making a folder for files: %w", err)
	}
	return b, nil
}

func (b *bench) close() { _ = os.RemoveAll(b.scratch) }

var versionForm = regexp.MustCompile(`\b(?:Yosys|Version) ([0-9][0-9A-Za-z.+~-]*)`)

func versionIn(text string) string {
	if m := versionForm.FindStringSubmatch(text); m != nil {
		return m[1]
	}
	return ""
}

// programsOf are the programs that a tool runs.
var programsOf = map[string][]string{"ice40.synth": {"yosys"}, "ice40.place": {"nextpnr-ice40"}, "ice40.time": {"icetime", "nextpnr-ice40"}}

var notSemVer = regexp.MustCompile(`[^0-9A-Za-z-]+`)

// version is this server's version with those of the tool's programs as build metadata (SemVer 2.0.0 §10).
func (b *bench) version(tool string) string {
	v, sep := serverVersion, "+"
	for _, p := range programsOf[tool] {
		version := b.programs[p]
		if version == "" {
			version = "absent"
		}
		v += sep + notSemVer.ReplaceAllString(p+"-"+version, "-")
		sep = "."
	}
	return v
}

// answered fills in what every answer has.
func (b *bench) answered(ctx context.Context, name string, do work, args canon.Value) (*answer, error) {
	for _, p := range programsOf[name] {
		if b.programs[p] == "" {
			return nil, fmt.Errorf("%s needs the program %s, which is not installed", name, p)
		}
	}
	hash, err := contract.ParamsHash(args)
	if err != nil {
		return nil, err
	}
	began := time.Now()
	a, err := do(ctx, args)
	if err != nil {
		return nil, err
	}
	a.ElapsedMS = time.Since(began).Milliseconds()
	a.Provenance = &contract.Provenance{ToolName: name, ToolVersion: b.version(name), InputSnap: a.input, InputParamsHash: hash, ComputedAt: contract.TimestampOf(began)}
	return a, nil
}

// source is a design's text and pin file, and the snapshot reference that the text is known by.
type source struct {
	design   string
	verilog  []byte
	pins     []byte // nil: the tool chooses the pins
	snapshot contract.SnapshotRef
}

var designName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// design reads what design_ref names.
func (b *bench) design(args canon.Value) (*source, error) {
	ref, _ := args.Get("design_ref").Str()
	name, on, err := contract.DesignRef(ref).Parse()
	if err != nil {
		return nil, err
	}
	if on != tech {
		return nil, fmt.Errorf("design_ref: there is %s, not %q", tech, on)
	}
	if !designName.MatchString(name) {
		return nil, fmt.Errorf("design_ref: %q is no design's name", name)
	}
	s := &source{design: name}
	if s.verilog, err = os.ReadFile(filepath.Join(b.rtl, name+".v")); err != nil {
		return nil, fmt.Errorf("the design %s: %w", name, err)
	}
	if s.pins, err = os.ReadFile(filepath.Join(b.rtl, name+".pcf")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("the pins of %s: %w", name, err)
	}
	s.snapshot = contract.SnapshotRef(hashOf(s.verilog))
	return s, nil
}

// effort is the fidelity that is asked for; absent is standard.
func effort(args canon.Value) string {
	if s, ok := args.Get("effort").Str(); ok {
		return s
	}
	return contract.EffortStandard
}

func first(parts ...string) string {
	for _, p := range parts {
		if strings.TrimSpace(p) != "" {
			return strings.TrimSpace(p)
		}
	}
	return ""
}
