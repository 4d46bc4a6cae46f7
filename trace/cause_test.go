package trace

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace/canon"
)

func causesOf(tb testing.TB, log Log) *Causes {
	tb.Helper()
	c, err := NewCauses(context.Background(), log, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

func chainText(ch *Chain) string {
	var b strings.Builder
	for i, l := range ch.Links {
		if ch.Skipped > 0 && i == ch.SkipAt {
			fmt.Fprintf(&b, "… %d\n", ch.Skipped)
		}
		fmt.Fprintf(&b, "%d step %d %s: %s (act %d, receive %d)", l.Event, l.Step, l.Kind, l.Text, l.Act, l.Receive)
		if l.Note != "" {
			b.WriteString(" ! " + l.Note)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "exact %v", ch.Exact)
	if ch.Broken != "" {
		b.WriteString(", broken: " + ch.Broken)
	}
	return b.String()
}

func TestWhyDiamond(t *testing.T) {
	events := diamond().run(100)
	const head = `0 step 0 input: task → a (act -1, receive -1)
2 step 1 send: a.out → b  note (act 1, receive 0)
6 step 2 effect: b asked search m-b (act 5, receive 4)
9 step 3 send: b.out → d  note (act 8, receive 7)
15 step 5 effect: d asked search m-d (act 14, receive 13)
`
	cases := map[string]struct {
		ref  string
		want string
	}{
		"output":    {"d.out[0]", head + "21 step 7 output: d.out → outputs  note (act 20, receive 19)\nexact true"},
		"act":       {"20", head + "20 step 7 act: d acted (act 20, receive 19)\nexact true"},
		"receive":   {"19", head + "19 step 7 receive: d took effect from effect (act -1, receive 19)\nexact true"},
		"inbox":     {"inbox:d[0]@18", strings.TrimSuffix(head, "\n") + "\nexact true"},
		"last":      {"d.out[-1]", "0 step 0 input: task → a (act -1, receive -1)\n3 step 1 send: a.out → c  note (act 1, receive 0)\n12 step 4 send: c.out → d  note (act 11, receive 10)\n18 step 6 effect: d asked search m-d (act 17, receive 16)\n24 step 8 output: d.out → outputs  note (act 23, receive 22)\nexact true"},
		"the input": {"input", "0 step 0 input: task → a (act -1, receive -1)\nexact true"},
		"input":     {"inbox:a[0]@0", "0 step 0 input: task → a (act -1, receive -1)\nexact true"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			ref, err := ParseRef(c.ref)
			if err != nil || ref.String() != c.ref {
				t.Fatal(ref, err)
			}
			for _, log := range []Log{MemLog(events), storeOf(t, events, nil)} {
				ch, err := causesOf(t, log).Why(context.Background(), ref, 0)
				if err != nil {
					t.Fatal(err)
				}
				if got := chainText(ch); got != c.want {
					t.Errorf("%T\n%s\nwant\n%s", log, got, c.want)
				}
			}
		})
	}
}

func TestParseRefRefuses(t *testing.T) {
	for _, text := range []string{"", "-1", "writer", "inbox:", "inbox:a[-1]", "a.b[x]", "inbox:a@x", "[0]"} {
		if r, err := ParseRef(text); err == nil {
			t.Errorf("%q is %+v", text, r)
		}
	}
	for text, want := range map[string]Ref{"a.b": OutputRef("a.b", 0), "a.b.c[3]": OutputRef("a.b.c", 3), "inbox:a.b": InboxRef("a.b", 0, -1)} {
		if r, err := ParseRef(text); err != nil || r != want {
			t.Errorf("%q is %+v, %v", text, r, err)
		}
	}
}

// In a run of any flow, with a person's edits in between, every event's chain reaches a root exactly, links point
// backward only, and memory and file say the same.
func TestWhyReachesARoot(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := randomFlow(rt)
		events := withEdits(rt, f.run(rapid.IntRange(1, 25).Draw(rt, "steps")))
		mem, file := causesOf(t, MemLog(events)), causesOf(t, storeOf(t, events, nil))
		for i := range events {
			ch, err := mem.Why(context.Background(), EventRef(i), 0)
			if err != nil {
				rt.Fatal(err)
			}
			again, err := file.Why(context.Background(), EventRef(i), 0)
			if err != nil || chainText(again) != chainText(ch) {
				rt.Fatalf("event %d: %v\n%s\nfrom the file\n%s", i, err, chainText(ch), chainText(again))
			}
			if !ch.Exact || ch.Broken != "" {
				rt.Fatalf("event %d: %s", i, chainText(ch))
			}
			root := ch.Links[0]
			if root.Kind != LinkInput && root.Kind != LinkInject && root.Kind != LinkOther {
				rt.Fatalf("event %d has no root:\n%s", i, chainText(ch))
			}
			for k := 1; k < len(ch.Links); k++ {
				if l := ch.Links[k]; l.Event < ch.Links[k-1].Event || l.Receive > l.Event {
					rt.Fatalf("event %d goes forward:\n%s", i, chainText(ch))
				}
			}
		}
	})
}

// withEdits puts a person's edits between the events and makes the run follow them: after an injected message the same
// receive and act are repeated, with the injected one.
func withEdits(t *rapid.T, events []Event) []Event {
	if len(events) < 2 || !rapid.Bool().Draw(t, "edits") {
		return events
	}
	finish := events[len(events)-1]
	out := events[: len(events)-1 : len(events)-1]
	st := NewState(PlaybackSetup(out))
	for i := range out {
		st.Apply(&out[i])
	}
	for n := range rapid.IntRange(1, 6).Draw(t, "more") {
		put := func(e Event) {
			out = append(out, e)
			st.Apply(&out[len(out)-1])
		}
		edit := func(do string, members ...canon.Member) {
			members = append(members, canon.Member{Key: "agent", Value: canon.String("a")}, canon.Member{Key: "do", Value: canon.String(do)})
			put(Event{Type: XIntervene, Step: st.Step(), Agent: "a", Extra: canon.Object(members...)})
		}
		waiting := st.InboxLen("a")
		switch k := rapid.IntRange(0, 3).Draw(t, "edit"); {
		case k == 0 || waiting == 0:
			edit(DoInject, canon.Member{Key: "message", Value: NewMessage("me", "x", num(n)).Text()})
		case k == 1:
			edit(DoDrop, canon.Member{Key: "index", Value: num(rapid.IntRange(0, waiting-1).Draw(t, "at"))})
		case k == 2:
			edit(DoAnswer, canon.Member{Key: "index", Value: num(rapid.IntRange(0, waiting-1).Draw(t, "at"))}, canon.Member{Key: "payload", Value: num(100 + n)})
		default:
			m, _ := st.InboxAt("a", 0)
			step := st.Step() + 1
			put(Event{Type: Receive, Step: step, Agent: "a", Message: m})
			put(Event{Type: Act, Step: step, Agent: "a", State: num(n), Send: canon.EmptyArray})
		}
	}
	return append(out, finish)
}

// Long chains keep their ends, and the middle is counted.
func TestWhyCutsTheMiddle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	writeBigTrace(t, path, 3_000)
	c := causesOf(t, openStore(t, path, nil))
	last := c.log.Len() - 1
	whole, err := c.Why(context.Background(), EventRef(last), 10_000)
	if err != nil || whole.Skipped != 0 || !whole.Exact {
		t.Fatal(err, whole.Skipped)
	}
	cut, err := c.Why(context.Background(), EventRef(last), 10)
	if err != nil || len(cut.Links) != 10 || cut.Skipped != len(whole.Links)-10 || cut.SkipAt != 5 {
		t.Fatal(err, len(cut.Links), cut.Skipped, len(whole.Links))
	}
	for i, l := range cut.Links {
		want := whole.Links[i]
		if i >= 5 {
			want = whole.Links[len(whole.Links)-10+i]
		}
		if l.Text != want.Text || l.Event != want.Event {
			t.Errorf("link %d: %+v, want %+v", i, l, want)
		}
	}
}

// Traces that break FIFO or hide a cause are told as such, and followed as far as they can be.
func TestWhyOfFaultyTraces(t *testing.T) {
	base := diamond().run(100)
	change := func(f func([]Event)) []Event {
		events := append([]Event(nil), base...)
		f(events)
		return events
	}
	swapped := change(func(e []Event) { e[13].Message, e[16].Message = e[16].Message, e[13].Message })
	cases := map[string]struct {
		events []Event
		at     int
		note   string
		broken bool
		origin int // the event that the receive took, in the links
	}{
		"out of turn":       {swapped, 14, "out of turn: it is [1]", false, 12},
		"in its place":      {swapped, 17, "out of turn: by the order of the inbox it was taken before", false, 9},
		"another text":      {change(func(e []Event) { e[13].Message = NewMessage("b", "note", num(9)) }), 14, "not, byte for byte", false, 9},
		"nothing delivered": {append([]Event{}, base[7:]...), 2, "nothing delivered", true, 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, log := range []Log{MemLog(c.events), storeOf(t, c.events, nil)} {
				ch, err := causesOf(t, log).Why(context.Background(), EventRef(c.at), 0)
				if err != nil {
					t.Fatal(err)
				}
				text := chainText(ch)
				if ch.Exact || !strings.Contains(text, c.note) || (ch.Broken != "") != c.broken {
					t.Fatalf("%T: %s", log, text)
				}
				if !c.broken && ch.Links[len(ch.Links)-2].Event != c.origin {
					t.Fatalf("%T: %s", log, text)
				}
			}
		})
	}
}

// A run that stops before its first step is its own root.
func TestWhyOfNothing(t *testing.T) {
	events := diamond().run(0)
	for i := range events {
		ch, err := causesOf(t, MemLog(events)).Why(context.Background(), EventRef(i), 0)
		if err != nil || !ch.Exact || ch.Broken != "" || len(ch.Links) != 1 {
			t.Errorf("event %d: %v %s", i, err, chainText(ch))
		}
	}
}

func TestWhyRefuses(t *testing.T) {
	c := causesOf(t, MemLog(diamond().run(100)))
	for _, r := range []Ref{EventRef(-1), EventRef(99), OutputRef("d.out", 2), OutputRef("d.out", -3), OutputRef("a.out", 0), InboxRef("d", 0, -1), InboxRef("nobody", 0, 3)} {
		if ch, err := c.Why(context.Background(), r, 0); err == nil {
			t.Errorf("%v: %s", r, chainText(ch))
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewCauses(ctx, MemLog(diamond().run(100)[:3]), nil); err != nil {
		t.Error("three events need no look at the context:", err)
	}
}

func treeText(n *Node, indent string) string {
	s := fmt.Sprintf("%s%d %s %s %d: %d steps, %d messages", indent, n.Event, n.Kind, n.Fate, n.Consumed, n.Steps, n.Messages)
	if n.More > 0 {
		s += fmt.Sprintf(", %d more", n.More)
	}
	for _, c := range n.Children {
		s += "\n" + treeText(c, indent+" ")
	}
	return s
}

func TestCameOfDiamond(t *testing.T) {
	events := diamond().run(100)
	whole := `0 input consumed 0: 8 steps, 9 messages
 2 send consumed 4: 4 steps, 4 messages
  6 effect consumed 7: 3 steps, 3 messages
   9 send consumed 13: 2 steps, 2 messages
    15 effect consumed 19: 1 steps, 1 messages
     21 output output -1: 0 steps, 0 messages
 3 send consumed 10: 3 steps, 3 messages
  12 send consumed 16: 2 steps, 2 messages
   18 effect consumed 22: 1 steps, 1 messages
    24 output output -1: 0 steps, 0 messages`
	cases := map[string]struct {
		event int
		lim   TreeLimits
		want  string
	}{
		"input":   {InputEvent, TreeLimits{}, whole},
		"cut":     {InputEvent, TreeLimits{Depth: 1, Breadth: 1}, "0 input consumed 0: 8 steps, 9 messages, 1 more\n 2 send consumed 4: 4 steps, 4 messages, 1 more"},
		"send":    {3, TreeLimits{}, "3 send consumed 10: 3 steps, 3 messages\n 12 send consumed 16: 2 steps, 2 messages\n  18 effect consumed 22: 1 steps, 1 messages\n   24 output output -1: 0 steps, 0 messages"},
		"receive": {19, TreeLimits{}, "19 receive  -1: 0 steps, 1 messages\n 21 output output -1: 0 steps, 0 messages"},
		"finish":  {25, TreeLimits{}, "25 finish  -1: 0 steps, 0 messages"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, log := range []Log{MemLog(events), storeOf(t, events, nil)} {
				n, err := causesOf(t, log).CameOf(context.Background(), c.event, c.lim, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got := treeText(n, ""); got != c.want {
					t.Errorf("%T\n%s\nwant\n%s", log, got, c.want)
				}
			}
		})
	}
}

// The counts are those of the whole tree, whatever is shown; the input's tree is the whole run.
func TestCameOfCounts(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := randomFlow(rt)
		events := f.run(rapid.IntRange(1, 25).Draw(rt, "steps"))
		c := causesOf(t, MemLog(events))
		all := TreeLimits{Depth: 1 << 20, Breadth: 1 << 20, Nodes: 1 << 20}
		whole, err := c.CameOf(context.Background(), InputEvent, all, nil)
		if err != nil {
			rt.Fatal(err)
		}
		steps, messages := 0, 0
		for i := range events {
			switch events[i].Type {
			case Receive:
				steps++
			case SendEvent, EffectEvent:
				messages++
			}
		}
		if whole.Steps != steps || whole.Messages != messages {
			rt.Fatalf("%d steps, %d messages; the trace has %d and %d\n%s", whole.Steps, whole.Messages, steps, messages, treeText(whole, ""))
		}
		checkCounts(rt, c, whole, all)
	})
}

// checkCounts compares every node's counts with its children's, and with the tree that begins at it.
func checkCounts(rt *rapid.T, c *Causes, n *Node, all TreeLimits) {
	steps, messages := 0, 0
	if n.Fate == FateConsumed {
		steps = 1
	}
	for _, child := range n.Children {
		steps += child.Steps
		messages += child.Messages + 1
		checkCounts(rt, c, child, all)
	}
	if n.Steps != steps || n.Messages != messages {
		rt.Fatalf("node %d: %d, %d; its children make %d, %d", n.Event, n.Steps, n.Messages, steps, messages)
	}
	if n.Kind == LinkInput {
		return
	}
	own, err := c.CameOf(context.Background(), n.Event, TreeLimits{Depth: 1, Breadth: 1}, nil)
	if err != nil || own.Steps != n.Steps || own.Messages != n.Messages {
		rt.Fatalf("event %d alone: %v %d, %d; in the tree %d, %d", n.Event, err, own.Steps, own.Messages, n.Steps, n.Messages)
	}
}

func BenchmarkWhy(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("events=", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "t.json")
			writeBigTrace(b, path, n)
			c := causesOf(b, openStore(b, path, nil))
			b.ReportAllocs()
			for b.Loop() {
				if ch, err := c.Why(context.Background(), EventRef(n-1), 0); err != nil || !ch.Exact {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCameOf(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("events=", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "t.json")
			writeBigTrace(b, path, n)
			c := causesOf(b, openStore(b, path, nil))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.CameOf(context.Background(), InputEvent, TreeLimits{}, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// The place of a link in words: nothing is said to lie in step 0.
func TestLinkWhere(t *testing.T) {
	for want, l := range map[string]Link{
		"input": {Kind: LinkInput}, "step 3": {Kind: LinkSend, Step: 3}, "end": {Kind: LinkFinish}, "before step 1": {Kind: LinkOther},
	} {
		if got := l.Where(); got != want {
			t.Errorf("%s: %q", want, got)
		}
	}
}
