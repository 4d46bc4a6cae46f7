package examples

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/contract/judge"
	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// answering gives the recorded answers of tools again, by the hash of the request; what no tool answers is the bus's.
type answering struct {
	*effect.Bus
	answers map[string]canon.Value
}

func (a *answering) Ready(c effect.Call) error {
	if c.Request.Op == "tool" {
		return nil
	}
	return a.Bus.Ready(c)
}

func (a *answering) Answer(ctx context.Context, c effect.Call) (effect.Answer, error) {
	if c.Request.Op != "tool" {
		return a.Bus.Answer(ctx, c)
	}
	v, ok := a.answers[c.Request.Hash()]
	if !ok {
		return effect.Answer{}, &effect.Failure{Op: "tool", Class: "not_recorded"}
	}
	return effect.Answer{Output: v}, nil
}

// explored runs the explorer with changes to the text of its flow, on the recorded answers, and gives what it sent by tag.
func explored(t *testing.T, changes ...string) map[string][]canon.Value {
	t.Helper()
	text := strings.NewReplacer(changes...).Replace(string(read(t, "explorer/flow.json")))
	dir := t.TempDir()
	files := map[string][]byte{"flow.json": []byte(text)}
	for _, name := range []string{"proposer.star", "placer.star", "evaluator.star", "front.star", "platform.json"} {
		files[name] = read(t, "explorer/"+name)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(dir, "flow.json")
	m := scriptMachine(t, path)
	src := &answering{Bus: m.Bus(), answers: map[string]canon.Value{}}
	for _, e := range edaEvents(t, "explorer") {
		if e.Type == trace.EffectEvent && e.Effect.Op == "tool" {
			src.answers[e.Effect.Hash()] = e.Answer()
		}
	}
	r, err := engine.NewRun(m, src)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil || r.Failed() {
		t.Fatal(err, r.State.Failed())
	}
	sent := map[string][]canon.Value{}
	for _, e := range r.Events {
		if e.Type == trace.SendEvent {
			sent[e.Message.Tag] = append(sent[e.Message.Tag], e.Message.Payload)
		}
	}
	return sent
}

// The explorer stops by its number of runs, by the grid, or when the volume stands still.
func TestExplorerStops(t *testing.T) {
	for name, c := range map[string]struct {
		old, now, stop string
		runs           int64
	}{
		"runs":       {`"max_runs": 36`, `"max_runs": 7`, "runs: 7", 7},
		"grid":       {`"max_runs": 36`, `"max_runs": 99`, "grid: ", 36},
		"stagnation": {`"stagnation": 20`, `"stagnation": 8`, "stagnation: 8", 24},
	} {
		t.Run(name, func(t *testing.T) {
			sent := explored(t, c.old, c.now)
			end := sent["close"][0]
			stop, _ := end.Get("stop").Str()
			if runs, _ := end.Get("runs").Int(); runs != c.runs || !strings.HasPrefix(stop, c.stop) {
				t.Errorf("%s", end)
			}
			if len(sent["chosen"]) != 1 || len(sent["certificate"]) == 0 || len(sent["alarm"]) != 1 {
				t.Errorf("%d chosen, %d certificates, %d alarms", len(sent["chosen"]), len(sent["certificate"]), len(sent["alarm"]))
			}
		})
	}
}

// The volume that the script steers by is what package judge computes, and the fronts are the same.
func TestExplorerVolume(t *testing.T) {
	events := edaEvents(t, "explorer")
	var set []judge.Candidate
	var rules *judge.Rules
	var volume float64
	var front canon.Value
	for _, e := range events {
		if e.Type == trace.EffectEvent && e.Effect.Op == "judge" {
			list, err := judge.ReadCandidates([]byte(e.Effect.Input.Get("candidates").Text()), judge.ListOptions{})
			if err != nil {
				t.Fatal(err)
			}
			set = list
			if rules, err = judge.ReadRules([]byte(e.Effect.Input.Get("rules").Text())); err != nil {
				t.Fatal(err)
			}
		}
		if e.Type == trace.SendEvent && e.Message.Tag == "judged" {
			volume, _ = e.Message.Payload.Get("volume").Float()
		}
		if e.Type == trace.SendEvent && e.Message.Tag == "chosen" {
			front = e.Message.Payload.Get("front")
		}
	}
	r, err := judge.Rank(set, judge.RankOptions{Objectives: rules.Objectives, Rules: rules.Rules, Reference: rules.Reference})
	if err != nil {
		t.Fatal(err)
	}
	if len(set) != 38 || r.Hypervolume == nil || math.Abs(*r.Hypervolume-volume) > 1e-6*volume {
		t.Errorf("%d candidates, volume %v, the script says %g", len(set), r.Hypervolume, volume)
	}
	own := map[string]bool{}
	for _, id := range front.Elems() {
		s, _ := id.Str()
		own[s] = true
	}
	for _, id := range r.Front {
		if !own[id] {
			t.Errorf("%s is on the front, and not on the script's", id)
		}
	}
	if len(r.Front) != len(own) {
		t.Errorf("front %v, the script's is %s", r.Front, front)
	}
}
