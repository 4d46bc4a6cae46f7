package judge

import (
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func closeTo(a, b float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(b)) }

// TestPointFiles holds ranks, crowding, hypervolume and all regrets against answers computed elsewhere.
func TestPointFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/pareto/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no point files: %v", err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, ".expected.json") {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) { checkPointFile(t, file) })
	}
}

func checkPointFile(t *testing.T, file string) {
	s := readPoints(t, file)
	points, ok, err := ReadPoints(read(t, file))
	if err != nil || !ok {
		t.Fatalf("no points: %v, %v", ok, err)
	}
	r, err := Rank(points.Candidates, RankOptions{Objectives: points.Objectives, Reference: points.Reference, Contributions: true})
	if err != nil {
		t.Fatal(err)
	}
	for i, e := range r.Entries {
		if *e.Rank != s.Rank[i] {
			t.Errorf("point %d: rank %d, want %d", i, *e.Rank, s.Rank[i])
		}
		checkCrowding(t, i, e, s)
		for _, want := range []struct {
			name string
			list []float64
			got  *float64
		}{{"pareto", s.Pareto, e.Regret.Pareto}, {"scalar", s.Scalar, e.Regret.Scalar}, {"chebyshev", s.Chebyshev, e.Regret.Chebyshev}} {
			if want.list != nil && !closeTo(*want.got, want.list[i]) {
				t.Errorf("point %d: %s regret %v, want %v", i, want.name, *want.got, want.list[i])
			}
		}
	}
	if !closeTo(*r.Hypervolume, s.HV) {
		t.Errorf("hypervolume %v, want %v", *r.Hypervolume, s.HV)
	}
}

// TestReadPoints: what is no set of points, and what is a bad one.
func TestReadPoints(t *testing.T) {
	for text, want := range map[string]string{
		`{"p":[[1,2],[3,4]]}`:               "2 0",
		`{"p":[[1,2],[3,4]],"ref":[5,-1]}`:  "2 2",
		`{"p":[]}`:                          "other",
		`{"p":1}`:                           "other",
		`[[1,2]]`:                           "other",
		`{`:                                 "other",
		`{"p":[[1,2],[3]]}`:                 "1:13: point 1 is no list of 2 values",
		`{"p":[[1,2],3]}`:                   "1:13: point 1 is no list of 2 values",
		`{"p":[[]]}`:                        "1:7: point 0 is no list of 0 values",
		`{"p":[[1,{}]]}`:                    "1:10: a value that is an object",
		`{"p":[[1,2]],"ref":[1]}`:           "1:20: no reference point",
		`{"p":[[1,2]],"ref":[1,"2"]}`:       "1:23: no coordinate",
		`{"p":[[1,2]],"ref":[1,NaN]}`:       "1:23: no coordinate",
		`{"p":[[1,2]],"ref":[1],"ref":[1]}`: "1:30: no reference point",
	} {
		p, ok, err := ReadPoints([]byte(text))
		got := "other"
		switch {
		case err != nil:
			got = err.Error()
		case ok:
			got = strconv.Itoa(len(p.Candidates)) + " " + strconv.Itoa(len(p.Reference))
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
	p, _, err := ReadPoints([]byte(`{"p":[[1,NaN],[-1,"2"],[9e99,1],[-1,-1]]}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Rank(p.Candidates, RankOptions{Objectives: p.Objectives})
	if err != nil || r.Unrankable != 3 || len(r.Front) != 1 || r.Front[0] != "3" {
		t.Errorf("garbage among points: %+v, %v", r, err)
	}
}

func checkCrowding(t *testing.T, i int, e Entry, s pointSet) {
	want, onFront := s.Crowding[strconv.Itoa(i)]
	switch {
	case onFront != (*e.Rank == 0):
		t.Errorf("point %d: a crowding is expected: %v, but its rank is %d", i, onFront, *e.Rank)
	case !onFront:
	case want == "+Inf":
		if e.Crowding != nil {
			t.Errorf("point %d: crowding %v, want null on the boundary", i, *e.Crowding)
		}
	default:
		v, err := strconv.ParseFloat(want, 64)
		if err != nil {
			t.Fatal(err)
		}
		if e.Crowding == nil || !closeTo(*e.Crowding, v) {
			t.Errorf("point %d: crowding %v, want %v", i, e.Crowding, v)
		}
	}
}

func TestHypervolumeFiles(t *testing.T) {
	for name, want := range map[string]float64{"hv_wfg1": 0.25, "hv_pisa4": 0.25, "hv_h3d": 25} {
		t.Run(name, func(t *testing.T) {
			s := readPoints(t, shared(t, "pareto", name+".json"))
			got, err := Hypervolume(s.P, s.Ref)
			if err != nil || !closeTo(got, want) {
				t.Errorf("hypervolume %v (%v), want %v", got, err, want)
			}
		})
	}
}

// plainSort is the textbook sort, O(MN²) per front: the oracle for Sort.
func plainSort(points [][]float64, violation []float64) []int {
	beats := func(i, j int) bool {
		vi, vj := math.Max(violation[i], 0), math.Max(violation[j], 0)
		if vi > 0 || vj > 0 {
			return vi < vj
		}
		return Dominates(points[i], points[j])
	}
	ranks := make([]int, len(points))
	for i := range ranks {
		ranks[i] = -1
	}
	for front, left := 0, len(points); left > 0; front++ {
		var members []int
		for i := range points {
			if ranks[i] >= 0 {
				continue
			}
			free := true
			for j := range points {
				if ranks[j] < 0 && beats(j, i) {
					free = false
					break
				}
			}
			if free {
				members = append(members, i)
			}
		}
		for _, i := range members {
			ranks[i] = front
		}
		left -= len(members)
	}
	return ranks
}

// drawPoints makes sets with many ties and duplicates: few distinct values, or a mix with arbitrary ones.
func drawPoints(t *rapid.T, most, objectives int) [][]float64 {
	value := rapid.OneOf(
		rapid.Map(rapid.IntRange(0, 4), func(i int) float64 { return float64(i) }),
		rapid.Map(rapid.IntRange(0, 40), func(i int) float64 { return float64(i) / 8 }),
	)
	points := rapid.SliceOfN(rapid.SliceOfN(value, objectives, objectives), 0, most).Draw(t, "points")
	if len(points) > 1 && rapid.Bool().Draw(t, "twin") {
		points = append(points, slices.Clone(points[0]))
	}
	return points
}

func TestSortIsPlainSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t, 60, rapid.IntRange(1, 5).Draw(t, "objectives"))
		violation := rapid.SliceOfN(rapid.SampledFrom([]float64{0, 0, 0, -1, 0.5, 1, 2, math.Inf(1)}), len(points), len(points)).Draw(t, "violation")
		if got, want := Sort(points, violation), plainSort(points, violation); !slices.Equal(got, want) {
			t.Fatalf("ranks %v, want %v", got, want)
		}
		if got, want := Sort(points, nil), plainSort(points, make([]float64, len(points))); !slices.Equal(got, want) {
			t.Fatalf("ranks without constraints %v, want %v", got, want)
		}
	})
}

// inclusionExclusion sums over all subsets the box that their members share: the oracle for Hypervolume.
func inclusionExclusion(points [][]float64, ref []float64) float64 {
	var in [][]float64
	for _, p := range points {
		if below(p, ref) {
			in = append(in, p)
		}
	}
	sum := 0.0
	for subset := 1; subset < 1<<len(in); subset++ {
		corner := slices.Repeat([]float64{math.Inf(-1)}, len(ref))
		sign := -1.0
		for i, p := range in {
			if subset>>i&1 == 0 {
				continue
			}
			sign = -sign
			for m, v := range p {
				corner[m] = math.Max(corner[m], v)
			}
		}
		sum += sign * box(corner, ref)
	}
	return sum
}

func TestHypervolumeIsInclusionExclusion(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objectives := rapid.IntRange(1, 4).Draw(t, "objectives")
		points := drawPoints(t, 9, objectives)
		ref := slices.Repeat([]float64{rapid.SampledFrom([]float64{3, 4.5, 6}).Draw(t, "ref")}, objectives)
		want := inclusionExclusion(points, ref)
		got, err := Hypervolume(points, ref)
		if err != nil || math.Abs(got-want) > 1e-9*math.Max(1, want) {
			t.Fatalf("hypervolume %v (%v), want %v", got, err, want)
		}
		each, err := Contributions(points, ref)
		if err != nil {
			t.Fatal(err)
		}
		for i := range points {
			without := append(slices.Clone(points[:i]), points[i+1:]...)
			lost := want - inclusionExclusion(without, ref)
			if math.Abs(each[i]-lost) > 1e-9*math.Max(1, want) {
				t.Fatalf("contribution of point %d: %v, but without it %v is lost", i, each[i], lost)
			}
		}
	})
}

func TestTooManyObjectives(t *testing.T) {
	p := [][]float64{{0, 0, 0, 0, 0}}
	ref := []float64{1, 1, 1, 1, 1}
	if _, err := Hypervolume(p, ref); err != ErrTooManyObjectives {
		t.Errorf("Hypervolume of five objectives: %v", err)
	}
	if _, err := Contributions(p, ref); err != ErrTooManyObjectives {
		t.Errorf("Contributions of five objectives: %v", err)
	}
	candidates, objectives := candidatesOf(p)
	r, err := Rank(candidates, RankOptions{Objectives: objectives, Contributions: true})
	if err != nil || r.Hypervolume != nil || !strings.HasPrefix(r.HypervolumeNote, "not computed") {
		t.Errorf("ranking by five objectives: %v, hypervolume %v, note %q", err, r.Hypervolume, r.HypervolumeNote)
	}
}

// TestFarReference: a volume beyond the range of a double is not computed, and never an infinity that JSON cannot hold.
func TestFarReference(t *testing.T) {
	candidates, objectives := candidatesOf([][]float64{{1, 2}, {2, 1}})
	r, err := Rank(candidates, RankOptions{Objectives: objectives, Reference: map[string]float64{"f0": 1e300, "f1": 1e300}, Contributions: true})
	if err != nil || r.Hypervolume != nil || r.HypervolumeNote == "" || r.Entries[0].Contribution != nil {
		t.Errorf("%v: hypervolume %v, note %q", err, r.Hypervolume, r.HypervolumeNote)
	}
	for _, step := range r.History(Arrival(candidates)) {
		if step.Hypervolume != nil || step.Gained != nil || !step.Entered {
			t.Errorf("step %+v", step)
		}
	}
}

// TestHistoryIsHypervolume adds points one by one: the curve must be the hypervolume of what came so far, and the front
// that of the sort.
func TestHistoryIsHypervolume(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		objectives := rapid.IntRange(1, 4).Draw(t, "objectives")
		points := drawPoints(t, 12, objectives)
		_, named := candidatesOf(append(points, make([]float64, objectives)))
		ref := slices.Repeat([]float64{4.5}, objectives)
		h := NewHistory(named, ref)
		on := map[string]bool{}
		for i, p := range points {
			id := strconv.Itoa(i)
			step := h.Add(id, p)
			for _, left := range step.Left {
				if !on[left.ID] || left.By != id {
					t.Fatalf("step %d: %s left by %s, but was on the front: %v", i, left.ID, left.By, on[left.ID])
				}
				delete(on, left.ID)
			}
			if step.Entered {
				on[id] = true
			}
			if step.Entered == (step.DominatedBy != nil) {
				t.Fatalf("step %d: entered %v, dominated by %v", i, step.Entered, step.DominatedBy)
			}
			checkStep(t, step, points[:i+1], ref, on)
		}
	})
}

func checkStep(t *rapid.T, step Step, points [][]float64, ref []float64, on map[string]bool) {
	want, _ := Hypervolume(points, ref)
	if math.Abs(*step.Hypervolume-want) > 1e-9*math.Max(1, want) {
		t.Fatalf("step %s: hypervolume %v, want %v", step.ID, *step.Hypervolume, want)
	}
	for i, rank := range plainSort(points, make([]float64, len(points))) {
		if (rank == 0) != on[strconv.Itoa(i)] {
			t.Fatalf("step %s: point %d has rank %d, on the front: %v", step.ID, i, rank, on[strconv.Itoa(i)])
		}
	}
	if step.FrontSize != len(on) {
		t.Fatalf("step %s: front of %d, want %d", step.ID, step.FrontSize, len(on))
	}
}

// TestParetoRegret compares with the definition: just above the regret the point is not dominated, just below it is.
func TestParetoRegret(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := drawPoints(t, 20, rapid.IntRange(1, 4).Draw(t, "objectives"))
		candidates, objectives := candidatesOf(points)
		if len(points) == 0 {
			return
		}
		r, err := Rank(candidates, RankOptions{Objectives: objectives})
		if err != nil {
			t.Fatal(err)
		}
		z := make([][]float64, len(points))
		reg := newRegrets(points, slices.Repeat([]bool{true}, len(points)), Sort(points, nil), r.Objectives)
		for i, p := range points {
			z[i] = make([]float64, len(p))
			reg.normalise(z[i], p)
		}
		dominated := func(i int, eps float64) bool {
			shifted := slices.Clone(z[i])
			for m := range shifted {
				shifted[m] -= eps
			}
			return slices.ContainsFunc(z, func(y []float64) bool { return Dominates(y, shifted) })
		}
		for i, e := range r.Entries {
			eps := *e.Regret.Pareto
			if dominated(i, eps+1e-9) || eps > 1e-9 && !dominated(i, eps-1e-9) {
				t.Fatalf("point %d %v: regret %v is not where domination ends", i, points[i], eps)
			}
		}
	})
}
