//go:build !unix

package debug

func cpuSeconds() float64 { return 0 }
