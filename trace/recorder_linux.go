package trace

import (
	"os"
	"syscall"
)

// dataSync writes the file's data, and of its description what is needed to read them, to the disk.
func dataSync(f *os.File) error {
	for {
		if err := syscall.Fdatasync(int(f.Fd())); err != syscall.EINTR {
			return err
		}
	}
}
