package judge

import (
	"errors"
	"fmt"

	"flowdbg/contract"
)

// Objective is a metric that is ranked. Direction may be empty when DirectionOf knows the metric. Weight counts for the
// scalar and the Chebyshev regret; 0 on all objectives means equal weights. Unit is what values are converted to; empty
// takes the first unit that a candidate states, and then every candidate must state one. AcceptText allows numbers in
// quotes, for tools that write them so on purpose.
type Objective struct {
	contract.Objective
	Weight     float64 `json:"weight,omitempty"`
	Unit       string  `json:"unit,omitempty"`
	AcceptText bool    `json:"accept_text,omitempty"`

	stated bool // Unit comes from a candidate
}

// adoptUnits gives objectives without a unit the first one that a candidate states.
func adoptUnits(objectives []Objective, candidates []Candidate) {
	for i := range objectives {
		o := &objectives[i]
		for k := 0; k < len(candidates) && o.Unit == ""; k++ {
			if x, ok := candidates[k].Metrics.Get(o.Metric); ok && x.Unit != "" {
				if _, code := convert(0, x.Unit, x.Unit); code == "" {
					o.Unit, o.stated = x.Unit, true
				}
			}
		}
	}
}

// Reason says why a candidate cannot be ranked: the metric (empty for the run as a whole), a code, and a sentence.
type Reason struct {
	Metric string `json:"metric,omitempty"`
	Code   Code   `json:"code"`
	Text   string `json:"text"`
}

func (r Reason) String() string {
	if r.Metric == "" {
		return r.Text
	}
	return r.Metric + ": " + r.Text
}

// Resolve checks a list of objectives and fills in the directions that the names tell. The error names every objective
// that is unknown, repeated, or weighted below 0.
func Resolve(objectives []Objective) ([]Objective, error) {
	if len(objectives) == 0 {
		return nil, errors.New("no objectives: want at least one metric to rank by")
	}
	out := make([]Objective, len(objectives))
	seen := map[string]bool{}
	var errs []error
	weights := 0.0
	for i, o := range objectives {
		if o.Direction == "" {
			o.Direction = DirectionOf(o.Metric)
		}
		switch {
		case o.Metric == "":
			errs = append(errs, fmt.Errorf("objective %d has no metric", i+1))
		case seen[o.Metric]:
			errs = append(errs, fmt.Errorf("objective %s is given twice", o.Metric))
		case o.Direction == "":
			errs = append(errs, fmt.Errorf("objective %s: it is not known which way it gets better: declare it lower or higher", o.Metric))
		case o.Direction != contract.LowerIsBetter && o.Direction != contract.HigherIsBetter:
			errs = append(errs, fmt.Errorf("objective %s: direction %q: want lower or higher", o.Metric, o.Direction))
		case !(o.Weight >= 0) || o.Weight >= largestPlain:
			errs = append(errs, fmt.Errorf("objective %s: weight %v: want a number from 0", o.Metric, o.Weight))
		}
		if _, code := convert(0, o.Unit, o.Unit); code != "" {
			errs = append(errs, fmt.Errorf("objective %s: unit %q is not known", o.Metric, o.Unit))
		}
		seen[o.Metric] = true
		weights += o.Weight
		out[i] = o
	}
	if weights == 0 {
		for i := range out {
			out[i].Weight = 1
		}
	}
	return out, errors.Join(errs...)
}

// minimised is the value with the sign under which smaller is better.
func (o *Objective) minimised(v float64) float64 {
	if o.Direction == contract.HigherIsBetter {
		return 0 - v // and not -0
	}
	return v
}

// Sane gives the values of the objectives to be minimised, or every reason why the run cannot be ranked by them. A run
// that did not end well gets a reason even when all its numbers are fine.
func Sane(m *Metrics, objectives []Objective) ([]float64, []Reason) {
	var reasons []Reason
	if !m.OK() {
		reasons = append(reasons, Reason{Code: RunNotOK, Text: fmt.Sprintf("the run did not end well: status %q", m.Status)})
	}
	point := make([]float64, len(objectives))
	for i := range objectives {
		o := &objectives[i]
		v, bad := saneValue(m, o)
		point[i] = o.minimised(v)
		reasons = append(reasons, bad...)
	}
	if reasons != nil {
		return nil, reasons
	}
	return point, nil
}

func saneValue(m *Metrics, o *Objective) (float64, []Reason) {
	x, ok := m.Get(o.Metric)
	if !ok {
		return 0, []Reason{{o.Metric, Missing, missingText(m, o.Metric)}}
	}
	var bad []Reason
	add := func(code Code, format string, args ...any) {
		bad = append(bad, Reason{o.Metric, code, fmt.Sprintf(format, args...)})
	}
	if x.Count > 1 {
		add(DuplicateKey, "the file gives it %d times: %s", x.Count, clip(fmt.Sprint(x.All)))
	}
	if x.Kind == NumberText && !o.AcceptText {
		add(NumberAsText, "a number written as text: %q", clip(x.Raw))
	}
	if code, text := unusable(&x); code != "" {
		add(code, "%s", text)
	}
	v, code := convert(x.Value, x.Unit, o.Unit)
	if x.Unit == "" && o.stated {
		add(UnknownUnit, "no unit, where other candidates state %q", o.Unit)
	}
	switch code {
	case UnknownUnit:
		add(code, "unit %q is not known", clip(x.Unit))
	case UnitMismatch:
		add(code, "unit %q does not measure the same as %q", clip(x.Unit), o.Unit)
	}
	return v, bad
}

// unusable says why a present value is no result, or gives the empty code. Gates and ranking share it.
func unusable(x *Metric) (Code, string) {
	f := familyOf(x.Name)
	f.signed = f.signed || x.Signed
	switch {
	case x.Kind == Text || x.Kind == Other:
		return NotANumber, fmt.Sprintf("not a number: %s", clip(x.Raw))
	case x.Code == NonFinite:
		return NonFinite, fmt.Sprintf("not finite: %s", clip(x.Raw))
	case x.Code == Denormal:
		return Denormal, fmt.Sprintf("%s is below every normal number: memory that nobody wrote to", clip(x.Raw))
	case isSentinel(x.Value, f.signed):
		return Sentinel, fmt.Sprintf("%s is what tools write for \"no value\"", clip(x.Raw))
	case x.Value < 0 && f.better != "" && !f.signed:
		return Negative, fmt.Sprintf("%s is below 0, which it cannot be", clip(x.Raw))
	}
	return "", ""
}

func missingText(m *Metrics, name string) string {
	if _, there := m.find(name); there {
		return "invented by a translation between contract versions, so it counts as missing"
	}
	return "missing"
}

// clip shortens a text from a file for a sentence.
func clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
