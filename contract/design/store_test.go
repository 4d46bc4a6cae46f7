package design

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/contract"
)

func TestStore(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "run", "snaps")
	st := NewStore(dir)
	s := parse(t, dialects)
	ref, err := st.Put(s)
	if err != nil {
		t.Fatal(err)
	}
	if string(ref) != s.Hash() {
		t.Errorf("stored as %s, hash %s", ref, s.Hash())
	}
	path, _ := st.Path(ref)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if sum := sha256.Sum256(data); filepath.Base(path) != hex.EncodeToString(sum[:]) {
		t.Error("the name is not the hash of the file")
	}
	again, err := st.Get(ref)
	if err != nil || again.Hash() != s.Hash() {
		t.Fatalf("%v", err)
	}
	// the same design from another file: one snapshot, two sources
	if _, err := st.Put(parse(t, "# comment\n"+dialects)); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Put(again); err != nil {
		t.Fatal(err)
	}
	sources, err := st.Sources(ref)
	if err != nil || len(sources) != 2 || len(sources[s.Source.FileSHA256].Dropped) == 0 {
		t.Errorf("%d sources, %v", len(sources), err)
	}
	names, _ := filepath.Glob(filepath.Join(dir, "*"))
	hidden, _ := filepath.Glob(filepath.Join(dir, ".*"))
	if len(names) != 2 || len(hidden) != 0 {
		t.Errorf("files %v %v", names, hidden)
	}
}

// TestStoreVerifies changes one byte after the other and wants each change named.
func TestStoreVerifies(t *testing.T) {
	st := NewStore(t.TempDir())
	ref, err := st.Put(parse(t, twoCellDEF("INV", "N")))
	if err != nil {
		t.Fatal(err)
	}
	path, _ := st.Path(ref)
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(data); i += 7 {
		spoilt := append([]byte(nil), data...)
		spoilt[i] ^= 1
		if err := os.WriteFile(path, spoilt, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := st.Get(ref)
		var changed *ChangedError
		if !errors.As(err, &changed) || changed.Ref != ref {
			t.Fatalf("byte %d: %v", i, err)
		}
		if ok, err := st.Has(ref); ok || err == nil {
			t.Fatalf("byte %d: has %v, %v", i, ok, err)
		}
	}
	// putting it again mends the store
	if _, err := st.Put(parse(t, twoCellDEF("INV", "N"))); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Get(ref); err != nil {
		t.Error(err)
	}
}

func TestStoreRefusals(t *testing.T) {
	st := NewStore(t.TempDir())
	for _, ref := range []contract.SnapshotRef{"main", "sha256:12", "sha256:" + contract.SnapshotRef(strings.Repeat("G", 64)), "sha256:../" + contract.SnapshotRef(strings.Repeat("a", 61))} {
		if _, err := st.Get(ref); err == nil || !strings.Contains(err.Error(), "want sha256:") {
			t.Errorf("%s: %v", ref, err)
		}
	}
	absent := contract.SnapshotRef("sha256:" + strings.Repeat("a", 64))
	if _, err := st.Get(absent); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("absent: %v", err)
	}
	if ok, err := st.Has(absent); ok || err != nil {
		t.Errorf("absent: %v %v", ok, err)
	}
}
