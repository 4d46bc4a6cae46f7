package app

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
)

// screen is a scene of the golden files: a session, and the way to what is shown.
type screen struct {
	from func(*testing.T) *driver
	play func(*driver)
}

// exampleAt opens an example at the end of its trace, in a view.
func exampleAt(name string, withFlow bool, v viewNo, more ...keymap.ID) screen {
	return screen{func(t *testing.T) *driver { return example(t, name, withFlow, nil, 150, 40) }, func(d *driver) { d.atEnd(v).do(more...) }}
}

// screens are all views and all that lies over them (page 04, "Screens"). Views 4 to 6 show what the examples recorded.
var screens = map[string]screen{
	"debug-start":    {open150, nil},
	"debug-step4":    {open150, do(keymap.Step, keymap.Step, keymap.Step, keymap.Step)},
	"debug-end":      {open150, do(keymap.Continue, keymap.NextPane)},
	"debug-payload":  {open150, func(d *driver) { d.do(keymap.Continue).press("k", "k", "k").do(keymap.Open) }},
	"debug-raw":      {open150, func(d *driver) { d.do(keymap.Continue).press("k").do(keymap.Raw) }},
	"debug-zoom":     {open150, do(keymap.Step, keymap.Zoom)},
	"debug-inbox":    {open150, func(d *driver) { in(layout.Inbox, keymap.Step, keymap.Step)(d) }},
	"debug-diverged": {diverged, do(keymap.Continue)},
	"debug-filtered": {open150, func(d *driver) { d.do(keymap.Filter).text(`agent == "critic"`).press("enter") }},
	"debug-stopped": {open150, func(d *driver) {
		d.do(keymap.Breakpoints).text("agent writer").press("enter", "esc").do(keymap.Continue)
	}},

	"debug-marked": {open150, func(d *driver) { marked(d); d.press("up", "up") }},

	"layout-events":    {open150, chosen(1)},
	"layout-inspector": {open150, chosen(2)},
	"layout-messages":  {open150, chosen(3)},
	"layout-agents":    {open150, chosen(4)},
	"layout-resized":   {open150, resized},
	"layout-runs":      {open150, do(keymap.NextLayout, keymap.View(int(viewRuns)), keymap.Shorter, keymap.Narrower)},

	"graph":        {open150, do(keymap.Step, keymap.Step, keymap.Step, keymap.View(int(viewGraph)))},
	"graph-router": exampleAt("router", true, viewGraph, keymap.StepBack, keymap.StepBack),
	"ledger":       {open150, do(keymap.Continue, keymap.View(int(viewLedger)))},
	"ledger-broke": exampleAt("budget", true, viewLedger),

	"contract":          exampleAt("contract-flow", true, viewContract, keymap.End, keymap.Up, keymap.Up),
	"contract-sizer":    exampleAt("sizer", false, viewContract, keymap.End),
	"contract-outdated": {swapped, func(d *driver) { d.atEnd(viewContract).do(keymap.End) }},

	"candidates":             exampleAt("explorer", false, viewCandidates),
	"candidates-early":       {exampleAt("explorer", false, viewDebug).from, func(d *driver) { d.do(keymap.Goto).text("s40").press("enter").do(keymap.View(5), keymap.NextPane) }},
	"candidates-exploration": exampleAt("exploration", false, viewCandidates),
	"candidates-few":         {swapped, func(d *driver) { d.atEnd(viewCandidates) }},
	"delta":                  exampleAt("mover", false, viewDelta),
	"delta-explorer":         exampleAt("explorer", false, viewDelta, keymap.NextPane),
	"delta-few":              {swapped, func(d *driver) { d.atEnd(viewDelta) }},

	"compare":          {diverged, do(keymap.Continue, keymap.View(int(viewCompare)))},
	"compare-equal":    {open150, do(keymap.Step, keymap.Step, keymap.View(int(viewCompare)))},
	"runs":             {open150, func(d *driver) { forked(d); d.do(keymap.View(int(viewRuns))) }},
	"problems":         {invalid, nil},
	"problems-none":    {open150, do(keymap.View(int(viewProblems)))},
	"problems-damaged": exampleAt("damaged", false, viewProblems),

	"over-why":     {open150, func(d *driver) { d.do(keymap.Continue).press("k").do(keymap.Why) }},
	"over-came-of": {open150, func(d *driver) { d.do(keymap.Restart).press("home").do(keymap.CameOf) }},
	"over-search":  {open150, func(d *driver) { d.do(keymap.Search).text("=agent") }},
	"over-filter":  {open150, func(d *driver) { d.do(keymap.Filter).text("state > 1").press("enter") }},
	"over-goto":    {open150, func(d *driver) { d.do(keymap.Goto).text("s99").press("enter") }},
	"over-breaks": {open150, func(d *driver) {
		d.do(keymap.Step, keymap.BreakHere, keymap.Breakpoints).text("tag critique").press("enter")
	}},
	"over-watches":       {open150, func(d *driver) { d.do(keymap.Step, keymap.Watches).text("researcher /pending").press("enter") }},
	"over-marks":         {open150, func(d *driver) { marked(d); d.do(keymap.Marks) }},
	"over-mark":          {open150, do(keymap.Step, keymap.Mark)},
	"over-pending":       {held, do(keymap.Answer)},
	"over-edit":          {open150, do(keymap.Step, keymap.Edit)},
	"over-source-values": {sourced, do(keymap.Source, keymap.Step, keymap.Step, keymap.NextEvent, keymap.Close, keymap.Step, keymap.NextPane, keymap.Down)},
	"over-source":        {sourced, do(keymap.Source, keymap.Step, keymap.Step, keymap.NextEvent, keymap.Close, keymap.Step)},
	"over-palette":       {open150, func(d *driver) { d.do(keymap.Palette).text("b") }},
	"over-help":          {open150, do(keymap.Help)},
	"over-help-found":    {open150, func(d *driver) { d.do(keymap.Help).text("step") }},
	"over-write":         {open150, do(keymap.Step, keymap.Write)},
	"over-objectives":    exampleAt("explorer", false, viewCandidates, keymap.Objectives),
	"over-layouts":       {open150, func(d *driver) { d.do(keymap.Wider, keymap.Layouts).text("mine") }},
	"over-theme":         {open150, func(d *driver) { d.do(keymap.Theme).press("up") }},
	"over-delta":         exampleAt("explorer", false, viewCandidates, keymap.PickDelta),
}

// chosen takes the n-th layout after four steps.
func chosen(n int) func(*driver) {
	return func(d *driver) {
		d.do(keymap.Step, keymap.Step, keymap.Step, keymap.Step)
		for range n {
			d.do(keymap.NextLayout)
		}
	}
}

// resized gives panes other sizes by hand, as far as the screen lets it.
func resized(d *driver) {
	d.do(keymap.Step, keymap.Step, keymap.PrevPane)
	for range 6 {
		d.do(keymap.Wider)
	}
	in(layout.Inbox)(d)
	for range 5 {
		d.do(keymap.Taller, keymap.Narrower)
	}
}

func swapped(t *testing.T) *driver { return swaps(t, nil, 150, 40) }

func sourced(t *testing.T) *driver { return scripted(t, 150, 40) }

// forked is a run tree: a fork that ran to its end, an edit of it, and an edit of the first run.
func forked(d *driver) {
	edited(d)
	d.do(keymap.StepBack, keymap.Edit).press("ctrl+u").text(`state writer {"note":"changed by hand"}`).press("enter").do(keymap.Continue)
	d.do(keymap.View(int(viewRuns)), keymap.Home, keymap.Toggle, keymap.View(int(viewDebug)))
	d.do(keymap.Edit).press("ctrl+u").text(`budget {"usd":0.0005}`).press("enter").do(keymap.Continue)
}

// marked is a run with marks: one on an event, two on another, one at the start, and one that stands in another run.
func marked(d *driver) {
	mark := func(name string) { d.do(keymap.Mark).text(name).press("enter") }
	d.do(keymap.Step)
	mark("first what the researcher asked for")
	d.do(keymap.Step, keymap.Step, keymap.Step)
	mark("critique")
	mark("b")
	for _, m := range []debug.Mark{{Name: "begin", Event: -1}, {Name: "other", Run: 1, Event: 14, Type: trace.Act, Agent: "writer", Step: 5, Note: "in the run with a writer more"}} {
		d.m.s.Remark(m)
	}
}

// invalid is a session whose flow was saved with an error.
func invalid(t *testing.T) *driver {
	d, path := editable(t)
	d.do(keymap.Continue)
	data := bytes.Replace(seedFlow(t), []byte(`"kind": "critic"`), []byte(`"kind": "critik"`), 1)
	if err := os.WriteFile(filepath.Clean(path), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return d.do(keymap.Reload)
}
