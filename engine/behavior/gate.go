package behavior

import (
	"fmt"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

var gateKind = Kind{
	Name: "gate", Summary: "compares a value of the payload and passes the message to port pass or fail",
	Receives: []string{"any with the value"},
	Ports:    []Port{{"pass", "the message"}, {"fail", "the message"}},
	Config: []Field{
		{"pointer", "JSON Pointer", "/score", "the value to compare"},
		{"op", "< <= > >= == !=", ">=", "the comparison; order only between two numbers or two strings"},
		{"value", "any", "required", "what to compare with"},
		ignoreField,
	},
	State: `{"passed","failed"}`,
	New: func(config canon.Value) (Behavior, []Problem) {
		r := readConfig(config)
		b := &gate{pointer: r.pointer("pointer", "/score"), op: r.text("op", ">="), value: r.get("value"), ignore: r.tags("ignore")}
		switch b.op {
		case "<", "<=", ">", ">=", "==", "!=":
		default:
			r.bad("/op", fmt.Sprintf("unknown comparison %q", b.op), "use one of < <= > >= == !=")
		}
		if b.value.IsAbsent() {
			r.bad("", "the gate has no value to compare with", `write "value"`)
		}
		return b, r.done()
	},
}

type gate struct {
	pointer, op string
	value       canon.Value
	ignore      map[string]bool
}

func (b *gate) Act(c Call) (Result, error) {
	if b.ignore[c.Message.Tag] {
		return Result{}, nil
	}
	v, err := c.Message.Payload.Pointer(b.pointer)
	if err != nil {
		return Result{}, fmt.Errorf("the payload has nothing at %s: %s", b.pointer, preview(c.Message.Payload))
	}
	ok, err := compare(v, b.op, b.value)
	if err != nil {
		return Result{}, err
	}
	passed, _ := c.State.Get("passed").Int()
	failed, _ := c.State.Get("failed").Int()
	port := "fail"
	if ok {
		port = "pass"
		passed++
	} else {
		failed++
	}
	return Result{
		State: canon.Object(canon.Member{Key: "passed", Value: canon.Int(passed)}, canon.Member{Key: "failed", Value: canon.Int(failed)}),
		Sends: []trace.Send{{Port: port, Tag: c.Message.Tag, Payload: c.Message.Payload}},
	}, nil
}

// compare decides a op b. Equality is equality of canonical text; order is numeric, or by UTF-8 bytes between strings.
func compare(a canon.Value, op string, b canon.Value) (bool, error) {
	switch op {
	case "==":
		return a == b, nil
	case "!=":
		return a != b, nil
	}
	var sign int
	if x, ok := a.Float(); ok {
		y, ok := b.Float()
		if !ok {
			return false, fmt.Errorf("cannot order %s and %s", preview(a), preview(b))
		}
		sign = order(x, y)
	} else {
		x, xok := a.Str()
		y, yok := b.Str()
		if !xok || !yok {
			return false, fmt.Errorf("cannot order %s and %s", preview(a), preview(b))
		}
		sign = order(x, y)
	}
	switch op {
	case "<":
		return sign < 0, nil
	case "<=":
		return sign <= 0, nil
	case ">":
		return sign > 0, nil
	}
	return sign >= 0, nil
}

func order[T float64 | string](x, y T) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}
