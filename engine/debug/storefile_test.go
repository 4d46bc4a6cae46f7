package debug

import (
	"os"
	"path/filepath"
	"testing"

	"flowdbg/trace"
)

// genStore is a generated trace in a file, indexed, and the path of the file.
func genStore(tb testing.TB, events, agents, payload int) (store *trace.Store, path string) {
	tb.Helper()
	path = filepath.Join(tb.TempDir(), "trace.json")
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	if err := trace.GenTrace(f, events, agents, payload); err != nil {
		tb.Fatal(err)
	}
	if err := f.Close(); err != nil {
		tb.Fatal(err)
	}
	return openStore(tb, path), path
}

// oddStore is oddLines in a file, indexed.
func oddStore(tb testing.TB) *trace.Store {
	tb.Helper()
	path := filepath.Join(tb.TempDir(), "trace.jsonl")
	if err := os.WriteFile(path, []byte(oddLines), 0o644); err != nil {
		tb.Fatal(err)
	}
	return openStore(tb, path)
}

func openStore(tb testing.TB, path string) *trace.Store {
	tb.Helper()
	store, err := trace.OpenStore(path, trace.StoreOptions{})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { store.Close() })
	index(tb, store)
	return store
}
