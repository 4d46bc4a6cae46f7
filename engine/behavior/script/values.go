package script

import (
	"strings"

	"flowdbg/trace"
	"flowdbg/trace/canon"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// valuesBytes is about how much of one statement's variables is kept by Values.
const valuesBytes = 4 << 20

// Values are the variables of the function at the i-th statement as one object, for looking into them: what is JSON as it is,
// tuples as lists, structs as objects, anything else as the text that Locals has. Beyond about 4 MiB texts stand for the rest.
// The call is run once more for it. It is absent where there is no statement.
func (r *Recording) Values(i int) (canon.Value, error) {
	if i < 0 || i >= len(r.Statements) {
		return canon.Value{}, nil
	}
	again := &Recording{agent: r.agent, call: r.call, valuesAt: i + 1}
	err := again.run(false)
	return again.values, err
}

// frameValues are the variables of the frame that runs, whole.
func frameValues(thread *starlark.Thread) canon.Value {
	var members []canon.Member
	left := valuesBytes
	fr := thread.DebugFrame(0)
	for i := range fr.NumLocals() {
		if b, v := fr.Local(i); v != nil {
			members = append(members, canon.Member{Key: b.Name, Value: whole(v, &left, 0)})
		}
	}
	return canon.Object(members...)
}

// whole is a value for looking into it. left is how many bytes may still be made.
func whole(v starlark.Value, left *int, depth int) canon.Value {
	if *left -= 8; *left <= 0 || depth >= trace.MaxNesting-2 {
		return canon.String(show(v))
	}
	switch v := v.(type) {
	case starlark.String:
		s := string(v)
		if len(s) > *left {
			s = s[:*left] + "…"
		}
		*left -= len(s)
		return canon.String(strings.ToValidUTF8(s, "\uFFFD"))
	case *starlark.List, starlark.Tuple:
		list := v.(starlark.Indexable)
		var elems []canon.Value
		for i := range list.Len() {
			if *left <= 0 {
				elems = append(elems, canon.String("…"))
				break
			}
			elems = append(elems, whole(list.Index(i), left, depth+1))
		}
		return canon.Array(elems...)
	case *starlark.Dict:
		var members []canon.Member
		for key, m := range v.Entries() {
			name, ok := key.(starlark.String)
			if !ok {
				return canon.String(show(v)) // keys that are no texts
			}
			if *left -= len(name); *left <= 0 {
				members = append(members, canon.Member{Key: "…", Value: canon.Null})
				break
			}
			members = append(members, canon.Member{Key: strings.ToValidUTF8(string(name), "\uFFFD"), Value: whole(m, left, depth+1)})
		}
		return canon.Object(members...)
	case *starlarkstruct.Struct:
		var members []canon.Member
		for _, name := range v.AttrNames() {
			if m, err := v.Attr(name); err == nil {
				members = append(members, canon.Member{Key: name, Value: whole(m, left, depth+1)})
			}
		}
		return canon.Object(members...)
	}
	if c, err := fromStarlark(v, ""); err == nil {
		*left -= c.Len()
		return c
	}
	return canon.String(show(v))
}
