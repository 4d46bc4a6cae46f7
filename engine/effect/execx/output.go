package execx

import (
	"errors"
	"os"
)

var errFull = errors.New("the output is too large")

// capped keeps standard output up to a limit; beyond it the program is ended.
type capped struct {
	data  []byte
	most  int64
	full  bool
	over  func()
	frame func()
}

// Write takes a piece of output.
func (c *capped) Write(p []byte) (int, error) {
	c.frame()
	if int64(len(c.data)+len(p)) > c.most {
		if !c.full {
			c.full = true
			c.over()
		}
		return 0, errFull
	}
	c.data = append(c.data, p...)
	return len(p), nil
}

// tail keeps the end of standard error and counts what came before it.
type tail struct {
	data    []byte
	most    int
	dropped int64
	frame   func()
}

// Write takes a piece of output. It keeps up to twice the limit, so that it does not move bytes for every line.
func (t *tail) Write(p []byte) (int, error) {
	t.frame()
	t.data = append(t.data, p...)
	if len(t.data) > 2*t.most {
		t.trim()
	}
	return len(p), nil
}

func (t *tail) trim() {
	if n := len(t.data) - t.most; n > 0 {
		t.dropped += int64(n)
		t.data = append(t.data[:0], t.data[n:]...)
	}
}

// exitCode is the code, or minus the signal that ended the program.
func exitCode(s *os.ProcessState) int64 {
	if n := signalOf(s); n != 0 {
		return -int64(n)
	}
	return int64(s.ExitCode())
}
