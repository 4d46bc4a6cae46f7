package where

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"flowdbg/trace"
	"flowdbg/ui/cli/out"
)

// The same events hold in memory and in a file, forward and backward.
func TestFilter(t *testing.T) {
	var b bytes.Buffer
	if err := trace.GenTrace(&b, 600, 4, 40); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "t.json")
	if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, expr := range []string{`type == "effect" and used > 1000`, `inbox("agent-001") == 1`, `state.step == 30`, `payload != None and step > 90`} {
		var lists [][]int
		for _, memory := range []int64{0, -1} {
			o, err := trace.Open(path, trace.OpenOptions{MemoryBytes: memory})
			if err != nil {
				t.Fatal(err)
			}
			if err := o.Index(nil); err != nil {
				t.Fatal(err)
			}
			f, err := New(expr, o)
			if err != nil {
				t.Fatal(err)
			}
			n := o.Log().Len()
			var forward, backward []int
			for i := range n {
				if ok, err := f.Match(i); err != nil {
					t.Fatal(err)
				} else if ok {
					forward = append(forward, i)
				}
			}
			for i := n - 1; i >= 0; i-- {
				if ok, _ := f.Match(i); ok {
					backward = append(backward, i)
				}
			}
			slices.Reverse(backward)
			lists = append(lists, forward, backward)
			if err := o.Close(); err != nil {
				t.Error(err)
			}
		}
		for _, l := range lists[1:] {
			if !slices.Equal(l, lists[0]) || len(l) == 0 || len(l) == 600 {
				t.Errorf("%s: %d and %d events", expr, len(lists[0]), len(l))
			}
		}
	}
}

func TestNoFilter(t *testing.T) {
	f, err := New("", nil)
	if err != nil || f != nil {
		t.Fatal(f, err)
	}
	if ok, err := f.Match(7); !ok || err != nil {
		t.Error("no expression holds for every event")
	}
	if _, err := New("x ==", &trace.Opened{Trace: &trace.Trace{}}); out.Code(err) != out.CodeUsage {
		t.Error(err)
	}
}
