// Package script is the behaviour kind "script": agents written in Starlark. It holds the conversion between canonical
// values and Starlark, loading with its bounds, and the recording of a call statement by statement for the debugger.
// Scripts are code that the flow's author trusts: steps and wall time are bounded, memory is not.
//
// The upstream debugging interface is experimental; only frames.go uses it.
package script
