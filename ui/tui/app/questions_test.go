package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
)

// edited is a run of which a person changed the critic's message, after the third step.
func edited(d *driver) {
	d.do(keymap.Step, keymap.Step, keymap.Step, keymap.Fork, keymap.Continue)
}

// viewScenes lead to the views and panels of this file, for the frames of every size.
var viewScenes = map[string]func(*driver){
	"why":    func(d *driver) { d.do(keymap.Continue).press("k").do(keymap.Why) },
	"cameof": func(d *driver) { d.do(keymap.Restart).press("home").do(keymap.CameOf) },
	"search": func(d *driver) { d.do(keymap.Search).text("=agent") },
	"filter": func(d *driver) { d.do(keymap.Filter).text(`agent == "critic"`).press("enter") },
	"graph":  func(d *driver) { d.do(keymap.Step, keymap.Step, keymap.Step, keymap.View(int(viewGraph))) },
	"ledger": func(d *driver) {
		d.do(keymap.Step, keymap.Step, keymap.Step, keymap.Step, keymap.View(int(viewLedger)))
	},
	"compare": func(d *driver) { d.do(keymap.Continue, keymap.View(int(viewCompare))) },
	"runs":    func(d *driver) { edited(d); d.do(keymap.View(int(viewRuns))) },
	"edit":    func(d *driver) { d.do(keymap.Step, keymap.Edit) },
	"watches": func(d *driver) { d.do(keymap.Step, keymap.Watches).text("researcher /pending").press("enter") },
}

func init() {
	for name, play := range viewScenes {
		scenes[name] = func(d *driver) {
			// Keys of actions that cannot be done with this record do nothing.
			play(d)
		}
	}
}

// TestWhy: from the output the chain reaches the input, Enter goes to a link, and Tab asks the other way.
func TestWhy(t *testing.T) {
	d := open(t, 150, 40).do(keymap.Continue, keymap.PrevPane).press("end").do(keymap.Why)
	d.has("Why does writer.out[0] exist?", "task → researcher", "event 0", "researcher asked search", "critic.out → writer", "exact:")
	p := d.m.over.(*whyPanel)
	if got := p.lines[0].where; got != "input" || !p.chain.Exact {
		t.Fatalf("the chain begins with %q, exact %t", got, p.chain.Exact)
	}
	d.do(keymap.Home).press("tab").has("What came of writer.out[0]?").press("tab").do(keymap.Up).press("enter")
	link := p.lines[len(p.lines)-2].event
	if d.m.over != nil || d.m.s.Pos() != link+1 {
		t.Fatalf("Enter leads to event %d, want %d", d.m.s.Pos(), link+1)
	}
	d.do(keymap.Restart).press("home").do(keymap.CameOf).has("What came of event 0?", "7 steps")
	d.do(keymap.Why).has("Why does event 0 exist?").press("esc").hasNot("exist?")
	// A message that waits has a cause too.
	d.do(keymap.Step, keymap.PrevPane, keymap.PrevPane, keymap.Why).has("Why does message 1 that waits for researcher exist?")
}

func TestWhoChanged(t *testing.T) {
	d := open(t, 150, 40).do(keymap.Continue)
	if why := d.m.why(keymap.WhoChanged); why == "" {
		t.Fatal("who changed can be asked of an event")
	}
	d.m.focus[viewDebug] = layout.Inspector
	d.press("home")
	_, ptr, ok := d.m.place()
	if !ok {
		t.Fatal("the cursor is on no place")
	}
	d.do(keymap.WhoChanged).has(ptr+" of writer was changed by event 19, step 7", "event 19 · act")
	if d.m.pane() != layout.Events || d.m.events.event() != 19 {
		t.Fatalf("the cursor is in %s on event %d", d.m.pane(), d.m.events.event())
	}
}

// TestSearch finds texts and expressions, both ways and round the end, and says so when there is nothing.
func TestSearch(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Search).text("mock-strong").press("enter").has("is in event 10")
	d.do(keymap.SearchNext).has("is in event 11").do(keymap.SearchPrev).has("is in event 10").do(keymap.SearchPrev).has("round the end")
	d.do(keymap.Search).press("ctrl+u").text("MOCK-STRONG").press("enter").has("is nowhere in 22 events")
	d.do(keymap.Search).press("ctrl+u").text(`=type == "send" and to == "writer"`).press("enter").has("is in event 14").do(keymap.Toggle).has("position 15/22")
	d.do(keymap.Search).press("ctrl+u").text("=nobody > 1").press("enter").has("nobody").press("esc")
	d.do(keymap.Restart, keymap.Search).press("ctrl+u").text("=spent > 0.0006").press("enter").has("found", "step 4/7")
	if why := open(t, 80, 24).m.why(keymap.SearchNext); why == "" {
		t.Error("it can be searched on for nothing")
	}
}

// shortSlices makes every pass take many slices until the test ends, or restore is called.
func shortSlices(t *testing.T) (restore func()) {
	was := sliceTime
	restore = func() { sliceTime = was }
	sliceTime = 0
	t.Cleanup(restore)
	return restore
}

// TestSearchStops: Esc ends a search, and it does not keep Update for long.
func TestSearchStops(t *testing.T) {
	shortSlices(t)
	d := start(t, Config{Session: session(t, nil, longRecord(60_000, 3))}, 120, 30)
	d.hold = true
	d.do(keymap.Search).text("=payload == 12345678").press("enter")
	if d.m.run == nil {
		t.Fatal("all events were looked at in one slice")
	}
	d.has("search", "Esc stops").press("esc").has("search: stopped")
	if d.m.run != nil {
		t.Fatal("it still runs")
	}
}

func TestFilter(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Filter).text(`agent == "critic"`).press("enter").has("Events where agent", "of 22")
	n := d.m.events.list.Len()
	if n == 0 || n >= 22 {
		t.Fatalf("%d rows", n)
	}
	for i := range n {
		if e := d.m.s.Event(d.m.events.index(i)); e.Agent != "critic" {
			t.Fatalf("row %d shows event %d of %s", i, d.m.events.index(i), e.Agent)
		}
	}
	d.do(keymap.End, keymap.Toggle)
	if d.m.s.Pos() != d.m.events.index(n-1)+1 {
		t.Fatalf("Enter leads to %d", d.m.s.Pos())
	}
	d.do(keymap.Filter).press("ctrl+u").text("state > 1").press("enter").has("a filter cannot look at the state").press("esc")
	d.do(keymap.Search).text("article").press("enter")
	if d.m.events.filter != nil || d.m.events.list.Len() != 22 {
		t.Fatal("a hit that the filter hides is not shown")
	}
	d.do(keymap.Filter).text(`agent == "nobody"`).press("enter").has("no event is so").do(keymap.Step)
	d.do(keymap.Filter).press("ctrl+u", "enter").has("all events are shown", "step 1")
}

// TestForks: an edit makes a run, its parent stays as it is, and view 8 goes back.
func TestForks(t *testing.T) {
	d := open(t, 150, 40)
	d.do(keymap.Step, keymap.Step, keymap.Step)
	hash := d.m.hash
	d.do(keymap.Edit).has("Change, in a new run", "state ")
	d.press("ctrl+u").text(`budget {"usd":0.0001}`).press("enter").has("run 1 begins at event 9 of run 0", "budget")
	d.do(keymap.View(int(viewRuns))).has("run 0", "└ run 1  edit: budget", "* edited", "2 runs").press("home", "enter").has("run 0 is shown")
	if d.m.hash != hash || d.m.s.Pos() != 9 {
		t.Fatalf("the parent stands at %d with hash %s, was 9 with %s", d.m.s.Pos(), d.m.hash, hash)
	}
	d.press("j").do(keymap.CompareRuns).has("Compare", "run 1 → run 0")
	d.do(keymap.View(int(viewDebug)), keymap.Edit).press("ctrl+u").text("state nobody {}").press("enter").has("Change, in a new run")
	d.press("ctrl+u").text("nonsense").press("enter").has("Change, in a new run").press("esc")
	if n := len(d.m.s.Runs()); n != 2 {
		t.Fatalf("%d runs", n)
	}
	d.do(keymap.Fork).has("run 2 begins")
	playback := start(t, Config{Session: session(t, nil, recordOf(t, seedFlow(t)))}, 80, 24)
	if why := playback.m.why(keymap.Fork); !strings.Contains(why, "open its flow too") {
		t.Errorf("a fork in playback: %q", why)
	}
}

// TestPending: an effect that a breakpoint holds waits until it is decided.
func TestPending(t *testing.T) {
	d := start(t, Config{Session: session(t, seedFlow(t), nil)}, 150, 40)
	if why := d.m.why(keymap.Answer); why == "" {
		t.Fatal("there is something to answer before anything was asked")
	}
	d.do(keymap.Breakpoints).text("op search").press("enter", "esc").do(keymap.Continue)
	if d.m.s.Pending() == nil {
		t.Fatalf("nothing is held: %s", d.plain())
	}
	d.do(keymap.Answer).has("An effect waits", "researcher asks search in step 1", "mock", "send")
	d.press("ctrl+u").text("{").press("enter").has("is no JSON").press("ctrl+u").text(`{"hits":[]}`).press("enter").has("answer: decided")
	d.do(keymap.Step)
	if e := d.m.s.Event(2); e.Type != trace.EffectEvent || e.Response.Text() != `{"hits":[]}` {
		t.Fatalf("event 2 is %s %s", e.Type, e.Response)
	}
}

func TestWatches(t *testing.T) {
	d := open(t, 150, 40).do(keymap.Step)
	d.m.focus[viewDebug] = layout.Inspector
	d.press("home").do(keymap.Watch).has("watched: researcher").do(keymap.Watches).has("* researcher")
	d.text("critic /pending").press("enter").has("critic /pending").press("enter")
	if d.m.over != nil || d.m.agents.selected(d.m) != "critic" {
		t.Fatal("Enter does not show the place")
	}
	d.do(keymap.Watches).text("nobody /x").press("enter").has(`there is no agent "nobody"`).press("ctrl+u", "delete", "delete").has("none yet")
	if n := len(d.m.s.Watches()); n != 0 {
		t.Fatalf("%d watches are left", n)
	}
}

// TestCompare: the recorded trace beside the run that differs from it, with the first difference.
func TestCompare(t *testing.T) {
	d := diverged(t).do(keymap.Continue, keymap.View(int(viewCompare)))
	v := d.m.faces[viewCompare].(*compareView)
	if v.rep == nil || v.rep.First == nil {
		t.Fatalf("no difference was found:\n%s", d.plain())
	}
	d.has("≠ 12 equal, 1 changed", "first difference: step 5, critic receive /message/payload", "recorded → run 0", "was = recorded")
	same := open(t, 150, 40).do(keymap.Continue, keymap.View(int(viewCompare))).has("≡ recorded and run 0 are the same so far: 22 events")
	same.do(keymap.StepBack, keymap.StepBack).has("the same so far: 22 events")
}

// TestCompareSides: a fork is compared with its parent by itself, whole as its record is; = takes what else there is; a
// run that was not run to its end says so.
func TestCompareSides(t *testing.T) {
	d := open(t, 150, 40).do(keymap.Step, keymap.Step, keymap.Step, keymap.Fork, keymap.View(int(viewCompare)))
	d.has("run 0 → run 1", "equal as far as run 1 was run: 9 events; run 0 goes on").hasNot("first difference")
	d.do(keymap.CompareRuns).has("recorded → run 1").do(keymap.CompareRuns).has("run 0 → run 1")
	d.do(keymap.Continue).has("run 0 and run 1 are the same so far: 22 events")
	live := start(t, Config{Session: session(t, seedFlow(t), nil)}, 150, 40)
	live.do(keymap.Step, keymap.View(int(viewCompare))).has("nothing to compare")
	live.do(keymap.Edit).press("ctrl+u").text(`inject writer article {"x":1}`).press("enter").do(keymap.Continue).has("run 0 → run 1", "equal as far as run 0 was run")
	live.do(keymap.Fork, keymap.CompareRuns).has("run 0 → run 2")
}

// TestLedger: the table is as of the position and equals what the trace's own sum says, and the sparkline has its sum.
func TestLedger(t *testing.T) {
	d := open(t, 150, 40).do(keymap.View(int(viewLedger))).has("nothing was spent up to here")
	v := d.m.faces[viewLedger].(*ledgerView)
	for d.m.s.Pos() < d.m.s.Total() {
		d.do(keymap.Step)
		if got, want := v.rep.Total.Ledger, d.m.s.State().Ledger(); !got.Equal(want) {
			t.Fatalf("at event %d the table says %v, the state %v", d.m.s.Pos(), got, want)
		}
		if d.m.s.State().Finished() != nil {
			break
		}
	}
	heights, _ := v.curve.spark(40, true)
	sum := 0.0
	for _, y := range heights {
		sum += y
	}
	if want := float64(v.rep.Total.Ledger.NanoUSD); sum != want {
		t.Errorf("the curve sums to %g, the ledger to %g", sum, want)
	}
	d.has("by agent", "critic", "mock-strong", "Dearest steps", "step 4").do(keymap.NextPane).press("home").do(keymap.Toggle).has("position 12/22")
	unknown := recordOf(t, seedFlow(t))
	for i := range unknown {
		if unknown[i].Type == trace.EffectEvent {
			data := strings.Replace(string(unknown[i].AppendJSON(nil)), `"usage"`, `"x"`, 1)
			tr, err := trace.Read([]byte(data))
			if err != nil {
				t.Fatal(err)
			}
			unknown[i] = tr.Events[0]
		}
	}
	start(t, Config{Session: session(t, nil, unknown)}, 150, 40).do(keymap.Continue, keymap.View(int(viewLedger))).has("≥$0.00", "lower bound")
	start(t, Config{Session: session(t, nil, unknown), Theme: look(t, "plain", true)}, 150, 40).do(keymap.Continue, keymap.View(int(viewLedger))).has(">=$0.00", ">= usage of")
}

// TestGraph: edges come from the flow, or from the events without one; the step's edge is marked, and what waits counted.
func TestGraph(t *testing.T) {
	for name, cfg := range map[string]Config{"flow": {Session: session(t, seedFlow(t), nil)}, "events": {Session: session(t, nil, recordOf(t, seedFlow(t)))}} {
		t.Run(name, func(t *testing.T) {
			d := start(t, cfg, 150, 40).do(keymap.Step, keymap.Step, keymap.Step, keymap.View(int(viewGraph)))
			d.has("researcher.out → critic", "critic", "┏", "▶")
			v := d.m.faces[viewGraph].(*graphView)
			i := v.find[edgeName{"researcher", "out", "critic"}]
			if e := v.edges[i]; !e.active || e.depth != 1 {
				t.Fatalf("the edge to the critic: %+v", e)
			}
			d.do(keymap.Restart)
			if e := v.edges[i]; e.active || e.depth != 0 {
				t.Fatalf("at the start: %+v", e)
			}
			d.m.w = 40
			d.has("(input)")
		})
	}
}

// TestBreakOptions: what the commands take, the prompt takes.
func TestBreakOptions(t *testing.T) {
	d := open(t, 150, 40).do(keymap.Breakpoints).text(`agent critic from 2 once when payload != None`).press("enter")
	b := d.m.s.Breakpoints()
	if len(b) != 1 || b[0].From != 2 || !b[0].Once || b[0].Kind != debug.BreakAgent {
		t.Fatalf("set %v", b)
	}
	d.has("from hit 2", "once")
}

// TestLedgerOfLongTrace: a long trace is summed up in slices, steps need not wait for it, and the table catches up.
func TestLedgerOfLongTrace(t *testing.T) {
	d := start(t, Config{Session: session(t, nil, longRecord(30_000, 3))}, 120, 30)
	d.hold = true
	d.do(keymap.View(int(viewLedger)))
	for range 3 {
		if why := d.m.why(keymap.Step); why != "" {
			t.Fatalf("a step has to wait: %s", why)
		}
		d.do(keymap.Step)
	}
	d.release()
	v := d.m.faces[viewLedger].(*ledgerView)
	if v.at.n != d.m.s.Pos() || d.m.run != nil {
		t.Fatalf("the table is of event %d, the run at %d", v.at.n, d.m.s.Pos())
	}
}

// TestWhyOfLongChain: a chain as long as the trace is followed in slices, in memory and in a file, and Esc stops it.
func TestWhyOfLongChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(trace.GenTrace(f, 30_000, 4, 10), f.Close()); err != nil {
		t.Fatal(err)
	}
	store, err := trace.OpenStore(path, trace.StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for done := false; !done; {
		if done, err = store.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := trace.Read(data)
	if err != nil {
		t.Fatal(err)
	}
	for name, opt := range map[string]debug.Options{"file": {Store: store}, "memory": {Trace: whole}} {
		t.Run(name, func(t *testing.T) {
			s, err := debug.New(opt)
			if err != nil {
				t.Fatal(err)
			}
			d := start(t, Config{Session: s}, 120, 40)
			d.do(keymap.End).press("k")
			d.hold = true
			restore := shortSlices(t)
			d.do(keymap.Why)
			if d.m.run == nil {
				t.Fatal("the chain was followed in one slice")
			}
			d.has("why", "Esc stops").press("esc").has("why: stopped")
			restore()
			d.release()
			if d.m.over != nil {
				t.Fatal("what was stopped opens the panel")
			}
			d.do(keymap.Why).has("exist?", "exact:").press("home").has("input", "agent-000")
			if p := d.m.over.(*whyPanel); p.chain.Skipped == 0 || len(p.lines) > trace.DefaultLinks+1 {
				t.Fatalf("%d lines, %d links left out", len(p.lines), p.chain.Skipped)
			}
		})
	}
}
