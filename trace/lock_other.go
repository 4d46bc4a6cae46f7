//go:build !linux && !darwin

package trace

import "os"

// tryLock does without a lock.
func tryLock(*os.File) bool { return true }
