package design

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
)

// Library is what is known about masters beside the design: area, pin directions and pin places. Several files may be read
// into one; a later file replaces what an earlier one said about the same master, area and pins apart.
type Library struct {
	masters map[string]*Master
}

// Master is one library cell. Lengths are in µm, areas in µm².
type Master struct {
	Area    float64
	HasArea bool
	W, H    float64 // size; 0 = not known
	pins    map[string]masterPin
}

type masterPin struct {
	dir    Dir
	hasBox bool
	x, y   float64 // middle of the pin's shapes, from the lower left corner of the unturned master
}

// NewLibrary is an empty library.
func NewLibrary() *Library { return &Library{masters: map[string]*Master{}} }

func (l *Library) master(name string) *Master {
	m := l.masters[name]
	if m == nil {
		m = &Master{pins: map[string]masterPin{}}
		l.masters[name] = m
	}
	return m
}

// Len is the number of masters that something is known about. A nil library is empty.
func (l *Library) Len() int {
	if l == nil {
		return 0
	}
	return len(l.masters)
}

// Area is the area of a master, µm²; false when it is not known. A nil library knows none.
func (l *Library) Area(master string) (float64, bool) {
	if l == nil {
		return 0, false
	}
	m := l.masters[master]
	if m == nil || !m.HasArea {
		return 0, false
	}
	return m.Area, true
}

// knowsAreas says that at least one area is known.
func (l *Library) knowsAreas() bool {
	if l == nil {
		return false
	}
	for _, m := range l.masters {
		if m.HasArea {
			return true
		}
	}
	return false
}

// dir is the direction of a master's pin as LEF or Liberty states it.
func (l *Library) dir(master, pin string) Dir {
	if l == nil {
		return DirUnknown
	}
	if m := l.masters[master]; m != nil {
		return m.pins[pin].dir
	}
	return DirUnknown
}

// knowsPins says that at least one master has pins with a place.
func (l *Library) knowsPins() bool {
	if l == nil {
		return false
	}
	for _, m := range l.masters {
		for _, p := range m.pins {
			if p.hasBox && m.W > 0 && m.H > 0 {
				return true
			}
		}
	}
	return false
}

func (l *Library) setArea(name string, area float64) error {
	if math.IsNaN(area) || math.IsInf(area, 0) || area < 0 {
		return fmt.Errorf("area %v of %q is not a measurement", area, name)
	}
	m := l.master(name)
	m.Area, m.HasArea = area, true
	return nil
}

// ReadAreas reads cell areas in µm²: a JSON object {"MASTER": area, …} or lines "MASTER AREA", where "#" begins a comment.
func (l *Library) ReadAreas(r io.Reader) error {
	in := bufio.NewReader(r)
	head, _ := in.Peek(512)
	if text := bytes.TrimSpace(head); len(text) > 0 && text[0] == '{' {
		j := newJSONIn(in)
		err := j.object(func(key []byte) error {
			name := string(key)
			v, err := j.dec.ReadValue()
			if err != nil {
				return j.failed(err)
			}
			area, err := strconv.ParseFloat(string(v), 64)
			if v.Kind() != '0' || err != nil {
				return j.fault("area "+show(v), "a number, µm²")
			}
			return l.setArea(name, area)
		})
		if err != nil {
			return err
		}
		return j.end()
	}
	s := newScanner(in)
	for {
		w := s.next()
		if w == nil {
			return s.err
		}
		name := string(w)
		if w = s.next(); w == nil {
			return s.failure("the last line", "MASTER AREA")
		}
		area, err := strconv.ParseFloat(string(w), 64)
		if err != nil {
			return s.fault(fmt.Sprintf("area %s of %q", show(w), name), "a number, µm²")
		}
		if err := l.setArea(name, area); err != nil {
			return s.fault(err.Error(), "a finite number of at least 0, µm²")
		}
	}
}

// lefReader reads the macros of a LEF file: size, pins, directions and the middle of each pin's rectangles.
type lefReader struct {
	*scanner
	lib *Library
}

// ReadLEF reads the macros of a LEF file (5.8). The area of a macro is its SIZE. Everything else is passed over.
func (l *Library) ReadLEF(r io.Reader) error {
	f := &lefReader{newScanner(r), l}
	macros := 0
	for {
		w := f.next()
		if w == nil {
			break
		}
		switch string(w) {
		case "MACRO":
			macros++
			if err := f.macro(); err != nil {
				return err
			}
		case "PROPERTYDEFINITIONS": // holds the word MACRO too
			if err := f.skipTo("END"); err != nil {
				return err
			}
		}
	}
	if f.err != nil {
		return f.err
	}
	if macros == 0 {
		return &SyntaxError{What: "no MACRO in the LEF file", Want: "MACRO name … END name"}
	}
	return nil
}

func (f *lefReader) skipTo(word string) error {
	for {
		w := f.next()
		if w == nil {
			return f.failure("a section", word)
		}
		if string(w) == word {
			return nil
		}
	}
}

func (f *lefReader) number(inside string) (float64, error) {
	w := f.next()
	if w == nil {
		return 0, f.failure(inside, "a number")
	}
	v, err := strconv.ParseFloat(string(w), 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
		return 0, f.fault(show(w)+" in "+inside, "a number")
	}
	return v, nil
}

func (f *lefReader) macro() error {
	w := f.next()
	if w == nil {
		return f.failure("MACRO", "its name")
	}
	name := string(w)
	m := f.lib.master(name)
	for {
		w := f.next()
		if w == nil {
			return f.failure("MACRO "+name, "END "+name)
		}
		var err error
		switch string(w) {
		case "END":
			if w = f.next(); string(w) != name {
				return f.fault("END "+show(w)+" in MACRO "+name, "END "+name)
			}
			return nil
		case "SIZE":
			err = f.size(name, m)
		case "PIN":
			err = f.pin(m)
		case "OBS", "DENSITY":
			err = f.skipTo("END")
		case ";":
		default:
			err = f.skipTo(";")
		}
		if err != nil {
			return err
		}
	}
}

func (f *lefReader) size(name string, m *Master) (err error) {
	if m.W, err = f.number("SIZE"); err != nil {
		return err
	}
	if w := f.next(); string(w) != "BY" {
		return f.fault(show(w)+" in SIZE", "BY")
	}
	if m.H, err = f.number("SIZE"); err != nil {
		return err
	}
	if err := f.lib.setArea(name, m.W*m.H); err != nil {
		return f.fault(err.Error(), "SIZE width BY height")
	}
	return f.skipTo(";")
}

func (f *lefReader) pin(m *Master) error {
	w := f.next()
	if w == nil {
		return f.failure("PIN", "its name")
	}
	name := string(w)
	var p masterPin
	var box [4]float64
	for {
		w := f.next()
		if w == nil {
			return f.failure("PIN "+name, "END "+name)
		}
		var err error
		switch string(w) {
		case "END":
			if w = f.next(); string(w) != name {
				return f.fault("END "+show(w)+" in PIN "+name, "END "+name)
			}
			p.x, p.y = (box[0]+box[2])/2, (box[1]+box[3])/2
			m.pins[name] = p
			return nil
		case "DIRECTION":
			if w = f.next(); w == nil {
				return f.failure("DIRECTION", "INPUT, OUTPUT or INOUT")
			}
			p.dir = defDir(w)
			err = f.skipTo(";")
		case "PORT":
			err = f.portShapes(&p, &box)
		case ";":
		default:
			err = f.skipTo(";")
		}
		if err != nil {
			return err
		}
	}
}

// portShapes reads PORT … END and widens the box by every RECT.
func (f *lefReader) portShapes(p *masterPin, box *[4]float64) error {
	for {
		w := f.next()
		if w == nil {
			return f.failure("PORT", "END")
		}
		switch string(w) {
		case "END":
			return nil
		case "RECT":
		default:
			continue
		}
		var r [4]float64
		for i := 0; i < 4; i++ {
			w := f.next()
			if i == 0 && string(w) == "MASK" {
				f.next()
				w = f.next()
			}
			v, err := strconv.ParseFloat(string(w), 64)
			if err != nil {
				return f.fault(show(w)+" in RECT", "four numbers")
			}
			r[i] = v
		}
		if !p.hasBox {
			*box = [4]float64{min(r[0], r[2]), min(r[1], r[3]), max(r[0], r[2]), max(r[1], r[3])}
			p.hasBox = true
			continue
		}
		*box = [4]float64{min(box[0], r[0], r[2]), min(box[1], r[1], r[3]), max(box[2], r[0], r[2]), max(box[3], r[1], r[3])}
	}
}

// missingAreas are the masters among those given whose area is not known, sorted.
func (l *Library) missingAreas(masters map[string]struct{}) []string {
	var missing []string
	for name := range masters {
		if _, ok := l.Area(name); !ok {
			missing = append(missing, name)
		}
	}
	sort.Strings(missing)
	return missing
}
