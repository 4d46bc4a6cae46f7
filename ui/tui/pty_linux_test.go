package tui

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/sys/unix"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/debug"
	"flowdbg/engine/flow"
	"flowdbg/ui/cli"
	"flowdbg/ui/cli/out"
	"flowdbg/ui/tui/app"
	"flowdbg/ui/tui/theme"
)

// childEnv makes the test program the program under test; its value says which.
const childEnv = "FLOWDBG_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "program":
		ctx, _ := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) // as main does
		os.Exit(cli.Execute(ctx, cli.Config{
			Version: "test", Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, StdinTTY: true, StdoutTTY: true, StderrTTY: true, Interactive: Open,
		}, os.Args[1:]))
	case "panic":
		os.Exit(panicking())
	}
	os.Exit(m.Run())
}

// panicking runs the screen with a reloader that panics in its command.
func panicking() int {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		return out.CodeUsage
	}
	m, _ := engine.Parse(os.Args[1], data, behavior.Builtin(), false)
	s, err := debug.New(debug.Options{Machine: m})
	if err != nil {
		return out.CodeUsage
	}
	th, _ := theme.New(theme.Options{Profile: theme.ANSI256})
	reads := 0
	err = ended(app.Run(context.Background(), app.Config{Session: s, Theme: th, Reload: func(context.Context) (*engine.Machine, []flow.Diagnostic, []byte, error) {
		if reads++; reads > 1 { // the first is at the start
			panic("boom")
		}
		return m, nil, data, nil
	}}))
	fmt.Fprintln(os.Stderr, err)
	return out.Code(err)
}

// patience is how long a test waits for something that must come; it is no measure of how fast it comes.
const patience = 30 * time.Second

// terminal is a pseudo-terminal that answers nothing, with a program on it.
type terminal struct {
	t      *testing.T
	master *os.File
	slave  *os.File // kept open, so that the terminal's modes can be read when the program is gone
	cmd    *exec.Cmd
	before unix.Termios
	exited chan error

	mu   sync.Mutex
	seen bytes.Buffer
	news chan struct{}
}

func openPty(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal here: %v", err)
	}
	return master, slave
}

// launch starts the program on a new terminal of w by h cells.
func launch(t *testing.T, child string, w, h uint16, args ...string) *terminal {
	t.Helper()
	master, slave := openPty(t)
	x := &terminal{t: t, master: master, slave: slave, exited: make(chan error, 1), news: make(chan struct{}, 1)}
	x.resize(w, h)
	x.before = x.modes()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	x.cmd = exec.Command(self, args...)
	x.cmd.Env = append(os.Environ(), childEnv+"="+child, "TERM=xterm-256color", "TMUX=", "COLORTERM=", "NO_COLOR=")
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = slave, slave, slave
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { x.exited <- x.cmd.Wait() }()
	go x.read()
	t.Cleanup(func() {
		_ = x.cmd.Process.Kill()
		_ = slave.Close()
		_ = master.Close()
	})
	return x
}

func (x *terminal) read() {
	buf := make([]byte, 32<<10)
	for {
		n, err := x.master.Read(buf)
		x.mu.Lock()
		x.seen.Write(buf[:n])
		x.mu.Unlock()
		select {
		case x.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// output is everything that was written; text is that without escape sequences.
func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.seen.String()
}

func (x *terminal) text() string { return ansi.Strip(x.output()) }

// expect waits until the program has written a text since the mark, and returns where it ends.
func (x *terminal) expect(from int, text string) int {
	x.t.Helper()
	deadline := time.After(patience)
	for {
		if i := strings.Index(x.text()[from:], text); i >= 0 {
			return from + i + len(text)
		}
		select {
		case <-x.news:
		case err := <-x.exited:
			x.exited <- err
			if !strings.Contains(x.text()[from:], text) {
				x.t.Fatalf("the program ended (%v) without writing %q:\n%q", err, text, x.text()[from:])
			}
		case <-deadline:
			x.t.Fatalf("the program did not write %q:\n%q", text, x.text()[from:])
		}
	}
}

func (x *terminal) keys(s string) {
	x.t.Helper()
	if _, err := io.WriteString(x.master, s); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) resize(w, h uint16) {
	x.t.Helper()
	if err := unix.IoctlSetWinsize(int(x.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Col: w, Row: h}); err != nil {
		x.t.Fatal(err)
	}
}

func (x *terminal) modes() unix.Termios {
	x.t.Helper()
	m, err := unix.IoctlGetTermios(int(x.slave.Fd()), unix.TCGETS)
	if err != nil {
		x.t.Fatal(err)
	}
	return *m
}

// ends waits for the program's end and checks the exit code and that the terminal is as it was before.
func (x *terminal) ends(code int) {
	x.t.Helper()
	var err error
	select {
	case err = <-x.exited:
	case <-time.After(patience):
		x.t.Fatal("the program does not end")
	}
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		x.t.Fatal(err)
	}
	if got != code {
		x.t.Errorf("exit code %d, want %d:\n%q", got, code, x.output())
	}
	if m := x.modes(); m != x.before {
		x.t.Errorf("the terminal was left in other modes: %+v, before %+v", m, x.before)
	}
	for _, seq := range []string{"\x1b[?1049l", "\x1b[?25h"} {
		// The normal screen, and the cursor. What was written last may not have been read yet.
		for end := time.Now().Add(patience); !strings.Contains(x.output(), seq); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				x.t.Fatalf("the program did not write %q", seq)
			}
		}
	}
}

func example(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../examples/research-pipeline.json")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// TestTerminal: on a terminal that answers no question the first frame comes, keys work, and leaving puts everything
// back.
func TestTerminal(t *testing.T) {
	x := launch(t, "program", 120, 30, example(t))
	at := x.expect(0, "research-pipeline")
	at = x.expect(at, "? help")
	if m := x.modes(); m == x.before {
		t.Error("the terminal is not in raw mode while the program runs")
	}
	x.keys("ss")
	at = x.expect(at, "step done")
	x.resize(60, 20)
	x.expect(at, "[Events]")
	x.keys("q")
	x.ends(0)
}

// TestSignal: a signal leaves no raw terminal.
func TestSignal(t *testing.T) {
	// More than once: who hears of the signal first made a difference once, and the program waited for itself.
	for i, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM, syscall.SIGTERM} {
		t.Run(fmt.Sprint(sig, " ", i), func(t *testing.T) {
			x := launch(t, "program", 80, 24, example(t))
			x.expect(0, "? help")
			if err := x.cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			x.ends(0)
		})
	}
}

// TestPanicRestoresTerminal: a panic in a command ends with exit code 3, told after the terminal is back.
func TestPanicRestoresTerminal(t *testing.T) {
	x := launch(t, "panic", 80, 24, example(t))
	x.expect(0, "? help")
	x.keys("L")
	x.ends(out.CodeInternal)
	x.expect(0, "the screen panicked: boom")
	if o := x.output(); !strings.Contains(o[strings.LastIndex(o, "\x1b[?1049l"):], "the screen panicked: boom") {
		t.Errorf("the panic is not told after the screen is back: %q", o)
	}
}

// TestKillKeeps: breakpoints and marks are in their files as soon as they are set, also when the program is killed.
func TestKillKeeps(t *testing.T) {
	dir := t.TempDir()
	data, err := os.ReadFile(example(t))
	if err != nil {
		t.Fatal(err)
	}
	flow := filepath.Join(dir, "flow.json")
	if err := os.WriteFile(flow, data, 0o600); err != nil {
		t.Fatal(err)
	}
	x := launch(t, "program", 120, 30, flow)
	at := x.expect(0, "? help")
	x.keys("s")
	at = x.expect(at, "step done")
	x.keys("B")
	at = x.expect(at, "breakpoint #1 agent researcher")
	x.keys("mhere\r")
	x.expect(at, "mark here is set")
	for file, want := range map[string]string{"breaks.json": `"researcher"`, "marks.json": `"here"`} {
		path := filepath.Join(dir, "flow.dbg", file)
		for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
			if data, err := os.ReadFile(path); err == nil && strings.Contains(string(data), want) {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%s is not written while the program runs", path)
			}
		}
	}
	if err := x.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-x.exited
	again := launch(t, "program", 120, 30, flow)
	again.expect(0, "? help")
	again.keys("b")
	at = again.expect(0, "#1 agent researcher")
	again.keys("\x1b")
	at = again.expect(at, "? help") // an Esc that a key follows at once is Alt
	again.keys("'")
	at = again.expect(at, "not reached yet")
	again.keys("\x1b")
	again.expect(at, "? help")
	again.keys("q")
	again.ends(0)
}
