package design

import (
	"fmt"
	"slices"
	"strings"
)

// Identity says when a cell of one snapshot and a cell of another are the same.
type Identity string

const (
	// ByName: the same name. A name that differs only in escapes or bus brackets still counts, and is counted.
	ByName Identity = "name"
	// ByDrivenNet: they drive the net of the same name. What drives nothing, or no net that both have, is matched by name.
	ByDrivenNet Identity = "driven-net"
)

// Rule is how two snapshots are compared. The zero value compares by name and ignores nothing.
type Rule struct {
	Identity      Identity // "" = ByName
	Ignore        []string // classes: see Classes
	IgnoreMasters []string // patterns with * and ?
	IgnoreNames   []string
	Library       *Library // areas, pin directions, pin places; may be nil
}

// Classes of cells, by their usual names. A class is a convention of tools and libraries, not a property of a file.
const (
	ClassFillers = "fillers" // master contains "fill"
	ClassDecaps  = "decaps"  // master contains "decap" or "dcap"
	ClassTaps    = "taps"    // master contains "tap"
	ClassPacker  = "packer"  // nextpnr's $PACKER_GND, $PACKER_VCC and what hangs on them
)

// Classes are the names that Rule.Ignore takes.
var Classes = []string{ClassFillers, ClassDecaps, ClassTaps, ClassPacker}

// classOf is the first class that a cell belongs to, or "".
func classOf(c *Cell) string {
	switch {
	case strings.Contains(c.Name, "$PACKER_"):
		return ClassPacker
	case containsFold(c.Master, "fill"):
		return ClassFillers
	case containsFold(c.Master, "decap"), containsFold(c.Master, "dcap"):
		return ClassDecaps
	case containsFold(c.Master, "tap"):
		return ClassTaps
	}
	return ""
}

// containsFold looks for a lower-case ASCII word without regard to case.
func containsFold(s, word string) bool {
	for i := 0; i+len(word) <= len(s); i++ {
		if strings.EqualFold(s[i:i+len(word)], word) {
			return true
		}
	}
	return false
}

// check refuses what the rule cannot mean.
func (r *Rule) check() error {
	switch r.Identity {
	case "", ByName, ByDrivenNet:
	default:
		return fmt.Errorf("identity rule %q; want %s or %s", r.Identity, ByName, ByDrivenNet)
	}
	for _, class := range r.Ignore {
		if !slices.Contains(Classes, class) {
			return fmt.Errorf("class %q; want %s", class, strings.Join(Classes, ", "))
		}
	}
	return nil
}

// ignored marks the cells of a snapshot that the rule leaves out.
func (r *Rule) ignored(s *Snapshot) []bool {
	out := make([]bool, len(s.Cells))
	if len(r.Ignore)+len(r.IgnoreMasters)+len(r.IgnoreNames) == 0 {
		return out
	}
	byMaster := map[string]bool{}
	for i := range s.Cells {
		c := &s.Cells[i]
		if len(r.Ignore) > 0 && slices.Contains(r.Ignore, classOf(c)) || matchAny(r.IgnoreNames, c.Name) {
			out[i] = true
			continue
		}
		hit, known := byMaster[c.Master]
		if !known {
			hit = matchAny(r.IgnoreMasters, c.Master)
			byMaster[c.Master] = hit
		}
		out[i] = hit
	}
	return out
}

// ignoresNet says that a net belongs to an ignored class.
func (r *Rule) ignoresNet(n *Net) bool {
	return slices.Contains(r.Ignore, ClassPacker) && strings.Contains(n.Name, "$PACKER_")
}

func matchAny(patterns []string, s string) bool {
	for _, p := range patterns {
		if glob(p, s) {
			return true
		}
	}
	return false
}

// glob matches * (any run, also over "/") and ? (one byte) in time linear in len(p)·len(s).
func glob(p, s string) bool {
	pi, si, star, mark := 0, 0, -1, 0
	for si < len(s) {
		switch {
		case pi < len(p) && p[pi] == '*':
			star, mark = pi, si
			pi++
		case pi < len(p) && (p[pi] == '?' || p[pi] == s[si]):
			pi++
			si++
		case star >= 0:
			mark++
			pi, si = star+1, mark
		default:
			return false
		}
	}
	for pi < len(p) && p[pi] == '*' {
		pi++
	}
	return pi == len(p)
}

// plainName is a name without escapes and with "[]" for the file's bus brackets, so that two writers' spellings agree.
func plainName(name, busBits string) string {
	bits := []rune(busBits)
	foreign := len(bits) == 2 && busBits != "[]" && strings.ContainsRune(name, bits[0])
	if !foreign && !strings.Contains(name, `\`) {
		return name
	}
	var b strings.Builder
	escaped := false
	for _, r := range name {
		switch {
		case !escaped && r == '\\':
			escaped = true
			continue
		case !escaped && foreign && r == bits[0]:
			r = '['
		case !escaped && foreign && r == bits[1]:
			r = ']'
		}
		escaped = false
		b.WriteRune(r)
	}
	return b.String()
}
