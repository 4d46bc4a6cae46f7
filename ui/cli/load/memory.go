package load

import (
	"os"
	"runtime/debug"

	"flowdbg/trace"
)

// The index of a large trace is arrays of numbers: to collect costs little, because nothing in them is followed, and to wait
// until the heap has doubled costs as much memory again. Below largeStore bytes of text it is not worth a thought.
const (
	largeStore   = 128 << 20
	largePercent = 25 // of growth before the next collection; Go's own is 100
)

// Frugal makes the program collect its garbage earlier when a trace that was opened is a large file. A user's GOGC goes
// before.
func Frugal(o *trace.Opened) {
	if o == nil || o.Store == nil || os.Getenv("GOGC") != "" {
		return
	}
	if _, size := o.Store.Progress(); size >= largeStore {
		debug.SetGCPercent(largePercent)
	}
}
