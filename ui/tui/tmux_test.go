package tui

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/charmbracelet/x/ansi"
)

// multiplexer is a tmux server of our own with one window.
type multiplexer struct {
	t      *testing.T
	socket string
}

// servers numbers the servers of this process, so that one that is still ending is in nobody's way.
var servers atomic.Int32

func startTmux(t *testing.T, w, h int, command string) *multiplexer {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed: the run in a real terminal is left out")
	}
	x := &multiplexer{t, fmt.Sprintf("flowdbg-test-%d-%d", os.Getpid(), servers.Add(1))}
	x.run("-f", "/dev/null", "start-server", ";", "set-option", "-g", "status", "off", ";", "new-session", "-d", "-s", "d", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h), "-e", childEnv+"=program", command)
	t.Cleanup(func() { _ = exec.Command("tmux", "-L", x.socket, "kill-server").Run() })
	return x
}

func (x *multiplexer) run(args ...string) string {
	x.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-L", x.socket}, args...)...)
	b, err := cmd.CombinedOutput()
	if err != nil {
		x.t.Fatalf("tmux %s: %v\n%s", args, err, b)
	}
	return string(b)
}

// shows waits until the screen shows all texts, and returns it.
func (x *multiplexer) shows(texts ...string) string {
	x.t.Helper()
	for end := time.Now().Add(60 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		screen := x.run("capture-pane", "-t", "d", "-p")
		missing := ""
		for _, s := range texts {
			if !strings.Contains(screen, s) {
				missing = s
			}
		}
		if missing == "" {
			return screen
		}
		if time.Now().After(end) {
			x.t.Fatalf("the screen does not show %q:\n%s", missing, screen)
		}
	}
}

func (x *multiplexer) keys(keys ...string) {
	x.t.Helper()
	x.run(append([]string{"send-keys", "-t", "d"}, keys...)...)
}

func (x *multiplexer) resize(w, h int) {
	x.t.Helper()
	x.run("resize-window", "-t", "d", "-x", fmt.Sprint(w), "-y", fmt.Sprint(h))
}

// program is the command line that runs the program under test.
func program(t *testing.T, args ...string) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	line := "'" + self + "'"
	for _, a := range args {
		line += " '" + a + "'"
	}
	return line
}

// TestTmux drives the program in a real terminal at 60×20 and through resizes: what tmux shows fills the window exactly.
func TestTmux(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	x := startTmux(t, 60, 20, fmt.Sprintf("'%s' '%s'", self, example(t)))
	x.shows("research-pipeline", "[Events]", "? help")
	x.run("send-keys", "-t", "d", "sss")
	screen := x.shows("step 3")
	for _, line := range strings.Split(strings.TrimRight(screen, "\n"), "\n") {
		if ansi.StringWidth(line) > 60 {
			t.Errorf("a line is too long: %q", line)
		}
	}
	x.run("send-keys", "-t", "d", "Tab")
	x.shows("[Inspector]", "state after step 3")
	x.run("resize-window", "-t", "d", "-x", "150", "-y", "40")
	x.shows("┌ Agents", "┌ Events", "Inbox of researcher")
	x.run("resize-window", "-t", "d", "-x", "50", "-y", "10")
	x.shows("[Inspector]")
	x.run("resize-window", "-t", "d", "-x", "15", "-y", "4")
	x.run("resize-window", "-t", "d", "-x", "80", "-y", "24")
	x.shows("Agents", "Events", "state after step 3")
	x.run("send-keys", "-t", "d", "S", "S", "S")
	x.shows("step 0/3", "before the first event")
}
