package mcpx

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long a server gets to end: after its standard input is closed, and after it is told to terminate (ours).
const (
	graceInput = 500 * time.Millisecond
	graceTerm  = time.Second
)

// stderrKept is how much of a server's standard error is kept for an error's details: its end, in bytes.
const stderrKept = 4 << 10

// stdio is an SDK transport over a process's standard streams: one JSON-RPC message per line. Unlike the SDK's own it ends
// the whole process group, keeps the end of standard error, bounds a line, and says why a connection broke.
type stdio struct {
	server  *Server
	environ []string
	tap     *tap

	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  *bufio.Reader
	stderr *tail
	gone   chan struct{} // closed when the process has been waited for

	writing  sync.Mutex
	ending   sync.Once
	mu       sync.Mutex
	cause    *Error // the first reason why the connection broke
	exitText string
}

// Connect starts the process.
func (s *stdio) Connect(context.Context) (mcp.Connection, error) {
	command := s.server.Command
	if strings.ContainsAny(command, `/\`) {
		command = within(s.server.Dir, command)
	}
	s.cmd = exec.Command(filepath.FromSlash(command), s.server.Args...)
	s.cmd.Dir, s.cmd.Env = s.server.Dir, s.environ
	s.stderr = &tail{max: stderrKept}
	s.cmd.Stderr = s.stderr
	s.cmd.WaitDelay = graceTerm // a grandchild that keeps our pipe open does not keep Wait
	ownGroup(s.cmd)
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, s.startError(err)
	}
	if s.stdin, err = s.cmd.StdinPipe(); err != nil {
		return nil, s.startError(err)
	}
	if err := s.cmd.Start(); err != nil {
		return nil, s.startError(err)
	}
	s.lines = bufio.NewReaderSize(stdout, 64<<10)
	s.gone = make(chan struct{})
	return s, nil
}

func (s *stdio) startError(err error) error {
	var notFound *exec.Error
	if errors.As(err, &notFound) {
		err = notFound.Err
	}
	return &Error{Class: ClassConnect, Server: s.server.Name, Text: fmt.Sprintf("%s: %v", s.server.Command, err), Cause: err}
}

// Read gives the server's next message. A line that is none ends the connection: after it nothing can be trusted.
func (s *stdio) Read(context.Context) (jsonrpc.Message, error) {
	for {
		line, err := s.line()
		if err != nil {
			return nil, err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		msg, err := jsonrpc.DecodeMessage(line)
		if err != nil {
			return nil, s.broken(&Error{Class: ClassGarbage, Text: "its standard output holds a line that is no JSON-RPC message: " + preview(line)})
		}
		s.tap.received(msg)
		return msg, nil
	}
}

// line reads one line of bounded length.
func (s *stdio) line() ([]byte, error) {
	var long []byte
	for {
		part, err := s.lines.ReadSlice('\n')
		if len(long)+len(part) > s.server.MaxAnswer {
			return nil, s.broken(&Error{Class: ClassTooLarge, Text: fmt.Sprintf("one message is above %d bytes (max_answer_bytes)", s.server.MaxAnswer)})
		}
		switch {
		case err == nil && long == nil:
			return part, nil
		case err == nil:
			return append(long, part...), nil
		case errors.Is(err, bufio.ErrBufferFull):
			long = append(long, part...)
		default:
			if rest := bytes.TrimSpace(append(long, part...)); len(rest) > 0 {
				return nil, s.broken(&Error{Class: ClassExited, Text: "its last line is cut: " + preview(rest)})
			}
			return nil, s.broken(&Error{Class: ClassExited, Text: "its standard output has ended"})
		}
	}
}

// broken notes the first reason and ends the process, which may be writing on and on.
func (s *stdio) broken(e *Error) error {
	s.mu.Lock()
	first := s.cause == nil
	if first {
		e.Server = s.server.Name
		s.cause = e
	}
	s.mu.Unlock()
	if first {
		s.end(e.Class == ClassExited)
	}
	return io.EOF
}

// Write sends one message.
func (s *stdio) Write(_ context.Context, msg jsonrpc.Message) error {
	data, err := jsonrpc.EncodeMessage(msg)
	if err != nil {
		return fmt.Errorf("encoding a message: %w", err)
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	s.tap.sent(msg)
	if _, err := s.stdin.Write(append(data, '\n')); err != nil {
		_ = s.broken(&Error{Class: ClassExited, Text: "its standard input is closed"})
		return err
	}
	return nil
}

// Close ends the process and everything it started, and waits for it.
func (s *stdio) Close() error {
	s.end(true)
	return nil
}

// SessionID is empty: a process has one session.
func (s *stdio) SessionID() string { return "" }

// end closes standard input, then asks, then kills the process group. Without grace it kills at once.
func (s *stdio) end(grace bool) {
	s.ending.Do(func() {
		if grace {
			_ = s.stdin.Close()
		} else {
			killGroup(s.cmd)
			_ = s.stdin.Close()
		}
		go func() {
			err := s.cmd.Wait()
			s.mu.Lock()
			s.exitText = exitText(s.cmd, err)
			s.mu.Unlock()
			close(s.gone)
		}()
		if !s.waitGone(graceInput) {
			terminateGroup(s.cmd)
			s.waitGone(graceTerm)
		}
		killGroup(s.cmd) // also what the process left behind
	})
	<-s.gone
}

func (s *stdio) waitGone(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-s.gone:
		return true
	case <-t.C:
		return false
	}
}

// kill ends the process at once; for a server that overran a clock.
func (s *stdio) kill() { s.end(false) }

// why is what broke the connection, nil while nothing did.
func (s *stdio) why() *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cause == nil {
		return nil
	}
	e := *s.cause
	e.Exit = s.exitText
	return &e
}

// said is the end of the server's standard error.
func (s *stdio) said() string {
	if s.stderr == nil {
		return ""
	}
	return s.stderr.String()
}

func exitText(cmd *exec.Cmd, err error) string {
	if cmd.ProcessState != nil {
		return cmd.ProcessState.String()
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// preview is the begin of a line, for a message.
func preview(line []byte) string {
	const most = 120
	text := strings.ToValidUTF8(string(line[:min(len(line), most)]), string(utf8.RuneError))
	if len(line) > most {
		text += "…"
	}
	return text
}

// tail keeps the last bytes written to it and never makes the writer wait.
type tail struct {
	max int

	mu   sync.Mutex
	kept []byte
	lost bool
}

// Write takes everything.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	if n > t.max {
		p, t.kept, t.lost = p[n-t.max:], t.kept[:0], true
	}
	if over := len(t.kept) + len(p) - t.max; over > 0 {
		t.kept, t.lost = append(t.kept[:0], t.kept[over:]...), true
	}
	t.kept = append(t.kept, p...)
	return n, nil
}

// String is the end of what was written, from a line's begin where something was lost.
func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.kept)
	if t.lost {
		if i := strings.IndexByte(text, '\n'); i >= 0 && i+1 < len(text) {
			text = text[i+1:]
		}
		text = "…" + text
	}
	return strings.TrimRight(strings.ToValidUTF8(text, string(utf8.RuneError)), "\r\n")
}
