package app

import (
	"context"
	"testing"

	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// searched looks for a text, so that it can be searched on.
func searched(text string) func(*driver) {
	return func(d *driver) { d.do(keymap.Search).text(text).press("enter") }
}

// explored is the end of the example that explores, in the view of its candidates; exploredAt1 is the same in the debug view.
func explored(t *testing.T) *driver {
	return example(t, "explorer", false, nil, 150, 40).atEnd(viewCandidates)
}

func exploredAt1(t *testing.T) *driver { return explored(t).do(keymap.View(int(viewDebug))) }

// flowed is the example of contract translation.
func flowed(t *testing.T) *driver { return example(t, "contract-flow", true, nil, 150, 40) }

// played is a long trace without its flow.
func played(t *testing.T) *driver {
	return start(t, Config{Session: session(t, nil, longRecord(300, 5))}, 150, 40)
}

// held is a live session in which an effect waits.
func held(t *testing.T) *driver {
	d := start(t, Config{Session: session(t, seedFlow(t), nil)}, 150, 40)
	return d.do(keymap.Breakpoints).text("op search").press("enter", "esc").do(keymap.Continue)
}

// reversing is a long move under way.
func reversing(t *testing.T) *driver {
	d := start(t, Config{Session: session(t, nil, longRecord(10_000, 5))}, 150, 40).do(keymap.Search).text("hop").press("enter").do(keymap.Continue)
	d.hold = true
	shortSlices(t)
	d.do(keymap.ReverseContinue)
	if d.m.run == nil {
		t.Fatal("the move was over in one slice")
	}
	return d
}

// waiting is a session that waits for work beside it, which does not end by itself.
func waiting(d *driver) *driver {
	d.m.await("reading", func(context.Context) {}, func(*Model) tea.Cmd { return nil })
	return d
}

// squeezed has a pane that went as far as it can in one direction.
func squeezed(t *testing.T, p layout.Pane, id keymap.ID) *driver {
	d := open150(t)
	in(p)(d)
	for range 200 {
		if d.m.why(id) != "" {
			return d
		}
		d.do(id)
	}
	t.Fatalf("%s has no end", id)
	return nil
}

// offStates are sessions in which something cannot be done. Together they lead to every reason that there is.
var offStates = map[string]func(*testing.T) *driver{
	"start":    open150,
	"end":      func(t *testing.T) *driver { return open150(t).do(keymap.Continue) },
	"playback": played,
	"script":   func(t *testing.T) *driver { return scripted(t, 150, 40) },
	"held":     held,
	"outputs": func(t *testing.T) *driver {
		d := open150(t)
		in(layout.Agents, keymap.Continue)(d)
		return d.do(keymap.End)
	},
	"inbox":      func(t *testing.T) *driver { d := open150(t); in(layout.Inbox, keymap.Continue)(d); return d },
	"state":      func(t *testing.T) *driver { d := open150(t); in(layout.Inspector, keymap.Step)(d); return d },
	"zoomed":     func(t *testing.T) *driver { return open150(t).do(keymap.Zoom) },
	"explored":   explored,
	"low screen": func(t *testing.T) *driver { return open(t, 119, 11).do(keymap.View(int(viewRuns))) },
	"stacked":    func(t *testing.T) *driver { return open(t, 119, 24).do(keymap.View(int(viewRuns))) },
	"full":       func(t *testing.T) *driver { return squeezed(t, layout.Events, keymap.Wider) },
	"narrowed":   func(t *testing.T) *driver { return squeezed(t, layout.Events, keymap.Narrower) },
	"high":       func(t *testing.T) *driver { return squeezed(t, layout.Inspector, keymap.Taller) },
	"low":        func(t *testing.T) *driver { return squeezed(t, layout.Inspector, keymap.Shorter) },
	"nothing": func(t *testing.T) *driver {
		return start(t, Config{Session: session(t, nil, longRecord(0, 1))}, 150, 40)
	},
	"forked": func(t *testing.T) *driver {
		d := open150(t)
		edited(d)
		return d.do(keymap.View(int(viewRuns)))
	},
	"keeps nothing": func(t *testing.T) *driver {
		return start(t, Config{Session: session(t, seedFlow(t), nil), Runs: &folder{}}, 150, 40)
	},
	"kept run":         func(t *testing.T) *driver { return reopened(t).do(keymap.View(int(viewRuns)), keymap.End) },
	"waiting keep":     func(t *testing.T) *driver { return waiting(keepsRuns(t).do(keymap.Step)) },
	"reversing":        reversing,
	"waiting script":   func(t *testing.T) *driver { return waiting(scripted(t, 150, 40)) },
	"waiting explored": func(t *testing.T) *driver { return waiting(explored(t)) },
	"waiting state":    func(t *testing.T) *driver { d := open150(t); in(layout.Inspector, keymap.Step)(d); return waiting(d) },
	"waiting runs": func(t *testing.T) *driver {
		d := open150(t)
		edited(d)
		return waiting(d.do(keymap.View(int(viewRuns)), keymap.Home))
	},
}

func init() {
	for i, name := range viewNames {
		offStates["view "+name] = func(t *testing.T) *driver { return open150(t).do(keymap.Step, keymap.View(i+1)) }
	}
}
