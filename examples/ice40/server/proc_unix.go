//go:build unix

package main

import (
	"os"
	"os/exec"
	"runtime"
	"syscall"
)

// ownGroup lets the end of a program's context end everything that the program started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}

func peakMemoryMB(s *os.ProcessState) int64 {
	usage, ok := s.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" { // bytes there, KB elsewhere
		return int64(usage.Maxrss) >> 20
	}
	return int64(usage.Maxrss) >> 10
}
