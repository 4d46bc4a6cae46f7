package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace/canon"
)

func findAll(tb testing.TB, log Log, q FindQuery) []int {
	tb.Helper()
	list := []int{}
	if err := Find(context.Background(), log, q, nil, func(h Hit) bool { list = append(list, h.Event); return true }); err != nil {
		tb.Fatal(err)
	}
	return list
}

func TestFind(t *testing.T) {
	events := diamond().run(100)
	events[14].State = canon.String("say \"hi\"\nÄRGER")
	events = append(events[:15:15], append([]Event{{Type: "x-note", Step: 5, Agent: "d", Extra: canon.Object(canon.Member{Key: "agent", Value: canon.String("d")}, canon.Member{Key: "text", Value: canon.String("b1 0")})}}, events[15:]...)...)
	cases := map[string]struct {
		q    FindQuery
		want []int
	}{
		"text":              {FindQuery{Text: "b1 0"}, []int{8, 9, 13, 15}},
		"backward":          {FindQuery{Text: "b1 0", Backward: true, Start: -1}, []int{15, 13, 9, 8}},
		"from":              {FindQuery{Text: "b1 0", Start: 9}, []int{9, 13, 15}},
		"back from":         {FindQuery{Text: "b1 0", Start: 9, Backward: true}, []int{9, 8}},
		"behind the end":    {FindQuery{Text: "b1 0", Start: 999, Backward: true}, []int{15, 13, 9, 8}},
		"nothing behind":    {FindQuery{Text: "b1 0", Start: 999}, []int{}},
		"case":              {FindQuery{Text: "B1 0"}, []int{}},
		"ignore case":       {FindQuery{Text: "B1 0", IgnoreCase: true}, []int{8, 9, 13, 15}},
		"other letters":     {FindQuery{Text: "ärger", IgnoreCase: true}, []int{14}},
		"escaped":           {FindQuery{Text: "say \"hi\"\n"}, []int{14}},
		"type":              {FindQuery{Text: "b1 0", Types: []Type{SendEvent, Receive}}, []int{9, 13}},
		"own type":          {FindQuery{Text: "b1 0", Types: []Type{"x-note"}}, []int{15}},
		"agent":             {FindQuery{Text: "b1 0", Agents: []string{"d"}}, []int{9, 13, 15}},
		"steps":             {FindQuery{Text: "b1 0", FromStep: 4, ToStep: 5}, []int{13, 15}},
		"tag":               {FindQuery{Text: "b1 0", Tags: []string{"note"}}, []int{8, 9, 13}},
		"tag of effects":    {FindQuery{Text: "answer b0", Tags: []string{"effect"}}, []int{6, 7}},
		"filters alone":     {FindQuery{Types: []Type{EffectEvent}}, []int{6, 16, 19}},
		"a name":            {FindQuery{Text: `"state_hash"`}, []int{26}},
		"the last two":      {FindQuery{Start: -2}, []int{25, 26}},
		"far before":        {FindQuery{Start: -99, ToStep: 1, Types: []Type{Receive}}, []int{}},
		"nowhere":           {FindQuery{Text: "zebra"}, []int{}},
		"no separator text": {FindQuery{Text: "},\n{"}, []int{}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			for _, log := range []Log{MemLog(events), storeOf(t, events, nil)} {
				if got := findAll(t, log, c.q); !slices.Equal(got, c.want) {
					t.Errorf("%T %v, want %v", log, got, c.want)
				}
			}
		})
	}
	if _, err := NewFinder(MemLog(events), FindQuery{Text: "\xff"}); !errors.Is(err, ErrFindText) {
		t.Error(err)
	}
}

// A search finds exactly the events whose text holds the needle, forward and backward, whatever the slices and blocks
// are.
func TestFindIsContains(t *testing.T) {
	var b bytes.Buffer
	if err := GenTrace(&b, 4000, 5, 250); err != nil { // several blocks of text
		t.Fatal(err)
	}
	events := readTrace(t, b.Bytes())
	store := storeOfText(t, b.Bytes(), nil)
	texts := make([]string, len(events))
	for i := range events {
		texts[i] = string(events[i].AppendJSON(nil))
	}
	rapid.Check(t, func(rt *rapid.T) {
		i := rapid.IntRange(0, len(texts)-1).Draw(rt, "event")
		from := rapid.IntRange(0, len(texts[i])-1).Draw(rt, "from")
		needle := texts[i][from:min(len(texts[i]), from+rapid.IntRange(1, 40).Draw(rt, "len"))]
		var want []int
		for k, text := range texts {
			if strings.Contains(text, needle) {
				want = append(want, k)
			}
		}
		q := FindQuery{Text: needle, Backward: rapid.Bool().Draw(rt, "backward")}
		if q.Backward {
			q.Start = -1
			slices.Reverse(want)
		}
		f, err := NewFinder(store, q)
		if err != nil {
			rt.Fatal(err)
		}
		budget := rapid.SampledFrom([]int{1, 1000, 1 << 20}).Draw(rt, "budget")
		var got []int
		for {
			hit, found, done, err := f.Slice(budget)
			if err != nil {
				rt.Fatal(err)
			}
			if found {
				got = append(got, hit.Event)
				if !strings.HasPrefix(texts[hit.Event][hit.Offset:], needle) {
					rt.Fatalf("%q is not at %d of %s", needle, hit.Offset, texts[hit.Event])
				}
			}
			if done {
				break
			}
		}
		if !slices.Equal(got, want) {
			rt.Fatalf("%q: %v, want %v", needle, got, want)
		}
	})
}

// A slice looks at no more than its budget and one event.
func TestFindSliceIsBounded(t *testing.T) {
	log := MemLog(diamond().run(100))
	f, err := NewFinder(log, FindQuery{Text: "zebra"})
	if err != nil {
		t.Fatal(err)
	}
	for slices := 0; ; slices++ {
		before := f.Next()
		_, found, done, err := f.Slice(1)
		if found || err != nil {
			t.Fatal(found, err)
		}
		if done {
			if slices != len(log) {
				t.Errorf("%d slices for %d events", slices, len(log))
			}
			return
		}
		if f.Next() != before+1 {
			t.Fatalf("from %d to %d", before, f.Next())
		}
	}
}

func TestFindStops(t *testing.T) {
	log := MemLog(diamond().run(100))
	ctx, cancel := context.WithCancel(context.Background())
	n := 0
	err := Find(ctx, log, FindQuery{}, nil, func(Hit) bool { n++; cancel(); return true })
	if !errors.Is(err, context.Canceled) || n != 1 {
		t.Error(n, err)
	}
	n = 0
	if err := Find(context.Background(), log, FindQuery{}, nil, func(Hit) bool { n++; return n < 3 }); err != nil || n != 3 {
		t.Error(n, err)
	}
}

// A file that shrinks under a search gives an error, not a crash.
func TestFindInAFileThatShrinks(t *testing.T) {
	s := storeOf(t, diamond().run(100), nil)
	if err := os.Truncate(s.Path(), 300); err != nil {
		t.Fatal(err)
	}
	err := Find(context.Background(), s, FindQuery{Text: "zebra"}, nil, func(Hit) bool { return true })
	if !errors.Is(err, ErrChanged) {
		t.Fatal(err)
	}
}

func BenchmarkFind(b *testing.B) {
	for name, q := range map[string]FindQuery{"text": {Text: "zebra"}, "fold": {Text: "zebra", IgnoreCase: true}, "backward": {Text: "zebra", Backward: true, Start: -1},
		"type": {Text: "zebra", Types: []Type{Act}}} {
		for _, n := range []int{10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/events=%d", name, n), func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "t.json")
				b.SetBytes(writeBigTrace(b, path, n))
				s := openStore(b, path, nil)
				b.ReportAllocs()
				for b.Loop() {
					if err := Find(context.Background(), s, q, nil, func(Hit) bool { return true }); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
