package canon

import (
	"bytes"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/gowebpki/jcs"
)

// seed gives the fuzzer every input of the data cases.
func seed(f *testing.F) {
	for _, line := range lines(f, "jcs_cases.tsv") {
		in, err := hex.DecodeString(strings.SplitN(line, "\t", 2)[0])
		if err != nil {
			f.Fatal(err)
		}
		f.Add(in)
	}
	for _, line := range lines(f, "errors.tsv") {
		in, err := strconv.Unquote(strings.SplitN(line, "\t", 2)[0])
		if err != nil {
			f.Fatal(err)
		}
		f.Add([]byte(in))
	}
	for _, name := range []string{"payload_1k.json", "integers.tsv"} {
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Add([]byte(`{"a":1,"c":{"z":[1,{"q":1,"\n":2}],"y":0},"b":"\u0041"}`))
	f.Add([]byte(rfc6901))
}

// jsontextAccepts reads the text with the strict decoder of jsontext, to the end.
func jsontextAccepts(data []byte) bool {
	dec := jsontext.NewDecoder(bytes.NewReader(data))
	if _, err := dec.ReadValue(); err != nil {
		return false
	}
	_, err := dec.ReadToken()
	return errors.Is(err, io.EOF)
}

// FuzzCanon holds the reader against two independent ones: gowebpki/jcs (verdict and text) and jsontext (verdict; it
// clamps numbers out of range, so there jcs alone decides).
func FuzzCanon(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _, err := Parse(data, Options{Integers: IntegersAccept, MaxDepth: hardMaxDepth})
		want, jcsErr := jcs.Transform(data)
		if (err == nil) != (jcsErr == nil) {
			t.Fatalf("%q: %v here, %v by jcs", data, err, jcsErr)
		}
		var e *Error
		if !errors.As(err, &e) || e.Code != CodeRange {
			if strict := jsontextAccepts(data); strict != (err == nil) {
				t.Fatalf("%q: %v here, jsontext says %v", data, err, strict)
			}
		}
		if err != nil {
			return
		}
		if v.Text() != string(want) {
			t.Fatalf("%q: %s here, %s by jcs", data, v, want)
		}
		if again, _, err := ParseString(v.Text(), Options{Integers: IntegersAccept, MaxDepth: hardMaxDepth}); err != nil || again != v {
			t.Fatalf("the canonical form %s reads as %s, %v", v, again, err)
		}
		if got, err := FromGo(v.ToGo()); err == nil && got != v {
			t.Fatalf("FromGo∘ToGo: %s, want %s", got, v)
		}
		checkParts(t, v)
		asText, found, err := Parse(data, Options{Integers: IntegersAsString, MaxDepth: hardMaxDepth})
		if err != nil || (len(found) == 0) != (asText == v) {
			t.Fatalf("%q: big integers as strings: %s, %v, %v", data, asText, found, err)
		}
		if _, _, err := ParseString(asText.Text(), Options{MaxDepth: hardMaxDepth}); err != nil {
			t.Fatalf("%q: %s still holds a big integer: %v", data, asText, err)
		}
		for _, one := range found {
			if got, err := asText.Pointer(one.Pointer); err != nil || got != String(one.Text) {
				t.Fatalf("%q: at %q is %s, %v; want %q", data, one.Pointer, got, err, one.Text)
			}
		}
	})
}

// checkParts walks a value by its accessors and holds each part against the text.
func checkParts(t *testing.T, v Value) {
	t.Helper()
	n := 0
	for i, e := range v.Elems() {
		if n++; n < 8 && v.At(i) != e {
			t.Fatalf("At(%d) of %s", i, v)
		}
		checkParts(t, e)
	}
	for k, e := range v.Members() {
		if n++; v.Get(k) != e {
			t.Fatalf("Get(%q) of %s = %s, want %s", k, v, v.Get(k), e)
		}
		checkParts(t, e)
	}
	if v.Count() != n {
		t.Fatalf("%s counts %d, ranges over %d", v, v.Count(), n)
	}
}

// FuzzRaw reads texts that are not canonical through the accessors: the answers mean nothing, but nothing may panic
// or run on.
func FuzzRaw(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		v := Raw(string(data))
		for k, e := range v.Members() {
			_, _, _ = v.Get(k), e.Depth(), e.ToGo()
		}
		for i := range v.Elems() {
			_ = v.At(i)
		}
		for _, key := range []string{"", "a", "\n", "é"} {
			_ = v.Get(key)
			_ = v.With(key, Null)
		}
		_, _, _ = v.Count(), v.Hash(), v.Kind()
		_, _ = v.Str()
		_, _ = v.Float()
		_, _ = v.Int()
		_, _ = v.Pointer("/a/0")
		_, _ = v.SetPointer("/a/0", Null)
		_ = v.OracleCheck()
	})
}

// FuzzParseDoc holds the positioned reader against Parse: same verdict, same first error unless an earlier one of
// another sort was found on the way, same value.
func FuzzParseDoc(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		v, _, err := Parse(data, Options{})
		d, errs := ParseDoc(data)
		if (err == nil) != (len(errs) == 0) {
			t.Fatalf("%q: Parse %v, ParseDoc %v", data, err, errs)
		}
		if err == nil {
			if got := d.Root.Value(); got != v {
				t.Fatalf("%q: Parse %s, ParseDoc %s", data, v, got)
			}
			return
		}
		found := false
		for i, e := range errs {
			found = found || *e == *err.(*Error)
			if line, col := position(string(data), e.Offset); line != e.Line || col != e.Col {
				t.Fatalf("%q: %v is at %d:%d", data, e, line, col)
			}
			if i > 0 && e.Offset < errs[i-1].Offset {
				t.Fatalf("%q: errors out of order: %v", data, errs)
			}
		}
		if !found {
			t.Fatalf("%q: ParseDoc does not list %v in %v", data, err, errs)
		}
		if d.Root != nil {
			if err := d.Root.Value().OracleCheck(); err != nil {
				t.Fatalf("%q: %v", data, err)
			}
		}
	})
}
