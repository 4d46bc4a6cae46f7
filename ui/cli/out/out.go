// Package out is what every subcommand prints and ends with: JSON, text, and the exit codes of the program.
// It may hold writers, error types and what is said of misspelt names; it must not know any command, flow or trace.
package out

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// Exit codes of the program, the same for every subcommand.
const (
	CodeOK       = 0 // fine
	CodeNo       = 1 // the answer is "no": diverged, invalid, breaking, gate failed
	CodeUsage    = 2 // usage or unreadable input
	CodeInternal = 3 // internal error
)

// ExitError carries the exit code that main ends with. A nil Err means that everything was said already.
type ExitError struct {
	Code int
	Err  error
}

// Error is the wrapped text, or a generic one when there is none.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap gives errors.Is and errors.As the cause.
func (e *ExitError) Unwrap() error { return e.Err }

// No says that the answer is "no" (exit 1). The format may be empty when the command has printed the answer itself.
func No(format string, args ...any) error {
	if format == "" {
		return &ExitError{Code: CodeNo}
	}
	return &ExitError{Code: CodeNo, Err: fmt.Errorf(format, args...)}
}

// Bad says that the input cannot be read or the usage is wrong (exit 2).
func Bad(format string, args ...any) error {
	return &ExitError{Code: CodeUsage, Err: fmt.Errorf(format, args...)}
}

// Internal says that the program broke one of its own promises (exit 3).
func Internal(format string, args ...any) error {
	return &ExitError{Code: CodeInternal, Err: fmt.Errorf(format, args...)}
}

// Code is the exit code for an error that a command returned; an error without one is a usage error,
// because that is what the command-line parser returns.
func Code(err error) int {
	if err == nil {
		return CodeOK
	}
	var e *ExitError
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeUsage
}

// JSON writes v as indented JSON with a trailing newline. Less-than signs stay readable.
func JSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
