//go:build unix

package examples

import (
	"syscall"
	"time"
)

// ownCPU is the processor time that this process used, without its children.
func ownCPU() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
