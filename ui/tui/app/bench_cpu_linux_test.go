package app

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"
)

// threadTime is how long this thread was on a processor. On a machine that others use too it says what a key costs, where
// the clock also says how long it waited for its turn.
func threadTime() time.Duration {
	const thisThread = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	if _, _, failed := syscall.RawSyscall(syscall.SYS_CLOCK_GETTIME, thisThread, uintptr(unsafe.Pointer(&t)), 0); failed != 0 {
		return 0
	}
	return time.Duration(t.Nano())
}

func lockThread() func() {
	runtime.LockOSThread()
	return runtime.UnlockOSThread
}
