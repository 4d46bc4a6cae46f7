//go:build !linux && !darwin

package background

import "time"

// ask gives no answer where we cannot put a terminal into raw mode and back with the standard library; the
// environment or the default decides there.
func ask(time.Duration) []byte { return nil }
