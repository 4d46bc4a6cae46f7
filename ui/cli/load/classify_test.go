package load

import (
	"os"
	"path/filepath"
	"testing"
)

// TestZeroTail: what a crash leaves behind, a trace with zeros at its end, is a torn trace whatever its size.
func TestZeroTail(t *testing.T) {
	event := `{"type":"receive","step":1,"agent":"a","message":{"tag":"t","payload":1}}`
	for _, text := range []string{"[\n" + event + ",\n", event + "\n"} {
		path := filepath.Join(t.TempDir(), "t.json")
		if err := os.WriteFile(path, append([]byte(text), make([]byte, 4096)...), 0o600); err != nil {
			t.Fatal(err)
		}
		targets, err := Open([]string{path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		tr, err := targets.Trace.ReadTrace()
		if err != nil || len(tr.Events) != 1 || tr.Tear == nil {
			t.Fatalf("%+v, %v", tr, err)
		}
	}
}
