package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"flowdbg/trace/canon"
)

// Statuses of a run.
const (
	statusOK     = "ok"
	statusFailed = "failed" // the program said no
	statusKilled = "killed" // it ran into its budget
)

// keptStderr bounds what is kept of a program's standard error, in bytes.
const keptStderr = 4 << 20

// limits are a budget as the programs feel it; 0 is none.
type limits struct {
	wall   time.Duration
	memory int64 // MB
}

func limitsOf(args canon.Value) limits {
	var l limits
	if ms, ok := args.Get("budget").Get("wall_ms").Int(); ok {
		l.wall = time.Duration(ms) * time.Millisecond
	}
	if mb, ok := args.Get("budget").Get("peak_memory_mb").Int(); ok {
		l.memory = mb
	}
	return l
}

// job is one call's folder and what its programs did there. A program starts in an empty folder with its inputs; no file
// that it writes is read before it exited with 0.
type job struct {
	dir      string
	deadline time.Time // zero = none
	limits   limits
	made     made
	cost     cost
	warnings []string

	status string
	reason string // why it did not end well
	stderr string // of the last program
}

// newJob makes the folder and writes the inputs into it.
func (b *bench) newJob(args canon.Value, inputs map[string][]byte) (*job, error) {
	j := &job{limits: limitsOf(args), status: statusOK,
		made: made{Programs: map[string]string{}, Inputs: map[string]string{}, Outputs: map[string]string{}}}
	if j.limits.wall > 0 {
		j.deadline = time.Now().Add(j.limits.wall)
	}
	var err error
	if j.dir, err = os.MkdirTemp(b.scratch, "job-"); err != nil {
		return nil, fmt.Errorf("making a folder: %w", err)
	}
	for name, data := range inputs {
		if err := os.WriteFile(filepath.Join(j.dir, name), data, 0o600); err != nil {
			j.close()
			return nil, fmt.Errorf("writing %s: %w", name, err)
		}
		j.made.Inputs[name] = hashOf(data)
	}
	return j, nil
}

func (j *job) close() { _ = os.RemoveAll(j.dir) }

// run runs one program. A program that says no, or that is killed, sets the status; the error is for what is neither.
func (j *job) run(ctx context.Context, version string, argv ...string) error {
	j.made.Commands = append(j.made.Commands, argv)
	j.made.Programs[argv[0]] = version
	if !j.deadline.IsZero() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, j.deadline)
		defer cancel()
	}
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", j.caps() + `exec "$@"`, "sh"}, argv...)...)
	cmd.Dir = j.dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + j.dir, "TMPDIR=" + j.dir, "LC_ALL=C"}
	stderr := &tail{}
	cmd.Stderr = stderr
	ownGroup(cmd)
	cmd.WaitDelay = 2 * time.Second
	err := cmd.Run()
	j.stderr = stderr.text()
	if cmd.ProcessState != nil {
		j.cost.CPUMS += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Milliseconds()
		j.cost.PeakMemoryMB = max(j.cost.PeakMemoryMB, peakMemoryMB(cmd.ProcessState))
	}
	j.warnings = append(j.warnings, warningsIn(j.stderr)...)
	return j.judge(ctx, argv[0], err)
}

// judge says what became of a program.
func (j *job) judge(ctx context.Context, program string, err error) error {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		j.status, j.reason = statusKilled, fmt.Sprintf("%s was killed: budget wall_ms %d is used up", program, j.limits.wall.Milliseconds())
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &exit) && exit.ExitCode() < 0: // by a signal: the shell has become the program, so it is the program's own
		j.status, j.reason = statusKilled, fmt.Sprintf("%s was killed: %s", program, exit)
	case errors.As(err, &exit):
		j.status, j.reason = statusFailed, fmt.Sprintf("%s: exit %d: %s", program, exit.ExitCode(), first(errorsIn(j.stderr)...))
	default:
		return fmt.Errorf("%s: %w", program, err)
	}
	return nil
}

// caps are the limits that the kernel keeps: CPU seconds, so that a program cannot use more than its wall time even where
// the deadline is not noticed, and address space.
func (j *job) caps() string {
	var s strings.Builder
	if j.limits.wall > 0 {
		s.WriteString("ulimit -t " + strconv.FormatInt(int64(j.limits.wall/time.Second)+1, 10) + " && ")
	}
	if j.limits.memory > 0 {
		s.WriteString("ulimit -v " + strconv.FormatInt(j.limits.memory*1024, 10) + " && ")
	}
	return s.String()
}

// output reads a file that a program wrote, and notes its hash.
func (j *job) output(name string) ([]byte, error) {
	if j.status != statusOK {
		return nil, fmt.Errorf("%s is not read: %s", name, j.reason)
	}
	data, err := os.ReadFile(filepath.Join(j.dir, name))
	if err != nil {
		return nil, fmt.Errorf("the program ended well and wrote no %s: %w", name, err)
	}
	j.made.Outputs[name] = hashOf(data)
	return data, nil
}

// fill puts what the job knows into an answer.
func (j *job) fill(a *answer) {
	a.Cost, a.Made, a.failed = j.cost, j.made, j.status != statusOK
	seen := map[string]bool{}
	for _, w := range j.warnings {
		seen[w] = true
	}
	a.Warnings = slices.Sorted(maps.Keys(seen))
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func warningsIn(stderr string) []string { return linesWith(stderr, "Warning: ") }
func errorsIn(stderr string) []string   { return linesWith(stderr, "ERROR: ") }

func linesWith(text, prefix string) []string {
	var list []string
	for line := range strings.Lines(text) {
		if rest, ok := strings.CutPrefix(strings.TrimSpace(line), prefix); ok {
			list = append(list, strings.ToValidUTF8(rest, "?"))
		}
	}
	return list
}

// tail keeps the end of what is written to it.
type tail struct{ buf bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	t.buf.Write(p)
	if extra := t.buf.Len() - keptStderr; extra > keptStderr {
		t.buf.Next(extra)
	}
	return len(p), nil
}

func (t *tail) text() string { return t.buf.String() }
