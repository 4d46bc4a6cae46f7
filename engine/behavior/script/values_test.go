package script

import (
	"strings"
	"testing"
)

// TestValues: variables are kept whole, with their structure; what is no JSON is told as text, and size is bounded.
func TestValues(t *testing.T) {
	b := load(t, `
def act(msg, state, config):
    long = "x" * 5000
    pair = (1, [2, {"a": None}])
    f = len
    odd = {1: 2}
    huge = ["y" * 1000] * 100000
    return result(state = 1)
`)
	rec, err := Record(b, call("x", `{"deep":{"er":[1,2]}}`))
	if err != nil || rec.Err != nil {
		t.Fatal(err, rec)
	}
	v, err := rec.Values(len(rec.Statements) - 1)
	if err != nil {
		t.Fatal(err)
	}
	if s, _ := v.Get("long").Str(); s != strings.Repeat("x", 5000) {
		t.Errorf("a long text has %d bytes", len(s))
	}
	if got := v.Get("pair").Text(); got != `[1,[2,{"a":null}]]` {
		t.Errorf("a tuple is %s", got)
	}
	if s, _ := v.Get("f").Str(); !strings.Contains(s, "len") {
		t.Errorf("a function is %q", s)
	}
	if s, _ := v.Get("odd").Str(); s != "{1: 2}" {
		t.Errorf("a dict with keys that are no texts is %q", s)
	}
	if n := v.Len(); n < 1<<20 || n > 2*valuesBytes {
		t.Errorf("all of them are %d bytes", n)
	}
	if got := v.Get("msg").Get("payload").Text(); !strings.Contains(got, `{"deep":{"er":[1,2]}}`) {
		t.Errorf("the message's payload is %s", got)
	}
	if again, err := rec.Values(len(rec.Statements) - 1); err != nil || again != v {
		t.Error("asked twice, the values differ", err)
	}
	if none, err := rec.Values(len(rec.Statements)); err != nil || !none.IsAbsent() {
		t.Error("there are variables behind the last statement", err)
	}
}
