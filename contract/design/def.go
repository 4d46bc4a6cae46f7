package design

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// defReader reads one DEF file (LEF/DEF 5.8, and the older forms that qflow writes) in one pass.
type defReader struct {
	*scanner
	snap    *Snapshot
	names   arena
	intern  map[string]string // masters, uses
	cells   inserts           // components
	netIx   inserts
	twice   []netAgain
	ports   map[string]struct{}
	pins    map[string]uint32
	find    lookups // instances of connections
	unknown int
	wiring  *tokenHash
	ended   bool
	size    int64 // of the input when known, else 0
}

// sections that the model leaves out; they run to END <name>.
var skippedSections = map[string]bool{
	"VIAS": true, "STYLES": true, "NONDEFAULTRULES": true, "REGIONS": true, "BLOCKAGES": true, "SLOTS": true, "FILLS": true,
	"PINPROPERTIES": true, "SCANCHAINS": true, "GROUPS": true, "PROPERTYDEFINITIONS": true, "IOTIMINGS": true,
	"TIMINGDISABLES": true, "DEFAULTCAP": true, "PARTITIONS": true, "ASSERTIONS": true, "CONSTRAINTS": true, "FLOORPLANS": true,
}

// statements that the model leaves out; they run to the next ";".
var skippedStatements = map[string]bool{
	"ROW": true, "TRACKS": true, "GCELLGRID": true, "HISTORY": true, "TECHNOLOGY": true, "NAMESCASESENSITIVE": true,
	"COMPONENTMASKSHIFT": true, "CANPLACE": true, "CANNOTOCCUPY": true, "ARRAY": true, "SITE": true,
	"FLOORPLAN": true, "ALIAS": true, "&ALIAS": true,
}

// readDEF reads plain DEF text. size is a hint for allocation. The error is a *SyntaxError or the reader's own.
func readDEF(r io.Reader, size int64) (*Snapshot, error) {
	d := &defReader{
		scanner: newScanner(r),
		snap:    &Snapshot{Unit: UnitDBU, Source: Source{Format: "def", BusBits: "[]"}},
		intern:  map[string]string{},
		cells:   inserts{table: newNameTable(0)},
		netIx:   inserts{table: newNameTable(0)},
		ports:   map[string]struct{}{},
		pins:    map[string]uint32{},
		wiring:  newTokenHash(),
		size:    size,
	}
	d.find.table = d.cells.table
	for !d.ended {
		if err := d.statement(); err != nil {
			return nil, err
		}
	}
	if w := d.next(); w != nil {
		line, col := d.place()
		d.snap.Source.find(line, col, "text_after_end", "text after END DESIGN is not read")
	} else if d.err != nil {
		return nil, d.err
	}
	if d.snap.DBU == 0 {
		return nil, &SyntaxError{What: "no UNITS statement", Want: "UNITS DISTANCE MICRONS <n> ; before END DESIGN"}
	}
	d.resolve()
	d.dropUnknown()
	d.resolveNets()
	d.joinNets()
	d.snap.Source.Wiring = d.wiring.sum()
	d.snap.Source.seal()
	return d.snap, nil
}

func (d *defReader) statement() error {
	w := d.next()
	if w == nil {
		return d.failure("the design", "END DESIGN")
	}
	switch string(w) {
	case "VERSION", "DIVIDERCHAR":
		return d.skipStatement("a statement")
	case "BUSBITCHARS":
		return d.busBits()
	case "DESIGN":
		return d.design()
	case "UNITS":
		return d.units()
	case "DIEAREA":
		return d.dieArea()
	case "COMPONENTS":
		return d.section("COMPONENTS", d.component)
	case "PINS":
		return d.section("PINS", d.port)
	case "NETS":
		return d.section("NETS", func() error { return d.net(false) })
	case "SPECIALNETS":
		return d.section("SPECIALNETS", func() error { return d.net(true) })
	case "BEGINEXT":
		return d.skipExtension()
	case "END":
		return d.endDesign()
	}
	name := string(w)
	switch {
	case skippedSections[name]:
		d.snap.Source.drop(name)
		return d.skipSection(name)
	case skippedStatements[name]:
		d.snap.Source.drop(name)
		return d.skipStatement(name)
	}
	return d.fault("unknown statement "+show(w), "a DEF 5.8 statement such as VERSION, DESIGN, UNITS or COMPONENTS")
}

func (d *defReader) endDesign() error {
	if err := d.expect("DESIGN", "the design"); err != nil {
		return err
	}
	d.ended = true
	return nil
}

func (d *defReader) busBits() error {
	w, err := d.need("BUSBITCHARS", `two characters in quotes, such as "[]"`)
	if err != nil {
		return err
	}
	bits := strings.Trim(string(w), `"`)
	if utf8.RuneCountInString(bits) != 2 {
		return d.fault("BUSBITCHARS "+show(w), `two characters in quotes, such as "[]"`)
	}
	d.snap.Source.BusBits = bits
	return d.expect(";", "BUSBITCHARS")
}

func (d *defReader) design() error {
	w, err := d.need("DESIGN", "the design's name")
	if err != nil {
		return err
	}
	if d.snap.Design, err = d.name(w); err != nil {
		return err
	}
	return d.expect(";", "DESIGN")
}

func (d *defReader) units() error {
	for _, want := range []string{"DISTANCE", "MICRONS"} {
		if err := d.expect(want, "UNITS"); err != nil {
			return err
		}
	}
	n, err := d.integer("UNITS")
	if err != nil {
		return err
	}
	if n <= 0 {
		return d.fault(fmt.Sprintf("%d database units per micron", n), "a number above 0, such as 1000")
	}
	d.snap.DBU = n
	return d.expect(";", "UNITS")
}

func (d *defReader) dieArea() error {
	d.snap.Die = d.snap.Die[:0]
	for {
		w, err := d.need("DIEAREA", `a point "( x y )" or ";"`)
		if err != nil {
			return err
		}
		if string(w) == ";" {
			break
		}
		p, err := d.pointAfter(w, "DIEAREA")
		if err != nil {
			return err
		}
		if len(d.snap.Die) >= 1<<16 {
			return d.fault("a die outline of more than 65536 points", "a rectangle or a polygon")
		}
		d.snap.Die = append(d.snap.Die, p)
	}
	if len(d.snap.Die) < 2 {
		return d.fault("a die of fewer than two points", `DIEAREA ( x1 y1 ) ( x2 y2 ) ;`)
	}
	return nil
}

// section reads `NAME n ; - item … END NAME` and compares the declared count with what was found.
func (d *defReader) section(name string, item func() error) error {
	declared, err := d.integer(name)
	if err != nil {
		return err
	}
	line, col := d.place()
	if err := d.expect(";", name); err != nil {
		return err
	}
	d.reserve(name, declared)
	found := int64(0)
	want := `"-" or END ` + name
	for {
		w, err := d.need(name, want)
		if err != nil {
			return err
		}
		switch string(w) {
		case "-":
			found++
			if err := item(); err != nil {
				return err
			}
			continue
		case "END":
			if err := d.expect(name, name); err != nil {
				return err
			}
		default:
			return d.fault(show(w)+" in "+name, `"-" before an item, or END `+name)
		}
		break
	}
	if err := d.resolveCells(); err != nil {
		return err
	}
	if found != declared {
		d.snap.Source.find(line, col, "count_mismatch", fmt.Sprintf("%s declares %d, found %d", name, declared, found))
	}
	return nil
}

// reserve makes room for as many items as were declared, but never for more than the size of the input makes likely: the
// number is only a claim.
func (d *defReader) reserve(name string, declared int64) {
	n := min(max(declared, 0), max(d.size/24, 1024))
	switch {
	case name == "COMPONENTS" && d.snap.Cells == nil && len(d.find.wait) == 0 && d.cells.table.n == 0:
		d.snap.Cells = make([]Cell, 0, n)
		d.cells.table = newNameTable(n)
		d.find.table = d.cells.table
	case name == "NETS" && d.snap.Nets == nil && d.netIx.table.n == 0:
		d.snap.Nets = make([]Net, 0, n)
		d.netIx.table = newNameTable(n)
		d.snap.conns = make([]Conn, 0, 3*n)
	}
}

func (d *defReader) skipStatement(name string) error {
	for {
		w := d.next()
		if w == nil {
			return d.failure(name, `";"`)
		}
		if len(w) == 1 && w[0] == ';' {
			return nil
		}
	}
}

func (d *defReader) skipSection(name string) error {
	for {
		w := d.next()
		if w == nil {
			return d.failure(name, "END "+name)
		}
		if string(w) == "END" {
			if w = d.next(); string(w) == name {
				return nil
			}
		}
	}
}

func (d *defReader) skipExtension() error {
	d.snap.Source.drop("BEGINEXT")
	for {
		w := d.next()
		if w == nil {
			return d.failure("BEGINEXT", "ENDEXT")
		}
		if string(w) == "ENDEXT" {
			return nil
		}
	}
}

// need is the next word, or an error that says what the file ends inside of.
func (d *defReader) need(inside, want string) ([]byte, error) {
	w := d.next()
	if w == nil {
		return nil, d.failure(inside, want)
	}
	return w, nil
}

func (d *defReader) expect(want, inside string) error {
	w, err := d.need(inside, want)
	if err != nil {
		return err
	}
	if string(w) == want {
		return nil
	}
	hint := fmt.Sprintf("%q in %s", want, inside)
	if want == ";" {
		hint += " (a word of its own: white space before it)"
	}
	return d.fault(show(w), hint)
}

// integer reads a whole number; `100.0`, which some writers print, is one.
func (d *defReader) integer(inside string) (int64, error) {
	w, err := d.need(inside, "a whole number")
	if err != nil {
		return 0, err
	}
	n, ok := parseInt(w)
	if !ok {
		return 0, d.fault(show(w)+" in "+inside, "a whole number of at most 2^50")
	}
	return n, nil
}

// pointAfter reads `x y )` after its opening word.
func (d *defReader) pointAfter(open []byte, inside string) (p Point, err error) {
	if string(open) != "(" {
		return p, d.fault(show(open)+" in "+inside, `a point "( x y )"`)
	}
	if p.X, err = d.integer(inside); err != nil {
		return p, err
	}
	if p.Y, err = d.integer(inside); err != nil {
		return p, err
	}
	return p, d.expect(")", inside)
}

// name keeps a word as a name. Names go into canonical JSON, so they must be UTF-8.
func (d *defReader) name(w []byte) (string, error) {
	if !utf8.Valid(w) {
		return "", d.fault("a name that is not UTF-8: "+show(w), "UTF-8 or ASCII names")
	}
	return d.names.keep(w), nil
}

// word keeps a word of which there are few different ones.
func (d *defReader) word(w []byte) (string, error) {
	if s, ok := d.intern[string(w)]; ok {
		return s, nil
	}
	s, err := d.name(w)
	if err == nil {
		d.intern[s] = s
	}
	return s, err
}

// show is a word as an error quotes it: shortened, with anything unprintable escaped.
func show(w []byte) string {
	if len(w) > 60 {
		return fmt.Sprintf("%q…", w[:60])
	}
	return fmt.Sprintf("%q", w)
}
