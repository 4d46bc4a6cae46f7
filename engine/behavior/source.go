package behavior

// SourceFile is a file that a behaviour was made of.
type SourceFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

// Sourced is a Behavior made of files beside the flow. They are noted in the finish event's side, so that a replay can
// say that one changed.
type Sourced interface {
	Sources() []SourceFile
}

// Interrupted is a call that was stopped from outside, by a wall-clock watchdog. It is never recorded: another machine
// would not be stopped at the same place. The step did not happen.
type Interrupted struct{ Why string }

// Error is the reason.
func (e *Interrupted) Error() string { return "interrupted: " + e.Why }
