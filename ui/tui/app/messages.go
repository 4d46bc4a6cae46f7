package app

import (
	"flowdbg/engine"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
)

// sliceMsg asks for the next slice of a long move.
type sliceMsg struct{ id int }

// hashMsg asks for the state hash of a large state, once no key has come for a while.
type hashMsg struct{ id int }

// changedMsg says that something happened to the flow's file.
type changedMsg struct{}

// watchMsg says how watching began or ended.
type watchMsg struct {
	w   *watcher
	err error
}

// settledMsg says that the file has been quiet for the time of the debounce.
type settledMsg struct{ id int }

// loadWhy is what a flow was read for.
type loadWhy uint8

const (
	byFile  loadWhy = iota // its file changed
	byKey                  // the user asked
	atStart                // to know what the session was opened on
)

// loadedMsg is a flow that was read and checked.
type loadedMsg struct {
	id      int
	machine *engine.Machine
	diags   []flow.Diagnostic
	data    []byte
	err     error
	why     loadWhy
	named   *platform.Named // what else it names, nil when that is not known
	sum     string          // tells the contents of those files from others
}

// doneMsg is what a command that takes something out has to say.
type doneMsg struct {
	text string
	err  error
}

// keptMsg is the end of a write of what was chosen on the screen (settings.Store.Update). Only one is under way.
type keptMsg struct {
	aside string // the name of a file that could not be understood
	err   error
}
