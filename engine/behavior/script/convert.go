package script

import (
	"fmt"
	"math"
	"strconv"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"flowdbg/engine/behavior"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// toStarlark makes a fresh Starlark value. A number that is an integer within ±(2^53−1) becomes an int, any other a
// float.
func toStarlark(v canon.Value) starlark.Value {
	switch v.Kind() {
	case canon.KindBool:
		b, _ := v.Bool()
		return starlark.Bool(b)
	case canon.KindNumber:
		if n, ok := v.Int(); ok {
			return starlark.MakeInt64(n)
		}
		f, _ := v.Float()
		return starlark.Float(f)
	case canon.KindString:
		s, _ := v.Str()
		return starlark.String(s)
	case canon.KindArray:
		list := make([]starlark.Value, 0, 8)
		for _, e := range v.Elems() {
			list = append(list, toStarlark(e))
		}
		return starlark.NewList(list)
	case canon.KindObject:
		d := starlark.NewDict(8)
		for k, m := range v.Members() {
			// A string key hashes and the dict is ours and not frozen: this cannot fail.
			_ = d.SetKey(starlark.String(k), toStarlark(m))
		}
		return d
	}
	return starlark.None
}

// newMessage is the argument msg: fields tag, payload, sender ("from" is a reserved word of Starlark; None for the
// input).
func newMessage(m trace.Message) starlark.Value {
	sender := starlark.Value(starlark.None)
	if m.HasFrom {
		sender = starlark.String(m.From)
	}
	return starlarkstruct.FromStringDict(starlark.String("message"), starlark.StringDict{
		"tag": starlark.String(m.Tag), "payload": toStarlark(m.Payload), "sender": sender, "from": sender,
	})
}

// fromStarlark makes a canonical value; ptr names the place for the error, which is a *behavior.BadValue.
func fromStarlark(v starlark.Value, ptr string) (canon.Value, error) { return convert(v, ptr, 0) }

func convert(v starlark.Value, ptr string, depth int) (canon.Value, error) {
	if depth > trace.MaxNesting {
		return canon.Value{}, bad(ptr, "nests deeper than %d, or contains itself", trace.MaxNesting)
	}
	switch v := v.(type) {
	case starlark.NoneType:
		return canon.Null, nil
	case starlark.Bool:
		return canon.Bool(bool(v)), nil
	case starlark.Int:
		n, ok := v.Int64()
		if !ok || n > canon.MaxSafeInteger || n < -canon.MaxSafeInteger {
			return canon.Value{}, bad(ptr, "%s is beyond ±(2^53−1); send it as a string", show(v))
		}
		return canon.Int(n), nil
	case starlark.Float:
		f := float64(v)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return canon.Value{}, bad(ptr, "%s is no JSON number", v.String())
		}
		c, err := canon.Float(f)
		if err != nil {
			return canon.Value{}, bad(ptr, "%s is an integer beyond ±(2^53−1); send it as a string", cut(v.String()))
		}
		return c, nil
	case starlark.String:
		if !validUTF8(string(v)) {
			return canon.Value{}, bad(ptr, "the text is not valid UTF-8")
		}
		return canon.String(string(v)), nil
	case *starlark.List, starlark.Tuple:
		return convertList(v.(starlark.Indexable), ptr, depth)
	case *starlark.Dict:
		return convertDict(v, ptr, depth)
	case interface{ Canon() canon.Value }: // a value of the query language, which is JSON already
		return v.Canon(), nil
	}
	return canon.Value{}, bad(ptr, "a %s is no JSON value", v.Type())
}

func convertList(v starlark.Indexable, ptr string, depth int) (canon.Value, error) {
	list := make([]canon.Value, v.Len())
	for i := range list {
		var err error
		if list[i], err = convert(v.Index(i), ptr+"/"+strconv.Itoa(i), depth+1); err != nil {
			return canon.Value{}, err
		}
	}
	return canon.Array(list...), nil
}

func convertDict(v *starlark.Dict, ptr string, depth int) (canon.Value, error) {
	members := make([]canon.Member, 0, v.Len())
	for _, item := range v.Items() {
		key, ok := item[0].(starlark.String)
		if !ok || !validUTF8(string(key)) {
			return canon.Value{}, bad(ptr, "the key %s is no JSON string", cut(item[0].String()))
		}
		m, err := convert(item[1], canon.AppendPointer(ptr, string(key)), depth+1)
		if err != nil {
			return canon.Value{}, err
		}
		members = append(members, canon.Member{Key: string(key), Value: m})
	}
	return canon.Object(members...), nil
}

func bad(ptr, format string, args ...any) error {
	return &behavior.BadValue{Pointer: ptr, Why: fmt.Sprintf(format, args...)}
}

func cut(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "…"
	}
	return s
}
