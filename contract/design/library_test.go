package design

import (
	"math"
	"strings"
	"testing"

	"flowdbg/contract"
)

const lefText = `VERSION 5.8 ;
PROPERTYDEFINITIONS
  MACRO kind STRING ;
END PROPERTYDEFINITIONS
LAYER m1
  TYPE ROUTING ;
END m1
MACRO INV
  CLASS CORE ;
  ORIGIN 0 0 ;
  SIZE 2.0 BY 3.0 ;
  SYMMETRY X Y ;
  PIN A
    DIRECTION INPUT ;
    USE SIGNAL ;
    PORT
      LAYER m1 ;
        RECT 0.4 0.4 0.6 0.6 ;
    END
  END A
  PIN Z
    DIRECTION OUTPUT TRISTATE ;
    PORT
      LAYER m1 ;
        RECT MASK 1 1.0 1.0 1.2 1.2 ;
        RECT 1.2 1.0 1.4 2.2 ;
    END
  END Z
  OBS
    LAYER m1 ;
      RECT 0 0 1 1 ;
  END
END INV
MACRO BUF
  SIZE 4 BY 3 ;
END BUF
END LIBRARY
`

const libText = `/* a library */
library (demo) {
  time_unit : "1ns";
  cell ("INV_X1") { area : 1.064 ; pin(A) { direction : input; } pin (ZN) {
      direction : "output"
      timing () { related_pin : "A"; values ("1, 2", \
        "3, 4"); }
  } }
  cell(FA) {
    area : 4.256;
    bus (S) { direction : output; }
    leakage_power () { area : 99; }
  }
}
`

func TestLEF(t *testing.T) {
	l := NewLibrary()
	if err := l.ReadLEF(strings.NewReader(lefText)); err != nil {
		t.Fatal(err)
	}
	if a, ok := l.Area("INV"); !ok || a != 6 || l.Len() != 2 {
		t.Errorf("INV: %v %v, %d masters", a, ok, l.Len())
	}
	z := l.masters["INV"].pins["Z"]
	if z.dir != DirOut || math.Abs(z.x-1.2) > 1e-12 || math.Abs(z.y-1.6) > 1e-12 {
		t.Errorf("pin Z: %+v", z)
	}
	for text, want := range map[string]string{
		"VERSION 5.8 ;": "no MACRO", "MACRO A SIZE 1 BY x ; END A": "1:19: \"x\" in SIZE", "MACRO A PIN P END Q": "END \"Q\" in PIN P",
		"MACRO A": "the file ends inside MACRO A", "MACRO A SIZE -1 BY 2 ; END A": "not a measurement", "MACRO A END B": "want END A",
	} {
		if err := NewLibrary().ReadLEF(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

func TestLiberty(t *testing.T) {
	l := NewLibrary()
	if err := l.ReadLib(strings.NewReader(libText)); err != nil {
		t.Fatal(err)
	}
	if a, ok := l.Area("INV_X1"); !ok || a != 1.064 {
		t.Errorf("INV_X1: %v %v", a, ok)
	}
	if a, _ := l.Area("FA"); a != 4.256 {
		t.Errorf("FA: %v: the area of an inner group is not the cell's", a)
	}
	if l.dir("INV_X1", "ZN") != DirOut || l.dir("INV_X1", "A") != DirIn || l.dir("FA", "S") != DirOut {
		t.Error("pin directions")
	}
	for text, want := range map[string]string{
		"library (x) { }": "no cell", "library (x) { cell (a) { area : y; } }": "1:1: area \"y\"", "library (x) { cell (a) { ": "the file ends inside a group",
		"}": "a closing brace", strings.Repeat("a () {", 100): "nested too deep",
	} {
		if err := NewLibrary().ReadLib(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %s", text, err, want)
		}
	}
}

func TestAreasFile(t *testing.T) {
	for _, text := range []string{"# areas\nINV 1.5\nBUF 2e1", `{"INV":1.5,"BUF":20}`} {
		l := NewLibrary()
		if err := l.ReadAreas(strings.NewReader(text)); err != nil {
			t.Fatal(err)
		}
		if a, ok := l.Area("BUF"); !ok || a != 20 || l.Len() != 2 {
			t.Errorf("%s: BUF %v %v", text, a, ok)
		}
	}
	for text, want := range map[string]string{
		"INV x": `1:5: area "x" of "INV"`, "INV": "want MASTER AREA", "INV NaN": "not a measurement", `{"INV":"1"}`: "want a number",
		`{"INV":1,"INV":2}`: "duplicate", `{"INV":-1}`: "not a measurement",
	} {
		if err := NewLibrary().ReadAreas(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

const twoCells = `DESIGN d ;
UNITS DISTANCE MICRONS 1000 ;
COMPONENTS 2 ;
- a INV + PLACED ( 0 0 ) N ;
- b %s + PLACED ( 10000 0 ) %s ;
END COMPONENTS
NETS 1 ;
- n ( a Z ) ( b A ) ;
END NETS
END DESIGN
`

func twoCellDEF(master, orient string) string {
	return strings.Replace(strings.Replace(twoCells, "%s", master, 1), "%s", orient, 1)
}

// TestHPWLWithPins checks the middle of turned pins by hand: Z of a lies at (1.2, 1.6), A of an INV at (0.5, 0.5).
func TestHPWLWithPins(t *testing.T) {
	l := NewLibrary()
	if err := l.ReadLEF(strings.NewReader(lefText)); err != nil {
		t.Fatal(err)
	}
	for orient, want := range map[string]float64{
		"N":  (10.5 - 1.2) + (1.6 - 0.5),
		"S":  (11.5 - 1.2) + (2.5 - 1.6),
		"W":  (12.5 - 1.2) + (1.6 - 0.5), // R90: (h−y, x)
		"E":  (10.5 - 1.2) + (1.6 - 1.5), // R270: (y, w−x)
		"FN": (11.5 - 1.2) + (1.6 - 0.5),
		"FS": (10.5 - 1.2) + (2.5 - 1.6),
		"FW": (10.5 - 1.2) + (1.6 - 0.5), // MXR90: (y, x)
		"FE": (12.5 - 1.2) + (1.6 - 1.5), // MYR90: (h−y, w−x)
	} {
		h := parse(t, twoCellDEF("INV", orient)).HPWL(l)
		if h.Points != PointsLEF || h.Value == nil || math.Abs(*h.Value-want) > 1e-9 {
			t.Errorf("%s: %v, want %v", orient, *h.Value, want)
		}
	}
	if h := parse(t, twoCellDEF("INV", "N")).HPWL(nil); *h.Value != 10 || h.Points != PointsOrigin {
		t.Errorf("origins: %+v", h)
	}
}

// TestAreaDelta: absent and named without areas, absent and named when one master is missing, else the sum.
func TestAreaDelta(t *testing.T) {
	a, b := parse(t, twoCellDEF("INV", "N")), parse(t, twoCellDEF("BUF", "N"))
	full, partial := NewLibrary(), NewLibrary()
	if err := full.ReadLEF(strings.NewReader(lefText)); err != nil {
		t.Fatal(err)
	}
	if err := partial.ReadAreas(strings.NewReader("INV 6")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name    string
		a, b    *Snapshot
		lib     *Library
		want    float64 // NaN: not measured
		missing string
	}{
		{"no library", a, b, nil, math.NaN(), ""},
		{"no library, nothing changed", a, a, nil, math.NaN(), ""},
		{"a master is missing", a, b, partial, math.NaN(), "BUF"},
		{"grown", a, b, full, 6, ""},
		{"shrunk", b, a, full, -6, ""},
		{"nothing changed", a, a, full, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := Delta(c.a, c.b, Rule{Library: c.lib})
			if err != nil {
				t.Fatal(err)
			}
			validDelta(t, got)
			area := got.Delta.Summary.AreaDelta
			unmeasured := got.Delta.NotMeasured[0] == contract.NotMeasuredArea
			if math.IsNaN(c.want) != (area == nil) || unmeasured != (area == nil) || area != nil && *area != c.want {
				t.Errorf("area %v, not measured %v", area, got.Delta.NotMeasured)
			}
			if strings.Join(got.MissingAreas, ",") != c.missing {
				t.Errorf("missing %v", got.MissingAreas)
			}
		})
	}
}

// TestDriversFromLibrary: with pin directions an odd output name is known, without it is not.
func TestDriversFromLibrary(t *testing.T) {
	text := strings.ReplaceAll(twoCellDEF("INV", "N"), "a Z", "a WEIRD")
	renamed := strings.ReplaceAll(strings.ReplaceAll(text, "- a INV", "- z INV"), "( a WEIRD )", "( z WEIRD )")
	l := NewLibrary()
	if err := l.ReadLib(strings.NewReader("library(x) { cell(INV) { pin(WEIRD) { direction : output; } pin(A) { direction : input; } } }")); err != nil {
		t.Fatal(err)
	}
	for lib, want := range map[*Library]int{nil: 0, l: 1} {
		got, err := Delta(parse(t, text), parse(t, renamed), Rule{Identity: ByDrivenNet, Library: lib})
		if err != nil {
			t.Fatal(err)
		}
		if got.Counts.Renamed != want || got.Counts.Added != 1-want {
			t.Errorf("with library %v: %v", lib != nil, got.Counts)
		}
	}
}
