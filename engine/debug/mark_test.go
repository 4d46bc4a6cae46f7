package debug

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"flowdbg/trace"

	"pgregory.net/rapid"
)

// TestMarkJump is the dialogue of a mark: set it, go back, jump, and the state is the one that was marked.
func TestMarkJump(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	for name, s := range sessionsOf(t, record) {
		s.Goto(12).Run(ctx)
		hash := s.Hash()
		m, was, err := s.Mark("critic", s.Pos()-1, "  the first critique ")
		if err != nil || was != nil || m.Event != 11 || m.Agent != "critic" || m.Step != 4 || m.Note != "the first critique" {
			t.Fatalf("%s: %+v, %v, %v", name, m, was, err)
		}
		for _, from := range []int{0, 3, len(record)} {
			s.Goto(from).Run(ctx)
			q, err := s.GotoMark(m)
			if err != nil {
				t.Fatal(err)
			}
			if q.Run(ctx); s.Pos() != 12 || s.Hash() != hash {
				t.Errorf("%s: from %d the mark leads to %d, equal %v", name, from, s.Pos(), s.Hash() == hash)
			}
		}
		if at := s.MarksAt(11); len(at) != 1 || at[0] != "critic" || s.MarksAt(10) != nil {
			t.Errorf("%s: on event 11 stands %v, on 10 %v", name, at, s.MarksAt(10))
		}
	}
}

// A name that is used again moves its mark; a removed one can be put back as it was; the list is in the order of events.
func TestMarkList(t *testing.T) {
	s := open(t, seedFlow(t), toEnd(t, open(t, seedFlow(t), nil)))
	for _, e := range []int{8, -1, 3} {
		if _, _, err := s.Mark(s.FreeMark(), e, ""); err != nil {
			t.Fatal(err)
		}
	}
	names := func() string {
		var b strings.Builder
		for _, m := range s.Marks() {
			b.WriteString(m.Name)
		}
		return b.String()
	}
	if names() != "bca" || s.Marks()[0].What() != "start" || s.Marks()[0].Pos() != 0 {
		t.Fatalf("%s: %+v", names(), s.Marks())
	}
	if _, was, err := s.Mark("a", 1, ""); err != nil || was == nil || was.Event != 8 || names() != "bac" {
		t.Fatalf("%v %v %s", was, err, names())
	}
	gone := s.Unmark("a")
	if gone == nil || names() != "bc" || s.Unmark("a") != nil || s.FreeMark() != "a" {
		t.Fatalf("%v %s", gone, names())
	}
	if s.Remark(*gone); names() != "bac" || s.MarkPlace(*gone) != MarkHere {
		t.Fatal(names())
	}
	for _, name := range []string{"", "1", "9a", "a b'", "'a", "-x", strings.Repeat("x", 33), "a\x1b[m"} {
		if _, _, err := s.Mark(name, 1, ""); err == nil {
			t.Errorf("%q is a name", name)
		}
	}
	for _, event := range []int{-2, s.Total()} {
		if _, _, err := s.Mark("z", event, ""); err == nil {
			t.Errorf("a mark stands at event %d", event)
		}
	}
	if _, err := s.MarkOf("nobody"); err == nil || !strings.Contains(err.Error(), "there are b, a, c") {
		t.Error(err)
	}
}

// After the 26 letters come aa, ab, …; every name is free.
func TestFreeMark(t *testing.T) {
	s := open(t, seedFlow(t), toEnd(t, open(t, seedFlow(t), nil)))
	var last string
	for range 26 + 26*26 + 1 {
		last = s.FreeMark()
		if _, was, err := s.Mark(last, 0, ""); err != nil || was != nil {
			t.Fatalf("%s: %v %v", last, was, err)
		}
	}
	if last != "aaa" || s.Marks()[0].Name != "a" {
		t.Error(last)
	}
}

// TestMarkOfAnotherRun: after a reload that changes events, and in a fork, a mark is where its event is; elsewhere it is
// not in this run, stays listed, and comes back with the run.
func TestMarkOfAnotherRun(t *testing.T) {
	s := open(t, seedFlow(t), nil)
	toEnd(t, s)
	for name, event := range map[string]int{"early": 2, "late": 11, "end": 21} {
		if _, _, err := s.Mark(name, event, ""); err != nil {
			t.Fatal(err)
		}
	}
	places := func() map[string]MarkPlace {
		list := map[string]MarkPlace{}
		for _, m := range s.Marks() {
			list[m.Name] = s.MarkPlace(m)
		}
		return list
	}
	expect := func(what string, want ...MarkPlace) {
		t.Helper()
		got := places()
		for i, name := range []string{"early", "late", "end"} {
			if got[name] != want[i] {
				t.Errorf("%s: %s is %q, want %q", what, name, got[name], want[i])
			}
		}
	}
	expect("at first", MarkHere, MarkHere, MarkHere)

	// Another model: what it answers differs, the agents do the same.
	changed := bytes.Replace(seedFlow(t), []byte("mock-strong"), []byte("mock-other"), 1)
	s.Reload(ctx, machine(t, changed), nil, changed)
	s.Continue().Run(ctx)
	expect("with another model", MarkHere, MarkDiffers, MarkDiffers)

	// The input goes to the critic: other agents stand everywhere.
	changed = bytes.Replace(seedFlow(t), []byte(`"to": "researcher"`), []byte(`"to": "critic"`), 1)
	if bytes.Equal(changed, seedFlow(t)) {
		t.Fatal("the flow is not changed")
	}
	s.Reload(ctx, machine(t, changed), nil, changed)
	s.Continue().Run(ctx)
	expect("with another input", MarkGone, MarkGone, MarkGone)
	if at := s.MarksAt(2); at != nil {
		t.Errorf("on event 2 stands %v", at)
	}
	m, err := s.MarkOf("late")
	if err != nil {
		t.Fatal("a mark is lost")
	}
	pos := s.Pos()
	if _, err := s.GotoMark(m); !errors.Is(err, ErrMarkGone) || s.Pos() != pos {
		t.Errorf("it is gone to: %v, at %d", err, s.Pos())
	}
	if _, err := s.SwitchRun(0); err != nil {
		t.Fatal(err)
	}
	expect("back in the first run", MarkHere, MarkHere, MarkHere)

	s.Goto(3).Run(ctx)
	if _, err := s.Fork(nil); err != nil {
		t.Fatal(err)
	}
	expect("in a fork", MarkHere, MarkAhead, MarkAhead)
	q, err := s.GotoMark(m)
	if err != nil {
		t.Fatal(err)
	}
	q.Run(ctx)
	expect("run to it", MarkHere, MarkHere, MarkAhead)
}

// What is kept is what was set, in whatever order, and damage is told and changes nothing of the others.
func TestKept(t *testing.T) {
	record := toEnd(t, open(t, seedFlow(t), nil))
	rapid.Check(t, func(t *rapid.T) {
		a, b := newOf(t, record), newOf(t, record)
		for range rapid.IntRange(0, 6).Draw(t, "marks") {
			name, note := rapid.StringMatching(`[a-zé][a-z0-9_.-]{0,8}`).Draw(t, "name"), rapid.StringMatching(`[ -~]{0,20}`).Draw(t, "note")
			if _, _, err := a.Mark(name, rapid.IntRange(-1, len(record)-1).Draw(t, "event"), note); err != nil {
				t.Fatal(err)
			}
		}
		for range rapid.IntRange(0, 3).Draw(t, "watches") {
			if err := a.Watch(Watch{"critic", "/" + rapid.StringMatching(`[a-z]{0,3}`).Draw(t, "pointer")}); err != nil {
				t.Fatal(err)
			}
		}
		mustBreak(t, a, Breakpoint{Kind: BreakTag, Name: rapid.StringMatching(`[a-z]{1,5}`).Draw(t, "tag")})
		kept := b.Kept()
		for i, k := range a.Kept() {
			data, err := k.Save()
			if err != nil {
				t.Fatal(err)
			}
			if err := errors.Join(kept[i].Check(data), kept[i].Restore(data)); err != nil {
				t.Fatal(err)
			}
			again, err := kept[i].Save()
			if err != nil || !bytes.Equal(data, again) || k.Stamp() != kept[i].Stamp() {
				t.Fatalf("%s: %v\n%s\n%s", k.File, err, data, again)
			}
		}
		for _, m := range b.Marks() {
			if b.MarkPlace(m) != MarkHere {
				t.Fatalf("%+v is %s", m, b.MarkPlace(m))
			}
		}
	})
	s := newOf(t, record)
	for _, k := range s.Kept() {
		for _, text := range []string{"", "{", `{"a":1}`, `[1]`} {
			if k.Check([]byte(text)) == nil || k.Restore([]byte(text)) == nil {
				t.Errorf("%s: %q is read", k.File, text)
			}
		}
	}
	if err := s.RestoreMarks([]byte(`[{"name":"a b","event":1},{"name":"ok","event":-1},{"name":"x","event":-2}]`)); err == nil || !strings.Contains(err.Error(), "number 1") {
		t.Error(err)
	}
	if len(s.Marks()) != 1 || s.Marks()[0].Name != "ok" {
		t.Errorf("%v", s.Marks())
	}
}

// Each change that is worth a write is seen, and the counts of hits are not.
func TestKeptStamp(t *testing.T) {
	s := open(t, seedFlow(t), toEnd(t, open(t, seedFlow(t), nil)))
	stamps := func() (list [3]uint64) {
		for i, k := range s.Kept() {
			list[i] = k.Stamp()
		}
		return list
	}
	changes := []struct {
		kind int // -1: none
		do   func()
	}{
		{0, func() { mustBreak(t, s, Breakpoint{Kind: BreakAgent, Name: "critic"}) }},
		{0, func() { mustBreak(t, s, Breakpoint{Kind: BreakAgent, Name: "writer", Once: true}) }},
		{-1, func() { s.Continue().Run(ctx) }},
		{0, func() { s.Breakpoints()[0].Enabled = false }},
		{0, func() { s.Continue().Run(ctx) }}, // once: it switches itself off
		{0, func() { s.Unbreak(1) }},
		{1, func() { s.Watch(Watch{"critic", "/pending"}) }},
		{1, func() { s.Unwatch(0) }},
		{2, func() { s.Mark("a", 3, "") }},
		{2, func() { s.Mark("a", 4, "") }},
		{2, func() { s.Mark("a", 4, "note") }},
		{2, func() { s.Unmark("a") }},
	}
	for i, c := range changes {
		was := stamps()
		c.do()
		for k, now := range stamps() {
			if (now != was[k]) != (k == c.kind) {
				t.Errorf("change %d: list %d changed: %v", i, k, now != was[k])
			}
		}
	}
}

func newOf(t interface {
	Helper()
	Fatal(...any)
}, record []trace.Event) *Session {
	t.Helper()
	s, err := New(Options{Trace: &trace.Trace{Events: record}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
