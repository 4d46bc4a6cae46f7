package judge

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"flowdbg/contract"
)

// shared finds a file of the data beside the checkout, or skips the test.
func shared(t testing.TB, path ...string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
	name := filepath.Join(append([]string{filepath.Dir(dir), "shared"}, path...)...)
	if _, err := os.Stat(name); err != nil {
		t.Skipf("needs %s beside the checkout", filepath.Join(append([]string{"..", "shared"}, path...)...))
	}
	return name
}

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// pointSet is a file of points to be minimised, with what is expected of it beside it.
type pointSet struct {
	P     [][]float64 `json:"p"`
	Ref   []float64   `json:"ref"`
	Names []string    `json:"names"`

	Rank      []int             `json:"rank"`
	Crowding  map[string]string `json:"cd"`
	HV        float64           `json:"hv"`
	Pareto    []float64         `json:"pareto_regret_range_norm"`
	Scalar    []float64         `json:"scalar_regret_equal_weights"`
	Chebyshev []float64         `json:"chebyshev_regret"`
}

func readPoints(t testing.TB, name string) pointSet {
	t.Helper()
	var s pointSet
	if err := json.Unmarshal(read(t, name), &s); err != nil {
		t.Fatal(err)
	}
	expected := name[:len(name)-len(".json")] + ".expected.json"
	if _, err := os.Stat(expected); err == nil {
		if err := json.Unmarshal(read(t, expected), &s); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// candidatesOf makes candidates whose ids keep the order of the points; the objectives are to be minimised.
func candidatesOf(points [][]float64) ([]Candidate, []Objective) {
	var objectives []Objective
	if len(points) > 0 {
		for m := range points[0] {
			objectives = append(objectives, Objective{Objective: contract.Objective{Metric: "f" + strconv.Itoa(m), Direction: contract.LowerIsBetter}})
		}
	}
	list := make([]Candidate, len(points))
	for i, p := range points {
		list[i] = Candidate{ID: "c" + strconv.Itoa(1_000_000+i), Metrics: &Metrics{}}
		for m, v := range p {
			list[i].Metrics.Set(objectives[m].Metric, v, "")
		}
	}
	return list, objectives
}
