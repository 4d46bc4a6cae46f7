package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"go.starlark.net/starlark"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// countdown is a context that ends when it was looked at so many times.
type countdown struct {
	context.Context
	left, looks int
}

func (c *countdown) Err() error {
	if c.looks++; c.looks > c.left {
		return context.Canceled
	}
	return nil
}

func bigPayload(tb testing.TB, bytes int) trace.Event {
	var b strings.Builder
	b.WriteString(`{"list":[`)
	for i := 0; b.Len() < bytes; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"n":%d,"text":"one of many"}`, i)
	}
	b.WriteString(`],"zz":{"a":{"b":1}}}`)
	return trace.Event{Type: trace.Receive, Step: 1, Agent: "a", Message: trace.NewMessage("b", "t", val(tb, b.String()))}
}

// An evaluation ends in the step in which its context does, however large the event and long the loop.
func TestEvaluationStopsWithItsContext(t *testing.T) {
	e := bigPayload(t, 4<<20)
	for _, src := range []string{
		`[payload.list[i].n for i in range(50000)] == []`, `[x.text for x in payload.list] == []`, `[text for i in range(50000)] == []`,
		`[payload.zz.a.b for i in range(50000)] == []`, `len([payload.get("no" + str(i)) for i in range(50000)]) == 1`,
	} {
		q, err := Compile(src)
		if err != nil {
			t.Fatal(err)
		}
		for _, left := range []int{0, 1, 100, 1000} {
			ctx := &countdown{Context: context.Background(), left: left}
			if _, _, err := q.Judge(ctx, Subject{Event: &e}); !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v", src, err)
			}
			if q.Steps() > freeSteps+left+1 {
				t.Errorf("%s: %d steps with a context that ended at look %d", src, q.Steps(), left)
			}
		}
		if _, err := q.Match(Subject{Event: &e}); err != nil && !strings.Contains(err.Error(), "too many steps") {
			t.Errorf("%s behind an evaluation that was stopped: %v", src, err)
		}
	}
}

// Going through a large value member by member reads its text a few times, not once for every member.
func TestLargeValuesAreReadOnce(t *testing.T) {
	e := bigPayload(t, 1<<20)
	list := wrap(e.Message.Payload.Get("list"), "list", nil).(*lazy)
	for i := range list.Len() {
		v, _, err := list.Get(starlark.MakeInt(i))
		if n, _ := v.(*lazy).member("n"); err != nil || n != starlark.MakeInt(i) {
			t.Fatalf("element %d is %v, %v", i, v, err)
		}
	}
	one, _, _ := list.Get(starlark.MakeInt(3))
	if again, _, _ := list.Get(starlark.MakeInt(3)); len(list.elems) != list.Len() || again != one {
		t.Fatalf("%d of %d elements are indexed", len(list.elems), list.Len())
	}
	object := wrap(canon.Object(canon.Member{Key: "a", Value: canon.True}, canon.Member{Key: "b", Value: canon.Null}), "object", nil).(*lazy)
	for i := range 1000 {
		if v, ok := object.member(fmt.Sprint("no", i)); ok {
			t.Fatalf("a member that is not there: %v", v)
		}
		if v, ok := object.member("b"); !ok || v != starlark.None {
			t.Fatalf("a null member: %v %v", v, ok)
		}
	}
	if len(object.members) != 2 {
		t.Fatalf("%d members are indexed", len(object.members))
	}
}

// What a function does within one step cannot be stopped, so nothing in one step is long.
func TestNoStepIsLong(t *testing.T) {
	for src, want := range map[string]string{
		`max(range(100000000000)) > 1`: "too many steps", `len([0] * 1000000000) > 1`: "column 9", `[y for x in range(1000) for y in range(1000)] == []`: "too many steps", `sorted(range(10000000)) == []`: "too many steps",
	} {
		q, err := Compile(src)
		if err == nil {
			_, err = q.Match(Subject{Event: &trace.Event{Type: trace.Receive, Step: 1, Agent: "a", Message: trace.NewInput("t", canon.Null)}})
		}
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %q", src, err, want)
		}
	}
}
