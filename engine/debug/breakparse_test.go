package debug

import (
	"reflect"
	"strings"
	"testing"
)

// TestOptionsBehindWhen: options are taken behind a condition too; what is an expression as a whole stays one.
func TestOptionsBehindWhen(t *testing.T) {
	for text, want := range map[string]string{
		"when step > 2 once":                           "once when step > 2",
		"when step > 2 print payload":                  "print payload when step > 2",
		`when step > 2 from 2 per agent log`:           "from hit 2 per agent log when step > 2",
		"agent critic when step > 2 once":              "agent critic once when step > 2",
		"agent critic from 2 when step > 2 once":       "agent critic from hit 2 once when step > 2",
		"once when step > 2 from hit 3":                "from hit 3 once when step > 2",
		"a.star:3 when x > 2 once print y":             "line a.star:3 once print y when x > 2",
		`when tag == "x once"`:                         `when tag == "x once"`,
		`when tag == 'it\'s once' once`:                `once when tag == 'it\'s once'`,
		`when tag == " from 2" and text != " log" log`: `log when tag == " from 2" and text != " log"`,
	} {
		b, err := ParseBreakpoint(text)
		if err != nil || b.Text() != want {
			t.Errorf("%q is read as %q, %v; want %q", text, b.Text(), err, want)
			continue
		}
		if again, err := ParseBreakpoint(b.Text()); err != nil || !reflect.DeepEqual(again, b) {
			t.Errorf("%q is read back as %+v, %v", b.Text(), again, err)
		}
	}
	for text, want := range map[string]string{
		"when step > 2 from x":                 `from "x": write the first hit to stop at, from 1`,
		"when step > 2 once twice":             `"twice" is no option`,
		"when step > 2 once when step > 3":     "there is one when; join two conditions by and",
		"when step > 2 print":                  "print: write an expression behind it",
		"when step > 2 print nope":             `undefined: nope`,
		"when step > 2 twice":                  "got identifier after expression",
		"when once":                            "undefined: once",
		"agent critic when step > 2 per month": "write per agent",
	} {
		if b, err := ParseBreakpoint(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %q, %v; want an error with %q", text, b.Text(), err, want)
		}
	}
}
