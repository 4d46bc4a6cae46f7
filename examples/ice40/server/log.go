package main

import (
	"regexp"
	"strconv"
	"strings"
)

// log is what nextpnr says on standard error and nowhere else.
type log struct {
	stages     []stage
	wirelength *int64
	fmax       *float64 // MHz, of the slowest clock; the last word counts
}

var (
	checksumForm = regexp.MustCompile(`^Info: Checksum: (0x[0-9a-f]+)`)
	wirelenForm  = regexp.MustCompile(`^Info:\s+at iteration #\d+: .*wirelen = (\d+)`)
	fmaxForm     = regexp.MustCompile(`^(?:Info|Warning|ERROR): Max frequency for clock\s+'[^']*': ([0-9.]+) MHz`)
)

// stageNames are the stages in the order in which nextpnr ends them, each with a checksum; budget is the annotation of the
// packed netlist with timing budgets.
var stageNames = []string{"pack", "budget", "place", "route"}

// readLog reads a log of nextpnr 0.4, also one that breaks off.
func readLog(text string) log {
	var l log
	var fresh bool // the next frequency belongs to a later stage and replaces the earlier ones
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if m := checksumForm.FindStringSubmatch(line); m != nil && len(l.stages) < len(stageNames) {
			l.stages = append(l.stages, stage{stageNames[len(l.stages)], m[1]})
			continue
		}
		if m := wirelenForm.FindStringSubmatch(line); m != nil {
			if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
				l.wirelength = &n
			}
		}
		m := fmaxForm.FindStringSubmatch(line)
		if m == nil {
			fresh = fresh || l.fmax != nil
			continue
		}
		if f, err := strconv.ParseFloat(m[1], 64); err == nil && (l.fmax == nil || fresh || f < *l.fmax) {
			l.fmax, fresh = &f, false
		}
	}
	return l
}
