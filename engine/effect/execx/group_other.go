//go:build !unix

package execx

import (
	"os"
	"os/exec"
)

// ownGroup does nothing where there are no process groups: only the program itself is ended.
func ownGroup(*exec.Cmd) {}

func endGroup(*exec.Cmd) {}

func signalOf(*os.ProcessState) int { return 0 }
