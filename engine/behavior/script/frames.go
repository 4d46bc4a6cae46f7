package script

import (
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// This file is the only one that uses the experimental debugging interface of the interpreter.

// frameInfo is where the statement about to run stands, and the function's variables.
type frameInfo struct {
	pos    syntax.Position
	fn     string
	locals []Local
}

// Local is a variable of a function as it was when a statement began: its value as text, cut.
type Local struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// callerFrame reads the frame that called the hook; its locals only when asked, because that costs more than all else.
func callerFrame(thread *starlark.Thread, withLocals bool) frameInfo {
	fr := thread.DebugFrame(1)
	info := frameInfo{pos: fr.Position(), fn: fr.Callable().Name()}
	if !withLocals {
		return info
	}
	for i := range fr.NumLocals() {
		b, v := fr.Local(i)
		if v == nil {
			continue // not assigned yet
		}
		info.locals = append(info.locals, Local{Name: b.Name, Value: show(v)})
	}
	return info
}

// callerVars are the values that the frame which called the hook can see: the script's globals, over them its own
// variables. Cells of captured variables are not looked into.
func callerVars(thread *starlark.Thread) starlark.StringDict {
	fr := thread.DebugFrame(1)
	vars := starlark.StringDict{}
	if fn, ok := fr.Callable().(*starlark.Function); ok {
		for name, v := range fn.Globals() {
			vars[name] = v
		}
	}
	for i := range fr.NumLocals() {
		if b, v := fr.Local(i); v != nil {
			vars[b.Name] = v
		}
	}
	return vars
}
