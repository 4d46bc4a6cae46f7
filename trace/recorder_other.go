//go:build !linux

package trace

import "os"

func dataSync(f *os.File) error { return f.Sync() }
