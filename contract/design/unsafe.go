package design

import "unsafe"

// bytesAsString is b as a string without copying. b must not change while the string is in use; the arena never writes to
// bytes that it has handed out.
func bytesAsString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// stringAsBytes is s as bytes without copying, for callees that only read.
func stringAsBytes(s string) []byte { return unsafe.Slice(unsafe.StringData(s), len(s)) }
