package translate

import (
	"fmt"
	"strings"
	"testing"
)

// benchWorld is a rule set of n steps, each with one of every operation, and a call of 2 kB in version 1.
func benchWorld(b *testing.B, steps int) (*RuleSet, []byte) {
	b.Helper()
	var list []string
	for n := 1; n <= steps; n++ {
		list = append(list, fmt.Sprintf(`{"from":%d,"to":%d,"tool":"t","input":[
			{"op":"rename","path":"/density_%d","to":"density_%d"},
			{"op":"rename","path":"/cells/*/loc_%d","to":"loc_%d"},
			{"op":"move","from":"/limits_%d/iterations","to":"/limits_%d/iterations"},
			{"op":"default","path":"/added_%d","value":{"weight":0.5}},
			{"op":"drop","path":"/old_%d","restore":0}]}`, n, n+1, n, n+1, n, n+1, n, n+1, n, n))
	}
	rs, err := Load([]Source{{"bench.json", []byte(`{"rules":1,"steps":[` + strings.Join(list, ",") + `]}`)}}, nil)
	if err != nil {
		b.Fatal(err)
	}
	var cells []string
	for i := range 24 {
		cells = append(cells, fmt.Sprintf(`{"cell_id":"u_core/u_alu/reg_%d_","loc_1":{"x":%d,"y":%d.50},"fixed":false}`, i, i*1200, i*800))
	}
	doc := `{"design_ref":"gcd@sky130","effort":"standard","density_1":0.700,"limits_1":{"iterations":40},"cells":[` + strings.Join(cells, ",") + `]}`
	return rs, []byte(doc)
}

// BenchmarkTranslate carries a 2 kB call through 1, 5, 10 and 20 steps: at most 100 µs for 10, and linear in steps.
func BenchmarkTranslate(b *testing.B) {
	for _, steps := range []int{1, 5, 10, 20} {
		b.Run(fmt.Sprintf("steps=%d", steps), func(b *testing.B) {
			rs, doc := benchWorld(b, steps)
			plan, err := rs.Plan(Question{Tool: "t", Agent: 1, Native: []int{steps + 1}})
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if _, _, err := plan.Translate(Input, doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkPlan finds both ways over 10 steps.
func BenchmarkPlan(b *testing.B) {
	rs, _ := benchWorld(b, 10)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := rs.Plan(Question{Tool: "t", Agent: 1, Native: []int{11}}); err != nil {
			b.Fatal(err)
		}
	}
}

// TestBenchDocument keeps the benchmark what it says: a call of about 2 kB that every step changes.
func TestBenchDocument(t *testing.T) {
	var b testing.B
	rs, doc := benchWorld(&b, 10)
	if len(doc) < 1900 || len(doc) > 2200 {
		t.Errorf("the call has %d bytes", len(doc))
	}
	plan, err := rs.Plan(Question{Tool: "t", Agent: 1, Native: []int{11}})
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := plan.Translate(Input, doc)
	if err != nil || !strings.Contains(string(out), `"density_11":0.700`) || strings.Count(string(out), `"loc_11"`) != 24 || !strings.Contains(string(out), `"limits_11"`) {
		t.Errorf("%v %s", err, out)
	}
}
