package effect

import "flowdbg/trace/canon"

// Class says what asking twice would do (design 05). It limits reuse across runs and automatic retries; within one run
// tree a recorded answer is always used again, whatever its class.
type Class string

// The classes.
const (
	Pure       Class = "pure"       // the world stays as it is: ask as often as you like
	Idempotent Class = "idempotent" // asking twice does what asking once does, but may be billed twice
	Unsafe     Class = "unsafe"     // asking twice may do something twice: never retried once a request was sent
)

// classes are the ops' own classes; any other op is unsafe unless its settings declare a class.
var classes = map[string]Class{"llm": Idempotent, "search": Pure, "judge": Pure}

// ClassOf is the class of an op: what effects.<op>.class declares, else the op's own, else unsafe.
func ClassOf(op string, settings canon.Value) Class {
	if s, ok := settings.Get("class").Str(); ok {
		switch c := Class(s); c {
		case Pure, Idempotent, Unsafe:
			return c
		}
	}
	if c, ok := classes[op]; ok {
		return c
	}
	return Unsafe
}
