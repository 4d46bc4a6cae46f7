package script

import "go.starlark.net/starlark"

// This file is the only one that uses the experimental debugging interface of the interpreter.

// Local is a variable of a function as it was when a statement began: its value as text, cut.
type Local struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// frameLocals are the variables of the frame that runs.
func frameLocals(thread *starlark.Thread) []Local {
	var list []Local
	fr := thread.DebugFrame(0)
	for i := range fr.NumLocals() {
		b, v := fr.Local(i)
		if v == nil {
			continue // not assigned yet
		}
		list = append(list, Local{Name: b.Name, Value: show(v)})
	}
	return list
}

// frameVars adds the values that the frame which runs can see beside the globals. Cells of captured variables are not looked
// into.
func frameVars(thread *starlark.Thread, vars starlark.StringDict) {
	fr := thread.DebugFrame(0)
	for i := range fr.NumLocals() {
		if b, v := fr.Local(i); v != nil {
			vars[b.Name] = v
		}
	}
}
