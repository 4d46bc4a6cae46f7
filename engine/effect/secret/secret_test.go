package secret

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace/canon"
)

const value = `sk-live/4+fé"q\ =99`

func parse(t testing.TB, text string) canon.Value {
	t.Helper()
	v, _, err := canon.ParseString(text, canon.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// encodings are the ways in which a value comes back.
var encodings = map[string]func(string) string{
	"raw":              func(s string) string { return s },
	"query":            url.QueryEscape,
	"path":             url.PathEscape,
	"every byte":       func(s string) string { return everyByte(s, "%02X") },
	"lower case":       func(s string) string { return strings.ToLower(everyByte(s, "%02x")) },
	"query in a query": func(s string) string { return url.QueryEscape(url.QueryEscape(s)) },
	"base64":           func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) },
	"base64 of a pair": func(s string) string { return base64.StdEncoding.EncodeToString([]byte("u:" + s + "\n")) },
	"base64 behind 1":  func(s string) string { return base64.StdEncoding.EncodeToString([]byte("x" + s + "yz")) },
	"base64 url":       func(s string) string { return base64.URLEncoding.EncodeToString([]byte("xy" + s + "z")) },
	"base64 in lines": func(s string) string {
		return inLines(base64.StdEncoding.EncodeToString([]byte(strings.Repeat("-", 40) + s + s)))
	},
	"base64 in a query": func(s string) string { return url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(s))) },
	"hex":               func(s string) string { return hex.EncodeToString([]byte(s)) },
	"HEX":               func(s string) string { return strings.ToUpper(hex.EncodeToString([]byte(s))) },
	"JSON":              jsonText,
	"JSON in JSON":      func(s string) string { return jsonText(jsonText(s)) },
	"canonical":         func(s string) string { return canon.String(s).Text() },
}

func jsonText(s string) string { b, _ := json.Marshal(s); return string(b) }

func everyByte(s, _ string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteString("%" + strings.ToUpper(hex.EncodeToString([]byte{s[i]})))
	}
	return b.String()
}

func inLines(s string) string {
	var lines []string
	for len(s) > 76 {
		lines, s = append(lines, s[:76]), s[76:]
	}
	return strings.Join(append(lines, s), "\r\n")
}

func TestEveryEncodingIsFoundAndRedacted(t *testing.T) {
	scan := NewScanner(map[string]string{"KEY": value})
	for name, enc := range encodings {
		t.Run(name, func(t *testing.T) {
			text := "before " + enc(value) + " behind"
			if got := scan.Find(text); !slices.Equal(got, []string{"KEY"}) {
				t.Fatalf("not found in %q", text)
			}
			clean, changed := scan.Redact(text)
			if !changed || scan.Find(clean) != nil || !strings.HasPrefix(clean, "before ") || !strings.HasSuffix(clean, " behind") {
				t.Fatalf("%q", clean)
			}
			if !strings.Contains(clean, Mark("KEY")) {
				t.Fatalf("no mark in %q", clean)
			}
			// As a string, as a key, and in the text of a file.
			v := canon.Object(canon.Member{Key: text, Value: canon.Int(1)}, canon.Member{Key: "a", Value: canon.Array(canon.String(text))})
			if scan.Find(v.Text()) == nil {
				t.Fatalf("not found in the canonical text %s", v)
			}
			out, changed := scan.RedactValue(v)
			if !changed || scan.Find(out.Text()) != nil || out.Count() != 2 {
				t.Fatalf("%s", out)
			}
			if err := canon.OracleCheck([]byte(out.Text())); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestOrdinaryTextStays(t *testing.T) {
	scan := NewScanner(map[string]string{"KEY": value, "N": "1234567890", "SHORT": "abc"})
	v := parse(t, `{"a":"nothing %20 here \\ \" abc","b":[1,2.5,null,true],"c":{"123456789":"sk-live/"}}`)
	if out, changed := scan.RedactValue(v); changed || out != v {
		t.Fatalf("%s", out)
	}
	if (*Scanner)(nil).Find(value) != nil || (&Scanner{}).Find(value) != nil || !(*Scanner)(nil).Empty() {
		t.Fatal("an empty scanner finds something")
	}
}

func TestNumbersAndKeys(t *testing.T) {
	scan := NewScanner(map[string]string{"N": "1234567890"})
	out, changed := scan.RedactValue(parse(t, `{"1234567890":1,"[redacted:N]":2,"x":1234567890}`))
	want := `{"[redacted:N]":2,"[redacted:N]#2":1,"x":"[redacted:N]"}`
	if !changed || out.Text() != want {
		t.Fatalf("%s", out)
	}
}

func TestTwoSecretsSideBySide(t *testing.T) {
	scan := NewScanner(map[string]string{"A": "aaaaaaaa1", "B": "bbbbbbbb2", "C": "aaaaaaaa1bbbb"})
	clean, _ := scan.Redact("<aaaaaaaa1bbbbbbbb2>")
	if scan.Find(clean) != nil || !strings.HasPrefix(clean, "<[redacted:") || !strings.HasSuffix(clean, ">") {
		t.Fatalf("%q", clean)
	}
}

// A redaction takes nothing with it but the secret.
func TestNeighboursStay(t *testing.T) {
	scan := NewScanner(map[string]string{"KEY": "value=one"})
	for text, want := range map[string]string{
		"A=value=one\nB=2":         "A=[redacted:KEY]\nB=2",
		"A=value=one\r\n  B=2":     "A=[redacted:KEY]\r\n  B=2",
		"x%41value%3Done%42y":      "x%41[redacted:KEY]%42y",
		`\n\u0076alue=on\u0065\n"`: `\n[redacted:KEY]\n"`,
		"dmFsdWU9b25l\ncmVzdA":     "[redacted:KEY]\ncmVzdA",
	} {
		if got, _ := scan.Redact(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// Whatever stands around a secret and however it is encoded, it is found, and what was redacted is gone.
func TestFoundAnywhere(t *testing.T) {
	names := make([]string, 0, len(encodings))
	for name := range encodings {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringN(MinBytes, 60, 200).Draw(t, "secret")
		enc := encodings[rapid.SampledFrom(names).Draw(t, "encoding")]
		head, tail := rapid.String().Draw(t, "head"), rapid.String().Draw(t, "tail")
		scan := NewScanner(map[string]string{"KEY": s})
		text := head + "|" + enc(s) + "|" + tail
		clean, changed := scan.Redact(text)
		if !changed || scan.Find(clean) != nil {
			t.Fatalf("%q\n%q", text, clean)
		}
		v, _ := scan.RedactValue(canon.String(text))
		if scan.Find(v.Text()) != nil {
			t.Fatalf("value %s", v)
		}
	})
}

// Base64 finds a secret wherever it begins among arbitrary bytes.
func TestBase64Alignment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.Byte(), MinBytes, 40).Draw(t, "secret"))
		head, tail := rapid.SliceOf(rapid.Byte()).Draw(t, "head"), rapid.SliceOf(rapid.Byte()).Draw(t, "tail")
		enc := rapid.SampledFrom([]*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding}).Draw(t, "alphabet")
		text := enc.EncodeToString(slices.Concat(head, []byte(s), tail))
		if NewScanner(map[string]string{"KEY": s}).Find(text) == nil {
			t.Fatalf("%q in %q", s, text)
		}
	})
}

func TestVault(t *testing.T) {
	env := map[string]string{"GOOD": "longenough", "SHORT": "seven77", "EMPTY": ""}
	v := NewVault(func(n string) (string, bool) { s, ok := env[n]; return s, ok }, "GOOD", "SHORT", "EMPTY", "NONE", "GOOD")
	if got, err := v.Value("GOOD"); got != "longenough" || err != nil {
		t.Fatal(got, err)
	}
	var short *TooShort
	var missing *Missing
	var undeclared *NotDeclared
	_, err := v.Value("SHORT")
	if !errors.As(err, &short) || strings.Contains(err.Error(), "seven77") {
		t.Fatal(err)
	}
	for _, name := range []string{"NONE", "EMPTY"} {
		if _, err = v.Value(name); !errors.As(err, &missing) {
			t.Fatal(err)
		}
	}
	if _, err = v.Value("HOME"); !errors.As(err, &undeclared) {
		t.Fatal(err)
	}
	if got := v.TooShort(); !slices.Equal(got, []string{"SHORT"}) {
		t.Fatal(got)
	}
	first := v.Scanner()
	if first != v.Scanner() || first.Find("a seven77 b longenough") == nil || first.Find("seven77") != nil {
		t.Fatal("scanner")
	}
	env["GOOD"] = "another-one"
	if got := v.Scanner(); got.Find("longenough") == nil || got.Find("another-one") == nil {
		t.Fatal("a rotated secret: the old and the new value are both secret")
	}
}

func TestResolve(t *testing.T) {
	v := NewVault(func(n string) (string, bool) { return "value-of-" + n, true }, "A", "B")
	in := parse(t, `{"deep":[{"$secret":"A"},{"$secret":"A","x":1}],"n":1}`)
	out, err := v.Resolve(in, []string{"A"})
	if err != nil || out.Text() != `{"deep":["value-of-A",{"$secret":"A","x":1}],"n":1}` {
		t.Fatal(out, err)
	}
	var undeclared *NotDeclared
	if _, err = v.Resolve(in, []string{"B"}); !errors.As(err, &undeclared) {
		t.Fatal(err)
	}
	if got := Names(parse(t, `[{"$secret":"B"},{"k":{"$secret":"A"}},{"$secret":5},{"$secret":"B"}]`)); !slices.Equal(got, []string{"A", "B"}) {
		t.Fatal(got)
	}
	if s, err := v.Text(parse(t, `"plain"`)); s != "plain" || err != nil {
		t.Fatal(s, err)
	}
	if _, err := v.Text(parse(t, `5`)); err == nil {
		t.Fatal("a number is no text")
	}
}

// What comes out of Redact holds no secret, whatever goes in.
func FuzzRedact(f *testing.F) {
	for _, enc := range encodings {
		f.Add(value, "x"+enc(value)+enc(value))
	}
	f.Add("aaaaaaaa", "aaaaaaaaaaaaaaaaaaaaaaaa\naaa")
	f.Add("%41%41%41", "%2541%41%41%41%41")
	f.Add("12345678", `\u0031\u0032345678`)
	f.Fuzz(func(t *testing.T, secret, text string) {
		if strings.Contains(Mark("KEY"), secret) || strings.Contains(secret, "[redacted") {
			t.Skip("the mark itself would be a hit")
		}
		scan := NewScanner(map[string]string{"KEY": secret})
		clean, changed := scan.Redact(text)
		if !changed && clean != text {
			t.Fatal("changed without a hit")
		}
		if strings.Contains(clean, secret) && len(secret) >= MinBytes {
			t.Fatalf("%q is left in %q", secret, clean)
		}
		v, _ := scan.RedactValue(canon.Object(canon.Member{Key: text, Value: canon.String(text)}))
		if err := canon.OracleCheck([]byte(v.Text())); err != nil {
			t.Fatal(err)
		}
	})
}

func BenchmarkScanAnswer(b *testing.B) {
	scan := NewScanner(map[string]string{"A": "sk-0123456789abcdef0123456789abcdef", "B": "another-secret-value"})
	v := canon.Object(canon.Member{Key: "text", Value: canon.String(strings.Repeat("A sentence of an answer, with \"quotes\" and 100 % of it.\n", 80))})
	b.ReportAllocs()
	b.SetBytes(int64(v.Len()))
	for b.Loop() {
		scan.RedactValue(v)
	}
}
