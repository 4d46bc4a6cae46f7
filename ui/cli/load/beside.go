package load

import (
	"path/filepath"
	"strings"
)

// What lies in the folder beside a flow, or beside a trace without one.
const (
	breaksName = "breaks.json"
	watchName  = "watches.json"
	MarksName  = "marks.json"
	lockName   = "platform.lock.json"
	snapsName  = "snaps"
)

// DbgDir is the folder for everything of ours beside a flow: flow.dbg beside flow.json. It need not exist. Nothing in it
// makes a session read the flow again but the platform's lock: files are watched for by their names.
func DbgDir(flowPath string) string {
	name := filepath.Base(flowPath)
	return filepath.Join(filepath.Dir(flowPath), strings.TrimSuffix(name, filepath.Ext(name))+".dbg")
}

// RunsDir is the folder that the runs of a session are kept in.
func RunsDir(flowPath string) string { return filepath.Join(DbgDir(flowPath), "runs") }
