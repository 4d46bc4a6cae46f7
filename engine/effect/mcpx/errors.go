package mcpx

import (
	"context"
	"errors"

	"flowdbg/engine/effect"
	"flowdbg/trace/canon"
)

// Classes of failures beside those of the clocks ("connect_timeout", "total_timeout"): the last word of "EffectError: mcp:
// <class>". A refusal of the tool is an answer and none of them.
const (
	ClassBadRequest    = "bad_request"      // the agent's request is no {server, tool, arguments}
	ClassUnknownServer = "unknown_server"   // the flow and its platform have no server of that name
	ClassSecret        = "secret"           // a secret of the server's settings is missing or too short
	ClassConnect       = "connect"          // the program cannot be started, or nobody listens at the address
	ClassExited        = "server_exited"    // the program ended, or closed its output, before the answer
	ClassTransport     = "transport"        // the HTTP exchange broke before the answer
	ClassGarbage       = "garbage"          // what came is no JSON-RPC message
	ClassTooLarge      = "answer_too_large" // one message is above the server's max_answer_bytes
	ClassRPC           = "rpc_error"        // the server answered with a JSON-RPC error
	ClassBadAnswer     = "bad_answer"       // the result is no object, or no strict JSON
)

// Error is why a call has no answer. Its texts may hold what a server said, so whoever keeps them takes secrets out first;
// the bus does so for every failure.
type Error struct {
	Class  string
	Server string
	Text   string // what happened, for people
	Stderr string // the end of what the server wrote to its standard error
	Exit   string // how the server's process ended, "" while it runs or when there is none
	Code   int64  // of a JSON-RPC error, else 0
	Sent   bool   // the request left this machine: nobody knows what it did there
	Cause  error
}

// Error names the server and what happened.
func (e *Error) Error() string {
	s := "MCP server " + e.Server + ": " + e.Text
	if e.Exit != "" {
		s += " (" + e.Exit + ")"
	}
	return s
}

// Unwrap is the cause, so that a cancelled context is seen.
func (e *Error) Unwrap() error { return e.Cause }

// details is the error as a member of an event's side.
func (e *Error) details() canon.Value {
	members := []canon.Member{{Key: "server", Value: canon.String(e.Server)}, {Key: "sent", Value: canon.Bool(e.Sent)}}
	for key, text := range map[string]string{"stderr": e.Stderr, "exit": e.Exit} {
		if text != "" {
			members = append(members, canon.Member{Key: key, Value: canon.String(text)})
		}
	}
	if e.Code != 0 {
		members = append(members, canon.Member{Key: "code", Value: canon.Int(e.Code)})
	}
	return canon.Object(members...)
}

// Failed is the error as the bus knows failed effects: *effect.Failure with side {detail, mcp:{server, sent, stderr?, exit?,
// code?}}, and *effect.Cancelled when the caller gave up. more are further members of side.
func Failed(op string, err error, more ...canon.Member) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	side := canon.Object(append(more, canon.Member{Key: "detail", Value: effect.Detail(e.Error()).Get("detail")},
		canon.Member{Key: "mcp", Value: e.details()})...)
	if errors.Is(e.Cause, context.Canceled) {
		return &effect.Cancelled{Op: op, PossiblyBilled: e.Sent, Side: side, Cause: context.Canceled}
	}
	return &effect.Failure{Op: op, Class: e.Class, Side: side}
}
