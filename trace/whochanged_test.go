package trace

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"flowdbg/trace/canon"
)

func TestWhoChanged(t *testing.T) {
	events := diamond().run(100)
	edit := Event{Type: XIntervene, Step: 8, Agent: "d", Extra: canon.Object(canon.Member{Key: "do", Value: canon.String(DoState)},
		canon.Member{Key: "agent", Value: canon.String("d")}, canon.Member{Key: "state", Value: canon.Object(canon.Member{Key: "n", Value: num(4)})})}
	events = append(events[:25:25], edit, events[25])
	cases := []struct {
		agent, ptr string
		at         int
		want       string
	}{
		{"d", "/n", -1, "23 act 3 → 4"}, // the edit keeps it
		{"d", "/n", 23, "20 act 2 → 3"},
		{"d", "/n", 15, "14 act  → 1"},
		{"d", "/last", -1, `25 x-intervention "effect" → `},
		{"d", "/last", 25, `20 act "note" → "effect"`},
		{"d", "", 15, `14 act null → {"last":"note","n":1}`},
		{"d", "", 14, "nobody"},
		{"d", "/other", -1, "nobody"},
		{"nobody", "/n", -1, "nobody"},
	}
	for _, log := range []Log{MemLog(events), storeOf(t, events, nil)} {
		for _, c := range cases {
			got := "nobody"
			ch, err := WhoChanged(context.Background(), log, c.agent, c.ptr, c.at, nil)
			if err != nil {
				t.Fatal(err)
			}
			if ch != nil {
				got = fmt.Sprintf("%d %s %s → %s", ch.Event, ch.Type, ch.Before, ch.After)
			}
			if got != c.want {
				t.Errorf("%T %s %s at %d: %s, want %s", log, c.agent, c.ptr, c.at, got, c.want)
			}
		}
		list, err := Changes(context.Background(), log, "d", "/n", -1, 10, nil)
		if err != nil || len(list) != 4 || list[3].Event != 14 {
			t.Errorf("%T: %v %+v", log, err, list)
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := WhoChanged(ctx, log, "d", "/n", -1, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("%T: %v", log, err)
		}
	}
	for _, bad := range []string{"n", "/a~2", "/~"} {
		if _, err := WhoChanged(context.Background(), MemLog(events), "d", bad, -1, nil); !errors.Is(err, canon.ErrPointer) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// The worst case: nothing changed the value, so every state of the agent is looked at.
func BenchmarkWhoChanged(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint("events=", n), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "t.json")
			writeBigTrace(b, path, n)
			s := openStore(b, path, nil)
			b.ReportAllocs()
			for b.Loop() {
				if c, err := WhoChanged(context.Background(), s, "agent-003", "/none", -1, nil); err != nil || c != nil {
					b.Fatal(err, c)
				}
			}
		})
	}
}
