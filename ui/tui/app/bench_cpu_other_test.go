//go:build !linux

package app

import "time"

// threadTime is not known here; the clock takes its place.
func threadTime() time.Duration { return time.Duration(time.Now().UnixNano()) }

func lockThread() func() { return func() {} }
