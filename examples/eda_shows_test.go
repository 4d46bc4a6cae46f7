package examples

import (
	"strings"
	"testing"

	"flowdbg/contract/judge"
	"flowdbg/engine/effect/tool"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// TestExplorerShows holds what the explorer's README says of its trace.
func TestExplorerShows(t *testing.T) {
	events := edaEvents(t, "explorer")
	var end canon.Value
	killed, knob := "", false
	for i := range events {
		e := &events[i]
		if v := structured(e).Get("value"); v.Get("status") == canon.String("killed") {
			killed, _ = v.Get("last_good_stage").Str()
			if !v.Get("snap").IsAbsent() || !v.Get("fmax_mhz").IsAbsent() {
				t.Errorf("event %d: a killed run has results: %s", i, v)
			}
		}
		if e.Type == trace.SendEvent && e.Message.Tag == "alarm" {
			knob = knob || e.Message.Payload.Get("code") == canon.String("knob_without_effect")
		}
		if e.Type == trace.SendEvent && e.Message.Tag == "chosen" {
			end = e.Message.Payload
		}
	}
	if killed != "place" || !knob || end.IsAbsent() {
		t.Fatalf("killed after %q, knob without effect %v, end %s", killed, knob, end)
	}
	for _, id := range end.Get("front").Elems() {
		if s, _ := id.Str(); s == "retime.s1.router2" {
			t.Error("the killed run is on the front")
		}
	}
	if end.Get("driven_out").Count() == 0 {
		t.Error("nobody was driven off the front")
	}
	// rules.json, for flowdbg contract verify, is byte for byte what was judged by.
	rules := scriptMachine(t, "explorer/flow.json").Flow()
	a, _ := rules.Agent("evaluator")
	if text := a.Config.Get("rules").Text(); text != string(read(t, "explorer/rules.json")) {
		t.Error("rules.json and the evaluator's config differ")
	}
}

// TestMoverShows holds what the mover's README says of its trace.
func TestMoverShows(t *testing.T) {
	verdicts, whole := map[string]int{}, 0
	for _, e := range edaEvents(t, "mover") {
		if e.Type != trace.SendEvent || e.Message.Tag != "swap" {
			continue
		}
		p := e.Message.Payload
		word, _ := p.Get("verdict").Str()
		verdicts[word]++
		if n, ok := p.Get("measured_moves").Int(); ok && n != 2 {
			whole++
		}
		d, _ := p.Get("hpwl_delta").Float()
		if word == "accepted" && d >= 0 || word == "did not resolve" && d != 0 {
			t.Errorf("%s with %g tiles of wire", word, d)
		}
	}
	for _, word := range []string{"accepted", "rejected", "did not resolve", "refused"} {
		if verdicts[word] == 0 {
			t.Errorf("nothing was %s: %v", word, verdicts)
		}
	}
	if whole == 0 {
		t.Error("every claim of two moves holds")
	}
}

// TestSizerShows holds what the sizer's README says of its trace: hundreds of real questions, each about the state that was
// kept last, and an end that passes the gate.
func TestSizerShows(t *testing.T) {
	asked, kept := 0, 0
	at, verdict := canon.Value{}, canon.Value{}
	for i, e := range edaEvents(t, "sizer") {
		if e.Type != trace.EffectEvent {
			continue
		}
		if c := e.Answer().Get("certificate"); !c.IsAbsent() {
			verdict = c.Get("gate_result").Get("verdict")
			continue
		}
		args, v := e.Effect.Input.Get("arguments"), structured(&e).Get("value")
		if ref := args.Get("snap_ref"); !ref.IsAbsent() && ref != at {
			t.Fatalf("event %d asks about %s, the session stands at %s", i, ref, at)
		}
		if !args.Get("cell").IsAbsent() {
			asked++
		}
		if v.Get("kept") == canon.True {
			kept++
			if v.Get("snap") == at {
				t.Errorf("event %d keeps a resize and stays where it was", i)
			}
		}
		at = v.Get("snap")
	}
	if asked < 200 || kept < 20 || verdict != canon.String("PASS") {
		t.Errorf("%d what-ifs, %d kept, %s", asked, kept, verdict)
	}
}

// TestOtherToolVersion holds that a certificate does not stand for a result of another version of the tool.
func TestOtherToolVersion(t *testing.T) {
	for _, e := range edaEvents(t, "explorer") {
		if e.Type != trace.EffectEvent || e.Effect.Op != "judge" {
			continue
		}
		in := e.Effect.Input
		text := strings.ReplaceAll(in.Get("candidates").Text(), "nextpnr-ice40-0-4-", "nextpnr-ice40-0-8-")
		other, _, err := canon.ParseString(text, canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if other == in.Get("candidates") {
			t.Fatal("the candidates name no version")
		}
		stale := verified(t, "explorer", e.Answer().Get("certificate"), other, in.Get("rules"))
		if len(stale) == 0 || stale[0].What != judge.StaleBinding {
			t.Fatalf("another nextpnr: %v", stale)
		}
		return
	}
	t.Fatal("no certificate")
}

// TestMigrationShows holds that an agent of version 1 gets from a tool of version 2 what an agent of version 2 gets, under
// its own names, and that what could not be carried is told.
func TestMigrationShows(t *testing.T) {
	same := canon.Value{} // the explorer's run of the same netlist and seed
	for _, e := range edaEvents(t, "explorer") {
		if e.Type == trace.SendEvent && e.Message.Tag == "result" && e.Message.Payload.Get("id") == canon.String("nodffe.s3") {
			same = e.Message.Payload
		}
	}
	losses, refused, compared := 0, 0, false
	for i, e := range edaEvents(t, "migration") {
		d, ok := tool.CallDetails(&e)
		if !ok {
			continue
		}
		if d.AgentVersion != 1 || d.Refusal == nil && d.ToolVersion != 2 {
			t.Errorf("event %d: agent version %d, tool version %d", i, d.AgentVersion, d.ToolVersion)
		}
		losses += len(d.Losses())
		if d.Refusal != nil {
			refused++
			if d.Sent != "" {
				t.Errorf("event %d was refused and sent", i)
			}
		}
		v := structured(&e).Get("value")
		if v.Get("snap") == same.Get("snap") && !compared {
			compared = true
			for old, now := range map[string]string{"fmax": "fmax", "wirelen": "wirelength", "lc": "cells"} {
				if v.Get(old) != same.Get("metrics").Get(now) {
					t.Errorf("event %d: %s is %s, for version 2 it was %s", i, old, v.Get(old), same.Get("metrics").Get(now))
				}
			}
		}
	}
	if losses != 4 || refused != 2 || !compared {
		t.Errorf("%d losses, %d refused, compared with the explorer: %v", losses, refused, compared)
	}
}

// The platform's file of the migration says what the server lists.
func TestMigrationContract(t *testing.T) {
	parsed := func(name string) canon.Value {
		v, _, err := canon.Parse(read(t, name), canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return v.Get("tools")
	}
	listed := parsed("ice40/server/tools.json")
	for i, x := range parsed("migration/contract-2.json").Elems() {
		for _, key := range []string{"name", "inputSchema", "outputSchema"} {
			if x.Get(key) != listed.At(i).Get(key) {
				t.Errorf("contract-2.json: tool %d: %s is not what the server lists", i, key)
			}
		}
	}
}
