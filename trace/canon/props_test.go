package canon

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"
)

// text generates strings rich in what is escaped, in surrogate pairs and in the code points around them.
func text() *rapid.Generator[string] {
	return rapid.StringOf(rapid.OneOf(
		rapid.RuneFrom([]rune("abcABC019 \"\\/~\b\f\n\r\t\x00\x1f\x7f")),
		rapid.RuneFrom([]rune("éß日本\u2028\ud7ff\ue000\uee00\uf8ff\ufb33\ufffd\uffff\U00010000\U0001f602\U0010ffff")),
		rapid.Rune(),
	))
}

// tree generates Go trees of the types that ToGo gives.
func tree(depth int) *rapid.Generator[any] {
	scalars := []*rapid.Generator[any]{
		rapid.Just[any](nil),
		rapid.Bool().AsAny(),
		text().AsAny(),
		rapid.Custom(func(t *rapid.T) float64 {
			f := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-10, 10),
				rapid.Map(rapid.Int64Range(-MaxSafeInteger, MaxSafeInteger), func(i int64) float64 { return float64(i) }),
				rapid.Map(rapid.IntRange(-99999, 99999), func(i int) float64 { return float64(i) / 1000 })).Draw(t, "f")
			if isBigInteger(f) {
				f /= 1e12
			}
			return f + 0 // no −0: it reads back as 0
		}).AsAny(),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	inner := rapid.Deferred(func() *rapid.Generator[any] { return tree(depth - 1) })
	return rapid.OneOf(append(scalars,
		rapid.SliceOfN(inner, 0, 6).AsAny(),
		rapid.MapOfN(text(), inner, 0, 8).AsAny())...)
}

func drawValue(t *rapid.T, label string) (Value, any) {
	g := tree(4).Draw(t, label)
	v, err := FromGo(g)
	if err != nil {
		t.Fatal(err)
	}
	return v, g
}

// TestPropertyRoundTrip: FromGo, Parse of any spelling, ParseDoc, ToGo and the oracle all agree on one text.
func TestPropertyRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, g := drawValue(t, "tree")
		if again, _, err := ParseString(v.Text(), Options{}); err != nil || again != v {
			t.Fatalf("Parse∘Text: %s, %v; want %s", again, err, v)
		}
		if again, err := FromGo(v.ToGo()); err != nil || again != v {
			t.Fatalf("FromGo∘ToGo: %s, %v; want %s", again, err, v)
		}
		if err := v.OracleCheck(); err != nil {
			t.Fatal(err)
		}
		// The standard library spells differently: \u003c, its own key order, exponents; indented.
		spelled, err := json.MarshalIndent(g, "\t", " ")
		if err != nil {
			t.Fatal(err)
		}
		if again, _, err := Parse(spelled, Options{}); err != nil || again != v {
			t.Fatalf("Parse(%s) = %s, %v; want %s", spelled, again, err, v)
		}
		d, errs := ParseDoc(spelled)
		if len(errs) > 0 || d.Root.Value() != v {
			t.Fatalf("ParseDoc(%s) = %s, %v; want %s", spelled, d.Root.Value(), errs, v)
		}
	})
}

// TestPropertyBuild: taking a value apart and building it again, in any order, gives the same text; every way to
// reach a part agrees.
func TestPropertyBuild(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, _ := drawValue(t, "tree")
		var elems []Value
		for i, e := range v.Elems() {
			if v.At(i) != e {
				t.Fatalf("At(%d)", i)
			}
			elems = append(elems, e)
		}
		var members []Member
		for k, e := range v.Members() {
			if got := v.Get(k); got != e {
				t.Fatalf("Get(%q) = %s, Members says %s", k, got, e)
			}
			if got, err := v.Pointer(AppendPointer("", k)); err != nil || got != e {
				t.Fatalf("Pointer: %s, %v", got, err)
			}
			if v.With(k, e) != v {
				t.Fatalf("With(%q) of what is there changes %s", k, v)
			}
			members = append(members, Member{k, e})
		}
		if n := v.Count(); n != len(elems)+len(members) {
			t.Fatalf("Count = %d of %s", n, v)
		}
		switch v.Kind() {
		case KindArray:
			if got := Array(elems...); got != v {
				t.Fatalf("Array = %s, want %s", got, v)
			}
		case KindObject:
			members = rapid.Permutation(members).Draw(t, "order")
			if got := Object(members...); got != v {
				t.Fatalf("Object = %s, want %s", got, v)
			}
		}
	})
}

// TestPropertyGetMissing: Get finds a key exactly when Members lists it, for keys near the ones that are there.
func TestPropertyGetMissing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfN(text(), 0, 8).Draw(t, "keys")
		var members []Member
		for _, k := range keys {
			members = append(members, Member{k, Null})
		}
		key := text().Draw(t, "key")
		if got := Object(members...).Get(key); got.IsAbsent() == slices.Contains(keys, key) {
			t.Fatalf("Get(%q) = %q among %q", key, got, keys)
		}
	})
}

// TestPropertySetPointer: what was set is there, and setting what was there before restores the text.
func TestPropertySetPointer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, _ := drawValue(t, "tree")
		ptr, cur := "", v
		for cur.Count() > 0 && rapid.Bool().Draw(t, "deeper") {
			n := rapid.IntRange(0, cur.Count()-1).Draw(t, "child")
			if cur.Kind() == KindArray {
				ptr, cur = string(appendIndex([]byte(ptr), n)), cur.At(n)
				continue
			}
			for k, e := range cur.Members() {
				if n == 0 {
					ptr, cur = AppendPointer(ptr, k), e
					break
				}
				n--
			}
		}
		set, err := v.SetPointer(ptr, String("new"))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := set.Pointer(ptr); err != nil || got != String("new") {
			t.Fatalf("Pointer(%q) = %s, %v", ptr, got, err)
		}
		if back, err := set.SetPointer(ptr, cur); err != nil || back != v {
			t.Fatalf("%s, %v; want %s", back, err, v)
		}
		if err := set.OracleCheck(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestPropertyCompareKeys compares with the definition: the order of UTF-16 code units.
func TestPropertyCompareKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := text().Draw(t, "a"), text().Draw(t, "b")
		if rapid.Bool().Draw(t, "prefix") {
			b = a + b
		}
		want := slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		got := CompareKeys(a, b)
		if (got < 0) != (want < 0) || (got > 0) != (want > 0) {
			t.Fatalf("CompareKeys(%q, %q) = %d, want the sign of %d", a, b, got, want)
		}
	})
}

// TestPropertyString: every string survives, and is written as the oracle writes it.
func TestPropertyString(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := text().Draw(t, "s")
		v := String(s)
		if got, ok := v.Str(); !ok || got != s {
			t.Fatalf("Str = %q, want %q", got, s)
		}
		want, err := jcs.Transform([]byte(v.Text()))
		if err != nil || string(want) != v.Text() {
			t.Fatalf("jcs: %s, %v; got %s", want, err, v)
		}
	})
}

// TestPropertyErrorsHaveTheirPlace damages one byte of a document: whatever error follows, its offset is in the text
// and line and column lead there.
func TestPropertyErrorsHaveTheirPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, g := drawValue(t, "tree")
		data, err := json.MarshalIndent(g, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
		data[at] = rapid.Byte().Draw(t, "byte")
		_, _, err = Parse(data, Options{})
		e, ok := err.(*Error)
		if !ok {
			return
		}
		if e.Offset < 0 || e.Offset > len(data) {
			t.Fatalf("offset %d in %d bytes", e.Offset, len(data))
		}
		rest := string(data)
		for range e.Line - 1 {
			_, rest, ok = strings.Cut(rest, "\n")
			if !ok {
				t.Fatalf("no line %d in %q", e.Line, data)
			}
		}
		n := 0
		for i := range rest + "." {
			if n++; n == e.Col {
				if got := len(data) - len(rest) + i; got != e.Offset {
					t.Fatalf("%d:%d is byte %d, not %d", e.Line, e.Col, got, e.Offset)
				}
				return
			}
		}
		t.Fatalf("no column %d in %q", e.Col, rest)
	})
}
