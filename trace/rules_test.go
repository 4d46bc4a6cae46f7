package trace

import (
	"strings"
	"sync"
	"testing"

	"flowdbg/trace/canon"
)

// Lines of ours lie between steps: but for x-init and x-intervention they change nothing that can be seen.
func TestExtensionsChangeNothing(t *testing.T) {
	for _, line := range []string{
		`{"type":"x-note","step":99,"agent":"zz","state":5}`, `{"type":"x-effect-intent","step":2,"agent":"a0"}`,
		`{"type":"x-cancel","step":7}`, `{"type":"x-effect-intent"}`, `{"type":"x-","state":1}`,
	} {
		e := mustRead(t, line).Events[0]
		s := NewState(testSetup(2))
		before, hash := look(s), s.Hash()
		u, f := s.Apply(&e)
		if known := e.Type.IsExtension(); (f == nil) != known {
			t.Fatalf("%s: finding %v", line, f)
		}
		if after := look(s); after != before || s.Hash() != hash {
			t.Fatalf("%s:\n%s\n%s", line, before, after)
		}
		s.Undo(&e, u)
		if look(s) != before || s.Partial() {
			t.Fatalf("%s: undo", line)
		}
	}
}

// What does not fit the state is a finding; the recorded content is taken and the fold goes on.
func TestFoldFindings(t *testing.T) {
	const (
		recvGo    = `{"type":"receive","step":1,"agent":"a0","message":{"tag":"task","payload":"go"}}`
		recvOther = `{"type":"receive","step":1,"agent":"a0","message":{"tag":"task","payload":"stop"}}`
		finish    = `{"type":"finish","steps":1,"state_hash":"","ledger":{"input_tokens":0,"output_tokens":0,"usd":0},"outputs":{}}`
	)
	cases := map[string]struct{ lines, kind string }{
		"the head":               {recvGo, ""},
		"another than the head":  {recvOther, FindInboxHead},
		"an empty inbox":         {recvGo + "\n" + recvGo, FindEmptyInbox},
		"an unknown agent":       {`{"type":"act","step":1,"agent":"zz","state":1,"send":[]}`, FindUnknownAgent},
		"sent to nobody":         {`{"type":"send","step":1,"from":"a0","port":"p","to":"zz","message":{"tag":"t","payload":1,"from":"a0"}}`, FindUnknownAgent},
		"behind finish":          {finish + "\n" + recvGo, FindAfterFinish},
		"a second finish":        {finish + "\n" + finish, FindAfterFinish},
		"unknown type":           {`{"type":"dance"}`, FindUnknownType},
		"ours behind finish":     {finish + "\n" + `{"type":"x-note"}`, ""},
		"drop from the middle":   {`{"type":"x-intervention","do":"drop","agent":"a0","index":5}`, FindBadExtension},
		"unknown intervention":   {`{"type":"x-intervention","do":"sing","agent":"a0"}`, FindBadExtension},
		"nobody's intervention":  {`{"type":"x-intervention","do":"drop","index":0}`, FindBadExtension},
		"an untagged injection":  {`{"type":"x-intervention","do":"inject","agent":"a0","message":{"payload":1}}`, FindBadExtension},
		"a budget that is none":  {`{"type":"x-intervention","do":"budget","budget":{"usd":"much","tokens":-1}}`, FindBadExtension},
		"a budget of text steps": {`{"type":"x-intervention","do":"budget","budget":{"steps":1.5}}`, FindBadExtension},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			tr := mustRead(t, c.lines)
			s := NewState(testSetup(2))
			before := look(s)
			var last *Finding
			var undos []Undo
			for i := range tr.Events {
				u, f := s.Apply(&tr.Events[i])
				undos, last = append(undos, u), f
			}
			if got := findingKind(last); got != c.kind {
				t.Fatalf("finding %q, want %q", got, c.kind)
			}
			for i := len(undos) - 1; i >= 0; i-- {
				s.Undo(&tr.Events[i], undos[i])
			}
			if look(s) != before {
				t.Fatal("undo did not restore the start")
			}
		})
	}
}

func findingKind(f *Finding) string {
	if f == nil {
		return ""
	}
	return f.Kind
}

// Which of two wrong members is named does not depend on the order of a Go map.
func TestBadBudgetIsNamedAlike(t *testing.T) {
	v := canon.Object(canon.Member{Key: "usd", Value: canon.Int(-1)}, canon.Member{Key: "tokens", Value: canon.Int(-1)})
	for range 50 {
		if _, err := BudgetFrom(v); err == nil || !strings.Contains(err.Error(), "usd") {
			t.Fatalf("got %v", err)
		}
	}
}

// Interventions: what they change, and that the fold takes it back.
func TestInterventions(t *testing.T) {
	cases := map[string]struct{ body, want string }{
		"inject": {`"do":"inject","agent":"a1","message":{"tag":"t","payload":1,"from":"a0"}`, `"id":"a1","inbox":[{"from":"a0","payload":1,"tag":"t"}]`},
		"drop":   {`"do":"drop","agent":"a0","index":0`, `"id":"a0","inbox":[]`},
		"answer": {`"do":"answer","agent":"a0","index":0,"payload":"stop"`, `"id":"a0","inbox":[{"payload":"stop","tag":"task"}]`},
		"state":  {`"do":"state","agent":"a0","state":{"n":1}`, `"state":{"n":1}`},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			e := mustRead(t, `{"type":"x-intervention",`+c.body+`}`).Events[0]
			s := NewState(testSetup(2))
			before, hash := look(s), s.Hash()
			u, f := s.Apply(&e)
			if doc := string(s.AppendDocument(nil)); f != nil || !strings.Contains(doc, c.want) {
				t.Fatalf("%v\n%s", f, doc)
			}
			if s.Hash() == hash {
				t.Fatal("the hash does not see it")
			}
			s.Undo(&e, u)
			if look(s) != before || s.Hash() != hash {
				t.Fatal("undo")
			}
		})
	}
	t.Run("budget", func(t *testing.T) {
		e := mustRead(t, `{"type":"x-intervention","do":"budget","budget":{"usd":2,"steps":3,"allow_unmetered":true}}`).Events[0]
		s := NewState(testSetup(1))
		hash := s.Hash()
		u, f := s.Apply(&e)
		if b := s.Budget(); f != nil || *b.USD != 2 || b.Tokens != nil || b.Steps != 3 || !b.AllowUnmetered || s.Hash() != hash {
			t.Fatalf("%v %+v", f, b)
		}
		if s.Undo(&e, u); s.Budget() != nil {
			t.Fatal("undo")
		}
	})
}

// A clone shares nothing that is written to: both may be hashed at the same time (run with -race).
func TestClonesHashConcurrently(t *testing.T) {
	s, events := benchState(200)
	want := s.Hash()
	var wg sync.WaitGroup
	for range 4 {
		c := s.Clone()
		wg.Go(func() {
			for i := range events {
				u, _ := c.Apply(&events[i])
				c.Hash()
				c.Undo(&events[i], u)
			}
			if c.Hash() != want {
				t.Error("a clone's hash changed")
			}
		})
	}
	s.Hash()
	wg.Wait()
	if s.hash.digest == s.Clone().hash.digest || cap(s.Clone().hash.scratch) > 0 {
		t.Fatal("a clone shares the cache")
	}
}

// The document: agents by UTF-8 bytes of the id, wired ports, inbox, outputs by UTF-16 order of their keys.
func TestHashDocument(t *testing.T) {
	setup := Setup{InputTo: "b", Input: NewInput("task", canon.Int(1)), Agents: []AgentDef{
		{ID: "é", Kind: "k"}, {ID: "b", Kind: "k", Ports: canon.Object(canon.Member{Key: "out", Value: canon.Array(canon.String("é"), canon.String("B"))})}, {ID: "B", Kind: "k"}}}
	s := NewState(setup)
	for _, port := range []string{"\U0001F600", "\uFFFD", "z"} {
		e := Event{Type: SendEvent, Step: 1, Agent: "b", Port: port, Message: NewMessage("b", "t", canon.Null)}
		s.Apply(&e)
	}
	const want = `{"agents":[{"id":"B","inbox":[],"kind":"k","ports":{},"state":null},` +
		`{"id":"b","inbox":[{"payload":1,"tag":"task"}],"kind":"k","ports":{"out":["é","B"]},"state":null},` +
		`{"id":"é","inbox":[],"kind":"k","ports":{},"state":null}],` +
		`"ledger":{"input_tokens":0,"output_tokens":0,"usd":0},` +
		`"outputs":{"b.z":[{"from":"b","payload":null,"tag":"t"}],"b.😀":[{"from":"b","payload":null,"tag":"t"}],"b.` + "\uFFFD" + `":[{"from":"b","payload":null,"tag":"t"}]}}`
	if got := string(s.AppendDocument(nil)); got != want {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	if err := canon.OracleCheck([]byte(want)); err != nil {
		t.Fatal(err)
	}
}
