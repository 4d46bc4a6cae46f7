package app

import (
	"testing"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// hostilePayloads is a trace whose proposals, deltas, calls and refusals are full of hostile text.
func hostilePayloads() []trace.Event {
	obj := func(kv ...any) canon.Value {
		var list []canon.Member
		for i := 0; i < len(kv); i += 2 {
			v, err := canon.FromGo(kv[i+1])
			if err != nil {
				panic(err)
			}
			list = append(list, canon.Member{Key: kv[i].(string), Value: v})
		}
		return canon.Object(list...)
	}
	place := obj("x", 1, "y", 2, "site", hostile)
	delta := obj("moved_cells", []any{obj("cell_id", hostile, "from", place, "to", obj("x", 1e15, "y", -1e15))}, "resized_cells", []any{}, "new_nets", []any{obj("net_id", hostile, "kind", hostile, "pins_added", []any{hostile}, "pins_removed", []any{})},
		"timing_changes", []any{}, "drc_changes", []any{}, "summary", obj("cells_affected", 1, "nets_affected", 1), "not_measured", []any{hostile})
	proposal := obj("id", hostile, "intent_ref", hostile, "expected_delta", delta, "expected_metrics", obj(hostile, hostile), "parent_snap", hostile, "rationale", hostile)
	set := obj("candidates", []any{obj("id", hostile, "metrics", obj("fmax", 1, "area", 2, hostile, 3), "status", hostile), obj("id", "b", "metrics", obj("fmax", 1e308, "area", -1e308))})
	judged := trace.NewRequest("judge", obj("candidates", set, "id", hostile))
	call := trace.NewRequest("tool", obj("tool", hostile, "arguments", obj("a", hostile)))
	refusal := obj("code", "tool_outdated_for_agent", "tool", hostile, "agent_version", 1, "tool_versions", []any{3}, "reason", hostile, "path", hostile, "missing_step", hostile, "direction", hostile)
	side := obj("contract", obj("tool", hostile, "server", hostile, "today", hostile, "agent_version", 1, "tool_versions", []any{3}, "semver", hostile, "sunset", hostile, "usd", 0, "elapsed_ms", 0, "class", hostile,
		"refusal", refusal, "sent", hostile, "received", hostile, "steps", []any{obj("side", "input", "step", hostile, "direction", hostile, "ops", 1, "rule", hostile)}))
	return []trace.Event{
		{Type: trace.SendEvent, Step: 1, Agent: hostile, Port: "out", Message: trace.NewMessage(hostile, "t", proposal)},
		{Type: trace.EffectEvent, Step: 1, Agent: hostile, Effect: judged, Response: obj("refusal", hostile)},
		{Type: trace.EffectEvent, Step: 2, Agent: hostile, Effect: call, Response: obj("isError", true, "structuredContent", refusal), Side: side},
		{Type: trace.SendEvent, Step: 2, Agent: hostile, Port: "out", Message: trace.NewMessage(hostile, "t", obj("delta", delta))},
	}
}

// Whatever the payloads hold and however large the screen is: every frame has its size and nothing in it steers a terminal.
func TestPayloadFrames(t *testing.T) {
	for _, ascii := range []bool{false, true} {
		d := start(t, Config{Session: session(t, nil, hostilePayloads()), Theme: look(t, "dark", ascii)}, 150, 40)
		for _, v := range []viewNo{viewContract, viewCandidates, viewDelta} {
			d.atEnd(v)
			if f := d.m.face(); f.list(d.m.pane()).Len() == 0 {
				t.Fatalf("view %d shows nothing", v)
			}
			for _, ids := range [][]keymap.ID{nil, {keymap.NextPane}, {keymap.Zoom}, {keymap.End}, {keymap.PickDelta}} {
				d.do(ids...)
				for _, s := range sizes() {
					d.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
					d.frame()
				}
				d.send(tea.WindowSizeMsg{Width: 150, Height: 40})
			}
			d.press("esc", "esc")
		}
		d.atEnd(viewCandidates).do(keymap.Objectives)
		for _, s := range sizes() {
			d.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
			d.frame()
		}
	}
}

// BenchmarkPayloadView draws one frame of 200×60 of each view, on the example that explores.
func BenchmarkPayloadView(b *testing.B) {
	for _, v := range []viewNo{viewContract, viewCandidates, viewDelta} {
		b.Run(viewNames[v-1], func(b *testing.B) {
			d := example(b, "explorer", false, look(b, "dark", false), 200, 60).atEnd(v)
			b.ReportAllocs()
			for b.Loop() {
				d.m.View()
			}
		})
	}
}
