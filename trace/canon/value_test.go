package canon

import (
	"encoding/json"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"
)

// must reads a text that the test knows to be fine.
func must(t testing.TB, text string) Value {
	t.Helper()
	v, _, err := ParseString(text, Options{})
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestKindsAndScalars(t *testing.T) {
	for text, want := range map[string]Kind{
		"": Absent, "null": KindNull, "true": KindBool, "false": KindBool, "0": KindNumber, "-1.5": KindNumber,
		`""`: KindString, "[]": KindArray, "{}": KindObject,
	} {
		v := Raw(text)
		if v.Kind() != want {
			t.Errorf("Kind(%s) = %v, want %v", text, v.Kind(), want)
		}
		_, isBool := v.Bool()
		_, isFloat := v.Float()
		_, isInt := v.Int()
		_, isStr := v.Str()
		if isBool != (want == KindBool) || isFloat != (want == KindNumber) || isStr != (want == KindString) ||
			isInt != (text == "0") || v.IsNull() != (want == KindNull) || v.IsAbsent() != (text == "") {
			t.Errorf("%q: the accessors do not agree with the kind", text)
		}
		if want != KindArray && want != KindObject && v.Count() != 0 {
			t.Errorf("%q counts %d", text, v.Count())
		}
	}
	if Kind(200).String() != "kind 200" || KindObject.String() != "object" {
		t.Error("names of kinds")
	}
}

func TestInt(t *testing.T) {
	for text, want := range map[string]int64{"0": 0, "-7": -7, "123456789012345": 123456789012345,
		"9007199254740991": MaxSafeInteger, "-9007199254740991": -MaxSafeInteger} {
		if got, ok := Raw(text).Int(); !ok || got != want {
			t.Errorf("Int(%s) = %d, %v", text, got, ok)
		}
		if Int(want).Text() != text {
			t.Errorf("Int(%d) = %s", want, Int(want))
		}
	}
	for _, text := range []string{"1.5", "1e+21", "100000000000000000000", `"1"`, "null", ""} {
		if got, ok := Raw(text).Int(); ok {
			t.Errorf("Int(%s) = %d", text, got)
		}
	}
	if got := Int(math.MaxInt64).Text(); got != "9223372036854776000" {
		t.Errorf("Int(MaxInt64) = %s", got)
	}
}

func TestGet(t *testing.T) {
	v := must(t, `{"":0,"a":1,"a\"b":2,"ab":[3],"\n":4,"é":5,"😂":6,"\ufb33":7,"b":{"a":8}}`)
	for key, want := range map[string]string{"": "0", "a": "1", `a"b`: "2", "ab": "[3]", "\n": "4", "é": "5", "😂": "6",
		"\ufb33": "7", "b": `{"a":8}`, "aa": "", "c": "", "\t": "", "a\"": "", "z": "", "\uffff": "", "A": ""} {
		if got := v.Get(key).Text(); got != want {
			t.Errorf("Get(%q) = %q, want %q", key, got, want)
		}
	}
	for _, other := range []Value{{}, Null, EmptyObject, EmptyArray, String("a"), must(t, `["a",1]`)} {
		if got := other.Get("a"); !got.IsAbsent() {
			t.Errorf("Get on %s = %s", other, got)
		}
	}
	if n := v.Count(); n != 9 {
		t.Errorf("Count = %d", n)
	}
}

func TestArrays(t *testing.T) {
	v := must(t, `[1,"],[",[],{"a":[2]},null]`)
	want := []string{"1", `"],["`, "[]", `{"a":[2]}`, "null"}
	var got []string
	for i, e := range v.Elems() {
		if v.At(i) != e {
			t.Errorf("At(%d) = %s, Elems says %s", i, v.At(i), e)
		}
		got = append(got, e.Text())
	}
	if !slices.Equal(got, want) || v.Count() != len(want) {
		t.Errorf("elements %q, count %d", got, v.Count())
	}
	if !v.At(5).IsAbsent() || !v.At(-1).IsAbsent() || !EmptyArray.At(0).IsAbsent() || !True.At(0).IsAbsent() {
		t.Error("At outside the array is not absent")
	}
	for range must(t, `[1,2]`).Elems() {
		break // a range that is left early must not go on
	}
	for range must(t, `{"a":1,"b":2}`).Members() {
		break
	}
	if got := Array(Int(1), Value{}, Null); got.Text() != "[1,null]" {
		t.Errorf("Array = %s", got)
	}
}

func TestObject(t *testing.T) {
	got := Object(Member{"b", Int(1)}, Member{"a", Null}, Member{"c", Value{}}, Member{"b", True}, Member{"\n", Int(3)})
	if got.Text() != `{"\n":3,"a":null,"b":true}` {
		t.Errorf("Object = %s", got)
	}
	// A later absent value does not undo an earlier one: it is as if it were not there.
	if got := Object(Member{"a", Int(1)}, Member{"a", Value{}}); got.Text() != `{"a":1}` {
		t.Errorf("Object = %s", got)
	}
	if Object() != EmptyObject || Object(Member{"a", Value{}}) != EmptyObject || Array() != EmptyArray {
		t.Error("empty containers")
	}
	if String("a\xffb").Text() != "\"a\uFFFDb\"" {
		t.Errorf("String = %s", String("a\xffb"))
	}
	if Bool(true) != True || Bool(false) != False {
		t.Error("Bool")
	}
}

func TestWith(t *testing.T) {
	v := must(t, `{"a":1,"b":2}`)
	for _, c := range []struct {
		key  string
		val  Value
		want string
	}{
		{"a", Int(9), `{"a":9,"b":2}`}, {"c", Null, `{"a":1,"b":2,"c":null}`}, {"b", Value{}, `{"a":1}`}, {"z", Value{}, v.Text()},
	} {
		if got := v.With(c.key, c.val); got.Text() != c.want {
			t.Errorf("With(%s, %s) = %s, want %s", c.key, c.val, got, c.want)
		}
	}
	if got := Null.With("a", True); got.Text() != `{"a":true}` {
		t.Errorf("With on null = %s", got)
	}
}

// rfc6901 is the example of RFC 6901 §5.
const rfc6901 = `{"foo":["bar","baz"],"":0,"a/b":1,"c%d":2,"e^f":3,"g|h":4,"i\\j":5,"k\"l":6," ":7,"m~n":8}`

func TestPointer(t *testing.T) {
	v := must(t, rfc6901)
	for ptr, want := range map[string]string{"": v.Text(), "/foo": `["bar","baz"]`, "/foo/0": `"bar"`, "/": "0", "/a~1b": "1",
		"/c%d": "2", "/e^f": "3", "/g|h": "4", `/i\j`: "5", `/k"l`: "6", "/ ": "7", "/m~0n": "8"} {
		if got, err := v.Pointer(ptr); err != nil || got.Text() != want {
			t.Errorf("Pointer(%s) = %s, %v; want %s", ptr, got, err, want)
		}
	}
	for ptr, want := range map[string]error{"foo": ErrPointer, "/~": ErrPointer, "/a~2b": ErrPointer, "/foo/2": ErrNotFound,
		"/foo/-": ErrNotFound, "/foo/01": ErrNotFound, "/foo/99999999999999999999": ErrNotFound, "/x": ErrNotFound, "//x": ErrNotFound, "/foo/0/x": ErrNotFound} {
		if got, err := v.Pointer(ptr); !errors.Is(err, want) {
			t.Errorf("Pointer(%s) = %s, %v; want %v", ptr, got, err, want)
		}
	}
	if _, err := (Value{}).Pointer(""); !errors.Is(err, ErrNotFound) {
		t.Errorf("Pointer on absent: %v", err)
	}
}

func TestSetPointer(t *testing.T) {
	v := must(t, `{"a":[1,{"b":2}],"c":3}`)
	for _, c := range []struct{ ptr, val, want string }{
		{"", "7", "7"}, {"/a/1/b", "9", `{"a":[1,{"b":9}],"c":3}`}, {"/a/-", "4", `{"a":[1,{"b":2},4],"c":3}`},
		{"/a/2", "4", `{"a":[1,{"b":2},4],"c":3}`}, {"/a/0", "", `{"a":[{"b":2}],"c":3}`}, {"/c", "", `{"a":[1,{"b":2}]}`},
		{"/d", "null", `{"a":[1,{"b":2}],"c":3,"d":null}`}, {"/a/1/~1", "0", `{"a":[1,{"/":0,"b":2}],"c":3}`},
	} {
		if got, err := v.SetPointer(c.ptr, Raw(c.val)); err != nil || got.Text() != c.want {
			t.Errorf("SetPointer(%s, %s) = %s, %v; want %s", c.ptr, c.val, got, err, c.want)
		}
	}
	for ptr, want := range map[string]error{"a": ErrPointer, "/x/y": ErrNotFound, "/a/3": ErrNotFound, "/a/2/b": ErrNotFound,
		"/a/-/b": ErrNotFound, "/c/d": ErrNotFound, "/a/1/b/c": ErrNotFound, "/a/1/~": ErrPointer} {
		if got, err := v.SetPointer(ptr, True); !errors.Is(err, want) {
			t.Errorf("SetPointer(%s) = %s, %v; want %v", ptr, got, err, want)
		}
	}
}

func TestFromGo(t *testing.T) {
	got, err := FromGo(map[string]any{
		"s": "x\u2028<", "i": 1, "i64": int64(-2), "u8": uint8(3), "f32": float32(0.5), "f": 1e21, "n": nil, "b": false,
		"num": json.Number("1.50"), "list": []any{[]string{"a"}, []Value{Int(7)}, []map[string]any{{}}},
		"m": map[string]string{"k": "v"}, "v": Raw(`{"z":1}`), "absent": Value{}, "vm": map[string]Value{"x": {}, "y": True},
	})
	want := `{"b":false,"f":1e+21,"f32":0.5,"i":1,"i64":-2,"list":[["a"],[7],[{}]],"m":{"k":"v"},"n":null,"num":1.5,` +
		`"s":"x` + "\u2028" + `<","u8":3,"v":{"z":1},"vm":{"y":true}}`
	if err != nil || got.Text() != want {
		t.Fatalf("FromGo = %s, %v\nwant     %s", got, err, want)
	}
	deep := any(nil)
	for range 257 {
		deep = []any{deep}
	}
	for _, c := range []struct {
		v             any
		code, pointer string
	}{
		{map[string]any{"a": []any{1, math.NaN()}}, CodeGoValue, "/a/1"},
		{map[string]any{"a/b": 1e20}, CodeBigInteger, "/a~1b"},
		{[]any{int64(1) << 53}, CodeBigInteger, "/0"},
		{uint64(math.MaxUint64), CodeBigInteger, ""},
		{map[string]any{"\xff": 1}, CodeUTF8, "/\xff"},
		{[]string{"ok", "\xc3"}, CodeUTF8, "/1"},
		{json.Number("9007199254740993"), CodeBigInteger, ""},
		{json.Number("0x1"), CodeGoValue, ""},
		{json.Number(`"1"`), CodeGoValue, ""},
		{[]any{struct{}{}}, CodeGoValue, "/0"},
		{Value{}, CodeGoValue, ""},
		{[]Value{{}}, CodeGoValue, "/0"},
		{deep, CodeDepth, strings.Repeat("/0", 256)},
	} {
		v, err := FromGo(c.v)
		var e *Error
		if !errors.As(err, &e) || e.Code != c.code || e.Pointer != c.pointer || e.Offset != -1 || !v.IsAbsent() {
			t.Errorf("FromGo(%v) = %s, %+v; want %s at %q", c.v, v, err, c.code, c.pointer)
		}
		dst, err := AppendGo([]byte("kept"), c.v)
		if err == nil || string(dst) != "kept" {
			t.Errorf("AppendGo(%v) = %q, %v", c.v, dst, err)
		}
	}
	if v, err := FromGo([]any{map[string]any{"b": 1, "a": 2}}); err != nil || v.Text() != `[{"a":2,"b":1}]` {
		t.Errorf("after errors: %s, %v", v, err)
	}
}

// TestGoNumbers: every Go number type that holds 7 gives the same text, and the unsigned ones are checked for size.
func TestGoNumbers(t *testing.T) {
	for _, n := range []any{7, int8(7), int16(7), int32(7), int64(7), uint(7), uint8(7), uint16(7), uint32(7), uint64(7),
		float32(7), float64(7), json.Number("7"), json.Number("7.0"), Int(7)} {
		if v, err := FromGo(n); err != nil || v != Int(7) {
			t.Errorf("FromGo(%T) = %s, %v", n, v, err)
		}
		if dst, err := AppendGo([]byte("x"), n); err != nil || string(dst) != "x7" {
			t.Errorf("AppendGo(%T) = %s, %v", n, dst, err)
		}
	}
	if v, err := FromGo(uint(1) << 60); err == nil {
		t.Errorf("FromGo(1<<60) = %s", v)
	}
}

// TestLongKeysInMessages: a message does not carry a key of any length, nor its control characters.
func TestLongKeysInMessages(t *testing.T) {
	key := strings.Repeat("ключ\u202e", 5000)
	_, _, err := ParseString(`{"`+key+`":1,"`+key+`":2}`, Options{})
	e, ok := err.(*Error)
	if !ok || e.Pointer != "/"+key || len(e.What) > 400 || strings.Contains(e.Error(), "\u202e") {
		t.Errorf("%T with a message of %d bytes", err, len(e.What))
	}
	digits := strings.Repeat("9", 5000)
	if _, _, err := ParseString(digits, Options{}); err == nil || len(err.Error()) > 400 {
		t.Errorf("%.500v", err)
	}
}

func TestEncodingJSON(t *testing.T) {
	type box struct {
		V Value `json:"v"`
		O Value `json:"o,omitzero"`
	}
	var b box
	if err := json.Unmarshal([]byte(`{"v": {"b": 1.0, "a": []}}`), &b); err != nil || b.V.Text() != `{"a":[],"b":1}` {
		t.Fatalf("%s, %v", b.V, err)
	}
	if err := json.Unmarshal([]byte(`{"v": {"a": 1, "a": 2}}`), &b); err == nil {
		t.Error("a duplicate key was accepted")
	}
	if out, err := json.Marshal(box{}); err != nil || string(out) != `{"v":null}` {
		t.Errorf("%s, %v", out, err)
	}
}

func TestHash(t *testing.T) {
	// sha256 of the two bytes "{}", and of nothing.
	if got := EmptyObject.Hash(); got != "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a" {
		t.Error(got)
	}
	if got := HashText(""); got != "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855" {
		t.Error(got)
	}
}

func TestOracle(t *testing.T) {
	for _, text := range []string{"null", "1", `"x"`, "[]", `{"a":1,"b":[true]}`} {
		if err := OracleCheck([]byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{`{"b":1,"a":2}`, "1.0", ` 1`, `"\u0041"`, `{"a":1,"a":2}`, "", "[1"} {
		if err := OracleCheck([]byte(text)); !errors.Is(err, ErrOracleDiffers) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if err := (Value{}).OracleCheck(); err != nil {
		t.Error(err)
	}
	big := make([]byte, OracleLimit+1)
	if err := OracleCheck(big); !errors.Is(err, ErrOracleSkipped) {
		t.Errorf("above the limit: %v", err)
	}
}

func TestToGoIsOwned(t *testing.T) {
	v := must(t, `{"a":[1,2],"b":null}`)
	tree := v.ToGo().(map[string]any)
	tree["a"].([]any)[0] = "changed"
	if got := v.ToGo().(map[string]any)["a"].([]any)[0]; got != 1.0 {
		t.Errorf("the value changed with the tree: %v", got)
	}
	if keys := slices.Sorted(maps.Keys(tree)); !slices.Equal(keys, []string{"a", "b"}) {
		t.Errorf("keys %v", keys)
	}
	if (Value{}).ToGo() != nil {
		t.Error("absent is not nil")
	}
}
