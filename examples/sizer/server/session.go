package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
)

//go:embed session.tcl
var sessionTCL []byte

// session is OpenSTA as a co-process: one design loaded once, and one line back for each line sent.
type session struct {
	cmd     *exec.Cmd
	in      io.WriteCloser
	lines   chan string // answers; closed when the process has ended
	stderr  *lastLines
	dir     string
	broken  error // once it is set, every further question fails with it
	version string
}

// answerTimeout bounds one question. OpenSTA answers in milliseconds.
const answerTimeout = 20 * time.Second

// open starts OpenSTA and waits until the design is loaded.
func open(ctx context.Context, env map[string]string) (*session, error) {
	dir, err := os.MkdirTemp("", "sizer-")
	if err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	s := &session{dir: dir, lines: make(chan string, 1), stderr: &lastLines{}}
	script := filepath.Join(dir, "session.tcl")
	if err := os.WriteFile(script, sessionTCL, 0o600); err != nil {
		s.close()
		return nil, fmt.Errorf("writing the script: %w", err)
	}
	if out, err := exec.CommandContext(ctx, "sta", "-version").Output(); err == nil {
		s.version = strings.TrimSpace(string(out))
	}
	s.cmd = exec.Command("sta", "-no_splash", "-no_init", script)
	s.cmd.Dir = dir
	s.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "LC_ALL=C"}
	for k, v := range env {
		s.cmd.Env = append(s.cmd.Env, k+"="+v)
	}
	s.cmd.Stderr = s.stderr
	if s.in, err = s.cmd.StdinPipe(); err != nil {
		s.close()
		return nil, fmt.Errorf("sta: %w", err)
	}
	stdout, err := s.cmd.StdoutPipe()
	if err == nil {
		err = s.cmd.Start()
	}
	if err != nil {
		s.cmd = nil
		s.close()
		return nil, fmt.Errorf("sta: %w", err)
	}
	go s.read(stdout)
	if _, err := s.wait(ctx); err != nil {
		s.close()
		return nil, fmt.Errorf("loading the design: %w", err)
	}
	return s, nil
}

var answerForm = regexp.MustCompile(`^<<<(\d+) (.*)>>>$`)

// read takes the answers out of what OpenSTA prints; the rest is kept for messages.
func (s *session) read(r io.Reader) {
	defer close(s.lines)
	in := bufio.NewScanner(r)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		if answerForm.MatchString(in.Text()) {
			s.lines <- in.Text()
			continue
		}
		_, _ = s.stderr.Write(append(in.Bytes(), '\n'))
	}
}

var errTcl = errors.New("OpenSTA refuses")

// ask sends one line of Tcl. An error of Tcl leaves the session as it is; a session that ended or does not answer is broken.
func (s *session) ask(ctx context.Context, line string) (string, error) {
	if s.broken != nil {
		return "", s.broken
	}
	if strings.ContainsAny(line, "\n\r") {
		return "", fmt.Errorf("%w: a line with a line break", errTcl)
	}
	if _, err := io.WriteString(s.in, line+"\n"); err != nil {
		s.broken = fmt.Errorf("OpenSTA has ended: %w: %s", err, s.stderr.text())
		return "", s.broken
	}
	return s.wait(ctx)
}

func (s *session) wait(ctx context.Context) (string, error) {
	ctx, stop := context.WithTimeout(ctx, answerTimeout)
	defer stop()
	select {
	case line, ok := <-s.lines:
		if !ok {
			s.broken = fmt.Errorf("OpenSTA has ended: %s", s.stderr.text())
			return "", s.broken
		}
		m := answerForm.FindStringSubmatch(line)
		if m[1] != "0" {
			return "", fmt.Errorf("%w: %s", errTcl, m[2])
		}
		return m[2], nil
	case <-ctx.Done():
		// An answer that comes late would be taken for that of the next question.
		s.broken = fmt.Errorf("OpenSTA does not answer: %w", ctx.Err())
		_ = s.cmd.Process.Kill()
		return "", s.broken
	}
}

// number asks for a number of ns, rounded to 0.1 ps: OpenSTA computes in single precision.
func (s *session) number(ctx context.Context, line string) (float64, error) {
	text, err := s.ask(ctx, line)
	if err != nil {
		return 0, err
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %q is no number", line, text)
	}
	f, err = strconv.ParseFloat(strconv.FormatFloat(f, 'f', 4, 64), 64)
	return f, err
}

func (s *session) close() {
	if s.in != nil {
		_ = s.in.Close() // the loop ends with its input
	}
	if s.cmd != nil && s.cmd.Process != nil {
		late := time.AfterFunc(2*time.Second, func() { _ = s.cmd.Process.Kill() })
		for range s.lines { // let the reader come to its end before Wait closes the pipe
		}
		_ = s.cmd.Wait()
		late.Stop()
	}
	_ = os.RemoveAll(s.dir)
}

// lastLines keeps the end of a text.
type lastLines struct {
	mu  sync.Mutex // standard output and standard error come from two goroutines
	buf []byte
}

func (l *lastLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.buf = append(l.buf, p...)
	if extra := len(l.buf) - 2048; extra > 0 {
		l.buf = l.buf[extra:]
	}
	return len(p), nil
}

func (l *lastLines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(string(l.buf)), "?")
}
