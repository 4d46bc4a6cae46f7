//go:build linux || darwin

package trace

import (
	"errors"
	"os"
	"syscall"
)

// tryLock takes the lock of a folder, without waiting. Where it can never be had, true is the answer as well.
func tryLock(f *os.File) bool {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	return !errors.Is(err, syscall.EWOULDBLOCK) && !errors.Is(err, syscall.EINTR)
}
