//go:build unix

package debug

import "syscall"

// cpuSeconds is the processor time that the process has used: on a machine that others use too it says more than the wall.
func cpuSeconds() float64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}
