package trace

import (
	"os"
	"path/filepath"
	"strings"
	"time"
)

// The lock is waited for this long; what holds it longer has been stopped.
const (
	lockWait  = time.Second
	lockRetry = 5 * time.Millisecond
)

// LockFolder holds off other programs of this kind, and other goroutines, from reading a file in the folder, changing what
// it says and replacing it; unlock lets them in again. Where no lock is to be had, it does without: the file is replaced as
// a whole, so only the other's last change could be lost, never the file.
func LockFolder(dir string) (unlock func()) {
	f, err := os.Open(dir)
	if err != nil {
		return func() {}
	}
	for end := time.Now().Add(lockWait); !tryLock(f) && time.Now().Before(end); {
		time.Sleep(lockRetry)
	}
	return func() { f.Close() } // which gives the lock back
}

// leftoverAge is from when on a new file that was not renamed into place has nobody any more who writes it. It is for
// files that take milliseconds.
const leftoverAge = time.Minute

// RemoveLeftovers removes the new files that a killed ReplaceFile left beside a small file. Those of a minute ago or less
// stay: somebody may be writing them. What cannot be removed stays too; it is in nobody's way.
func RemoveLeftovers(path string) {
	dir, prefix := filepath.Dir(path), "."+filepath.Base(path)+"."
	list, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range list {
		tail, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok || tail == "" || strings.Trim(tail, "0123456789") != "" {
			continue
		}
		if st, err := e.Info(); err == nil && st.Mode().IsRegular() && time.Since(st.ModTime()) > leftoverAge {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
