package judge

import (
	"fmt"

	"flowdbg/contract"
)

// The part of a rule file that says how candidates are ranked.

func (r *rulesReader) readObjectives(list *jsonNode) error {
	if list.kind != jsonArray {
		return r.fail(list.off, "objectives are not a list", `[{"metric": "hpwl", "direction": "lower"}]`)
	}
	for _, e := range list.elems {
		if e.kind != jsonObject {
			return r.fail(e.off, "an objective that is no object", `{"metric": "hpwl", "direction": "lower"}`)
		}
		var o Objective
		for _, m := range e.members {
			var err error
			switch m.key {
			case "metric":
				o.Metric, err = r.text(m.value)
			case "direction":
				var s string
				s, err = r.text(m.value)
				o.Direction = contract.Direction(s)
			case "unit":
				o.Unit, err = r.text(m.value)
			case "weight":
				o.Weight, err = r.number(m.value)
			case "accept_text":
				o.AcceptText = m.value.text == "true"
				if m.value.kind != jsonBool {
					err = r.fail(m.value.off, "accept_text is neither true nor false", "true or false")
				}
			default:
				err = r.fail(m.keyOff, fmt.Sprintf("an objective has no member %q", clip(m.key)), "metric, direction, unit, weight or accept_text")
			}
			if err != nil {
				return err
			}
		}
		r.out.Objectives = append(r.out.Objectives, o)
	}
	if _, err := Resolve(r.out.Objectives); err != nil {
		return r.fail(list.off, err.Error(), "objectives that can be ranked by")
	}
	return nil
}

func (r *rulesReader) readResolutions(v *jsonNode) error {
	if v.kind != jsonObject {
		return r.fail(v.off, "resolution is no object", `{"fmax_mhz": {"uncertainty": 0.03}}`)
	}
	r.out.Resolutions = map[string]Resolution{}
	for _, m := range v.members {
		var res Resolution
		err := r.numbers(m.value, func(name string, v float64) error {
			target := map[string]*float64{"uncertainty": &res.Uncertainty, "spread": &res.Spread, "period": &res.Period}[name]
			if target == nil || v < 0 || name == "uncertainty" && v > 1 {
				return r.fail(m.value.off, fmt.Sprintf("resolution of %q: %s = %v", clip(m.key), clip(name), v),
					"uncertainty in 0 to 1, spread or period from 0")
			}
			*target = v
			return nil
		})
		if err != nil {
			return err
		}
		r.out.Resolutions[m.key] = res
	}
	return nil
}

func (r *rulesReader) numbers(v *jsonNode, each func(name string, v float64) error) error {
	if v.kind != jsonObject {
		return r.fail(v.off, "no object", "{name: number, …}")
	}
	for _, m := range v.members {
		n, err := r.number(m.value)
		if err == nil {
			err = each(m.key, n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *rulesReader) number(v *jsonNode) (float64, error) {
	n, code := parseNumber(v.text)
	if v.kind != jsonNumber || code != "" {
		return 0, r.fail(v.off, "no usable number", "a finite number")
	}
	return n, nil
}

func (r *rulesReader) text(v *jsonNode) (string, error) {
	if v.kind != jsonString {
		return "", r.fail(v.off, "no text", "a string")
	}
	return v.text, nil
}
