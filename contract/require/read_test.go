package require

import (
	"strings"
	"testing"
)

func TestRead(t *testing.T) {
	for name, c := range map[string]struct{ doc, want, fails string }{
		"seed":        {`{"required_contracts": {"iDB": ">=0.8.0", "iPL": ">=1.2.0", "iSTA": ">=1.0.0"}}`, "iDB >=0.8.0; iPL >=1.2.0; iSTA >=1.0.0", ""},
		"object":      {`{"iDB": ">=0.8.0, <1.0.0"}`, "iDB >=0.8.0, <1.0.0", ""},
		"list":        {`["iPL.place >= 1.2.0, < 2.0.0"]`, "iPL.place >=1.2.0, <2.0.0", ""},
		"text":        {"# needed\n\niPL.place >= 1.2.0, < 2.0.0\r\n  iDB ^0.8.0\n", "iPL.place >=1.2.0, <2.0.0; iDB ^0.8.0", ""},
		"nothing":     {"# none\n", "", ""},
		"every error": {`{"iDB": ">=0.8", "iPL": 3, "": ">=1.0.0", "iSTA": ">=1.0.0"}`, "iSTA >=1.0.0", "iDB: col 3|iPL: constraints are number|no name"},
		"every line":  {"iDB 0.8\niPL\niSTA ^1.0.0\n", "iSTA ^1.0.0", "line 1: col 5|line 2: col 4"},
		"bad element": {`[3]`, "", "element 0 is number, not a string"},
		"floods":      {strings.Repeat("?\n", 1000), "", "line 20:|and 980 more"},
		"bad JSON":    {`{"a": ">=1.0.0", "a": "<2.0.0"}`, "", "a"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read([]byte(c.doc))
			var lines []string
			for _, r := range got {
				lines = append(lines, r.String())
			}
			if strings.Join(lines, "; ") != c.want || (err == nil) != (c.fails == "") {
				t.Fatalf("%v, %v", lines, err)
			}
			for _, part := range strings.Split(c.fails, "|") {
				if err != nil && !strings.Contains(err.Error(), part) {
					t.Errorf("%v lacks %q", err, part)
				}
			}
		})
	}
	provided, err := ReadProvided([]byte("iPL.place @ 1.3.1\niDB@0.9.0\nbad\n"))
	if len(provided) != 2 || err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Fatal(provided, err)
	}
}
