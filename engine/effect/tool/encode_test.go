package tool

import (
	"encoding/json"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace/canon"
)

// The record of a call is what encoding/json writes of it, in canonical form, whichever members are empty.
func TestDetailsAreTheirJSON(t *testing.T) {
	details := rapid.MakeCustom[Details](rapid.MakeConfig{Types: map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[int]():     rapid.IntRange(-canon.MaxSafeInteger, canon.MaxSafeInteger).AsAny(),
		reflect.TypeFor[int64]():   rapid.Int64Range(-canon.MaxSafeInteger, canon.MaxSafeInteger).AsAny(),
		reflect.TypeFor[float64](): rapid.Float64Range(0, 1e6).AsAny(),
	}})
	rapid.Check(t, func(t *rapid.T) {
		d := details.Draw(t, "details")
		d.Asked, d.Answered, d.Error = "", "", "" // filled in by the reader, never written
		text, err := json.Marshal(&d)
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := canon.Parse(text, canon.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if got := d.value(); got != want {
			t.Fatalf("%s\nwant %s", got, want)
		}
	})
}
