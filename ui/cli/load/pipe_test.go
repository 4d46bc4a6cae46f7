//go:build unix

package load

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestPipes: a named pipe gives its text once and to whoever opens it first, so it is opened once, whatever it holds and
// however large it is.
func TestPipes(t *testing.T) {
	line := []byte(`{"type":"receive","step":1,"agent":"a","message":{"tag":"t","payload":"` + string(bytes.Repeat([]byte("x"), 400)) + `"}}` + "\n")
	for name, x := range map[string]struct {
		text   []byte
		kind   Kind
		events int
	}{
		"a flow":        {[]byte(`{"version":1,"id":"x","agents":[{"id":"a","kind":"echo"}],"edges":[]}`), Flow, 0},
		"a trace":       {bytes.Repeat(line, 3), Trace, 3},
		"a large trace": {bytes.Repeat(line, 10_000), Trace, 10_000},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "pipe")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Skip("no named pipes here:", err)
			}
			wrote := make(chan error, 1)
			go func() { wrote <- os.WriteFile(path, x.text, 0) }()
			targets, err := Open([]string{path}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if x.kind == Flow {
				if targets.Flow == nil || targets.Flow.Path != "" || !bytes.Equal(targets.Flow.Data, x.text) {
					t.Fatalf("%+v", targets.Flow)
				}
			} else {
				tr, err := targets.Trace.OpenGrowing(nil, nil)
				if err != nil {
					t.Fatal(err)
				}
				defer tr.Close()
				if err := tr.Index(nil); err != nil || tr.Log().Len() != x.events {
					t.Fatalf("%d events, %v", tr.Log().Len(), err)
				}
			}
			if err := <-wrote; err != nil {
				t.Error(err)
			}
		})
	}
}
