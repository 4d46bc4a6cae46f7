package judge

import (
	"math"
	"slices"
)

// History follows a front while candidates arrive one by one: who entered, who had to leave, and how the hypervolume
// grew. Adding costs time linear in the front, not in everything seen. Build it with NewHistory.
type History struct {
	objectives []Objective
	ref        []float64
	members    []member
	volume     float64
}

type member struct {
	id    string
	point []float64
}

// Step is what one arrival did to the front. A candidate that is not feasible changes nothing and says why in Skipped.
// Hypervolume and Gained are nil when they are not computed (more than MaxHypervolumeObjectives, or beyond a double).
type Step struct {
	ID          string      `json:"id"`
	Entered     bool        `json:"entered"`
	DominatedBy *Domination `json:"dominated_by,omitempty"`
	Left        []Left      `json:"left,omitempty"`
	Skipped     string      `json:"skipped,omitempty"`
	FrontSize   int         `json:"front_size"`
	Hypervolume *float64    `json:"hypervolume"`
	Gained      *float64    `json:"gained"`
}

// Domination names who dominates, and by how much: its value minus the dominated one's, per objective, in the metric's
// own sense and unit.
type Domination struct {
	By     string  `json:"by"`
	Deltas []Delta `json:"deltas"`
}

// Delta is a difference in one metric.
type Delta struct {
	Metric string  `json:"metric"`
	Delta  float64 `json:"delta"`
}

// Left is a former member of the front and who drove it out.
type Left struct {
	ID string `json:"id"`
	Domination
}

// NewHistory starts with an empty front. reference is the hypervolume's reference point in the metrics' own sense, one
// value per objective (Ranking.Reference); it must stay the same or the curve would mean nothing.
func NewHistory(objectives []Objective, reference []float64) *History {
	h := &History{objectives: objectives, ref: make([]float64, len(reference))}
	for i := range reference {
		h.ref[i] = objectives[i].minimised(reference[i])
	}
	return h
}

// Add takes the next candidate, with one finite value per objective in the metric's own sense.
func (h *History) Add(id string, values []float64) Step {
	p := make([]float64, len(values))
	for i, v := range values {
		p[i] = h.objectives[i].minimised(v)
	}
	step := Step{ID: id}
	for _, m := range h.members {
		if Dominates(m.point, p) {
			step.DominatedBy = h.domination(m, p)
			return h.finish(step, 0)
		}
	}
	gained := 0.0
	if len(h.ref) <= MaxHypervolumeObjectives && below(p, h.ref) {
		others := make([][]float64, 0, len(h.members))
		for _, m := range h.members {
			if below(m.point, h.ref) {
				others = append(others, m.point)
			}
		}
		gained = exclusive(p, others, h.ref)
	}
	step.Entered = true
	now := member{id, p}
	h.members = slices.DeleteFunc(h.members, func(m member) bool {
		if !Dominates(p, m.point) {
			return false
		}
		step.Left = append(step.Left, Left{m.id, *h.domination(now, m.point)})
		return true
	})
	h.members = append(h.members, now)
	return h.finish(step, gained)
}

// Skip notes a candidate that cannot be on a front, and why.
func (h *History) Skip(id, why string) Step { return h.finish(Step{ID: id, Skipped: why}, 0) }

func (h *History) finish(step Step, gained float64) Step {
	step.FrontSize = len(h.members)
	if len(h.ref) <= MaxHypervolumeObjectives {
		h.volume += gained
	}
	if volume := h.volume; len(h.ref) <= MaxHypervolumeObjectives && !math.IsInf(volume, 0) && !math.IsNaN(volume) {
		step.Hypervolume, step.Gained = &volume, &gained
	}
	return step
}

func (h *History) domination(winner member, loser []float64) *Domination {
	d := &Domination{By: winner.id, Deltas: make([]Delta, len(loser))}
	for i, o := range h.objectives {
		d.Deltas[i] = Delta{o.Metric, o.minimised(winner.point[i]) - o.minimised(loser[i])}
	}
	return d
}

// History replays a ranking in the order in which its candidates arrived.
func (r *Ranking) History(arrival []string) []Step {
	h := NewHistory(r.Objectives, r.Reference)
	steps := make([]Step, 0, len(arrival))
	for _, id := range arrival {
		e, ok := r.Entry(id)
		switch {
		case !ok:
			steps = append(steps, h.Skip(id, "not in the candidate set"))
		case e.Feasible:
			steps = append(steps, h.Add(id, e.Values))
		case len(e.Reasons) > 0:
			steps = append(steps, h.Skip(id, e.Reasons[0].String()))
		default:
			steps = append(steps, h.Skip(id, "gate "+e.Gate.Verdict))
		}
	}
	return steps
}
