package examples

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"flowdbg/contract"
	"flowdbg/contract/design"
	"flowdbg/contract/judge"
	"flowdbg/engine"
	"flowdbg/engine/flow"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

var liveEDA = flag.String("live-eda", "", "run this example under examples with the installed tools and write its trace anew")

// edaExample is a folder with a flow that calls EDA tools, the trace of a live run, and what is stored beside it.
type edaExample struct {
	dir   string
	needs []string // programs that a live run needs
}

var eda = []edaExample{{"explorer", []string{"yosys", "nextpnr-ice40"}}, {"mover", []string{"yosys", "nextpnr-ice40"}}, {"sizer", []string{"sta"}},
	{"migration", []string{"yosys", "nextpnr-ice40"}}}

// TestEDALive runs one example with the installed tools and writes its trace; nothing runs unless it is asked for by name.
func TestEDALive(t *testing.T) {
	for _, x := range eda {
		if x.dir != *liveEDA {
			continue
		}
		for _, p := range x.needs {
			if _, err := exec.LookPath(p); err != nil {
				t.Skipf("%s is not installed", p)
			}
		}
		path := x.dir + "/flow.json"
		text, err := flow.Format(read(t, path))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		before, began := ownCPU(), time.Now()
		events := record(t, path)
		own, took := ownCPU()-before, time.Since(began)
		var tools int64
		for i := range events {
			if n, ok := structured(&events[i]).Get("cost").Get("cpu_ms").Int(); ok {
				tools += n
			}
		}
		t.Logf("%d events in %d ms; CPU of this process %d ms, of the tools %d ms", len(events), took.Milliseconds(), own.Milliseconds(), tools)
		if err := trace.WriteFile(x.dir+"/trace.json", events, trace.FormatArray); err != nil {
			t.Fatal(err)
		}
		prune(t, x.dir+"/snaps", events)
		replays(t, scriptMachine(t, path), events)
	}
}

// prune keeps of a store what certificates of the last round and deltas speak of, what was driven off the front, and the
// netlists.
func prune(t *testing.T, dir string, events []trace.Event) {
	t.Helper()
	keep, snaps := map[string]bool{}, map[string]canon.Value{}
	note := func(v canon.Value) {
		if s, ok := v.Str(); ok {
			keep[strings.TrimPrefix(s, "sha256:")] = true
		}
	}
	for i := range events {
		e := &events[i]
		if e.Type == trace.SendEvent && e.Message.Tag == "certificate" {
			note(e.Message.Payload.Get("result_snap"))
		}
		if e.Type == trace.SendEvent && e.Message.Tag == "result" { // of those that were driven out
			id, _ := e.Message.Payload.Get("id").Str()
			snaps[id] = e.Message.Payload.Get("snap")
		}
		if e.Type == trace.SendEvent && e.Message.Tag == "chosen" {
			for _, pair := range e.Message.Payload.Get("driven_out").Elems() {
				id, _ := pair.At(0).Str()
				note(snaps[id])
			}
		}
		if v := structured(e).Get("value"); !v.Get("delta").IsAbsent() {
			note(v.Get("before"))
			note(v.Get("after"))
		}
	}
	for _, sub := range []string{"", "made"} {
		list, err := os.ReadDir(filepath.Join(dir, sub))
		if err != nil {
			continue
		}
		for _, f := range list {
			if name, _, _ := strings.Cut(f.Name(), "."); !f.IsDir() && !keep[name] {
				if err := os.Remove(filepath.Join(dir, sub, f.Name())); err != nil {
					t.Error(err)
				}
			}
		}
	}
}

// structured is the ToolResult of an effect event, absent for any other event.
func structured(e *trace.Event) canon.Value {
	if e.Type != trace.EffectEvent || e.Effect.Op != "tool" {
		return canon.Value{}
	}
	return e.Answer().Get("structuredContent")
}

func edaEvents(t *testing.T, dir string) []trace.Event {
	t.Helper()
	tr, err := trace.Read(read(t, dir+"/trace.json"))
	if err != nil {
		t.Fatal(err)
	}
	return tr.Events
}

// TestEDAReplay needs nothing but the files: every trace replays byte for byte.
func TestEDAReplay(t *testing.T) {
	for _, x := range eda {
		t.Run(x.dir, func(t *testing.T) {
			data := read(t, x.dir+"/flow.json")
			if text, err := flow.Format(data); err != nil || !bytes.Equal(text, data) {
				t.Errorf("flow.json is not formatted: %v", err)
			}
			events := edaEvents(t, x.dir)
			m := scriptMachine(t, x.dir+"/flow.json")
			replays(t, m, events)
			if note := engine.FlowNote(m.Flow().SHA256(), trace.MemLog(events)); note != "" {
				t.Error(note)
			}
			if info, err := os.Stat(x.dir + "/trace.json"); err != nil || info.Size() > 3<<19 {
				t.Errorf("the trace is above 1.5 MB: %v", err)
			}
		})
	}
}

// TestEDACertificates verifies every certificate of every trace against the candidates and rules that were judged.
func TestEDACertificates(t *testing.T) {
	for _, x := range eda {
		n := 0
		for i, e := range edaEvents(t, x.dir) {
			if e.Type != trace.EffectEvent || e.Effect.Op != "judge" {
				continue
			}
			cert, in := e.Answer().Get("certificate"), e.Effect.Input
			if cert.IsAbsent() {
				t.Fatalf("%s event %d: %s", x.dir, i, e.Answer())
			}
			for _, what := range verified(t, x.dir, cert, in.Get("candidates"), in.Get("rules")) {
				t.Errorf("%s event %d: %s: %s", x.dir, i, what.What, what.Text)
			}
			n++
		}
		t.Logf("%s: %d certificates", x.dir, n)
	}
}

// stored reads a placement or a netlist of a store by its hash.
func stored(dir string) func(contract.Hash) ([]byte, error) {
	return func(h contract.Hash) ([]byte, error) {
		name := strings.TrimPrefix(string(h), "sha256:")
		data, err := os.ReadFile(filepath.Join(dir, "snaps", name))
		if !errors.Is(err, fs.ErrNotExist) {
			return data, err
		}
		f, err := os.Open(filepath.Join(dir, "snaps", "netlists", name+".json.gz"))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	}
}

func verified(t *testing.T, dir string, cert, candidates, rules canon.Value) []judge.Finding {
	t.Helper()
	set, err := judge.ReadCandidates([]byte(candidates.Text()), judge.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := judge.Verify(judge.VerifyInput{Certificate: []byte(cert.Text()), Candidates: set, Rules: []byte(rules.Text()), Snapshot: stored(dir)})
	if err != nil {
		t.Fatal(err)
	}
	return v.Stale
}

// TestEDADeltas measures every recorded delta again, from the stored snapshots.
func TestEDADeltas(t *testing.T) {
	for _, x := range eda {
		store := design.NewStore(filepath.Join(x.dir, "snaps"))
		n := 0
		for i, e := range edaEvents(t, x.dir) {
			v := structured(&e).Get("value")
			if v.Get("delta").IsAbsent() {
				continue
			}
			var pair [2]*design.Snapshot
			for k, key := range []string{"before", "after"} {
				ref, _ := v.Get(key).Str()
				snap, err := store.Get(contract.SnapshotRef(ref))
				if err != nil {
					t.Fatalf("%s event %d: %v", x.dir, i, err)
				}
				pair[k] = snap
			}
			d, err := design.Delta(pair[0], pair[1], design.Rule{Ignore: []string{design.ClassPacker}})
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(d.Delta)
			if err != nil {
				t.Fatal(err)
			}
			again, _, err := canon.Parse(data, canon.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if again != v.Get("delta") {
				t.Errorf("%s event %d: the delta measured again is another", x.dir, i)
			}
			if h, _ := v.Get("hpwl_delta").Float(); d.HPWL.Delta == nil || *d.HPWL.Delta != h {
				t.Errorf("%s event %d: the wire length changed by %v, not by %v", x.dir, i, d.HPWL.Delta, h)
			}
			n++
		}
		t.Logf("%s: %d deltas", x.dir, n)
	}
}

// TestStoresAreWhole holds that every stored snapshot is what its name says.
func TestStoresAreWhole(t *testing.T) {
	for _, x := range eda {
		list, err := os.ReadDir(filepath.Join(x.dir, "snaps"))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range list {
			if len(f.Name()) != 64 {
				continue
			}
			if ok, err := design.NewStore(filepath.Join(x.dir, "snaps")).Has(contract.SnapshotRef("sha256:" + f.Name())); err != nil || !ok {
				t.Errorf("%s/snaps/%s: %v %v", x.dir, f.Name(), ok, err)
			}
		}
	}
}
