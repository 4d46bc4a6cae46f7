package contract

import (
	"strings"
	"testing"

	"flowdbg/trace/canon"

	"github.com/google/go-cmp/cmp"
)

// TestReadTools reads one tool in every form of a listing.
func TestReadTools(t *testing.T) {
	capability := strings.TrimSpace(string(readJSON(t, "testdata/golden/ToolCapability.json")))
	bad := strings.Replace(capability, `"1.3.1"`, `"1.3"`, 1)
	for name, c := range map[string]struct{ doc, want string }{
		"capability":       {capability, "iPL.place 1.3.1 +"},
		"list":             {`[` + capability + `]`, "iPL.place 1.3.1 +"},
		"tools":            {`{"tools":[` + capability + `]}`, "iPL.place 1.3.1 +"},
		"by name":          {`{"tools":{"iPL.place":` + capability + `,"iSTA.analyze":"1.0.0"}}`, "iPL.place 1.3.1 + | iSTA.analyze 1.0.0 -"},
		"meta":             {`{"tools":[{"name":"iPL.place","inputSchema":{},"_meta":{"flowdbg/version":"1.3.1","flowdbg/capability":` + capability + `}}]}`, "iPL.place 1.3.1 +"},
		"version in meta":  {`{"tools":[{"name":"x","_meta":{"flowdbg/version":"2.0.0"}}]}`, "x 2.0.0 -"},
		"answer":           {`{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"x","_meta":{"flowdbg/version":"2.0.0"}}]}}`, "x 2.0.0 -"},
		"bad answer":       {`{"result":{"tools":[{"name":"x","capability":[]}]}}`, "x  - /result/tools/0/capability type"},
		"entry":            {`{"tools":[{"name":"iPL.place","capability":` + capability + `}]}`, "iPL.place 1.3.1 +"},
		"nothing stated":   {`{"tools":[{"name":"x"}]}`, "x  -"},
		"empty":            {`{"tools":[]}`, ""},
		"invalid":          {`[` + bad + `]`, "iPL.place  - /0/version pattern"},
		"other version":    {`{"tools":[{"name":"iPL.place","version":"1.4.0","capability":` + capability + `}]}`, "iPL.place 1.4.0 - /tools/0/capability/version consistency"},
		"other tool":       {`{"tools":{"iPL.legalize":` + capability + `}}`, "iPL.legalize  - /tools/iPL.legalize/tool_name consistency"},
		"no name":          {`[{}]`, "  - /0 consistency"},
		"no tool":          {`[1]`, "  - /0 consistency"},
		"not a capability": {`{"tools":[{"name":"x","capability":[]}]}`, "x  - /tools/0/capability type"},
	} {
		t.Run(name, func(t *testing.T) {
			v, _, err := canon.ParseString(c.doc, canon.Options{})
			if err != nil {
				t.Fatal(err)
			}
			tools, err := ReadTools(v)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, tool := range tools {
				line := tool.Name + " " + tool.Version + " " + map[bool]string{true: "+", false: "-"}[tool.Capability != nil]
				for _, f := range tool.Findings {
					line += " " + f.Pointer + " " + f.Rule
				}
				got = append(got, line)
			}
			if diff := cmp.Diff(c.want, strings.Join(got, " | ")); diff != "" {
				t.Fatal(diff)
			}
			for _, s := range SuitListed(tools, Wish{Scenario: "placement", Cells: ptr[int64](1)}) {
				if want := map[bool]string{true: StatusFits, false: StatusNotCheckable}[strings.Contains(c.want, s.Tool+" "+s.Version+" +")]; s.Status != want {
					t.Errorf("%s suits: %s", s.Tool, s.Status)
				}
			}
		})
	}
	for _, doc := range []string{`1`, `{}`, `{"tools":"x"}`, `null`, `{"result":[]}`, `{"result":{}}`} {
		v, _, _ := canon.ParseString(doc, canon.Options{})
		if _, err := ReadTools(v); err == nil {
			t.Errorf("%s is a listing", doc)
		}
	}
}
