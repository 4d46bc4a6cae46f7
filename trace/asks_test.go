package trace

import (
	"testing"

	"flowdbg/trace/canon"
)

// TestAsks: a request is named by what it asks for, by the inputs that the ops take.
func TestAsks(t *testing.T) {
	for _, c := range [][3]string{
		{"llm", `{"model":"mock-fast","prompt":"x"}`, "llm mock-fast"},
		{"tool", `{"arguments":{},"tool":"iPL.place"}`, "tool iPL.place"},
		{"mcp", `{"arguments":{},"server":"files","tool":"read"}`, "mcp files/read"},
		{"http", `{"method":"GET","url":"http://127.0.0.1/x"}`, "http http://127.0.0.1/x"},
		{"exec", `{"argv":["make","all"]}`, "exec make"},
		{"exec", `{"argv":[1]}`, "exec"},
		{"search", `{"query":"x"}`, "search"},
		{"tool", `{"tool":3}`, "tool"},
		{"now", `null`, "now"},
	} {
		v, _, err := canon.ParseString(c[1], canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := NewRequest(c[0], v).Asks(); got != c[2] {
			t.Errorf("%s %s is called %q, not %q", c[0], c[1], got, c[2])
		}
	}
	if got := (*Request)(nil).Asks(); got != "nothing" {
		t.Errorf("no request is called %q", got)
	}
}
