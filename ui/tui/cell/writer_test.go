package cell

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestSafeWriter(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"line\n\tmore\n", "line\n\tmore\n"},
		{"\x1b[31m\r\x00\x7f", `\x1b[31m\x0d\x00\u007f`},
		{"a\u202eb\u009bc\u2028", `a\u202eb\u009bc\u2028`},
		{"tag \U000e0041", `tag \udb40\udc41`},
		{"中文 👨\u200d👩 ❤\ufe0f", "中文 👨\u200d👩 ❤\ufe0f"},
		{"\ufe01\u200b\ufeff", `\ufe01\u200b\ufeff`},
		{"bad \xff\xc3", "bad \ufffd\ufffd"},
		{"", ""},
	} {
		var out bytes.Buffer
		w := NewSafeWriter(&out)
		if n, err := w.Write([]byte(c.in)); n != len(c.in) || err != nil {
			t.Errorf("Write(%q) = %d, %v", c.in, n, err)
		}
		if err := w.Flush(); err != nil {
			t.Error(err)
		}
		if out.String() != c.want {
			t.Errorf("%q became %q, want %q", c.in, out.String(), c.want)
		}
	}
}

// TestSafeWriterSplits: it does not matter where a text is cut into writes.
func TestSafeWriterSplits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(rapid.SliceOf(rapid.Byte()), rapid.Map(rapid.String(), func(s string) []byte { return []byte(s) }),
			rapid.Just([]byte("a\u202e\U000e0041\xe4\xb8中\xf0\x9f"))).Draw(t, "text")
		var whole, parts bytes.Buffer
		w := NewSafeWriter(&whole)
		_, _ = w.Write(text)
		_ = w.Flush()
		p := NewSafeWriter(&parts)
		for rest := text; len(rest) > 0; {
			n := rapid.IntRange(1, min(4, len(rest))).Draw(t, "n")
			if k, err := p.Write(rest[:n]); k != n || err != nil {
				t.Fatalf("Write = %d, %v", k, err)
			}
			rest = rest[n:]
		}
		_ = p.Flush()
		if whole.String() != parts.String() {
			t.Fatalf("%q: at once %q, in parts %q", text, whole.String(), parts.String())
		}
		for _, r := range whole.String() {
			if dangerous(r) || !utf8.ValidString(whole.String()) {
				t.Fatalf("%q lets %U through: %q", text, r, whole.String())
			}
		}
	})
}

// TestSafeWriterKeepsJSON: JSON that passes through is JSON with the same meaning.
func TestSafeWriterKeepsJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := map[string]string{rapid.String().Draw(t, "key"): rapid.String().Draw(t, "value") + "\x1b\x7f\u202e\u2028\U000e0041\\\u009b\r\n"}
		var out bytes.Buffer
		w := NewSafeWriter(&out)
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		if err := enc.Encode(in); err != nil {
			t.Fatal(err)
		}
		var got map[string]string
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatalf("%v in %s", err, out.String())
		}
		for k, v := range in {
			if got[k] != v {
				t.Fatalf("%q came back as %q", v, got[k])
			}
		}
	})
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("pipe closed") }

func TestSafeWriterPassesErrors(t *testing.T) {
	for _, text := range []string{"clean", "\x1b"} {
		if n, err := NewSafeWriter(broken{}).Write([]byte(text)); n != 0 || err == nil {
			t.Errorf("Write(%q) = %d, %v", text, n, err)
		}
	}
}

func BenchmarkSafeWriter(b *testing.B) {
	text := []byte(strings.Repeat("step 4  critic ← researcher  research  412 B\n", 1000))
	w := NewSafeWriter(discard{})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_, _ = w.Write(text)
	}
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }
