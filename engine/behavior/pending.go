package behavior

import (
	"fmt"

	"flowdbg/trace/canon"
)

// The seed's three kinds share one state: {"last": …, "pending": […]}. Pending work is a FIFO because an answer carries
// no correlation: it lands behind whatever waits in the inbox, and answers come back in the order of the requests.
type work struct {
	last    canon.Value
	pending canon.Value
}

func readWork(state canon.Value) work {
	w := work{last: state.Get("last"), pending: state.Get("pending")}
	if w.last.IsAbsent() {
		w.last = canon.Null
	}
	if w.pending.Kind() != canon.KindArray {
		w.pending = canon.EmptyArray
	}
	return w
}

func (w work) value() canon.Value {
	return canon.Object(canon.Member{Key: "last", Value: w.last}, canon.Member{Key: "pending", Value: w.pending})
}

// push adds an item behind the others.
func (w *work) push(item canon.Value) {
	text := w.pending.Text()
	if text == "[]" {
		w.pending = canon.Raw("[" + item.Text() + "]")
		return
	}
	w.pending = canon.Raw(text[:len(text)-1] + "," + item.Text() + "]")
}

// pop takes the item that has waited longest; an answer that nothing waits for is an error.
func (w *work) pop() (canon.Value, error) {
	head := w.pending.At(0)
	if head.IsAbsent() {
		return head, fmt.Errorf("an answer came although nothing is pending")
	}
	text := w.pending.Text()
	rest := text[1+head.Len():]
	if rest == "]" {
		w.pending = canon.EmptyArray
	} else {
		w.pending = canon.Raw("[" + rest[1:])
	}
	return head, nil
}

// text reads a string member of a payload.
func text(payload canon.Value, key string) (string, error) {
	s, ok := payload.Get(key).Str()
	if !ok {
		return "", fmt.Errorf("the payload has no string %q: %s", key, preview(payload))
	}
	return s, nil
}
