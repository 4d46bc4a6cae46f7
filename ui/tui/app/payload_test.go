package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"flowdbg/engine"
	"flowdbg/engine/behavior/script"
	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/theme"
)

// example opens the recorded trace of an example, with its flow when there is one to be read.
func example(t testing.TB, name string, withFlow bool, th *theme.Theme, w, h int) *driver {
	t.Helper()
	dir := filepath.Join("..", "..", "..", "examples", name)
	opt := debug.Options{Trace: readOnce(t, filepath.Join(dir, "trace.json")), PlaybackAll: true}
	cfg := Config{Theme: th, TraceName: "trace.json", SnapDir: filepath.Join(dir, "snaps"), Now: func() time.Time { return time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC) }}
	if withFlow {
		text, err := os.ReadFile(filepath.Join(dir, "flow.json"))
		if err != nil {
			t.Fatal(err)
		}
		kinds := script.Registry(script.Options{Dir: dir})
		if opt.Machine, _ = engine.Parse("flow.json", text, kinds, false); opt.Machine == nil {
			t.Fatal("the example's flow is broken")
		}
		cfg.FlowName, cfg.WatchPath = "flow.json", filepath.Join(dir, "flow.json")
	}
	var err error
	if cfg.Session, err = debug.New(opt); err != nil {
		t.Fatal(err)
	}
	return start(t, cfg, w, h)
}

// tracesRead are the traces that tests have read, by their paths.
var tracesRead sync.Map

// readOnce reads a trace of the checkout, the first time that a test asks for it. Sessions share what was read, as forks do:
// none of them changes it.
func readOnce(t testing.TB, path string) *trace.Trace {
	t.Helper()
	if tr, ok := tracesRead.Load(path); ok {
		return tr.(*trace.Trace)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	tr, err := trace.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	tr.Events = slices.Clip(tr.Events)
	tracesRead.Store(path, tr)
	return tr
}

// atEnd goes to the end of the trace and shows a view.
func (d *driver) atEnd(v viewNo) *driver {
	d.do(keymap.Goto).text("$").press("enter")
	return d.do(keymap.View(int(v)))
}

// swaps is a trace of a few candidates with claimed and measured deltas, certificates and a call that no rule leads to. It is
// small and made here, so that goldens do not change when an example is recorded anew.
func swaps(t testing.TB, th *theme.Theme, w, h int) *driver {
	t.Helper()
	s, err := debug.New(debug.Options{Trace: readOnce(t, filepath.Join("testdata", "payloads.trace.json"))})
	if err != nil {
		t.Fatal(err)
	}
	return start(t, Config{Session: s, Theme: th, TraceName: "trace.json"}, w, h)
}

// Contract: tools, calls and the documents of each step, on the example that translates.
func TestContractView(t *testing.T) {
	d := example(t, "contract-flow", true, nil, 150, 40).atEnd(viewContract)
	d.has("iPL.place", "connects", "6 calls", "2025-11-25", "translated", "1 loss", "tool_excluded", "not_capable", "1 → 3")
	d.has("capability", "required", "ways to it").press("j")
	d.press("end").has("refused: invalid_arguments", "/density")
	for range 5 {
		d.press("k")
	}
	d.has("call of event 3", "/density → /density_target", "+ /options/seed", "- /value/legalized", "1→2 up · 2→3 up")
	d.do(keymap.Raw).has(`{"density":0.6`, "before", "after").do(keymap.Raw)
	d.do(keymap.Toggle)
	if d.m.view != viewDebug || d.m.s.Pos() != 4 {
		t.Fatalf("Enter leads to view %d, position %d", d.m.view, d.m.s.Pos())
	}
	d.do(keymap.View(int(viewContract))).has("1 call").hasNot("tool_excluded  ", "not_capable")
}

// tool_outdated_for_agent is explained: what is missing, and what would help.
func TestOutdatedIsExplained(t *testing.T) {
	d := swaps(t, nil, 150, 50).atEnd(viewContract)
	d.press("end").has("refused: tool_outdated_for_agent", "The agent speaks contract 1", "implements 3", "the step 2→3 of the arguments", "contract_version 3")
}

// Candidates as of the position: stepping back takes them away.
func TestCandidatesView(t *testing.T) {
	d := example(t, "explorer", false, nil, 150, 40).atEnd(viewCandidates)
	d.has("judged", "fmax ↑", "wirelength ↓", "front history", "hypervolume", "certificate", "gate PASS")
	v := d.m.faces[viewCandidates].(*candidatesView)
	all := len(v.order)
	var counts []int
	for range 40 {
		d.do(keymap.StepBack)
		counts = append(counts, len(v.order))
	}
	for i := 1; i < len(counts); i++ {
		if counts[i] > counts[i-1] {
			t.Fatalf("going back, candidates came: %v", counts)
		}
	}
	d.do(keymap.Goto).text("s20").press("enter")
	if n := len(v.order); n >= all || n == 0 {
		t.Fatalf("%d candidates at step 20, %d at the end", n, all)
	}
	d.do(keymap.Restart).has("no proposal, no candidate")
	d.atEnd(viewCandidates)
	if len(v.order) != all {
		t.Fatalf("%d candidates, then %d", all, len(v.order))
	}
}

// Objectives are chosen live; the scatter's cursor goes from point to point.
func TestObjectivesLive(t *testing.T) {
	d := example(t, "explorer", false, nil, 150, 40).atEnd(viewCandidates)
	v := d.m.faces[viewCandidates].(*candidatesView)
	front := func() (n int) {
		for i := range v.ex.Candidates {
			if r := v.ex.Candidates[i].Rank; r != nil && *r == 0 {
				n++
			}
		}
		return n
	}
	three := front()
	d.do(keymap.Objectives).has("Rank by", "y axis").press("down", "space") // wirelength no longer counts
	if len(v.objectives()) != 2 || front() >= three {
		t.Fatalf("%d objectives, %d on the front, %d before", len(v.objectives()), front(), three)
	}
	d.press("backspace", "down", "x", "esc").has("against cells")
	if len(v.objectives()) != 3 || front() != three {
		t.Fatal("the rules' own objectives are not back")
	}
	d.do(keymap.NextPane).press("home")
	last := -1.0
	for range 8 {
		x := v.selected().Metrics["cells"]
		if x < last {
			t.Fatalf("the cursor goes from %v to %v", last, x)
		}
		last = x
		d.press("j")
	}
}

// Without colour the rank is a character, and the selected point is named on both axes.
func TestRankWithoutColour(t *testing.T) {
	for _, c := range []struct {
		ascii             bool
		front, next, fail string
	}{{false, "⓪", "▶", "✗"}, {true, "(0)", ">", "x"}} {
		d := example(t, "explorer", false, look(t, "plain", c.ascii), 150, 40).atEnd(viewCandidates)
		d.has(c.front+" rank 0, the front", c.fail+" no rank")
		if out := d.frame(); strings.Contains(out, "\x1b[") {
			t.Error("a plain screen has colours")
		}
		if v := d.m.faces[viewCandidates].(*candidatesView); v.scatter.x < 0 || !strings.Contains(d.plain(), c.next) {
			t.Error("the selected point is not named")
		}
	}
}

// Delta: of a candidate between its snapshots, chosen, filtered, between two named ones.
func TestDeltaView(t *testing.T) {
	d := example(t, "explorer", false, nil, 150, 40).atEnd(viewCandidates)
	id := d.m.faces[viewCandidates].(*candidatesView).selected().ID
	d.do(keymap.View(int(viewDelta))).has("Delta: "+id+" from its parent", "moved", "displacement in tiles", "die", "F→T")
	v := d.m.deltaView()
	for i := 1; i < len(v.model.rows); i++ {
		a, b := v.model.rows[i-1], v.model.rows[i]
		if a.kind == "moved" && b.kind == "moved" && a.far < b.far {
			t.Fatalf("%v before %v", a.far, b.far)
		}
	}
	all := len(v.shown)
	word := strings.ToLower(v.model.rows[0].name)
	d.do(keymap.Filter).text("moved " + word).press("enter").has("changes with moved " + word)
	if len(v.shown) == 0 || len(v.shown) >= all {
		t.Fatalf("%d of %d", len(v.shown), all)
	}
	d.do(keymap.Filter).press("ctrl+u", "enter")
	d.do(keymap.PickDelta).text("nothing").press("enter").has("no delta is called that").press("ctrl+u").text("base.s1 base.s3").press("enter")
	d.has("Delta: base.s1 to base.s3", "sha256:")
	d.do(keymap.PickDelta).text("event").press("enter").has("/response/structuredContent/value/delta")
	d.do(keymap.Restart).has("no design delta was said")
}

// Where ranking takes longer than a frame it is done in a command: keys work meanwhile, nothing is added to what the command
// reads, and a step away gets its own answer afterwards.
func TestSlowRanking(t *testing.T) {
	d := example(t, "explorer", false, nil, 150, 40).atEnd(viewCandidates)
	v := d.m.faces[viewCandidates].(*candidatesView)
	all := len(v.order)
	d.m.pay.slow, d.hold = true, true
	d.do(keymap.Goto).text("s30").press("enter")
	d.hold = false
	if !v.late || len(v.order) != all || !d.m.pay.lent {
		t.Fatalf("late %v, %d candidates of %d", v.late, len(v.order), all)
	}
	d.has("ranking").release()
	if v.late || d.m.pay.lent || len(v.order) >= all || len(v.order) == 0 {
		t.Fatalf("late %v, %d candidates of %d", v.late, len(v.order), all)
	}
	d.hasNot("ranking")
}

// The example with a claimed and a measured delta for each swap shows both.
func TestSwapsHaveBothDeltas(t *testing.T) {
	d := example(t, "mover", false, nil, 150, 40).atEnd(viewDelta)
	d.has("moved", "fields: drc_changes, moved_cells", "die", "tiles")
	if n := len(d.m.deltaView().sources); n < 2 {
		t.Fatalf("%d deltas", n)
	}
}
