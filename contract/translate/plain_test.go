package translate

import (
	"reflect"
	"strings"
	"testing"
)

// FuzzPlain: what the short way takes, the decoder takes too, as the same tree; so no text passes that is no strict JSON.
func FuzzPlain(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-0.5,true,false,null,"x\n"],"ä":{}}`, ` [ ] `, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{"a\/":1,"a/":2}`, `01`, `-`, `1.`, `.5`, `1e400`,
		`"\ud800"`, "\"\xff\"", `{"a":1,}`, `[1,]`, `[,1]`, `{"a"}`, `{a:1}`, `{} {}`, "\ufeff{}", `tru`, `truex`, `"\x"`, "\"\t\"", `"`, `{`, `[`, ``, ` `,
		strings.Repeat("[", 257) + strings.Repeat("]", 257), strings.Repeat("[", 256) + strings.Repeat("]", 256), strings.Repeat("1", 310), "0." + strings.Repeat("1", 310),
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := parsePlain(text)
		if got == nil {
			return
		}
		want, err := parseStrict(text, []byte(text))
		if err != nil {
			t.Fatalf("%q passes, but %v", text, err)
		}
		if !reflect.DeepEqual(listed(got), listed(want)) {
			t.Fatalf("%q: %v, the decoder has %v", text, listed(got), listed(want))
		}
	})
}

// listed is a tree as its nodes in order, with their places.
func listed(n *node) []any {
	out := []any{n.kind, n.raw, n.off, len(n.members), len(n.elems)}
	for _, m := range n.members {
		out = append(append(out, m.name, m.raw), listed(m.val)...)
	}
	for _, e := range n.elems {
		out = append(out, listed(e)...)
	}
	return out
}

// The usual texts go the short way: else nothing is won, and nothing would say so.
func TestPlainTakesUsualTexts(t *testing.T) {
	for _, text := range []string{
		`{"density":0.6,"design_ref":"gcd@sky130","max_iterations":100}`,
		"{\n  \"content\": [{\"type\": \"text\", \"text\": \"{\\\"a\\\":1}\"}],\n  \"isError\": false\n}\n", `"Überlauf"`, `[-1, 0, 12.5]`,
	} {
		if parsePlain(text) == nil {
			t.Errorf("%s is left to the decoder", text)
		}
	}
}
