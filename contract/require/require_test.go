package require

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/Masterminds/semver/v3"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

var separator = regexp.MustCompile(`(?:^| )\|(?: |$)`)

// table reads a file of `a | b | c` lines; # begins a comment line.
func table(t testing.TB, name string) [][]string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimRight(line, "\n"); line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		cells := separator.Split(line, -1)
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, cells)
	}
	return rows
}

func TestParse(t *testing.T) {
	for _, row := range table(t, "parse.txt") {
		t.Run(row[0], func(t *testing.T) {
			text, want := row[0], row[1]
			got, err := Parse(text)
			if part, bad := strings.CutPrefix(want, "!"); bad {
				if err == nil || !strings.Contains(err.Error(), part) {
					t.Fatalf("Parse(%q) = %v, %v; want an error with %q", text, got, err, part)
				}
				return
			}
			if err != nil || got.String() != want {
				t.Fatalf("Parse(%q) = %v, %v; want %q", text, got, err, want)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	for _, row := range table(t, "check.txt") {
		t.Run(row[0]+" on "+row[1], func(t *testing.T) {
			r, err := Parse(row[0])
			if err != nil {
				t.Fatal(err)
			}
			v, err := ParseVersion(row[1])
			if err != nil {
				t.Fatal(err)
			}
			want := Answer{OK: row[2] == "yes", Prerelease: row[2] == "prerelease", Reason: row[3]}
			if diff := cmp.Diff(want, r.Check(v)); diff != "" {
				t.Fatal(diff)
			}
		})
	}
}

func TestLint(t *testing.T) {
	for _, row := range table(t, "lint.txt") {
		t.Run(row[0], func(t *testing.T) {
			r, err := Parse(row[0])
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, l := range r.Lint() {
				got = append(got, l.Rule)
			}
			if strings.Join(got, " ") != row[1] {
				t.Fatalf("lints %v, want %q", r.Lint(), row[1])
			}
		})
	}
}

func TestNegotiate(t *testing.T) {
	files, err := filepath.Glob("testdata/negotiate/*.json")
	if err != nil || len(files) == 0 {
		t.Fatal("no cases", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var c struct {
				Required, Provided, Verdicts, Duplicates []string
				Raw                                      []Provided
				Connects                                 bool
			}
			if err := json.Unmarshal(data, &c); err != nil {
				t.Fatal(err)
			}
			var required []Requirement
			for _, s := range c.Required {
				r, err := Parse(s)
				if err != nil {
					t.Fatal(err)
				}
				required = append(required, r)
			}
			provided := c.Raw
			for _, s := range c.Provided {
				p, err := ParseProvided(s)
				if err != nil {
					t.Fatal(err)
				}
				provided = append(provided, p)
			}
			report := Negotiate(required, provided)
			got := []string{}
			for _, v := range report.Verdicts {
				got = append(got, v.Name+" "+v.Verdict+": "+v.Reason)
			}
			if diff := cmp.Diff(c.Verdicts, got); diff != "" {
				t.Error(diff)
			}
			if report.Connects != c.Connects || !slices.Equal(report.Duplicates, c.Duplicates) {
				t.Errorf("connects %v, duplicates %v", report.Connects, report.Duplicates)
			}
			if unmet := report.Unmet(); (unmet == 0) != report.Connects {
				t.Errorf("%d unmet, connects %v", unmet, report.Connects)
			}
		})
	}
}

// TestSeedCompatibility holds the very lines of seed 000.
func TestSeedCompatibility(t *testing.T) {
	line, ok, err := Compatibility("iPL.place >= 1.2.0, < 2.0.0", "iPL.place @ 1.3.1")
	if err != nil || !ok || line != "→ Compatible: 1.2.0 <= 1.3.1 < 2.0.0 ✓" {
		t.Fatal(line, ok, err)
	}
	line, ok, err = Compatibility("iPL.place >= 1.2.0, < 2.0.0", "iPL.place @ 2.0.0")
	if err != nil || ok || line != "→ Incompatible: 2.0.0 is not < 2.0.0 ✗" {
		t.Fatal(line, ok, err)
	}
	line, ok, err = Compatibility("iPL.place >= 1.2.0", "iSTA.analyze @ 2.0.0")
	if err != nil || ok || !strings.Contains(line, "neither iPL.place nor any iPL.place.*") {
		t.Fatal(line, ok, err)
	}
	for _, bad := range [][2]string{{"iPL >= 1", "iPL @ 1.0.0"}, {"iPL >= 1.0.0", "iPL 1.0.0"}, {"iPL >= 1.0.0", "@ 1.0.0"}, {"iPL >= 1.0.0", "iPL @ 1.0"}} {
		if _, _, err := Compatibility(bad[0], bad[1]); err == nil {
			t.Errorf("%v was accepted", bad)
		}
	}
}

var smallVersion = rapid.Custom(func(t *rapid.T) string {
	n := func(name string) string { return rapid.SampledFrom([]string{"0", "1", "2"}).Draw(t, name) }
	v := n("major") + "." + n("minor") + "." + n("patch")
	return v + rapid.SampledFrom([]string{"", "", "", "-0", "-a", "-a.0", "-rc.1", "+b"}).Draw(t, "suffix")
})

var anyRequirement = rapid.Custom(func(t *rapid.T) Requirement {
	parts := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{">=", ">", "<", "<=", "=", "!=", "~", "^"}).Draw(t, "op") + " " + smallVersion.Draw(t, "v")
	}), 1, 4).Draw(t, "clauses")
	r, err := Parse("tool " + strings.Join(parts, ", "))
	if err != nil {
		t.Fatal(err)
	}
	return r
})

// TestSmallestIsSmallest compares with every version of a small world, and a satisfied version proves a range not empty.
func TestSmallestIsSmallest(t *testing.T) {
	var world []*semver.Version
	for _, core := range []string{"0", "1", "2", "3"} {
		for _, minor := range []string{"0", "1", "2", "3"} {
			for _, patch := range []string{"0", "1", "2", "3", "4", "5", "6"} {
				for _, suffix := range []string{"", "-0", "-0.0", "-a", "-a.0", "-a.0.0", "-b", "-rc.1", "-rc.1.0"} {
					world = append(world, semver.MustParse(core+"."+minor+"."+patch+suffix))
				}
			}
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := anyRequirement.Draw(t, "requirement")
		smallest, ok := r.Smallest()
		if ok && !r.Check(smallest).OK {
			t.Fatalf("%s does not satisfy %s", smallest, r)
		}
		for _, v := range world {
			if r.Check(v).OK && (!ok || v.LessThan(smallest)) {
				t.Fatalf("%s satisfies %s, but Smallest says %v %v", v, r, smallest, ok)
			}
		}
	})
}

// TestAgreesWithTheLibrary evaluates a whole requirement with Masterminds at once; only ~0.0.x is read differently.
func TestAgreesWithTheLibrary(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := anyRequirement.Draw(t, "requirement")
		v := semver.MustParse(smallVersion.Draw(t, "version"))
		for _, c := range r.Clauses {
			if c.Op == "~" && c.Version.Major() == 0 && c.Version.Minor() == 0 {
				t.Skip("a deliberate difference")
			}
		}
		set, err := semver.NewConstraint(r.Constraints())
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Check(v).OK; got != set.Check(v) {
			t.Fatalf("%s on %s: %v, the library says %v", r, v, got, !got)
		}
	})
}

func FuzzRequirement(f *testing.F) {
	for _, row := range table(f, "parse.txt") {
		f.Add(row[0], "1.3.1")
	}
	f.Add("iPL.place @ 1.3.1", "1.3.0-rc.1")
	f.Fuzz(func(t *testing.T, text, version string) {
		if p, err := ParseProvided(text); err == nil {
			if again, err := ParseProvided(p.String()); err != nil || again != p {
				t.Fatalf("%q reads as %v, that as %v, %v", text, p, again, err)
			}
		}
		r, err := Parse(text)
		if err != nil {
			_ = err.Error()
			return
		}
		again, err := Parse(r.String())
		if err != nil || again.String() != r.String() {
			t.Fatalf("%q reads as %q, that as %q, %v", text, r, again, err)
		}
		pair, err := ParsePair(r.Name, r.Constraints())
		if err != nil || pair.String() != r.String() {
			t.Fatalf("%q as a pair is %q, %v", r, pair, err)
		}
		if v, err := ParseVersion(version); err == nil && r.Check(v).OK {
			if low, ok := r.Smallest(); !ok || v.LessThan(low) {
				t.Fatalf("%s satisfies %s, whose smallest is %v %v", v, r, low, ok)
			}
		}
		r.Lint()
	})
}

func BenchmarkNegotiate(b *testing.B) {
	var required []Requirement
	for _, s := range []string{"iDB >=0.8.0", "iPL >=1.2.0", "iSTA >=1.0.0"} {
		r, err := Parse(s)
		if err != nil {
			b.Fatal(err)
		}
		required = append(required, r)
	}
	provided := []Provided{{"iDB", "0.9.2"}, {"iPL.place", "1.3.1"}, {"iSTA.analyze", "1.0.0"}}
	b.ReportAllocs()
	for b.Loop() {
		Negotiate(required, provided)
	}
}
