package canon

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"
)

// TestErrors checks code, place, pointer and text of the errors of Parse, and that ParseDoc says the same.
func TestErrors(t *testing.T) {
	for _, line := range lines(t, "errors.tsv") {
		col := strings.Split(line, "\t")
		if len(col) != 6 {
			t.Fatalf("%d columns in %q", len(col), line)
		}
		in, err := strconv.Unquote(col[0])
		if err != nil {
			t.Fatalf("%s: %v", col[0], err)
		}
		if strings.HasPrefix(col[4], `"`) {
			if col[4], err = strconv.Unquote(col[4]); err != nil {
				t.Fatalf("%s: %v", line, err)
			}
		}
		t.Run(col[0], func(t *testing.T) {
			_, _, err := Parse([]byte(in), Options{})
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("got %v, want an *Error", err)
			}
			got := []string{e.Code, strconv.Itoa(e.Offset), fmt.Sprintf("%d:%d", e.Line, e.Col), e.Pointer}
			if !slices.Equal(got, col[1:5]) {
				t.Errorf("got %q, want %q", got, col[1:5])
			}
			if !strings.Contains(e.Error(), col[5]) || !strings.HasPrefix(e.Error(), got[2]) {
				t.Errorf("message %q lacks %q", e.Error(), col[5])
			}
			_, errs := ParseDoc([]byte(in))
			if len(errs) == 0 || *errs[0] != *e {
				t.Errorf("ParseDoc says %v, Parse %v", errs, e)
			}
		})
	}
}

// TestIntegerRule checks the rule for integers beyond ±(2^53−1) under each of its three settings.
func TestIntegerRule(t *testing.T) {
	for _, line := range lines(t, "integers.tsv") {
		col := strings.Split(line, "\t")
		spelling, big, text := col[0], col[1] == "big", col[2]
		t.Run(spelling, func(t *testing.T) {
			doc := `{"a":[0,` + spelling + `]}`
			v, found, err := ParseString(doc, Options{Integers: IntegersAccept})
			if err != nil || v.Text() != `{"a":[0,`+text+`]}` {
				t.Fatalf("accept: %s, %v; want %s", v, err, text)
			}
			checkFinding(t, found, big, spelling)
			if again, _, err := ParseString(v.Text(), Options{}); (err != nil) != big {
				t.Errorf("the canonical form is judged otherwise: %s, %v", again, err)
			}
			_, _, err = ParseString(doc, Options{})
			var e *Error
			if errors.As(err, &e) != big || big && (e.Code != CodeBigInteger || e.Pointer != "/a/1") {
				t.Errorf("refuse: %v", err)
			}
			v, found, err = ParseString(doc, Options{Integers: IntegersAsString})
			want := text
			if big {
				want = strconv.Quote(spelling)
			}
			if err != nil || v.Text() != `{"a":[0,`+want+`]}` {
				t.Errorf("as string: %s, %v; want %s", v, err, want)
			}
			checkFinding(t, found, big, spelling)
			if _, errs := ParseDoc([]byte(doc)); (len(errs) == 1 && errs[0].Code == CodeBigInteger) != big {
				t.Errorf("ParseDoc: %v", errs)
			}
			f, _ := strconv.ParseFloat(spelling, 64)
			if _, err := Float(f); (err != nil) != big {
				t.Errorf("Float(%s): %v", spelling, err)
			}
			if _, err := FromGo([]any{f}); (err != nil) != big {
				t.Errorf("FromGo(%s): %v", spelling, err)
			}
		})
	}
}

func checkFinding(t *testing.T, found []Finding, big bool, spelling string) {
	t.Helper()
	want := []Finding{{Kind: FindingBigInteger, Pointer: "/a/1", Offset: 8, Text: spelling}}
	if !big {
		want = nil
	}
	if !slices.Equal(found, want) {
		t.Errorf("findings %+v, want %+v", found, want)
	}
}

// TestDepth checks the limit exactly, at its default and where the caller sets it.
func TestDepth(t *testing.T) {
	nest := func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) }
	for _, c := range []struct {
		depth, limit int
		ok           bool
	}{{256, 0, true}, {257, 0, false}, {3, 3, true}, {4, 3, false}, {1000, 1000, true}, {10001, 1 << 30, false}} {
		v, _, err := ParseString(nest(c.depth), Options{MaxDepth: c.limit})
		var e *Error
		if errors.As(err, &e) == c.ok || !c.ok && e.Code != CodeDepth {
			t.Errorf("depth %d, limit %d: %v", c.depth, c.limit, err)
		}
		if c.ok && v.Depth() != c.depth {
			t.Errorf("Depth() = %d, want %d", v.Depth(), c.depth)
		}
	}
	if d, errs := ParseDoc([]byte(nest(256))); len(errs) != 0 || d.Root == nil {
		t.Errorf("ParseDoc refuses depth 256: %v", errs)
	}
	d, errs := ParseDoc([]byte(nest(257)))
	if len(errs) != 1 || errs[0].Code != CodeDepth || errs[0].Offset != 256 || d.Root != nil {
		t.Errorf("ParseDoc at depth 257: %v", errs)
	}
}

// TestSharing checks that canonical input is shared by ParseString and copied by Parse, and that parts share.
func TestSharing(t *testing.T) {
	text := " {\"a\":[1,{\"b\":\"x\"}]}\n"
	v, _, err := ParseString(text, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if unsafe.StringData(v.Text()) != unsafe.StringData(text[1:]) {
		t.Error("ParseString copied a canonical text")
	}
	b := v.Get("a").At(1).Get("b")
	if b.Text() != `"x"` || unsafe.StringData(b.Text()) != unsafe.StringData(text[14:]) {
		t.Errorf("the member %s does not share the text", b)
	}
	data := []byte(text)
	v, _, err = Parse(data, Options{})
	if err != nil {
		t.Fatal(err)
	}
	clear(data)
	if v.Text() != strings.TrimSpace(text) {
		t.Errorf("the value changed with its input: %q", v)
	}
}

// TestManyBigIntegers reads a document full of findings: pointers must be right and time must not be quadratic.
func TestManyBigIntegers(t *testing.T) {
	const n = 20_000
	doc := "[" + strings.Repeat(`{"n":9007199254740993},`, n-1) + `{"n":1}]`
	v, found, err := ParseString(doc, Options{Integers: IntegersAsString})
	if err != nil || len(found) != n-1 || v.Count() != n {
		t.Fatalf("%d findings, %d elements, %v", len(found), v.Count(), err)
	}
	if got := found[n-2].Pointer; got != fmt.Sprintf("/%d/n", n-2) {
		t.Errorf("last pointer %q", got)
	}
}

// TestReaderReuse checks that nothing of one text is left in the next, after errors and after large texts.
func TestReaderReuse(t *testing.T) {
	big := `{"k\n":"` + strings.Repeat("x", 2<<20) + `", "a":1}`
	for range 3 {
		if v, _, err := ParseString(big, Options{}); err != nil || v.Get("a") != Int(1) {
			t.Fatal(err)
		}
		if _, _, err := ParseString(`[{"b":1,"a":[{"c":`, Options{}); err == nil {
			t.Fatal("a torn text was accepted")
		}
		v, found, err := ParseString(`{"b":[],"a":{}}`, Options{})
		if err != nil || found != nil || v.Text() != `{"a":{},"b":[]}` {
			t.Fatalf("%s, %v, %v", v, found, err)
		}
	}
}

// TestNonFiniteFloats checks what the writer and the builders do with numbers that JSON does not have.
func TestNonFiniteFloats(t *testing.T) {
	for _, f := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		if v, err := Float(f); err == nil {
			t.Errorf("Float(%v) = %s", f, v)
		}
		if v, err := FromGo(map[string]any{"x": f}); err == nil {
			t.Errorf("FromGo(%v) = %s", f, v)
		}
		if got := string(AppendFloat(nil, f)); got != "null" {
			t.Errorf("AppendFloat(%v) = %s", f, got)
		}
	}
}
