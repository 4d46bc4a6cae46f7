package script

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"flowdbg/engine/behavior"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

func validUTF8(s string) bool { return utf8.ValidString(s) }

// resultOf is result(state=…, send=[…], effect=…): a dict with just the members that were given. Leaving state out
// keeps it; state=None makes it null.
func resultOf(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) > 0 {
		return nil, fmt.Errorf("result takes named arguments only: state, send, effect")
	}
	d := starlark.NewDict(len(kwargs))
	for _, kw := range kwargs {
		name := string(kw[0].(starlark.String))
		if name != "state" && name != "send" && name != "effect" {
			return nil, fmt.Errorf("result has no argument %s; it takes state, send, effect", name)
		}
		if err := d.SetKey(kw[0], kw[1]); err != nil {
			return nil, err
		}
	}
	return d, nil
}

// sendOf is send(port, tag, payload=None).
func sendOf(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	var port, tag string
	payload := starlark.Value(starlark.None)
	if err := starlark.UnpackArgs(b.Name(), args, kwargs, "port", &port, "tag", &tag, "payload?", &payload); err != nil {
		return nil, err
	}
	return dict("port", starlark.String(port), "tag", starlark.String(tag), "payload", payload), nil
}

// effectOf is effect(op, name=value, …): the named values are the request's input.
func effectOf(_ *starlark.Thread, _ *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
	if len(args) != 1 {
		return nil, fmt.Errorf("effect takes one op and named values, as in effect(\"llm\", model=…)")
	}
	op, ok := args[0].(starlark.String)
	if !ok {
		return nil, fmt.Errorf("effect: the op is a %s, not a string", args[0].Type())
	}
	input := starlark.NewDict(len(kwargs))
	for _, kw := range kwargs {
		if err := input.SetKey(kw[0], kw[1]); err != nil {
			return nil, err
		}
	}
	return dict("op", op, "input", input), nil
}

func dict(pairs ...any) *starlark.Dict {
	d := starlark.NewDict(len(pairs) / 2)
	for i := 0; i+1 < len(pairs); i += 2 {
		_ = d.SetKey(starlark.String(pairs[i].(string)), pairs[i+1].(starlark.Value)) // a fresh dict takes any string key
	}
	return d
}

// readResult reads what an entry function returned: None, or a dict {state?, send?, effect?}.
func readResult(v starlark.Value) (behavior.Result, error) {
	var res behavior.Result
	if v == starlark.None {
		return res, nil
	}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return res, bad("", "the script returned a %s; return result(…), a dict or None", v.Type())
	}
	for _, item := range d.Items() {
		key, _ := item[0].(starlark.String)
		var err error
		switch key {
		case "state":
			res.State, err = fromStarlark(item[1], "/state")
		case "send":
			res.Sends, err = readSends(item[1])
		case "effect":
			res.Effect, err = readEffect(item[1])
		default:
			err = bad("", "the result has the member %s; it takes state, send, effect", cut(item[0].String()))
		}
		if err != nil {
			return behavior.Result{}, err
		}
	}
	return res, nil
}

func readSends(v starlark.Value) ([]trace.Send, error) {
	if v == starlark.None {
		return nil, nil
	}
	var list starlark.Indexable
	switch l := v.(type) {
	case *starlark.List:
		list = l
	case starlark.Tuple:
		list = l
	default:
		return nil, bad("/send", "a %s is no list of sends", v.Type())
	}
	sends := make([]trace.Send, list.Len())
	for i := range sends {
		ptr := "/send/" + strconv.Itoa(i)
		d, ok := list.Index(i).(*starlark.Dict)
		if !ok {
			return nil, bad(ptr, "a %s is no send; write send(port, tag, payload)", list.Index(i).Type())
		}
		s := &sends[i]
		s.Payload = canon.Null
		for _, item := range d.Items() {
			var err error
			switch key, _ := item[0].(starlark.String); key {
			case "port":
				s.Port, err = readText(item[1], ptr+"/port")
			case "tag":
				s.Tag, err = readText(item[1], ptr+"/tag")
			case "payload":
				s.Payload, err = fromStarlark(item[1], ptr+"/payload")
			default:
				err = bad(ptr, "a send has no member %s", cut(item[0].String()))
			}
			if err != nil {
				return nil, err
			}
		}
		if s.Port == "" || s.Tag == "" {
			return nil, bad(ptr, "a send needs a port and a tag")
		}
	}
	return sends, nil
}

func readText(v starlark.Value, ptr string) (string, error) {
	s, ok := v.(starlark.String)
	if !ok || !validUTF8(string(s)) {
		return "", bad(ptr, "a %s is no text", v.Type())
	}
	return string(s), nil
}

func readEffect(v starlark.Value) (*behavior.Effect, error) {
	if v == starlark.None {
		return nil, nil
	}
	d, ok := v.(*starlark.Dict)
	if !ok {
		return nil, bad("/effect", "a %s is no effect; write effect(op, …)", v.Type())
	}
	e := &behavior.Effect{Input: canon.Null}
	for _, item := range d.Items() {
		var err error
		switch key, _ := item[0].(starlark.String); key {
		case "op":
			e.Op, err = readText(item[1], "/effect/op")
		case "input":
			e.Input, err = fromStarlark(item[1], "/effect/input")
		default:
			err = bad("/effect", "an effect has no member %s", cut(item[0].String()))
		}
		if err != nil {
			return nil, err
		}
	}
	if e.Op == "" {
		return nil, bad("/effect/op", "an effect needs an op")
	}
	return e, nil
}

// mathModule holds the functions whose result IEEE 754 fixes exactly.
var mathModule = starlarkstruct.FromStringDict(starlark.String("math"), starlark.StringDict{
	"abs":   mathFunc("abs", math.Abs),
	"floor": mathFunc("floor", math.Floor),
	"ceil":  mathFunc("ceil", math.Ceil),
	"sqrt":  mathFunc("sqrt", math.Sqrt),
	"round": mathFunc("round", math.Round),
	"min":   starlark.Universe["min"],
	"max":   starlark.Universe["max"],
})

// mathFunc wraps a function of one number; a whole result within ±(2^53−1) of floor, ceil and round is an int.
func mathFunc(name string, f func(float64) float64) *starlark.Builtin {
	return starlark.NewBuiltin("math."+name, func(_ *starlark.Thread, b *starlark.Builtin, args starlark.Tuple, kwargs []starlark.Tuple) (starlark.Value, error) {
		var x starlark.Value
		if err := starlark.UnpackPositionalArgs(b.Name(), args, kwargs, 1, &x); err != nil {
			return nil, err
		}
		v, ok := starlark.AsFloat(x)
		if !ok {
			return nil, fmt.Errorf("%s: got %s, want a number", b.Name(), x.Type())
		}
		r := f(v)
		if name != "sqrt" && name != "abs" && r == math.Trunc(r) && math.Abs(r) <= canon.MaxSafeInteger {
			return starlark.MakeInt64(int64(r)), nil
		}
		return starlark.Float(r), nil
	})
}
