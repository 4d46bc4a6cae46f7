package trace

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Kept counts the events whose whole text is still there, wherever the file was cut.
func TestKept(t *testing.T) {
	lines := []string{
		`{"type":"receive","step":1,"agent":"a","message":{"tag":"t","payload":1}}`,
		`{"type":"act","step":1,"agent":"a","state":{"n":1},"send":[]}`,
		`{"type":"finish","reason":"idle","steps":1,"state_hash":"x"}`,
	}
	text := strings.Join(lines, "\n") + "\n"
	path := filepath.Join(t.TempDir(), "t.jsonl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := OpenStore(path, StoreOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for done := false; !done; {
		if done, err = s.Advance(); err != nil {
			t.Fatal(err)
		}
	}
	if s.Len() != len(lines) {
		t.Fatalf("%d events", s.Len())
	}
	for size := len(text); size >= 0; size-- {
		if err := os.Truncate(path, int64(size)); err != nil {
			t.Fatal(err)
		}
		want, end := 0, 0
		for _, l := range lines {
			if end += len(l); end <= size {
				want++
			}
			end++
		}
		if got, err := s.Kept(); err != nil || got != want {
			t.Fatalf("%d of %d bytes: %d events are kept, %v; want %d", size, len(text), got, err, want)
		}
	}
}
