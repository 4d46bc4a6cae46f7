package design

import (
	"cmp"
	"math"
	"regexp"
	"slices"

	"flowdbg/contract"
)

// Displacement sums up how far cells moved, Manhattan.
type Displacement struct {
	Unit   string   `json:"unit"` // "um" or "tiles"; "dbu" (database units) of a delta that stands alone
	Max    float64  `json:"max"`
	Sum    float64  `json:"sum"`
	Mean   float64  `json:"mean"`   // over the moved cells; 0 when none moved
	Median float64  `json:"median"` // the lower of the two middle ones
	Bins   []Bin    `json:"histogram,omitempty"`
	Far    []string `json:"farthest,omitempty"` // up to five cells, farthest first
}

// Bin counts the moved cells with From ≤ displacement < To (the last bin includes To). The first bin holds what did not change
// its coordinates: turned cells, or another BEL of the same tile.
type Bin struct {
	From  float64 `json:"from"`
	To    float64 `json:"to"`
	Count int     `json:"count"`
}

// Moved is one moved cell and how far it went.
type Moved struct {
	contract.CellMove
	Distance float64 // Manhattan, in Displacement.Unit
}

// Distance is the Manhattan displacement of a move of this answer, in µm, or tiles for nextpnr.
func (a *Answer) Distance(m contract.CellMove) float64 {
	return (math.Abs(float64(m.To.X-m.From.X)) + math.Abs(float64(m.To.Y-m.From.Y))) / a.unit
}

// Moves are the moved cells, farthest first; cells of the same displacement by name.
func (a *Answer) Moves() []Moved {
	out := make([]Moved, len(a.Delta.MovedCells))
	for i, m := range a.Delta.MovedCells {
		out[i] = Moved{m, a.Distance(m)}
	}
	slices.SortFunc(out, func(x, y Moved) int {
		return cmp.Or(cmp.Compare(y.Distance, x.Distance), cmp.Compare(x.CellID, y.CellID))
	})
	return out
}

// Said sums up a delta that stands alone, without the snapshots that it was measured between: in tiles where every place is
// named by its tile, as nextpnr does, else in database units.
func Said(delta *contract.DesignDelta) Displacement {
	a := Answer{Delta: *delta, unit: 1}
	d := Displacement{Unit: "dbu"}
	if onTiles(delta) {
		d.Unit = "tiles"
	}
	return a.sumUp(d)
}

var tileSite = regexp.MustCompile(`^X\d+/Y\d+/`)

func onTiles(d *contract.DesignDelta) bool {
	for i := range d.MovedCells {
		if !tileSite.MatchString(d.MovedCells[i].To.Site) {
			return false
		}
	}
	return len(d.MovedCells) > 0
}

func (a *Answer) displacement() Displacement {
	d := Displacement{Unit: "um"}
	if a.After.Unit == UnitTile {
		d.Unit = "tiles"
	}
	return a.sumUp(d)
}

func (a *Answer) sumUp(d Displacement) Displacement {
	moves := a.Moves()
	if len(moves) == 0 {
		return d
	}
	total := 0.0 // in database units, so that the sum is exact
	for i, m := range moves {
		total += math.Round(m.Distance * a.unit)
		if i < 5 {
			d.Far = append(d.Far, string(m.CellID))
		}
	}
	d.Max = moves[0].Distance
	d.Sum = total / a.unit
	d.Mean = d.Sum / float64(len(moves))
	d.Median = moves[len(moves)/2].Distance
	d.Bins = bins(moves)
	return d
}

// bins cuts at 1-2-5 steps over at most four decades below the maximum.
func bins(moves []Moved) []Bin {
	top := moves[0].Distance
	edges := []float64{0}
	if top > 0 {
		low := math.Floor(math.Log10(top)) - 2
		for decade := low; ; decade++ {
			unit := math.Pow(10, decade)
			for _, step := range []float64{1, 2, 5} {
				edges = append(edges, step*unit)
			}
			if 5*unit >= top {
				break
			}
		}
	}
	out := make([]Bin, len(edges))
	for i := range edges {
		out[i].From = edges[i]
		if i+1 < len(edges) {
			out[i].To = edges[i+1]
		} else {
			out[i].To = max(top, edges[i])
		}
	}
	for _, m := range moves {
		i, ok := slices.BinarySearch(edges, m.Distance)
		if !ok {
			i--
		}
		out[i].Count++
	}
	return trimBins(out)
}

// trimBins drops empty bins above the highest and between zero and the lowest that holds something.
func trimBins(b []Bin) []Bin {
	for len(b) > 0 && b[len(b)-1].Count == 0 {
		b = b[:len(b)-1]
	}
	i := 0
	for i < len(b) && b[i].Count == 0 {
		i++
	}
	return b[i:]
}
