package design

// Output pin names of the cell libraries in common use, for files that state no directions (DEF without --lef and --lib).
// A weak name is an output only of masters without a strong one: S is the sum of a full adder, but the select of a multiplexer.
var (
	strongOutputs = wordSet("Y", "Z", "ZN", "X", "XN", "Q", "QN", "Q_N", "QB", "QBN", "YN", "YC", "YS", "GCLK", "GCK", "ECK", "HI", "LO", "OUT", "ZB")
	carryOutputs  = wordSet("CO", "CON", "COUT", "COUT_N", "C1")
	weakOutputs   = wordSet("S", "SN", "SUM", "H", "L", "O")
)

func wordSet(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}

// Where pin directions came from.
const (
	DirsSource     = "stated by the file"
	DirsLibrary    = "library"
	DirsConvention = "usual output pin names"
)

// No driver, or more than one.
const (
	driverNone = -1
	driverMany = -2
)

// director tells the direction of cell pins: as the file states it, else as the library does, else by the usual names.
type director struct {
	s      *Snapshot
	lib    *Library
	strong map[string]bool       // masters with a strong output
	cache  map[masterAndPin]bool // is it an output
	used   map[string]int        // connections by where the direction came from
}

type masterAndPin struct {
	master string
	pin    uint32
}

func newDirector(s *Snapshot, lib *Library) *director {
	d := &director{s: s, lib: lib, strong: map[string]bool{}, cache: map[masterAndPin]bool{}, used: map[string]int{}}
	for _, c := range s.conns {
		if c.Cell >= 0 && strongOutputs[s.Pins[c.Pin].Name] {
			d.strong[s.Cells[c.Cell].Master] = true
		}
	}
	return d
}

func (d *director) output(c Conn) bool {
	pin := &d.s.Pins[c.Pin]
	if pin.Dir != DirUnknown {
		d.used[DirsSource]++
		return pin.Dir == DirOut
	}
	master := d.s.Cells[c.Cell].Master
	key := masterAndPin{master, c.Pin}
	out, ok := d.cache[key]
	if ok {
		d.used[DirsConvention]++
		return out
	}
	if dir := d.lib.dir(master, pin.Name); dir != DirUnknown {
		d.used[DirsLibrary]++
		return dir == DirOut
	}
	d.used[DirsConvention]++
	out = strongOutputs[pin.Name] || carryOutputs[pin.Name] || weakOutputs[pin.Name] && !d.strong[master]
	d.cache[key] = out
	return out
}

// drivers is, per net, the cell that drives it, or driverNone or driverMany.
func (d *director) drivers(ignored []bool) []int32 {
	out := make([]int32, len(d.s.Nets))
	for i := range out {
		out[i] = driverNone
		if d.s.Nets[i].Special {
			continue
		}
		for _, c := range d.s.Conns(i) {
			if c.Cell < 0 || ignored[c.Cell] || !d.output(c) || out[i] == c.Cell {
				continue
			}
			if out[i] != driverNone {
				out[i] = driverMany
				break
			}
			out[i] = c.Cell
		}
	}
	return out
}

// source is where most directions came from.
func (d *director) source() string {
	best, n := DirsConvention, 0
	for _, name := range []string{DirsSource, DirsLibrary, DirsConvention} {
		if d.used[name] > n {
			best, n = name, d.used[name]
		}
	}
	return best
}
