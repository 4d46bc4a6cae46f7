package script

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"
)

// shown bounds how much of a variable's value is kept.
const shown = 200

// show is a value as text, built only as far as it is shown: a script may hold a list of a million elements.
func show(v starlark.Value) string {
	var b strings.Builder
	write(&b, v, 0)
	if s := []rune(b.String()); len(s) > shown {
		return string(s[:shown]) + "…"
	}
	return b.String()
}

func write(b *strings.Builder, v starlark.Value, depth int) {
	if b.Len() > shown*4 || depth > 8 {
		b.WriteString("…")
		return
	}
	switch v := v.(type) {
	case starlark.String:
		s := string(v)
		if len(s) > shown*4 {
			s = s[:shown*4]
		}
		b.WriteString(starlark.String(strings.ToValidUTF8(s, "\uFFFD")).String())
	case *starlark.List:
		writeSeq(b, "[", "]", v, depth)
	case starlark.Tuple:
		writeSeq(b, "(", ")", v, depth)
	case *starlark.Dict:
		b.WriteString("{")
		n := 0
		for k, m := range v.Entries() {
			if n++; n > 1 {
				b.WriteString(", ")
			}
			write(b, k, depth+1)
			b.WriteString(": ")
			write(b, m, depth+1)
			if b.Len() > shown*4 {
				break
			}
		}
		b.WriteString("}")
	case *starlarkstruct.Struct:
		b.WriteString("struct(")
		for i, name := range v.AttrNames() {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(name + " = ")
			if m, err := v.Attr(name); err == nil {
				write(b, m, depth+1)
			}
		}
		b.WriteString(")")
	case starlark.Int:
		if n, ok := v.Int64(); ok {
			fmt.Fprint(b, n)
		} else {
			fmt.Fprintf(b, "int of %d bits", v.BigInt().BitLen())
		}
	default:
		b.WriteString(cut(v.String()))
	}
}

func writeSeq(b *strings.Builder, open, closing string, v starlark.Indexable, depth int) {
	b.WriteString(open)
	for i := range v.Len() {
		if i > 0 {
			b.WriteString(", ")
		}
		write(b, v.Index(i), depth+1)
		if b.Len() > shown*4 {
			break
		}
	}
	b.WriteString(closing)
}
