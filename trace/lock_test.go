package trace

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// Only what a killed write of this very file left is removed, and only when it is old.
func TestRemoveLeftovers(t *testing.T) {
	dir := t.TempDir()
	old := time.Now().Add(-2 * leftoverAge)
	for _, name := range []string{".marks.json.1", ".marks.json.23", ".marks.json.x1", ".marks.json.", ".watches.json.4", "marks.json", ".marks.json.9"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("[]"), 0o600); err != nil {
			t.Fatal(err)
		}
		if name == ".marks.json.9" {
			continue // somebody writes it now
		}
		if err := os.Chtimes(filepath.Join(dir, name), old, old); err != nil {
			t.Fatal(err)
		}
	}
	RemoveLeftovers(filepath.Join(dir, "marks.json"))
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range list {
		names = append(names, e.Name())
	}
	if want := []string{".marks.json.", ".marks.json.9", ".marks.json.x1", ".watches.json.4", "marks.json"}; !slices.Equal(names, want) {
		t.Errorf("%q are left, want %q", names, want)
	}
	RemoveLeftovers(filepath.Join(dir, "none", "marks.json"))
}
