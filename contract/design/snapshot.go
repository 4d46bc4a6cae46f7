package design

import (
	"cmp"
	"slices"
	"strings"
	"sync"
)

// Unit is what one step of a coordinate means.
type Unit string

const (
	// UnitDBU is a database unit; Snapshot.DBU of them make one micron (DEF).
	UnitDBU Unit = "dbu"
	// UnitTile is one tile of a device's grid; it has no length in micron (nextpnr).
	UnitTile Unit = "tile"
)

// Status says whether and how a cell or port is placed.
type Status uint8

// Placement states as DEF 5.8 names them. Unplaced is also what a component without any placement clause is.
const (
	Unplaced Status = iota
	Placed
	Fixed
	Cover
)

var statusNames = [...]string{"unplaced", "placed", "fixed", "cover"}

// String is the lower-case DEF word.
func (s Status) String() string { return statusNames[s&3] }

// Dir is the direction of a pin. DEF does not state the direction of cell pins; nextpnr does.
type Dir uint8

// Directions of a pin; DirUnknown = not stated by the source.
const (
	DirUnknown Dir = iota
	DirIn
	DirOut
	DirInOut
)

var dirNames = [...]string{"", "input", "output", "inout"}

// String is the lower-case word, "" when unknown.
func (d Dir) String() string { return dirNames[d&3] }

// Point is a place in units of the snapshot.
type Point struct {
	X int64 `json:"x"`
	Y int64 `json:"y"`
}

// Cell is one instance. X and Y mean something only when Status is not Unplaced and NoXY is false.
type Cell struct {
	Name   string // as the file spells it, escapes included
	Master string // library cell or BEL type
	X, Y   int64
	Site   string // name of the BEL; "" in DEF
	Orient uint8  // index into contract.Orients plus one; 0 = not stated
	Status Status
	NoXY   bool // placed on a site whose name does not tell the coordinates
}

// HasXY says that the cell's coordinates are known.
func (c *Cell) HasXY() bool { return c.Status != Unplaced && !c.NoXY }

// Port is a pin of the design itself. Box is where its shapes lie on the die, or the placement point twice.
type Port struct {
	Name   string
	Net    string
	Dir    Dir
	Use    string // DEF USE; "" = SIGNAL
	Status Status
	HasBox bool
	Box    [4]int64 // x_min, y_min, x_max, y_max
}

// Net is one net; its connections are Snapshot.Conns(i). Special nets (DEF SPECIALNETS: power and ground) are listed too.
type Net struct {
	Name     string
	Use      string // DEF USE; "" = SIGNAL
	Special  bool
	off, num uint32
}

// Conn is one connection of a net. Cell is an index into Snapshot.Cells, or one of the negative values below; Pin is an
// index into Snapshot.Pins.
type Conn struct {
	Cell int32
	Pin  uint32
}

const (
	// ConnPort means that Pin names a port of the design.
	ConnPort int32 = -1
	// ConnAll is DEF's `( * PIN )`: every cell that has such a pin.
	ConnAll int32 = -2
)

// Pin is a name of a cell pin or of a port, with the direction where the source states it.
type Pin struct {
	Name string
	Dir  Dir
}

// Snapshot is one state of a design: cells, where they are, and what they are connected to. It is not changed after a reader
// has returned it, and may then be used by several goroutines.
type Snapshot struct {
	Design string
	Unit   Unit
	DBU    int64 // database units per micron; 0 when Unit is UnitTile
	Die    []Point
	Cells  []Cell // in file order
	Ports  []Port // in file order
	Nets   []Net  // in file order
	Pins   []Pin  // every pin name once per direction
	Source Source

	conns []Conn

	once  sync.Once
	cells []int32 // order by name
	ports []int32
	nets  []int32

	hashOnce sync.Once
	hash     string
}

// Source says where a snapshot came from and what the reader left out of it. It is not part of the content hash.
type Source struct {
	Format      string           `json:"format"`      // "def", "nextpnr" or "snapshot"
	FileSHA256  string           `json:"file_sha256"` // `sha256:<hex>` of the bytes as they were given, compressed or not
	FileBytes   int64            `json:"file_bytes"`
	Compressed  bool             `json:"compressed,omitempty"` // gzip
	Wiring      string           `json:"wiring,omitempty"`     // hash over the routing, which the model leaves out; "" = none
	Dropped     []Dropped        `json:"dropped,omitempty"`    // what the file held and the model does not, sorted by name
	Findings    []Finding        `json:"findings,omitempty"`   // the first MaxFindings
	MoreFound   int              `json:"more_findings,omitempty"`
	BusBits     string           `json:"bus_bits,omitempty"` // DEF BUSBITCHARS
	droppedSeen map[string]int64 // while reading
}

// Dropped is one kind of attribute that the model leaves out, and how often it occurred.
type Dropped struct {
	What  string `json:"what"`
	Count int64  `json:"count"`
}

// Finding is something in a readable file that its reader should know about.
type Finding struct {
	Line int    `json:"line,omitempty"` // 1-based; 0 = the file as a whole
	Col  int    `json:"col,omitempty"`
	Code string `json:"code"` // count_mismatch, unknown_cell, …
	Text string `json:"text"`
}

// MaxFindings is how many findings a snapshot keeps; the rest is counted.
const MaxFindings = 100

func (s *Source) find(line, col int, code, text string) {
	if len(s.Findings) >= MaxFindings {
		s.MoreFound++
		return
	}
	s.Findings = append(s.Findings, Finding{line, col, code, text})
}

func (s *Source) drop(what string) {
	if s.droppedSeen == nil {
		s.droppedSeen = map[string]int64{}
	}
	s.droppedSeen[what]++
}

// seal turns what was counted while reading into the sorted list.
func (s *Source) seal() {
	for what, n := range s.droppedSeen {
		s.Dropped = append(s.Dropped, Dropped{what, n})
	}
	slices.SortFunc(s.Dropped, func(a, b Dropped) int { return strings.Compare(a.What, b.What) })
	s.droppedSeen = nil
}

// Conns are the connections of net i, in file order.
func (s *Snapshot) Conns(i int) []Conn {
	n := &s.Nets[i]
	return s.conns[n.off : n.off+n.num : n.off+n.num]
}

// ConnName is "instance/pin", "PIN/port" or "*/pin", the form of contract.NetChange.
func (s *Snapshot) ConnName(c Conn) string {
	pin := s.Pins[c.Pin].Name
	switch c.Cell {
	case ConnPort:
		return "PIN/" + pin
	case ConnAll:
		return "*/" + pin
	}
	return s.Cells[c.Cell].Name + "/" + pin
}

// sortOnce builds the orders by name. Names are unique among cells, among ports and among nets; the readers see to it.
func (s *Snapshot) sortOnce() {
	s.once.Do(func() {
		s.cells = orderBy(len(s.Cells), func(i int32) string { return s.Cells[i].Name })
		s.ports = orderBy(len(s.Ports), func(i int32) string { return s.Ports[i].Name })
		s.nets = orderBy(len(s.Nets), func(i int32) string { return s.Nets[i].Name })
	})
}

func orderBy(n int, name func(int32) string) []int32 {
	ix := make([]int32, n)
	sorted := true
	for i := range ix {
		ix[i] = int32(i)
		if i > 0 && sorted {
			sorted = name(int32(i-1)) < name(int32(i))
		}
	}
	if !sorted {
		slices.SortFunc(ix, func(a, b int32) int {
			return cmp.Or(strings.Compare(name(a), name(b)), cmp.Compare(a, b))
		})
	}
	return ix
}

// Stats are the sizes of a snapshot.
type Stats struct {
	Cells       int `json:"cells"`
	PlacedCells int `json:"placed_cells"` // placed, fixed or cover
	FixedCells  int `json:"fixed_cells"`  // fixed or cover
	Ports       int `json:"ports"`
	Nets        int `json:"nets"`
	SpecialNets int `json:"special_nets"`
	Connections int `json:"connections"` // of the ordinary nets
}

// Stats counts.
func (s *Snapshot) Stats() Stats {
	st := Stats{Cells: len(s.Cells), Ports: len(s.Ports)}
	for i := range s.Cells {
		switch s.Cells[i].Status {
		case Placed:
			st.PlacedCells++
		case Fixed, Cover:
			st.PlacedCells++
			st.FixedCells++
		}
	}
	for i := range s.Nets {
		if s.Nets[i].Special {
			st.SpecialNets++
			continue
		}
		st.Nets++
		st.Connections += int(s.Nets[i].num)
	}
	return st
}
