package debug

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// asker asks a model about every message and sends the score of the answer on: {n, score}.
type asker struct{ start int64 }

func (asker) Act(c behavior.Call) (behavior.Result, error) {
	if c.Message.Tag == trace.TagEffect {
		n, _ := c.State.Get("n").Int()
		score := c.Message.Payload.Get("json").Get("score")
		payload := canon.Object(canon.Member{Key: "n", Value: canon.Int(n % 3)}, canon.Member{Key: "score", Value: score})
		return behavior.Result{Sends: []trace.Send{{Port: "out", Tag: "scored", Payload: payload}}}, nil
	}
	n, _ := c.State.Get("n").Int()
	content := canon.String(c.Message.Payload.Text())
	msg := canon.Object(canon.Member{Key: "content", Value: content}, canon.Member{Key: "role", Value: canon.String("user")})
	return behavior.Result{
		State:  canon.Object(canon.Member{Key: "n", Value: canon.Int(n + 1)}),
		Effect: &behavior.Effect{Op: "llm", Input: canon.Object(canon.Member{Key: "messages", Value: canon.Array(msg)})},
	}, nil
}

// Init gives the asker its first state, {n: config.start}; −1 gives none.
func (a asker) Init() (canon.Value, error) {
	if a.start < 0 {
		return canon.Null, nil
	}
	return canon.Object(canon.Member{Key: "n", Value: canon.Int(a.start)}), nil
}

func propertyKinds() *behavior.Registry {
	r := behavior.Builtin()
	if err := r.Register(behavior.Kind{Name: "asker", New: func(config canon.Value) (behavior.Behavior, []behavior.Problem) {
		start, _ := config.Get("start").Int()
		return asker{start}, nil
	}}); err != nil {
		panic(err)
	}
	return r
}

// genFlow draws a small flow of general kinds: any wiring, loops and fan-out included; its runs end in idle, in a
// budget or in a behaviour's error.
func genFlow(t *rapid.T) []byte {
	ids := rapid.Permutation([]string{"a", "B", "é", "z", "\U0001D11E", "m-1"}).Draw(t, "ids")[:rapid.IntRange(1, 6).Draw(t, "agents")]
	kinds := []string{
		`"echo"`, `"echo","config":{"tag":"x"}`, `"counter","config":{"every":2}`, `"collect"`, `"asker"`,
		`"router","config":{"by":"/n","routes":{"0":"out","1":{"port":"left","tag":"one"}},"default":"pass"}`,
		`"gate","config":{"value":0.6}`, `"gate","config":{"pointer":"/n","op":"<","value":2}`,
	}
	var b bytes.Buffer
	b.WriteString(`{"version":1,"id":"p","agents":[`)
	for i, id := range ids {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%q,"kind":%s}`, id, rapid.SampledFrom(kinds).Draw(t, "kind"))
	}
	b.WriteString(`],"edges":[`)
	seen := map[string]bool{}
	for range rapid.IntRange(0, 10).Draw(t, "edges") {
		e := fmt.Sprintf(`{"from":%q,"port":%q,"to":%q}`, rapid.SampledFrom(ids).Draw(t, "from"),
			rapid.SampledFrom([]string{"out", "out", "left", "pass", "fail"}).Draw(t, "port"), rapid.SampledFrom(ids).Draw(t, "to"))
		if !seen[e] {
			if len(seen) > 0 {
				b.WriteByte(',')
			}
			b.WriteString(e)
			seen[e] = true
		}
	}
	budget := rapid.SampledFrom([]string{"", `"usd":0.0002,`, `"tokens":60,`}).Draw(t, "budget")
	fmt.Fprintf(&b, `],"budget":{%s"steps":%d},"input":{"to":%q,"tag":"go","payload":{"n":%d,"score":0.7}}}`,
		budget, rapid.IntRange(1, 25).Draw(t, "steps"), ids[0], rapid.IntRange(0, 2).Draw(t, "n"))
	return b.Bytes()
}

func propertySession(t *rapid.T, flow []byte, tr *trace.Trace, playback bool) *Session {
	m, diags := engine.Parse("flow.json", flow, propertyKinds(), false)
	if m == nil {
		t.Fatalf("%s\n%v", flow, diags)
	}
	s, err := New(Options{Machine: m, Trace: tr, PlaybackAll: playback})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func runOut(t *rapid.T, s *Session) []byte {
	if stop := s.Continue().Run(ctx); stop.Reason != StopEnd {
		t.Fatalf("%s: %s", stop.Reason, stop.Message)
	}
	events, err := engine.Events(s.log())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := trace.Write(&b, events, trace.FormatArray); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// The law of the whole machine, for any small flow: two runs are equal byte for byte; a run written, read and replayed
// is itself byte for byte; live, replay and playback show one hash at every position, there, back, and there again.
func TestAnyFlowRunsReplaysAndRewinds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flow := genFlow(t)
		live := propertySession(t, flow, nil, false)
		text := runOut(t, live)
		if again := runOut(t, propertySession(t, flow, nil, false)); !bytes.Equal(text, again) {
			t.Fatalf("two runs differ:\n%s\n%s", text, again)
		}
		tr, err := trace.Read(text)
		if err != nil || len(tr.Findings) > 0 {
			t.Fatalf("%v %v", err, tr.Findings)
		}
		replay := propertySession(t, flow, tr, false)
		if got := runOut(t, replay); !bytes.Equal(got, text) || replay.Divergence() != nil || replay.EffectCalls() != 0 {
			t.Fatalf("the replay is not its record: %v", replay.Divergence())
		}
		play := propertySession(t, flow, tr, true)
		runOut(t, play)
		if play.HashStatus().Kind != HashEqual || len(play.noted) > 0 {
			t.Fatalf("playback: %v, %v", play.HashStatus(), play.Problems())
		}
		sameBothWays(t, live, replay, play)
	})
}

// sameBothWays walks sessions that stand at their ends to the start and to the end again.
func sameBothWays(t *rapid.T, sessions ...*Session) {
	n := sessions[0].Pos()
	hashes := make([]string, n+1)
	for p := n; p >= 0; p-- {
		hashes[p] = sessions[0].Hash()
		for _, s := range sessions {
			if s.Pos() != p || s.Hash() != hashes[p] {
				t.Fatalf("%s at %d: another hash than at %d", s.Mode(), s.Pos(), p)
			}
			if fresh := canon.HashText(string(s.Fold().AppendDocument(nil))); fresh != hashes[p] {
				t.Fatalf("%s at %d: the cached hash is not the document's", s.Mode(), p)
			}
			s.PrevEvent()
		}
	}
	for p := 1; p <= n; p++ {
		for _, s := range sessions {
			if s.NextEvent(ctx); s.Pos() != p || s.Hash() != hashes[p] {
				t.Fatalf("%s forward again at %d: another hash", s.Mode(), p)
			}
		}
	}
	for range 5 {
		p := rapid.IntRange(0, n).Draw(t, "goto")
		for _, s := range sessions {
			if s.Goto(p).Run(ctx); s.Pos() != p || s.Hash() != hashes[p] {
				t.Fatalf("%s goto %d: another hash", s.Mode(), p)
			}
		}
	}
}

// Breakpoints stop at the same positions forward and in reverse, whatever drives the events; steps end at the same
// positions there, back and there again.
func TestAnyFlowStopsAlikeBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		flow := genFlow(t)
		tr, err := trace.Read(runOut(t, propertySession(t, flow, nil, false)))
		if err != nil {
			t.Fatal(err)
		}
		breaks := rapid.SliceOfN(rapid.SampledFrom([]Breakpoint{
			{Kind: BreakAgent, Name: "a"}, {Kind: BreakAgent, Name: "é"}, {Kind: BreakTag, Name: "effect"}, {Kind: BreakTag, Name: "go"}, {Kind: BreakError}}), 1, 3).Draw(t, "breaks")
		var want []int
		for i, s := range []*Session{propertySession(t, flow, nil, false), propertySession(t, flow, tr, false), propertySession(t, flow, tr, true)} {
			for _, b := range breaks {
				mustBreak(t, s, b)
			}
			there := stopsOf(func() Stop { return s.Continue().Run(ctx) })
			back := stopsOf(func() Stop { return s.ReverseContinue().Run(ctx) })
			slices.Reverse(back)
			if !slices.Equal(there, back) || s.Pos() != 0 {
				t.Fatalf("%s: forward %v, reverse %v, at %d", s.Mode(), there, back, s.Pos())
			}
			if i == 0 {
				want = there
			}
			if !slices.Equal(there, want) {
				t.Fatalf("%s stops at %v, live at %v", s.Mode(), there, want)
			}
			steps := stepsOf(s)
			for k := len(steps) - 1; k >= 0; k-- {
				if s.StepBack(); k > 0 && s.Pos() != steps[k-1] || k == 0 && s.Pos() != 0 {
					t.Fatalf("%s: back to %d, steps end at %v", s.Mode(), s.Pos(), steps)
				}
			}
			if again := stepsOf(s); !slices.Equal(again, steps) {
				t.Fatalf("%s: steps end at %v, then at %v", s.Mode(), steps, again)
			}
		}
	})
}

func stopsOf(next func() Stop) []int {
	var list []int
	for stop := next(); stop.Reason == StopBreak; stop = next() {
		list = append(list, stop.Pos)
	}
	return list
}

func stepsOf(s *Session) []int {
	var list []int
	for s.Step(ctx).Reason == StopStep {
		list = append(list, s.Pos())
	}
	return list
}
