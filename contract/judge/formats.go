package judge

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Format names a way in which tools write metrics.
type Format string

// The formats that ReadMetrics knows.
const (
	// FormatOwn is {"metrics": {name: number or {"value", "unit"}}, "status"?, "invented"?: [name]}.
	FormatOwn Format = "own"
	// FormatORFS is the flat metadata.json of OpenROAD-flow-scripts: {"finish__timing__setup__ws": -0.03, …}.
	FormatORFS Format = "orfs"
	// FormatOpenROAD is a .metrics file: flat, numbers partly in quotes, keys repeated once per stage.
	FormatOpenROAD Format = "openroad"
	// FormatIEDA is one of iEDA's *_tool.json: nested objects, one per step, with a list of clocks.
	FormatIEDA Format = "ieda"
	// FormatNextpnr is the report of `nextpnr --report`: fmax per clock and utilization per cell type.
	FormatNextpnr Format = "nextpnr"
)

// Formats lists them in the order in which they are explained.
var Formats = []Format{FormatOwn, FormatORFS, FormatOpenROAD, FormatIEDA, FormatNextpnr}

// ReadMetrics reads what one run reported. An empty format is detected from the document. Values that cannot be used
// are kept with their reason and are no error; the error (a *canon.Error, with line and column) is for a document that
// is not JSON, no object, or of another format than was said.
//
// Names: nested objects are joined with ".", list elements are named by their clock_name or by their index. The step that
// encloses an iEDA file is left out, so that steps can be compared: `HPWL`, `clocks_timing.core_clock.setup_wns`. Of nextpnr's report come `fmax_mhz` (the slowest
// clock), `fmax.CLOCK.achieved`, `fmax.CLOCK.constraint`, `critical_path_ns` and `utilization.TYPE.used`.
func ReadMetrics(data []byte, format Format) (*Metrics, error) {
	doc, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	if doc.kind != jsonObject {
		return nil, failAt(data, doc.off, "metrics are not an object", "{name: value, …}")
	}
	if format == "" {
		format = detect(doc)
	}
	m := &Metrics{Format: format}
	switch format {
	case FormatOwn:
		return m, m.readOwn(data, doc)
	case FormatORFS, FormatOpenROAD, FormatIEDA:
		if format == FormatIEDA && len(doc.members) == 1 && doc.members[0].value.kind == jsonObject {
			doc = doc.members[0].value
		}
		var found []Metric
		flatten(&found, "", doc)
		m.collect(found)
	case FormatNextpnr:
		m.readNextpnr(doc)
	default:
		return nil, fmt.Errorf("unknown metrics format %q: want one of %v", format, Formats)
	}
	return m, nil
}

func detect(doc *jsonNode) Format {
	if v, _ := doc.get("metrics"); v != nil && v.kind == jsonObject {
		return FormatOwn
	}
	fmax, _ := doc.get("fmax")
	use, _ := doc.get("utilization")
	if fmax != nil && use != nil && fmax.kind == jsonObject && use.kind == jsonObject {
		return FormatNextpnr
	}
	for _, m := range doc.members {
		if strings.Contains(m.key, "::") {
			return FormatOpenROAD
		}
	}
	for _, m := range doc.members {
		if m.value.kind == jsonObject || m.value.kind == jsonArray {
			return FormatIEDA
		}
	}
	return FormatORFS
}

func flatten(found *[]Metric, prefix string, v *jsonNode) {
	for _, m := range v.members {
		name := prefix + m.key
		switch m.value.kind {
		case jsonObject:
			flatten(found, name+".", m.value)
		case jsonArray:
			for i, e := range m.value.elems {
				at := name + "." + elementName(e, i)
				if e.kind == jsonObject {
					flatten(found, at+".", e)
				} else if x, ok := newMetric(at, e); ok {
					*found = append(*found, x)
				}
			}
		default:
			if x, ok := newMetric(name, m.value); ok {
				*found = append(*found, x)
			}
		}
	}
}

func elementName(e *jsonNode, i int) string {
	if name, _ := e.get("clock_name"); name != nil && name.kind == jsonString && name.text != "" {
		return name.text
	}
	return strconv.Itoa(i)
}

func (m *Metrics) readOwn(data []byte, doc *jsonNode) error {
	for _, member := range doc.members {
		v := member.value
		switch member.key {
		case "metrics":
		case "status":
			m.Status = v.text
			if v.kind != jsonString {
				return failAt(data, v.off, "a status that is no text", `"ok", "failed", "killed" …`)
			}
		case "invented":
			for _, e := range v.elems {
				m.Invented = append(m.Invented, e.text)
			}
		}
	}
	list, n := doc.get("metrics")
	if list == nil || list.kind != jsonObject {
		return failAt(data, doc.off, `no object "metrics"`, `{"metrics": {name: number, …}}`)
	}
	if _, states := doc.get("status"); n > 1 || states > 1 {
		return failAt(data, list.off, `"metrics" or "status" occurs twice`, "one of each")
	}
	found, err := readOwnMetrics(data, list)
	m.collect(found)
	return err
}

// readOwnMetrics reads {name: value or {"value", "unit"}}.
func readOwnMetrics(data []byte, list *jsonNode) ([]Metric, error) {
	found := make([]Metric, 0, len(list.members))
	for _, member := range list.members {
		if x, ok := newMetric(member.key, member.value); ok {
			found = append(found, x)
			continue
		}
		value, n := member.value.get("value")
		unit, _ := member.value.get("unit")
		if value == nil || n > 1 || len(member.value.members) > 2 {
			return found, failAt(data, member.value.off, "an object that is no measurement", `{"value": 1.5, "unit": "ns"}`)
		}
		x, ok := newMetric(member.key, value)
		if !ok || unit != nil && unit.kind != jsonString {
			return found, failAt(data, member.value.off, "an object that is no measurement", `{"value": 1.5, "unit": "ns"}`)
		}
		if unit != nil {
			x.Unit = unit.text
		}
		found = append(found, x)
	}
	return found, nil
}

func (m *Metrics) readNextpnr(doc *jsonNode) {
	var found []Metric
	fmax, _ := doc.get("fmax")
	slowest := math.Inf(1)
	if fmax != nil {
		flatten(&found, "fmax.", fmax)
		for _, clock := range fmax.members {
			if a, _ := clock.value.get("achieved"); a != nil && a.kind == jsonNumber {
				if v, code := parseNumber(a.text); code == "" {
					slowest = min(slowest, v)
				}
			}
		}
	}
	if use, _ := doc.get("utilization"); use != nil {
		flatten(&found, "utilization.", use)
	}
	m.collect(found)
	if !math.IsInf(slowest, 1) {
		m.Set("fmax_mhz", slowest, "MHz")
	}
	if length, ok := criticalPath(doc); ok {
		m.Set("critical_path_ns", length, "ns")
	}
}

// criticalPath is the longest of the report's critical paths, ns.
func criticalPath(doc *jsonNode) (float64, bool) {
	paths, _ := doc.get("critical_paths")
	longest, any := 0.0, false
	if paths == nil {
		return 0, false
	}
	for _, p := range paths.elems {
		segments, _ := p.get("path")
		if segments == nil {
			continue
		}
		sum := 0.0
		for _, s := range segments.elems {
			delay, _ := s.get("delay")
			if delay == nil {
				continue
			}
			v, code := parseNumber(delay.text)
			if code != "" {
				return 0, false
			}
			sum += v
		}
		longest, any = max(longest, sum), true
	}
	return longest, any
}

func nonFiniteText(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }
