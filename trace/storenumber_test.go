package trace

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

// What quickNumber takes it reads as strconv does, and it takes what usages are made of.
func TestQuickNumber(t *testing.T) {
	for _, text := range []string{"0", "7", "75", "0.000125", "10.5", "123456789012345", "0.1", "3.0"} {
		if _, ok := quickNumber([]byte(text)); !ok {
			t.Errorf("%s is not taken", text)
		}
	}
	for _, text := range []string{"", "-1", "1e3", "01", ".5", "5.", "1.2.3", "1234567890123456", "00.5", "x"} {
		if f, ok := quickNumber([]byte(text)); ok {
			t.Errorf("%s is read as %v", text, f)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(0|[1-9][0-9]{0,8})(\.[0-9]{1,8})?`).Draw(t, "number")
		got, ok := quickNumber([]byte(text))
		want, err := strconv.ParseFloat(text, 64)
		if ok && (err != nil || got != want) {
			t.Fatalf("%s: %v, want %v", text, got, want)
		}
	})
}
