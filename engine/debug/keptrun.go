package debug

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"time"

	"flowdbg/trace"
)

// KeptRun is a run in a file of the folder that a session keeps its runs in.
type KeptRun struct {
	Path  string
	Bytes int64
	When  time.Time // it was written
}

// KeptName is the name of the file that a run is kept in. Its events decide, so that keeping it twice makes one file.
func KeptName(events []trace.Event) string {
	sum := sha256.New()
	for i := range events {
		sum.Write(events[i].AppendJSON(nil))
	}
	return fmt.Sprintf("run-%x.json", sum.Sum(nil)[:6])
}

// AddKept adds a run that was kept before, to be shown and compared; it is played back. It stands beside the first run, since
// nothing says what it descends from. The run that is shown stays the same. It fails for a trace without events.
func (s *Session) AddKept(path string, events []trace.Event) (id int, err error) {
	if len(events) == 0 {
		return 0, errors.New("the kept run has no events")
	}
	r := &run{
		info: RunInfo{ID: len(s.runs), Parent: -1, Cause: "kept", Event: -1, Kept: path}, mode: Playback, machine: s.machine,
		record: trace.MemLog(events), deciding: newDeciding(),
	}
	setup := trace.PlaybackSetup(events)
	if s.machine != nil && s.machine.Flow() != nil {
		setup = s.machine.Setup()
	}
	r.fold = trace.NewState(setup)
	for i := range events {
		r.info.Edited = r.info.Edited || events[i].Type == trace.XIntervene
	}
	s.runs = append(s.runs, r)
	return r.info.ID, nil
}
