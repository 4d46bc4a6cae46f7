package judge

import (
	"fmt"
	"strconv"

	"flowdbg/contract"
)

// Points is a set of bare points to be minimised, as optimisers and test suites write them. The candidates are called by
// their index (with leading zeros, so that their order by id is that of the file), the objectives f0, f1, …; a value below
// 0 is a value like any other. Reference is empty when the file has none.
type Points struct {
	Candidates []Candidate
	Objectives []Objective
	Reference  map[string]float64
}

// ReadPoints reads {"p": [[…], …], "ref": […]?}. ok is false for a document of another form; the error (with line and
// column) is for points that are not of one length, or a reference that is no list of as many numbers.
func ReadPoints(data []byte) (points *Points, ok bool, err error) {
	doc, err := parseJSON(data)
	if err != nil || doc.kind != jsonObject {
		return nil, false, nil
	}
	list, n := doc.get("p")
	if list == nil || n > 1 || list.kind != jsonArray || len(list.elems) == 0 {
		return nil, false, nil
	}
	p := &Points{Reference: map[string]float64{}, Candidates: make([]Candidate, len(list.elems))}
	for m := range list.elems[0].elems {
		p.Objectives = append(p.Objectives, Objective{
			Objective: contract.Objective{Metric: "f" + strconv.Itoa(m), Direction: contract.LowerIsBetter}})
	}
	width := len(strconv.Itoa(len(list.elems) - 1))
	for i, e := range list.elems {
		if e.kind != jsonArray || len(e.elems) != len(p.Objectives) || len(e.elems) == 0 {
			return nil, true, failAt(data, e.off, fmt.Sprintf("point %d is no list of %d values", i, len(p.Objectives)), "points of one length")
		}
		c := Candidate{ID: fmt.Sprintf("%0*d", width, i), Metrics: &Metrics{Format: FormatOwn}, seq: i}
		var found []Metric
		for m, v := range e.elems {
			x, single := newMetric(p.Objectives[m].Metric, v)
			if !single {
				return nil, true, failAt(data, v.off, "a value that is an object", "a number")
			}
			x.Signed = true
			found = append(found, x)
		}
		c.Metrics.collect(found)
		p.Candidates[i] = c
	}
	if err := p.readReference(data, doc); err != nil {
		return nil, true, err
	}
	return p, true, nil
}

func (p *Points) readReference(data []byte, doc *jsonNode) error {
	ref, n := doc.get("ref")
	if ref == nil {
		return nil
	}
	if n > 1 || ref.kind != jsonArray || len(ref.elems) != len(p.Objectives) {
		return failAt(data, ref.off, "no reference point", fmt.Sprintf("a list of %d numbers", len(p.Objectives)))
	}
	for m, v := range ref.elems {
		number, code := parseNumber(v.text)
		if v.kind != jsonNumber || code != "" {
			return failAt(data, v.off, "no coordinate", "a finite number")
		}
		p.Reference[p.Objectives[m].Metric] = number
	}
	return nil
}
