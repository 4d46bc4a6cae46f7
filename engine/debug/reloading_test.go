package debug

import (
	"bytes"
	"testing"
)

// A reload in slices of any length says the same as one at once; interrupted, it keeps what the new run has so far.
func TestReloadInSlices(t *testing.T) {
	for name, edit := range map[string]string{"same": "mock-strong", "differs": "mock-other"} {
		t.Run(name, func(t *testing.T) {
			edited := bytes.Replace(seedFlow(t), []byte("mock-strong"), []byte(edit), 1)
			whole := open(t, seedFlow(t), nil)
			toEnd(t, whole)
			want := whole.Reload(ctx, machine(t, edited), nil, edited)
			for _, n := range []int{1, 2, 7} {
				s := open(t, seedFlow(t), nil)
				toEnd(t, s)
				r := s.BeginReload(machine(t, edited), nil, edited)
				slices := 1
				for ; !r.run.slice(ctx, n); slices++ {
					if at, of := r.Progress(); at == 0 || of != 22 {
						t.Fatalf("progress %d of %d", at, of)
					}
				}
				got, done := r.Slice(ctx)
				if !done || s.Pos() != whole.Pos() || got.Stop.Message != want.Stop.Message || (got.Difference == nil) != (want.Difference == nil) || n == 1 && slices < 4 {
					t.Fatalf("slices of %d: %+v at %d after %d slices, want %+v at %d", n, got, s.Pos(), slices, want, whole.Pos())
				}
				if s.Hash() != whole.Hash() {
					t.Fatal("another hash")
				}
			}
		})
	}
	s := open(t, seedFlow(t), nil)
	toEnd(t, s)
	r := s.BeginReload(machine(t, seedFlow(t)), nil, nil)
	r.run.slice(ctx, 4)
	at := s.Len()
	if res := r.Interrupt(); res.Difference != nil || s.Len() != at || s.Pos() != at || at == 22 {
		t.Fatalf("interrupted at %d of %d: %+v", s.Pos(), s.Len(), res)
	}
	toEnd(t, s)
	if res, done := s.BeginReload(nil, nil, nil).Slice(ctx); !done || !res.Kept {
		t.Fatalf("a flow with errors: %+v", res)
	}
}
