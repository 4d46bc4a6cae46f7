//go:build unix

package mcpx

import (
	"os/exec"
	"syscall"
)

// ownGroup puts the process into a group of its own, so that everything it starts can be ended with it.
func ownGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func terminateGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGTERM) }

func killGroup(cmd *exec.Cmd) { signalGroup(cmd, syscall.SIGKILL) }

// signalGroup signals the group that the process leads. The group's id cannot have been taken by another one while a member
// of it lives, and with none left the signal reaches nobody.
func signalGroup(cmd *exec.Cmd, sig syscall.Signal) {
	if cmd.Process != nil && cmd.Process.Pid > 1 {
		_ = syscall.Kill(-cmd.Process.Pid, sig)
	}
}
