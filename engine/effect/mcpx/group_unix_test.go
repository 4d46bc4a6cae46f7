//go:build unix

package mcpx

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"flowdbg/trace/canon"
)

// A server that ignores every signal it can, and its child, are gone after Close.
func TestNoOrphans(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	c := client(t, program(t, "stubborn", ``))
	c.server.Env["PIDS"] = canon.String(pids)
	if _, err := c.List(context.Background()); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(pids)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for _, text := range strings.Fields(string(data)) {
		var pid int
		if _, err := fmt.Sscan(text, &pid); err != nil {
			t.Fatal(err)
		}
		if alive(pid) {
			t.Errorf("process %d lives on", pid)
		}
	}
}

// alive is true for a process that is no zombie; one that was killed may still be on its way out.
func alive(pid int) bool {
	for range 100 {
		if syscall.Kill(pid, 0) != nil {
			return false
		}
		if stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil && strings.Contains(string(stat), ") Z ") {
			return false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return true
}
