package judge

import (
	"slices"
	"strings"

	"flowdbg/trace/canon"
)

// Kind says how a metric's value is written in its file.
type Kind uint8

// The kinds of a metric value.
const (
	Number     Kind = iota // a JSON number, or a bare NaN or Infinity
	NumberText             // a number in quotes
	Text                   // other text
	Other                  // null, true, false, a list; Raw is its canonical text
)

// Metric is one value that a tool reported. Unit is empty when none is stated. Count is how often the file gives the
// metric; Value and Raw are then the last one, and All holds every one as written.
type Metric struct {
	Name  string
	Kind  Kind
	Value float64 // for Number and NumberText; NaN when the text has no finite value
	Code  Code    // NonFinite, Denormal, NotANumber or empty: what is wrong with the text itself
	Raw   string  // the token or string as written
	Unit  string
	Count int
	All   []string // only when Count > 1
	// Signed says that a value below 0 is one like any other, whatever the name tells.
	Signed bool
}

// Metrics is what one run reported. Status is "ok" or empty for a run that ended well; everything else, such as
// "failed", "killed" or "timeout", keeps it from ever being best. Build it with ReadMetrics, Set or ReadCandidates.
type Metrics struct {
	Format   Format
	Status   string
	Invented []string // metrics that a translation between contract versions made up; they count as missing
	list     []Metric // sorted by name
}

// OK says whether the run ended well.
func (m *Metrics) OK() bool { return m.Status == "" || m.Status == "ok" }

// Len is the number of different metrics.
func (m *Metrics) Len() int { return len(m.list) }

// All returns the metrics sorted by name. The slice must not be changed.
func (m *Metrics) All() []Metric { return m.list }

// Get finds a metric by its full name. A metric that a translation invented is not found.
func (m *Metrics) Get(name string) (Metric, bool) {
	i, ok := m.find(name)
	if !ok || m.invented(name) {
		return Metric{Name: name}, false
	}
	return m.list[i], true
}

func (m *Metrics) find(name string) (int, bool) {
	return slices.BinarySearchFunc(m.list, name, func(x Metric, n string) int { return strings.Compare(x.Name, n) })
}

func (m *Metrics) invented(name string) bool {
	for _, s := range m.Invented {
		s = strings.TrimPrefix(s, "invented:")
		if s == name || strings.TrimPrefix(s, "/") == name {
			return true
		}
	}
	return false
}

// Set gives a metric a plain number, as an in-process evaluator does. It replaces an earlier value.
func (m *Metrics) Set(name string, value float64, unit string) {
	x := Metric{Name: name, Kind: Number, Value: value, Unit: unit, Count: 1}
	v, err := canon.Float(value)
	if err != nil {
		x.Raw, x.Code = nonFiniteText(value), NonFinite
	} else {
		x.Raw = v.Text()
		_, x.Code = parseNumber(x.Raw)
	}
	i, ok := m.find(name)
	if ok {
		m.list[i] = x
		return
	}
	m.list = slices.Insert(m.list, i, x)
}

// JSON is the object {name: value} that hashes cover: numbers as numbers, what is no finite number as the text it was
// written in, a value with a unit as {"value", "unit"}, and a metric given several times as the list of its values.
func (m *Metrics) JSON() canon.Value {
	members := make([]canon.Member, 0, len(m.list))
	for i := range m.list {
		members = append(members, canon.Member{Key: m.list[i].Name, Value: m.list[i].json()})
	}
	return canon.Object(members...)
}

func (x *Metric) json() canon.Value {
	var v canon.Value
	switch {
	case x.Count > 1:
		all := make([]canon.Value, len(x.All))
		for i, s := range x.All {
			all[i] = canon.String(s)
		}
		v = canon.Array(all...)
	case x.Kind == Number:
		f, err := canon.Float(x.Value)
		if err != nil {
			f = canon.String(x.Raw)
		}
		v = f
	case x.Kind == Other: // null, true, false, or the canonical text of a list
		v = canon.Raw(x.Raw)
	default:
		v = canon.String(x.Raw)
	}
	if x.Unit == "" {
		return v
	}
	return canon.Object(canon.Member{Key: "value", Value: v}, canon.Member{Key: "unit", Value: canon.String(x.Unit)})
}

// newMetric reads the value of a metric from a document; ok is false for a nested object, which is no single value.
func newMetric(name string, v *jsonNode) (Metric, bool) {
	x := Metric{Name: name, Raw: v.text, Count: 1}
	switch v.kind {
	case jsonObject:
		return x, false
	case jsonNumber:
		x.Kind = Number
		x.Value, x.Code = parseNumber(v.text)
	case jsonString:
		x.Kind = NumberText
		if x.Value, x.Code = parseNumber(v.text); x.Code == NotANumber {
			x.Kind = Text
		}
	case jsonArray:
		x.Kind, x.Raw, x.Code = Other, v.canonical().Text(), NotANumber
	default:
		x.Kind, x.Code = Other, NotANumber
	}
	return x, true
}

// collect sorts metrics by name and merges what occurs more than once.
func (m *Metrics) collect(found []Metric) {
	slices.SortStableFunc(found, func(a, b Metric) int { return strings.Compare(a.Name, b.Name) })
	for _, x := range found {
		last := len(m.list) - 1
		if last < 0 || m.list[last].Name != x.Name {
			m.list = append(m.list, x)
			continue
		}
		old := m.list[last]
		x.Count, x.All = old.Count+1, old.All
		if old.Count == 1 {
			x.All = []string{old.Raw}
		}
		x.All = append(x.All, x.Raw)
		m.list[last] = x
	}
}
