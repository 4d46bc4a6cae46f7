package design

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"flowdbg/contract"
)

// oracle is one file of testdata/oracles: two snapshots, a rule, and what a tool or a second program counted. Counts that are
// not named must be 0.
type oracle struct {
	Before        string             `json:"before"`
	After         string             `json:"after"`
	Identity      Identity           `json:"identity"`
	Ignore        []string           `json:"ignore"`
	Want          map[string]float64 `json:"want"`
	Skip          []string           `json:"skip"` // counts that the source does not state
	Max           *float64           `json:"max"`  // µm
	Sum           *float64           `json:"sum"`
	AddedByClass  map[string]int     `json:"added_by_class"`
	Equal         *bool              `json:"snapshots_equal"`
	WiringDiffers bool               `json:"wiring_differs"`
	Claims        []struct {
		From string             `json:"from"`
		Text string             `json:"text"`
		Want map[string]Verdict `json:"want"`
	} `json:"claims"`
}

// findData resolves a path of a case. "shared:" data lies beside the repository and may be absent, which skips the test.
func findData(t testing.TB, path string) string {
	t.Helper()
	rel, ok := strings.CutPrefix(path, "shared:")
	if !ok {
		return filepath.Join("testdata", path)
	}
	full := filepath.Join(moduleRoot(t), "..", "shared", "eda", rel)
	if _, err := os.Stat(full); err != nil {
		t.Skipf("no %s beside the repository: put the shared EDA data there to run this case", filepath.Join("..", "shared", "eda", rel))
	}
	return full
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = up
	}
}

func readFile(t testing.TB, path string) *Snapshot {
	t.Helper()
	f, err := os.Open(findData(t, path))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s, err := Read(f, Options{})
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return s
}

func TestOracles(t *testing.T) {
	files, err := filepath.Glob("testdata/oracles/*.json")
	if err != nil || len(files) < 20 {
		t.Fatalf("oracles: %d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var o oracle
			if err := json.Unmarshal(data, &o); err != nil {
				t.Fatal(err)
			}
			o.check(t)
		})
	}
}

func (o *oracle) check(t *testing.T) {
	a, b := readFile(t, o.Before), readFile(t, o.After)
	got, err := Delta(a, b, Rule{Identity: o.Identity, Ignore: o.Ignore})
	if err != nil {
		t.Fatal(err)
	}
	n := got.Counts
	for name, v := range map[string]int{
		"placed": n.Placed, "unplaced": n.Unplaced, "moved": n.Moved, "resized": n.Resized, "renamed": n.Renamed,
		"added": n.Added, "removed": n.Removed, "nets_added": n.NetsAdded, "nets_removed": n.NetsRemoved,
		"nets_reconnected": n.NetsReconnected,
	} {
		if float64(v) != o.Want[name] && !slices.Contains(o.Skip, name) {
			t.Errorf("%s: %d, want %v", name, v, o.Want[name])
		}
	}
	near := func(what string, got float64, want *float64) {
		if want != nil && math.Abs(got-*want) > 1e-9 {
			t.Errorf("%s displacement: %v, want %v", what, got, *want)
		}
	}
	near("max", got.Displacement.Max, o.Max)
	near("sum", got.Displacement.Sum, o.Sum)
	for class, want := range o.AddedByClass {
		if n.AddedByClass[class] != want {
			t.Errorf("added %s: %d, want %d", class, n.AddedByClass[class], want)
		}
	}
	if o.Equal != nil && got.Equal != *o.Equal {
		t.Errorf("snapshots equal: %v, want %v", got.Equal, *o.Equal)
	}
	if got.SameWiring == o.WiringDiffers && o.WiringDiffers {
		t.Error("the wiring is said to be equal")
	}
	validDelta(t, got)
	o.checkClaims(t, got)
}

// validDelta holds the answer against the schema and the recount of package contract.
func validDelta(t *testing.T, a *Answer) {
	t.Helper()
	data, err := json.Marshal(a.Delta)
	if err != nil {
		t.Fatal(err)
	}
	findings, err := contract.Validate("DesignDelta", data)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		t.Errorf("the delta is not valid: %v", f)
	}
}

func (o *oracle) checkClaims(t *testing.T, a *Answer) {
	for _, c := range o.Claims {
		text := c.Text
		if c.From != "" {
			data, err := os.ReadFile(findData(t, c.From))
			if err != nil {
				t.Fatal(err)
			}
			text = string(data)
		}
		claim, err := ReadClaims(c.From, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		lines := a.Compare([]Claim{claim})
		seen := map[string]Verdict{}
		for _, l := range lines {
			seen[l.Quantity] = l.Verdict
		}
		for q, want := range c.Want {
			if seen[q] != want {
				t.Errorf("claim of %s: %q, want %q; lines %+v", q, seen[q], want, lines)
			}
		}
	}
}

// TestHPWLEqualsTheToolsOwn recomputes nextpnr's `wirelen` and the ASIC runs' HPWL from the placements alone.
func TestHPWLEqualsTheToolsOwn(t *testing.T) {
	type row struct {
		D       string  `json:"d"`
		Seed    int     `json:"seed"`
		Placer  string  `json:"placer"`
		Wirelen float64 `json:"wirelen"`
		Run     string  `json:"run"`
		HPWLUM  float64 `json:"hpwl_um"`
	}
	read := func(name string) (rows []row) {
		data, err := os.ReadFile("testdata/generated/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &rows); err != nil {
			t.Fatal(err)
		}
		return rows
	}
	find := func(rows []row, ok func(row) bool) row {
		for _, r := range rows {
			if ok(r) {
				return r
			}
		}
		t.Fatal("no such run in the metrics")
		return row{}
	}
	sweep := read("sweep.metrics.json")
	for _, c := range []struct {
		file, design string
		seed         int
	}{{"gcd.s1", "gcd", 1}, {"gcd.s4", "gcd", 4}, {"acc8.s1", "acc8", 1}, {"acc8.s4", "acc8", 4}} {
		t.Run(c.file, func(t *testing.T) {
			want := find(sweep, func(r row) bool { return r.D == c.design && r.Seed == c.seed && r.Placer == "heap" }).Wirelen
			h := readFile(t, "generated/"+c.file+".placed.json.gz").HPWL(nil)
			if h.Value == nil || *h.Value != want || h.Unit != "tiles" {
				t.Errorf("HPWL %v, the log has wirelen %v", h, want)
			}
		})
	}
	asic := read("dse.metrics.json")
	for _, run := range []string{"f100.s42", "f400.s42", "f200.s777", "f200.s12345", "none.s777"} {
		t.Run(run, func(t *testing.T) {
			path := "shared:generated/asic/gcd." + run + ".placed.def"
			if strings.HasSuffix(run, ".s42") {
				path = "generated/gcd." + run + ".placed.def.gz"
			}
			want := find(asic, func(r row) bool { return r.Run == run }).HPWLUM
			if h := readFile(t, path).HPWL(nil); h.Value == nil || math.Round(*h.Value) != want || h.UnplacedPins != 0 {
				t.Errorf("HPWL %v, want %v µm", h, want)
			}
		})
	}
}
