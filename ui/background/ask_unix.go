//go:build linux || darwin

package background

import (
	"syscall"
	"time"
	"unsafe"
)

// pause is how long to wait between two looks at a terminal that has not answered yet: two milliseconds cost at most
// fifty looks and are too short to be seen.
const pause = 2 * time.Millisecond

// ask puts the question to the controlling terminal and returns what came back within limit, perhaps nothing. The
// terminal is in non-canonical mode without echo for that time, and is opened non-blocking, because a read deadline
// on /dev/tty works on Linux only.
func ask(limit time.Duration) []byte {
	fd, err := syscall.Open("/dev/tty", syscall.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer func() { _ = syscall.Close(fd) }()
	return askFile(fd, limit)
}

func askFile(fd int, limit time.Duration) []byte {
	// A job in the background would be stopped by touching the terminal.
	if pgrp, err := foreground(fd); err != nil || pgrp != syscall.Getpgrp() {
		return nil
	}
	var old syscall.Termios
	if termios(fd, getTermios, &old) != nil {
		return nil
	}
	raw := old
	raw.Lflag &^= syscall.ICANON | syscall.ECHO | syscall.ECHONL
	raw.Cc[syscall.VMIN], raw.Cc[syscall.VTIME] = 0, 0
	if termios(fd, setTermios, &raw) != nil {
		return nil
	}
	defer func() { _ = termios(fd, setTermios, &old) }()
	if n, err := syscall.Write(fd, []byte(query)); err != nil || n != len(query) {
		return nil
	}
	return collect(fd, limit)
}

// collect reads until the whole answer is in, the limit has passed or somebody talks far more than an answer is long.
func collect(fd int, limit time.Duration) []byte {
	var reply []byte
	buf := make([]byte, 256)
	for end := time.Now().Add(limit); time.Now().Before(end) && len(reply) < 4096; {
		n, err := syscall.Read(fd, buf)
		if n > 0 {
			if reply = append(reply, buf[:n]...); complete(reply) {
				break
			}
			continue
		}
		if err != nil && err != syscall.EAGAIN && err != syscall.EINTR {
			break
		}
		time.Sleep(min(pause, time.Until(end)))
	}
	return reply
}

func foreground(fd int) (int, error) {
	var pgrp int32
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.TIOCGPGRP, uintptr(unsafe.Pointer(&pgrp)))
	if errno != 0 {
		return 0, errno
	}
	return int(pgrp), nil
}

func termios(fd int, request uintptr, t *syscall.Termios) error {
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), request, uintptr(unsafe.Pointer(t)))
	if errno != 0 {
		return errno
	}
	return nil
}
