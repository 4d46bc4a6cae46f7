package judge

import (
	"math"
	"math/rand/v2"
	"testing"
)

func randomPoints(n, m int, onFront bool) [][]float64 {
	rng := rand.New(rand.NewPCG(1, 2))
	points := make([][]float64, n)
	for i := range points {
		p := make([]float64, m)
		norm := 0.0
		for k := range p {
			p[k] = rng.Float64()
			norm += p[k] * p[k]
		}
		if onFront { // on a sphere around the reference point nobody dominates anybody
			for k := range p {
				p[k] = 1 - p[k]/math.Sqrt(norm)
			}
		}
		points[i] = p
	}
	return points
}

func benchSort(b *testing.B, points [][]float64) {
	b.ReportAllocs()
	for b.Loop() {
		Sort(points, nil)
	}
}

func BenchmarkSortUniform10000x3(b *testing.B) { benchSort(b, randomPoints(10_000, 3, false)) }
func BenchmarkSortFront10000x3(b *testing.B)   { benchSort(b, randomPoints(10_000, 3, true)) }

func benchRank(b *testing.B, points [][]float64, contributions bool) {
	candidates, objectives := candidatesOf(points)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Rank(candidates, RankOptions{Objectives: objectives, Contributions: contributions}); err != nil {
			b.Fatal(err)
		}
	}
}

// Ranking means everything: sanity, hash, ranks, crowding, regrets and hypervolume.
func BenchmarkRankUniform10000x3(b *testing.B) { benchRank(b, randomPoints(10_000, 3, false), false) }
func BenchmarkRankFront10000x3(b *testing.B)   { benchRank(b, randomPoints(10_000, 3, true), false) }
func BenchmarkRerank1000x3(b *testing.B)       { benchRank(b, randomPoints(1000, 3, false), true) }
func BenchmarkRerankFront1000x3(b *testing.B)  { benchRank(b, randomPoints(1000, 3, true), false) }

func benchVolume(b *testing.B, points [][]float64) {
	ref := make([]float64, len(points[0]))
	for i := range ref {
		ref[i] = 1.1
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Hypervolume(points, ref); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHypervolume1000x3(b *testing.B) { benchVolume(b, randomPoints(1000, 3, true)) }
func BenchmarkHypervolume200x4(b *testing.B)  { benchVolume(b, randomPoints(200, 4, true)) }

func BenchmarkContributions1000x3(b *testing.B) {
	points, ref := randomPoints(1000, 3, true), []float64{1.1, 1.1, 1.1}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Contributions(points, ref); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkHistoryAdd1000x3(b *testing.B) {
	points := randomPoints(1000, 3, true)
	_, objectives := candidatesOf(points)
	b.ReportAllocs()
	for b.Loop() {
		h := NewHistory(objectives, []float64{1.1, 1.1, 1.1})
		for _, p := range points {
			h.Add("x", p)
		}
	}
}
