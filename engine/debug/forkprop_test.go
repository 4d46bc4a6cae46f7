package debug

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/engine"
	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// counted answers every request anew: no two answers are equal, so that it shows which one was given.
type counted struct{ n *int }

func (c counted) Do(ctx context.Context, call effect.Call) (effect.Answer, error) {
	a, err := effect.Mock(ctx, call)
	*c.n++
	score, _ := canon.Float(float64(*c.n%10) / 10)
	a.Output = canon.Object(canon.Member{Key: "json", Value: canon.Object(canon.Member{Key: "score", Value: score})}, canon.Member{Key: "n", Value: canon.Int(int64(*c.n))})
	return a, err
}

func countedMachine(t *rapid.T, flow []byte, n *int) *engine.Machine {
	flow = bytes.Replace(flow, []byte(`"version":1,`), []byte(`"version":1,"effects":{"llm":{"provider":"openai","base_url":"http://127.0.0.1:1/v1","model":"m"}},`), 1)
	m, diags := engine.Parse("flow.json", flow, propertyKinds(), false)
	if m == nil {
		t.Fatalf("%s\n%v", flow, diags)
	}
	maker := func(effect.Setup) (effect.Provider, []effect.Problem) { return counted{n}, nil }
	if diags := m.GoLive(effect.Options{Live: effect.LiveAll, Providers: map[string]effect.Maker{"openai": maker}}); len(diags) > 0 {
		t.Fatal(diags)
	}
	return m
}

// plainReuse is what ByHash promises, the plain way: all answers by request, each list used from its front.
type plainReuse struct {
	left map[canon.Value][]trace.Event
	next effect.Source
}

func newPlainReuse(answers []trace.Event, next effect.Source) *plainReuse {
	p := &plainReuse{left: map[canon.Value][]trace.Event{}, next: next}
	for _, e := range answers {
		p.left[e.Effect.Text()] = append(p.left[e.Effect.Text()], e)
	}
	return p
}

func (p *plainReuse) Answer(ctx context.Context, c effect.Call) (effect.Answer, error) {
	list := p.left[c.Request.Text()]
	if len(list) == 0 {
		return p.next.Answer(ctx, c)
	}
	e := list[0]
	p.left[c.Request.Text()] = list[1:]
	side := []canon.Member{{Key: "reused", Value: canon.True}}
	if e.Agent != c.Agent {
		side = append(side, canon.Member{Key: "reused_from", Value: canon.String(e.Agent)})
	}
	e.Side = canon.Object(side...)
	return effect.Answer{Output: e.Response, Usage: e.Usage, Side: e.Side, Recorded: &e}, nil
}

// answersOf are the answers of a session so far in the order in which they may be used again: the record's, then what
// was bought, by the number that every answer of counted holds.
func answersOf(t *rapid.T, s *Session, record []trace.Event) []trace.Event {
	byN := map[int64]trace.Event{}
	for _, e := range slices.Concat(append([][]trace.Event{record}, allEvents(t, s)...)...) {
		if n, ok := e.Response.Get("n").Int(); ok && e.Type == trace.EffectEvent && e.SideFlag("reused") != canon.True {
			byN[n] = e
		}
	}
	var list []trace.Event
	for _, e := range byN {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b trace.Event) int {
		x, _ := a.Response.Get("n").Int()
		y, _ := b.Response.Get("n").Int()
		return int(x - y)
	})
	return list
}

func allEvents(t *rapid.T, s *Session) (runs [][]trace.Event) {
	for _, r := range s.runs {
		events, err := engine.Events(r.log())
		if err != nil {
			t.Fatal(err)
		}
		runs = append(runs, events)
	}
	return runs
}

// genEdit draws an edit; some name agents, messages or values that cannot be.
func genEdit(t *rapid.T) *Edit {
	agent := rapid.SampledFrom([]string{"a", "B", "z", "m-1", "nobody"}).Draw(t, "edited")
	text := rapid.SampledFrom([]string{"", "inject " + agent + ` go {"n":1,"score":0.2}`, "drop " + agent + " 0", "answer " + agent + ` 0 {"json":{"score":0.9},"n":0}`,
		"state " + agent + ` {"n":2}`, `budget {"steps":40}`, `budget {"usd":0.0003,"steps":30}`, `budget {}`}).Draw(t, "edit")
	if text == "budget {}" {
		text = `budget {"steps":25}`
	}
	if text == "" {
		return nil
	}
	e, err := ParseEdit(text)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// plainFork is the run that a fork must be, made without sharing anything: a fold over the parent's events, the edit,
// and steps with the answers that are known.
func plainFork(t *rapid.T, m *engine.Machine, parent []trace.Event, at int, edit *Edit, answers []trace.Event) []trace.Event {
	st := trace.NewState(m.Setup())
	events := slices.Clone(parent[:min(at, len(parent))])
	for i := range events {
		st.Apply(&events[i])
	}
	emit := func(e trace.Event) error {
		events = append(events, e)
		st.Apply(&events[len(events)-1])
		return nil
	}
	if at > len(events) { // the parent stands before its first states
		begun := slices.Clone(events)
		err := m.Init(func(e trace.Event) error {
			if slices.ContainsFunc(begun, func(x trace.Event) bool { return x.Type == trace.XInit && x.Agent == e.Agent }) {
				return nil
			}
			return emit(e)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if edit != nil {
		ev, err := edit.event(st.Step())
		if err != nil {
			t.Fatal(err)
		}
		emit(ev)
	}
	used := map[string]bool{} // what was given before is not given again
	for _, e := range events {
		if e.Type == trace.EffectEvent {
			used[e.Response.Get("n").Text()] = true
		}
	}
	answers = slices.DeleteFunc(answers, func(e trace.Event) bool { return used[e.Response.Get("n").Text()] })
	src := newPlainReuse(answers, m.Bus())
	for {
		status, err := m.Step(ctx, st, src, emit)
		if err != nil {
			t.Fatal(err)
		}
		if status == engine.RunEnded {
			return events
		}
	}
}

func text(t *rapid.T, events []trace.Event) string {
	var b bytes.Buffer
	if err := trace.Write(&b, events, trace.FormatLines); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// runsText is every run whole, and where it stands.
func runsText(t *rapid.T, s *Session) string {
	var b strings.Builder
	for i, events := range allEvents(t, s) {
		fmt.Fprintf(&b, "run %d at %d\n%s", i, s.runs[i].pos, text(t, events))
	}
	return b.String()
}

// forkSession is a session over a run of the flow: live, or beside a record in memory or in a file, made again or played.
func forkSession(rt *rapid.T, t *testing.T, flow []byte, n *int) (s *Session, record []trace.Event) {
	kind := rapid.SampledFrom([]string{"live", "memory", "file", "played", "played file"}).Draw(rt, "kind")
	opt := Options{Machine: countedMachine(rt, flow, n)}
	if kind != "live" {
		first, err := New(opt)
		if err != nil {
			rt.Fatal(err)
		}
		first.Continue().Run(ctx)
		record = allEvents(rt, first)[0]
		if kind == "file" || kind == "played file" {
			setup := opt.Machine.Setup()
			opt.Store = storeOf(t, record, &setup)
			index(t, opt.Store)
		} else {
			opt.Trace = &trace.Trace{Events: record}
		}
		opt.PlaybackAll = strings.HasPrefix(kind, "played")
		opt.Machine = countedMachine(rt, flow, n)
	}
	s, err := New(opt)
	if err != nil {
		rt.Fatal(err)
	}
	if rapid.Bool().Draw(rt, "run out") {
		s.Continue().Run(ctx)
	}
	return s, record
}

// Whatever is forked where, with whatever edit: no run that was there changes, a run's positions show what a fold over
// its events shows, and a child that runs on is the run that is made the plain way, with the same answers.
func TestAnyForkIsThePlainRun(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		flow, n := genFlow(rt), 0
		s, record := forkSession(rt, t, flow, &n)
		for range rapid.IntRange(1, 5).Draw(rt, "forks") {
			if _, err := s.SwitchRun(rapid.IntRange(0, len(s.runs)-1).Draw(rt, "run")); err != nil {
				rt.Fatal(err)
			}
			s.Goto(rapid.IntRange(0, s.Total()).Draw(rt, "goto")).Run(ctx)
			parent, hash, pos, before := s.CurrentRun(), s.Hash(), s.Pos(), runsText(rt, s)
			edit, answers := genEdit(rt), answersOf(rt, s, record)
			stop, err := s.Fork(edit)
			if err != nil {
				if s.CurrentRun() != parent || s.Pos() != pos || s.Hash() != hash || runsText(rt, s) != before {
					rt.Fatalf("a fork that failed (%v) changed something", err)
				}
				continue
			}
			child, at, bought := s.CurrentRun(), s.Runs()[s.CurrentRun()].Event, n
			if edit != nil { // an earlier place has more messages before the one that was named
				moved := *edit
				if k, ok := s.Event(at).Extra.Get("index").Int(); ok {
					moved.Index = int(k)
				}
				edit = &moved
			}
			if edit == nil && stop.Pos != at && (stop.Pos > pos || stop.Pos > at) || edit != nil && s.Len() != at+1 {
				rt.Fatalf("the fork stands at %d of %d, forked at %d", stop.Pos, s.Len(), at)
			}
			for range rapid.IntRange(0, 40).Draw(rt, "steps") {
				s.Step(ctx)
			}
			samePositions(rt, s)
			if rapid.Bool().Draw(rt, "to the end") {
				s.Continue().Run(ctx)
				after := n
				n = bought
				want := plainFork(rt, countedMachine(rt, flow, &n), allEvents(rt, s)[parent], at, edit, answers)
				if got := allEvents(rt, s)[child]; text(rt, got) != text(rt, want) {
					rt.Fatalf("the child of %d at %d, %+v:\n%s\nwant\n%s", parent, at, edit, text(rt, got), text(rt, want))
				}
				if n != after {
					rt.Fatalf("the child bought up to answer %d, the plain run up to %d", after, n)
				}
			}
			if _, err := s.SwitchRun(parent); err != nil || s.Hash() != hash || s.Pos() != pos || !strings.HasPrefix(runsText(rt, s), before) {
				rt.Fatalf("%v: the parent or another run changed", err)
			}
			samePositions(rt, s)
		}
	})
}

// samePositions holds the hash and the agents at some positions of the current run against a fold over its events.
func samePositions(t *rapid.T, s *Session) {
	pos := s.Pos()
	for range 4 {
		p := rapid.IntRange(0, s.Len()).Draw(t, "look at")
		s.Goto(p).Run(ctx)
		st := trace.NewState(s.Machine().Setup())
		for i := range p {
			st.Apply(s.Event(i))
		}
		if s.Hash() != st.Hash() || s.State().Ledger() != st.Ledger() || s.State().Begun() != st.Begun() {
			t.Fatalf("run %d at %d of %d shows another state than its events make", s.CurrentRun(), p, s.Len())
		}
		for i := range st.AgentCount() {
			if got, want := s.State().AgentAt(i), st.AgentAt(i); got != want {
				t.Fatalf("run %d at %d: %+v, want %+v", s.CurrentRun(), p, got, want)
			}
		}
	}
	s.Goto(pos).Run(ctx)
}
