package app

import (
	"sort"
	"time"

	"flowdbg/engine/effect/tool"
	"flowdbg/engine/typed"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// lateMsg is the end of something that a view had done in a command. It must look whether it still fits what is shown.
type lateMsg func(*Model) tea.Cmd

// payloads is what the views of contract payloads know of the run that is shown: typed payloads and tool calls, gathered up
// to the position in slices while one of these views is looked at. Going back costs nothing, because both answer for any
// position that was passed; another run is gathered anew.
type payloads struct {
	run     int
	log     trace.Log
	index   *typed.Index
	calls   calls
	waiting bool // a next slice is asked for
	slow    bool // gathering as of one position took longer than a frame
	lent    bool // a command reads the index, so nothing may be added to it
}

// gatherStep is how many events are looked at between two looks at the clock.
const gatherStep = 128

// follow gathers up to the position for a bounded time; the rest comes in slices of its own.
func (p *payloads) follow(m *Model) tea.Cmd {
	run := m.s.CurrentRun()
	log := m.s.RunLog(run)
	if p.index == nil || p.run != run || log != nil && log.Len() < p.index.Scanned() {
		*p = payloads{run: run, index: &typed.Index{}, waiting: p.waiting}
	}
	if p.log = log; log == nil || p.lent {
		return nil
	}
	for end := time.Now().Add(sliceTime); !p.ready(m) && time.Now().Before(end); {
		part := firstEvents{log, min(m.s.Pos(), p.index.Scanned()+gatherStep)}
		p.index.Advance(part, 0)
		p.calls.advance(part)
	}
	if p.ready(m) || p.waiting {
		return nil
	}
	p.waiting = true
	return func() tea.Msg {
		return lateMsg(func(m *Model) tea.Cmd {
			m.pay.waiting = false
			switch m.view {
			case viewContract, viewCandidates, viewDelta:
				return m.face().sync(m)
			}
			return nil
		})
	}
}

// ready says that everything up to the position was looked at.
func (p *payloads) ready(m *Model) bool {
	return p.log == nil || p.index.Scanned() >= min(m.s.Pos(), p.log.Len())
}

// share is how much of the way to the position was looked at, in percent.
func (p *payloads) share(m *Model) int {
	return 100 * p.index.Scanned() / max(m.s.Pos(), 1)
}

// askFilter asks for a filter: of the changes in the delta view, else of events.
func (m *Model) askFilter() tea.Cmd {
	if m.view == viewDelta {
		m.over = newSift(m)
		return nil
	}
	m.over = newFilter(m)
	return nil
}

// pickDelta shows the delta view and asks which delta.
func (m *Model) pickDelta() tea.Cmd {
	cmd := m.show(viewDelta)
	picker, look := newDeltaPicker(m)
	m.over = picker
	return tea.Batch(cmd, look)
}

// whyNoPayload says why an action of the payload views cannot be done now.
func (m *Model) whyNoPayload(id keymap.ID) string {
	if id == keymap.PickDelta {
		return m.busy()
	}
	if v, ok := m.face().(*candidatesView); !ok {
		return "only candidates are ranked; they are in view 5"
	} else if len(v.known()) == 0 {
		return "no candidate was measured up to here"
	}
	return m.busy()
}

// toggleRaw shows a value as its exact text, or a call with its whole documents.
func (m *Model) toggleRaw() tea.Cmd {
	if v, ok := m.face().(*contractView); ok {
		v.raw = !v.raw
		return nil
	}
	m.inspect.raw = !m.inspect.raw
	return nil
}

// call is a tool call in one line; the rest is read again from its event.
type call struct {
	event, step int
	agent, tool string
	verdict     string
	from, to    int // contract versions of the agent and of the tool, 0 = none
	lost, made  int // values that did not get through, and values that nobody sent
}

// refused says that the call was not answered by the tool.
func (c *call) refused() bool {
	switch c.verdict {
	case "unchanged", "translated", "as it came", notRecorded:
		return false
	}
	return true
}

// notRecorded is the verdict of a call whose event says nothing about its contract.
const notRecorded = "not recorded"

// calls are the tool calls of a log, in order.
type calls struct {
	all     []call
	byTool  map[string]*calledTool
	tools   []string // in the order of their first calls
	scanned int
}

// calledTool is what calls say of a tool.
type calledTool struct {
	calls []int // indices into all
	last  tool.Details
}

func (c *calls) advance(log trace.Log) {
	for ; c.scanned < log.Len(); c.scanned++ {
		if t := log.Header(c.scanned).Type; t != trace.EffectEvent && t != trace.ErrorEvent {
			continue
		}
		e, err := log.Event(c.scanned)
		if err != nil {
			continue
		}
		if d, ok := tool.CallDetails(e); ok {
			c.add(call{event: c.scanned, step: e.Step, agent: e.Agent, tool: d.Tool, verdict: d.Verdict(), from: d.AgentVersion, to: d.ToolVersion,
				lost: len(d.Losses()), made: len(d.Inventions())}, d)
		} else if e.Type == trace.EffectEvent && e.Effect != nil && e.Effect.Op == "tool" {
			name, _ := e.Effect.Input.Get("tool").Str()
			c.add(call{event: c.scanned, step: e.Step, agent: e.Agent, tool: name, verdict: notRecorded}, &tool.Details{Tool: name})
		}
	}
}

func (c *calls) add(x call, d *tool.Details) {
	if c.byTool == nil {
		c.byTool = map[string]*calledTool{}
	}
	t := c.byTool[x.tool]
	if t == nil {
		t = &calledTool{}
		c.byTool[x.tool] = t
		c.tools = append(c.tools, x.tool)
	}
	t.calls = append(t.calls, len(c.all))
	t.last = tool.Details{Tool: d.Tool, Server: d.Server, Semver: d.Semver, ToolVersions: d.ToolVersions, Source: d.Source, Sunset: d.Sunset, Class: d.Class, USD: d.USD}
	c.all = append(c.all, x)
}

// before is how many calls lie in the first pos events.
func (c *calls) before(pos int) int {
	return sort.Search(len(c.all), func(i int) bool { return c.all[i].event >= pos })
}

// of is how many of a tool's calls are among the first n.
func (t *calledTool) of(n int) int { return sort.SearchInts(t.calls, n) }
