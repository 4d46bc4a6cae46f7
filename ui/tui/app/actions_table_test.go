package app

import (
	"fmt"
	"slices"
	"testing"

	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
)

// Reasons that many actions share.
const (
	isBusy    = "runs; Esc stops it"
	isEnd     = "nothing lies ahead"
	isStart   = "this is the start"
	isNothing = "the cursor is on nothing"
	isZoomed  = "the pane has the whole screen"
	isAlone   = "only one pane fits on this screen"
)

// ready returns what does these actions.
func do(ids ...keymap.ID) func(*driver) { return func(d *driver) { d.do(ids...) } }

// pane returns what gives the keys to a pane, after these actions.
func in(p layout.Pane, ids ...keymap.ID) func(*driver) {
	return func(d *driver) {
		d.do(ids...)
		for range 9 {
			if d.m.pane() == p {
				return
			}
			d.do(keymap.NextPane)
		}
		d.t.Fatalf("no way leads to the pane %s", p)
	}
}

func opens(title string) func(d *driver, now, was facts) bool {
	return func(_ *driver, now, _ facts) bool { return now.over == title }
}

func moves(to int) func(d *driver, now, was facts) bool {
	return func(_ *driver, now, was facts) bool { return now.pos == to && was.pos != to }
}

func cursorTo(row string) func(d *driver, now, was facts) bool {
	return func(_ *driver, now, was facts) bool {
		return now.cursor == row && was.cursor != row && now.pos == was.pos
	}
}

// paneGrows: the focused pane has another size than in the built-in layout, or is back to it when by is negative.
func paneGrows(p layout.Pane, dw, dh int) func(d *driver, now, was facts) bool {
	return func(d *driver, now, was facts) bool { return d.grew(p, was) == [2]int{dw, dh} && now.pane == was.pane }
}

// asks is an action that has Bubble Tea do something.
func asks(message string) func(d *driver, now, was facts) bool {
	return func(_ *driver, now, was facts) bool {
		return slices.Contains(now.asked, message) && !slices.Contains(was.asked, message)
	}
}

// shows a view: what of it is on the screen.
func view(n viewNo, texts ...string) doing {
	return doing{ready: do(keymap.Step, keymap.Step), shows: texts, done: func(_ *driver, now, was facts) bool { return now.view == n && was.view != n }}
}

// doings has an entry for each action (see CONTRIBUTING.md, "A new action").
var doings = map[keymap.ID]doing{
	keymap.Step:            {shows: []string{"step 1/7"}, done: moves(3), why: []string{isBusy, isEnd}},
	keymap.StepBack:        {ready: do(keymap.Step, keymap.Step), shows: []string{"step 1/7"}, done: moves(3), why: []string{isBusy, isStart}},
	keymap.NextEvent:       {shows: []string{"position 1/22"}, done: moves(1), why: []string{isBusy, isEnd}},
	keymap.PrevEvent:       {ready: do(keymap.Step), shows: []string{"position 2/22"}, done: moves(2), why: []string{isBusy, isStart}},
	keymap.Continue:        {shows: []string{"the run is finished"}, done: moves(22), why: []string{isBusy, isEnd}},
	keymap.ReverseContinue: {ready: do(keymap.Continue), shows: []string{"step 0/7"}, done: moves(0), why: []string{isBusy, isStart}},
	keymap.Mark:            {ready: do(keymap.Step), shows: []string{"Mark event 2", "name: a"}, done: opens("Mark event 2")},
	keymap.Marks:           {shows: []string{"Marks", "none yet"}, done: opens("Marks")},
	keymap.Restart:         {ready: do(keymap.Step, keymap.Step), shows: []string{"before the first event"}, done: moves(0), why: []string{isBusy, isStart}},
	keymap.NextOf:          {ready: do(keymap.Step), shows: []string{"step 2/7", "researcher consumed"}, done: moves(6), why: []string{isBusy, isEnd, "no agent is selected"}},
	keymap.PrevOf:          {ready: do(keymap.Step, keymap.Step), shows: []string{"step 1/7"}, done: moves(3), why: []string{isBusy, isStart, "no agent is selected"}},
	keymap.Goto:            {shows: []string{"Go to"}, done: opens("Go to"), why: []string{isBusy}},

	keymap.Breakpoints: {shows: []string{"Breakpoints", "none yet"}, done: opens("Breakpoints")},
	keymap.BreakHere: {shows: []string{"breakpoint #1 agent researcher"}, done: func(_ *driver, now, was facts) bool { return now.breaks == was.breaks+1 },
		why: []string{"no agent is selected"}},
	keymap.Watch: {ready: in(layout.Agents, keymap.Step), shows: []string{"watched: researcher"},
		done: func(_ *driver, now, was facts) bool { return now.watches == was.watches+1 }, why: []string{"no place of an agent's state"}},
	keymap.Watches: {shows: []string{"Watches", "none yet"}, done: opens("Watches")},

	keymap.Why:    {ready: do(keymap.Step, keymap.Step), shows: []string{"Why does event 5 exist?", "task → researcher"}, why: []string{"on nothing that has a cause", isBusy}},
	keymap.CameOf: {ready: do(keymap.Step), shows: []string{"What came of event 2?"}, why: []string{"on nothing that has a cause", isBusy}},
	keymap.WhoChanged: {ready: in(layout.Inspector, keymap.Continue), shows: []string{"was changed by event 19"}, done: func(_ *driver, now, _ facts) bool { return now.cursor == "19" },
		why: []string{"no place of an agent's state", isBusy}},
	keymap.Source: {from: func(t *testing.T) *driver { return scripted(t, 150, 40) }, shows: []string{"sum.star · adder, step 1", "def add(a, b)"},
		why: []string{"the flow is not at hand", "the flow runs no script", isBusy}},
	keymap.Print:      {shows: []string{"Print", "expression: "}, done: opens("Print"), why: []string{isBusy}},
	keymap.Search:     {shows: []string{"Search"}, done: opens("Search"), why: []string{isBusy}},
	keymap.SearchNext: {ready: searched("mock-strong"), shows: []string{"is in event 11"}, done: cursorTo("11"), why: []string{"nothing was searched for yet", isBusy}},
	keymap.SearchPrev: {ready: searched("mock-strong"), shows: []string{"round the end"}, why: []string{"nothing was searched for yet", isBusy}},
	keymap.Filter:     {shows: []string{"Show only events for which"}, done: opens("Show only events for which"), why: []string{isBusy}},
	keymap.Objectives: {from: explored, shows: []string{"Rank by", "y axis"}, done: opens("Rank by"), why: []string{"only candidates are ranked", "no candidate was measured", isBusy}},
	keymap.PickDelta:  {from: explored, shows: []string{"Show a delta"}, done: opens("Show a delta"), why: []string{isBusy}},

	keymap.Edit: {ready: do(keymap.Step), shows: []string{"Change, in a new run", "the state of researcher"}, done: opens("Change, in a new run"),
		why: []string{"a trace that is played back cannot run on", isBusy}},
	keymap.EditSource: {from: func(t *testing.T) *driver { d, _ := outsider(t, `echo "$1" > "$0.args"`); return d }, ready: do(keymap.Step), shows: []string{"reload", "no event differs"},
		why: []string{"no flow file"}},
	keymap.Fork: {ready: do(keymap.Step), shows: []string{"run 1 begins at event 3 of run 0"}, done: func(_ *driver, now, was facts) bool { return now.runs == 2 && now.run == 1 && was.runs == 1 },
		why: []string{"a trace that is played back cannot run on", isBusy}},
	keymap.Answer: {from: held, shows: []string{"An effect waits", "researcher asks search in step 1"}, done: opens("An effect waits"), why: []string{"no effect waits for an answer"}},
	keymap.KeepRun: {from: keepsRuns, ready: do(keymap.Step), shows: []string{"kept run 0 (22 events) in runs/run-"},
		why: []string{"no flow file beside which runs could be kept", "this run is kept already", "nothing has run yet", isBusy}},
	keymap.CompareRuns: {ready: func(d *driver) { edited(d); d.do(keymap.View(int(viewRuns)), keymap.Home) }, shows: []string{"Compare", "run 0 → run 1"},
		done: func(_ *driver, now, was facts) bool { return now.view == viewCompare && was.view == viewRuns }, why: []string{"choose a run in view 8 first", "this run is the one that is shown", isBusy}},

	keymap.Up:       {ready: do(keymap.Continue), done: cursorTo("20")},
	keymap.Down:     {done: cursorTo("1")},
	keymap.PageUp:   {from: played, ready: do(keymap.Continue), done: func(d *driver, now, was facts) bool { return d.rowsMoved(was) < -9 && now.pos == was.pos }},
	keymap.PageDown: {from: played, done: func(d *driver, now, was facts) bool { return d.rowsMoved(was) > 9 && now.pos == was.pos }},
	keymap.Home:     {ready: do(keymap.Continue), done: cursorTo("0")},
	keymap.End:      {done: cursorTo("21")},
	keymap.Toggle:   {ready: do(keymap.Down, keymap.Down), shows: []string{"position 3/22"}, done: moves(3)},
	keymap.Open:     {ready: do(keymap.Step), done: func(_ *driver, now, was facts) bool { return now.pane == layout.Inspector && was.pane == layout.Events }},
	keymap.Close:    {ready: in(layout.Inspector, keymap.Step, keymap.Inspect), shows: []string{"▸ request"}},
	keymap.Follow:   {ready: do(keymap.Continue, keymap.Home), done: cursorTo("21"), why: []string{"the cursor is there already"}},

	keymap.NextPane: {done: func(_ *driver, now, was facts) bool { return now.pane == layout.Inspector && was.pane == layout.Events }},
	keymap.PrevPane: {done: func(_ *driver, now, was facts) bool { return now.pane == layout.Agents && was.pane == layout.Events }},

	keymap.View(1): {ready: do(keymap.Step, keymap.View(2)), shows: []string{"Agents", "Events", "Inbox of researcher"}, done: func(_ *driver, now, _ facts) bool { return now.view == viewDebug }},
	keymap.View(2): view(viewGraph, "researcher.out → critic", "3 edges"),
	keymap.View(3): view(viewLedger, "by agent", "mock-fast", "Dearest steps"),
	keymap.View(4): {from: flowed, ready: do(keymap.Continue), shows: []string{"iPL.place", "capability", "6 calls"}, done: func(_ *driver, now, _ facts) bool { return now.view == viewContract }},
	keymap.View(5): {from: exploredAt1, shows: []string{"fmax ↑", "front history", "hypervolume"}, done: func(_ *driver, now, _ facts) bool { return now.view == viewCandidates }},
	keymap.View(6): {from: exploredAt1, shows: []string{"Delta: ", "displacement", "die"}, done: func(_ *driver, now, _ facts) bool { return now.view == viewDelta }},
	keymap.View(7): {from: func(t *testing.T) *driver { return diverged(t) }, ready: do(keymap.Continue), shows: []string{"first difference: step 5", "recorded → run 0"}, done: func(_ *driver, now, _ facts) bool { return now.view == viewCompare }},
	keymap.View(8): {ready: edited, shows: []string{"└ run 1  fork", "2 runs"}, done: func(_ *driver, now, _ facts) bool { return now.view == viewRuns }},
	keymap.View(9): view(viewProblems, "Problems"),

	keymap.Zoom:       {done: func(_ *driver, now, was facts) bool { return now.zoom && !was.zoom && now.frame != was.frame }},
	keymap.Inspect:    {ready: do(keymap.Step), shows: []string{"event 2 · effect"}, why: []string{"there is no inspector in this view"}},
	keymap.Raw:        {ready: do(keymap.Step), shows: []string{`"pending":[`}, why: []string{"there is no inspector in this view"}},
	keymap.Wider:      {done: paneGrows(layout.Events, 2, 0), why: []string{isZoomed, isAlone, "the whole width here", "the panes beside it have nothing to give"}},
	keymap.Narrower:   {ready: do(keymap.PrevPane), done: paneGrows(layout.Agents, -2, 0), why: []string{isZoomed, isAlone, "the whole width here", "the pane is as narrow as it can be"}},
	keymap.Taller:     {ready: do(keymap.NextPane), done: paneGrows(layout.Inspector, 0, 1), why: []string{isZoomed, isAlone, "the whole height here", "the pane beside it has nothing to give"}},
	keymap.Shorter:    {ready: do(keymap.NextPane), done: paneGrows(layout.Inspector, 0, -1), why: []string{isZoomed, isAlone, "the whole height here", "the pane is as low as it can be"}},
	keymap.ResetSizes: {ready: do(keymap.Wider), shows: []string{"layout balanced: stepping"}, done: paneGrows(layout.Events, -2, 0), why: []string{"the panes have the sizes of the layout"}},
	keymap.NextLayout: {shows: []string{"layout events: reading a long trace"}, done: func(d *driver, now, was facts) bool { return d.m.arr.preset == "events" && now.frame != was.frame }},
	keymap.Layouts:    {shows: []string{"Layouts", "save as:", "following messages"}, done: opens("Layouts")},
	keymap.Theme:      {shows: []string{"Theme", "safe for colour blindness"}, done: opens("Theme")},
	keymap.Copy:       {ready: do(keymap.Step), shows: []string{"copied event 2", "copy.txt"}, why: []string{isNothing}},
	keymap.Write:      {ready: do(keymap.Step), shows: []string{"Write to a file", "event-2.json"}, done: opens("Write to a file"), why: []string{isNothing}},

	keymap.Palette: {shows: []string{"Actions", "Run one step of the scheduler"}, done: opens("Actions")},
	keymap.Help:    {shows: []string{"Keys", "Run one step of the scheduler"}, done: opens("Keys")},
	keymap.Cancel:  {ready: do(keymap.Zoom), done: func(_ *driver, now, was facts) bool { return !now.zoom && was.zoom }, why: []string{"nothing is open and nothing runs"}},
	keymap.Mouse:   {shows: []string{"the mouse is on"}, done: asks("tea.enableMouseCellMotionMsg")},
	keymap.Reload:  {from: func(t *testing.T) *driver { d, _ := editable(t); return d }, shows: []string{"reloaded"}, why: []string{"no flow file that could be read again"}},
	keymap.Suspend: {done: asks("tea.SuspendMsg")},
	keymap.Quit:    {done: func(d *driver, now, was facts) bool { return d.quit && slices.Contains(now.asked, "tea.QuitMsg") }},
}

// rowsMoved is by how many rows the cursor moved.
func (d *driver) rowsMoved(was facts) int {
	var from, to int
	if _, err := fmt.Sscan(was.cursor, &from); err != nil {
		d.t.Fatal(err)
	}
	if _, err := fmt.Sscan(d.cursor(), &to); err != nil {
		d.t.Fatal(err)
	}
	return to - from
}
