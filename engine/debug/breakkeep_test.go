package debug

import (
	"strings"
	"testing"
)

func TestMergeKept(t *testing.T) {
	one := func(kinds ...string) []byte {
		var list []string
		for _, k := range kinds {
			list = append(list, `{"kind":"agent","name":"`+k+`","enabled":true}`)
		}
		return []byte("[" + strings.Join(list, ",") + "]")
	}
	for _, x := range []struct {
		name               string
		base, theirs, ours []byte
		want               string
	}{
		{"theirs is added", one("a"), one("a", "b"), one("a", "c"), "a c b"},
		{"ours is removed", one("a", "b"), one("a", "b", "c"), one("a"), "a c"},
		{"theirs is removed and ours stays", one("a", "b"), one("a"), one("a", "b"), "a b"},
		{"both added the same", nil, one("a"), one("a"), "a"},
		{"no file yet", nil, nil, one("a"), "a"},
	} {
		data, err := MergeKept("breaks.json", x.base, x.theirs, x.ours)
		if err != nil {
			t.Fatal(err)
		}
		list, err := readBreaks(data)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range list {
			got = append(got, b.Name)
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("%s: %v, want %s", x.name, got, x.want)
		}
	}
	if _, err := MergeKept("breaks.json", nil, []byte("[{"), one("a")); err == nil {
		t.Error("a damaged file is merged")
	}
	if _, err := readBreaks([]byte(`[{"kind":"agnt","name":"x"}]`)); err == nil || !strings.Contains(err.Error(), `at /0/kind: "agnt" is no kind of breakpoint (did you mean "agent"?)`) {
		t.Error(err)
	}
}
