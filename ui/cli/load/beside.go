package load

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"flowdbg/trace"
)

// What lies in the folder beside a flow.
const (
	breaksName = "breaks.json"
	lockName   = "platform.lock.json"
	snapsName  = "snaps"
)

// DbgDir is the folder for everything of ours beside a flow: flow.dbg beside flow.json. It need not exist. Nothing in it
// makes a session read the flow again, because only the flow's own name is watched for.
func DbgDir(flowPath string) string {
	name := filepath.Base(flowPath)
	return filepath.Join(filepath.Dir(flowPath), strings.TrimSuffix(name, filepath.Ext(name))+".dbg")
}

// BreaksPath is where a flow's breakpoints are kept.
func BreaksPath(flowPath string) string { return filepath.Join(DbgDir(flowPath), breaksName) }

// RunsDir is the folder that the runs of a session are kept in.
func RunsDir(flowPath string) string { return filepath.Join(DbgDir(flowPath), "runs") }

// ReadBreaks reads the breakpoints that are kept beside a flow; nil without an error when there are none.
func ReadBreaks(path string) ([]byte, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return data, err
}

// WriteBreaks keeps breakpoints beside a flow, and makes the folder when it is not there. It writes nothing when the file
// says the same already, and no file for an empty list where there was none.
func WriteBreaks(path string, data []byte) error {
	old, err := ReadBreaks(path)
	if err != nil {
		return err
	}
	if string(old) == string(data) || old == nil && (strings.TrimSpace(string(data)) == "[]" || strings.TrimSpace(string(data)) == "null") {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return trace.ReplaceFile(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}
