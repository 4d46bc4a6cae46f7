package meta

import (
	"fmt"
	"time"
)

// Date is a calendar day in UTC, "YYYY-MM-DD". The zero value is no date. Dates are compared with ==.
type Date struct {
	t     time.Time
	known bool // apart from t, because the zero time is a day too: 0001-01-01
}

// ParseDate reads a calendar date. A date-time, a day that does not exist (2026-02-30) and any other spelling are errors.
func ParseDate(s string) (Date, error) {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil || len(s) != len(time.DateOnly) || t.Year() < 1 {
		return Date{}, fmt.Errorf("%q is no calendar date: want YYYY-MM-DD", short(s))
	}
	return Date{t, true}, nil
}

// DateOf is the day in UTC of a time that the caller recorded.
func DateOf(t time.Time) Date {
	y, m, d := t.UTC().Date()
	return Date{time.Date(y, m, d, 0, 0, 0, 0, time.UTC), true}
}

// IsZero says that there is no date.
func (d Date) IsZero() bool { return !d.known }

// String is "YYYY-MM-DD", or "" for no date.
func (d Date) String() string {
	if d.IsZero() {
		return ""
	}
	return d.t.Format(time.DateOnly)
}

// DaysUntil counts the days from d to other; negative when other is earlier. (A time.Duration would end at 292 years.)
func (d Date) DaysUntil(other Date) int {
	const day = 24 * 60 * 60
	return int((other.t.Unix() - d.t.Unix()) / day)
}

// Sunset is what a tool's sunset means on one day.
type Sunset struct {
	Date     Date // zero when the tool has none, or none that can be read
	Excluded bool // the day after it, and ever after
}

// ReadSunset reads a tool's sunset and judges it on a day. The tool is served through the end of its sunset day in UTC,
// with a warning from the announcement on, and excluded from the day after. A value that is no date is a configuration
// error, and then there is no sunset: the tool is served (seed 003; the fallback is ours). Without a day to judge by (zero)
// nothing is excluded.
func ReadSunset(k Keys, tool string, toolMeta map[string]any, today Date) (Sunset, []Entry) {
	v, ok := toolMeta[k.Sunset]
	if !ok {
		return Sunset{}, nil
	}
	entry := Entry{Level: LevelError, Code: CodeConfiguration, Tool: tool, Source: SourceTool}
	text, isText := v.(string)
	if !isText {
		entry.Text = fmt.Sprintf("%s: want a date YYYY-MM-DD, not %s; the tool is served", k.Sunset, describe(v))
		return Sunset{}, []Entry{entry}
	}
	d, err := ParseDate(text)
	if err != nil {
		entry.Text = fmt.Sprintf("%s: %v; the tool is served", k.Sunset, err)
		return Sunset{}, []Entry{entry}
	}
	s := Sunset{Date: d}
	if today.IsZero() {
		return s, nil
	}
	entry.Level = LevelWarning
	switch left := today.DaysUntil(d); {
	case left < 0:
		s.Excluded = true
		entry.Code, entry.Text = CodeExcluded, fmt.Sprintf("the sunset %s has passed: the tool is excluded since %s", d, nextDay(d))
	case left == 0:
		entry.Code, entry.Text = CodeSunset, fmt.Sprintf("the sunset is today, %s: the tool is excluded from tomorrow on", d)
	case left == 1:
		entry.Code, entry.Text = CodeSunset, fmt.Sprintf("the tool is served until %s, 1 more day", d)
	default:
		entry.Code, entry.Text = CodeSunset, fmt.Sprintf("the tool is served until %s, %d more days", d, left)
	}
	return s, []Entry{entry}
}

func nextDay(d Date) Date { return Date{d.t.AddDate(0, 0, 1), true} }
