package design

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func parse(t testing.TB, text string) *Snapshot {
	t.Helper()
	s, err := Read(strings.NewReader(text), Options{Size: int64(len(text))})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestDEFErrors reads files whose first line says which error the rest is to give.
func TestDEFErrors(t *testing.T) {
	files, _ := filepath.Glob("testdata/def_errors/*.def")
	if len(files) < 20 {
		t.Fatalf("%d cases", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".def"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := bytes.Cut(data, []byte("\n"))
			want := strings.TrimPrefix(string(first), "# want ")
			_, err = Read(bytes.NewReader(data), Options{})
			var syn *SyntaxError
			if !errors.As(err, &syn) || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

func TestJSONErrors(t *testing.T) {
	files, _ := filepath.Glob("testdata/json_errors/*.json")
	if len(files) < 10 {
		t.Fatalf("%d cases", len(files))
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".want")
			if err != nil {
				t.Fatal(err)
			}
			_, err = Read(bytes.NewReader(data), Options{})
			if err == nil || !strings.Contains(err.Error(), strings.TrimSpace(string(want))) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		})
	}
}

const dialects = `# a comment before everything
VERSION 5.8 ;
DIVIDERCHAR "/" ;
BUSBITCHARS "[]" ;
DESIGN top ;
TECHNOLOGY t ;
UNITS DISTANCE MICRONS 2000 ;
HISTORY words END COMPONENTS - + ( ;
PROPERTYDEFINITIONS
  COMPONENTPIN designRuleWidth REAL ;
  DESIGN note STRING "a ; in
  two lines" ;
END PROPERTYDEFINITIONS
DIEAREA ( 0 0 ) ( 0 1000 ) ( 500 1000 ) ( 500 0 ) ;
ROW r site 0 0 N DO 10 BY 1 STEP 380 0
 ;
BEGINEXT "tag"
  COMPONENTS whatever
ENDEXT
COMPONENTS 6 ;
- a/b$c[0] INV_X1
  + SOURCE DIST + WEIGHT 3 + PLACED ( 10 -20 ) FS
  ;
- esc\[1\] BUF + FIXED ( 1 2 ) W + PROPERTY note "x ; y" ; # trailing
- cov BUF + COVER ( 3.000 4 ) FE ;
- un BUF + UNPLACED ;
- hint BUF + UNPLACED ( 5 6 ) N ;
- none BUF ;
END COMPONENTS
PINS 3 ;
- in + NET in + DIRECTION INPUT + USE SIGNAL
  + LAYER metal5 ( -140 0 ) ( 140 280 ) + FIXED ( 100 200 ) W ;
- out + NET out + DIRECTION OUTPUT + USE SIGNAL + PORT + LAYER m ( -1 -1 ) ( 1 1 ) + PLACED ( 0 0 ) N
  + PORT + LAYER m ( -1 -1 ) ( 1 1 ) + PLACED ( 10 20 ) N ;
- off + NET off ;
END PINS
SPECIALNETS 1 ;
- VDD ( * VDD ) ( a/b$c[0] VDD ) + ROUTED m6 10 + SHAPE STRIPE ( 0 0 ) ( * 9 ) via NEW m5 0 ( 1 1 ) + USE POWER ;
END SPECIALNETS
NETS 4 ;
- in ( PIN in ) ( a/b$c[0] A ) ( ghost A ) ;
- out ( PIN out ) ( a/b$c[0] ZN + SYNTHESIZED )
  + ROUTED m1 ( 0 0 ) ( * 10 ) via1 NEW m2 ( 3 3 ) RECT ( 0 0 1 1 )
  + USE CLOCK + WEIGHT 2 ;
- out ( esc\[1\] A ) ;
- MUSTJOIN ( cov A ) ;
END NETS
END DESIGN
trailing`

func TestDEFDialects(t *testing.T) {
	s := parse(t, dialects)
	if s.Design != "top" || s.DBU != 2000 || len(s.Die) != 4 {
		t.Errorf("design %q, dbu %d, die %v", s.Design, s.DBU, s.Die)
	}
	want := []Cell{
		{Name: "a/b$c[0]", Master: "INV_X1", X: 10, Y: -20, Orient: 5, Status: Placed},
		{Name: `esc\[1\]`, Master: "BUF", X: 1, Y: 2, Orient: 2, Status: Fixed},
		{Name: "cov", Master: "BUF", X: 3, Y: 4, Orient: 8, Status: Cover},
		{Name: "un", Master: "BUF"}, {Name: "hint", Master: "BUF"}, {Name: "none", Master: "BUF"},
	}
	if len(s.Cells) != len(want) {
		t.Fatalf("%d cells", len(s.Cells))
	}
	for i, c := range want {
		if s.Cells[i] != c {
			t.Errorf("cell %d: %+v, want %+v", i, s.Cells[i], c)
		}
	}
	boxes := [][4]int64{{-180, 60, 100, 340}, {-1, -1, 11, 21}, {}}
	for i, box := range boxes {
		if s.Ports[i].Box != box || s.Ports[i].HasBox != (i < 2) {
			t.Errorf("port %s: box %v, want %v", s.Ports[i].Name, s.Ports[i].Box, box)
		}
	}
	nets := map[string]string{"VDD": "*/VDD a/b$c[0]/VDD", "in": "PIN/in a/b$c[0]/A", "out": `PIN/out a/b$c[0]/ZN esc\[1\]/A`}
	for i := range s.Nets {
		var pins []string
		for _, c := range s.Conns(i) {
			pins = append(pins, s.ConnName(c))
		}
		if got := strings.Join(pins, " "); got != nets[s.Nets[i].Name] {
			t.Errorf("net %s: %s", s.Nets[i].Name, got)
		}
	}
	if len(s.Nets) != 3 || s.Nets[2].Use != "CLOCK" || !s.Nets[0].Special || s.Nets[0].Use != "POWER" {
		t.Errorf("nets %+v", s.Nets)
	}
	codes := map[string]int{}
	for _, f := range s.Source.Findings {
		codes[f.Code]++
	}
	if len(codes) != 3 || codes["unknown_cell"] != 1 || codes["duplicate_net"] != 1 || codes["text_after_end"] != 1 {
		t.Errorf("findings %+v", s.Source.Findings)
	}
}

// TestChunks reads one byte at a time, and gzip, and wants the same snapshot.
func TestChunks(t *testing.T) {
	whole := parse(t, dialects)
	slow, err := Read(iotest.OneByteReader(strings.NewReader(dialects)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	gz := gzip.NewWriter(&packed)
	gz.Write([]byte(dialects))
	gz.Close()
	sum := sha256.Sum256(packed.Bytes())
	unpacked, err := Read(bytes.NewReader(packed.Bytes()), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if slow.Hash() != whole.Hash() || unpacked.Hash() != whole.Hash() || slow.Source.Wiring != whole.Source.Wiring {
		t.Error("the way of reading changes the snapshot")
	}
	if want := "sha256:" + hex.EncodeToString(sum[:]); unpacked.Source.FileSHA256 != want || !unpacked.Source.Compressed {
		t.Errorf("file hash %s, want %s", unpacked.Source.FileSHA256, want)
	}
}

func TestReaderErrors(t *testing.T) {
	for _, text := range []string{dialects[:len(dialects)/2], `{"modules":{`, ""} {
		broken := errors.New("the disk is gone")
		_, err := Read(iotest.DataErrReader(&failing{strings.NewReader(text), broken}), Options{})
		if !errors.Is(err, broken) {
			t.Errorf("%.20q: %v does not wrap the reader's error", text, err)
		}
	}
	if _, err := Read(strings.NewReader(" \n\t"), Options{}); err == nil || !strings.Contains(err.Error(), "an empty file") {
		t.Errorf("empty: %v", err)
	}
	if _, err := Read(strings.NewReader("\x1f\x8bnot gzip"), Options{}); err == nil {
		t.Error("a broken gzip is read")
	}
	if _, err := Read(strings.NewReader(dialects), Options{MaxBytes: 100}); err == nil || !strings.Contains(err.Error(), "limit of 100 bytes") {
		t.Errorf("limit: %v", err)
	}
}

type failing struct {
	r   *strings.Reader
	err error
}

func (f *failing) Read(p []byte) (int, error) {
	if f.r.Len() == 0 {
		return 0, f.err
	}
	return f.r.Read(p)
}

// TestLongWord holds the scanner to its bound.
func TestLongWord(t *testing.T) {
	text := "DESIGN " + strings.Repeat("x", 3<<20) + " ;"
	if _, err := Read(strings.NewReader(text), Options{}); err == nil || !strings.Contains(err.Error(), "1:8: a word longer than 1 MiB") {
		t.Errorf("%v", err)
	}
	ok := "DESIGN " + strings.Repeat("x", 700<<10) + " ;\nUNITS DISTANCE MICRONS 1 ;\nEND DESIGN\n"
	if s := parse(t, ok); len(s.Design) != 700<<10 {
		t.Errorf("a name of %d bytes", len(s.Design))
	}
}

const placed = `{"creator":"x","modules":{"top":{"settings":{},"attributes":{"top":"0001"},
"ports":{"a":{"direction":"input","bits":[2]},"v":{"direction":"output","bits":[3,"x"]}},
"cells":{
 "lut":{"type":"LC","parameters":{"I":"1"},"connections":{"O":[3],"I0":[2],"W":[5,6]},
   "port_directions":{"O":"output","I0":"input","W":"output"},"attributes":{"NEXTPNR_BEL":"X2/Y3/lc0","BEL_STRENGTH":"101"}},
 "io":{"type":"IO","attributes":{"NEXTPNR_BEL":"R7C4_IO"},"port_directions":{"O":"output"},"connections":{"O":[2]}},
 "odd":{"type":"LC","attributes":{"NEXTPNR_BEL":"PLL_L"},"connections":{}},
 "free":{"type":"LC","attributes":{},"port_directions":{"I":"input"},"connections":{"I":[5,"1"]}}},
"netnames":{"hidden$a":{"hide_name":1,"bits":[2]},"a":{"hide_name":0,"bits":[2],"attributes":{"ROUTING":"r1"}},
 "v":{"hide_name":0,"bits":[3,"x"]},"longer_v":{"bits":[3]},"unused":{"bits":[99]}}}}}`

func TestPlacedJSON(t *testing.T) {
	s := parse(t, placed)
	want := []Cell{
		{Name: "lut", Master: "LC", X: 2, Y: 3, Site: "X2/Y3/lc0", Status: Fixed},
		{Name: "io", Master: "IO", X: 4, Y: 7, Site: "R7C4_IO", Status: Placed},
		{Name: "odd", Master: "LC", Site: "PLL_L", Status: Placed, NoXY: true},
		{Name: "free", Master: "LC"},
	}
	for i, c := range want {
		if s.Cells[i] != c {
			t.Errorf("cell %+v, want %+v", s.Cells[i], c)
		}
	}
	got := map[string]string{}
	for i := range s.Nets {
		var pins []string
		for _, c := range s.Conns(i) {
			pins = append(pins, s.ConnName(c))
		}
		got[s.Nets[i].Name] = strings.Join(pins, " ")
	}
	for name, pins := range map[string]string{
		"a": "PIN/a lut/I0 io/O", "v[0]": "PIN/v[0] lut/O", "$driver$lut/W[0]": "lut/W[0] free/I[0]", "$driver$lut/W[1]": "lut/W[1]",
	} {
		if got[name] != pins {
			t.Errorf("net %s: %q, want %q (all: %v)", name, got[name], pins, got)
		}
	}
	if len(s.Ports) != 3 || s.Ports[0].Net != "a" || s.Ports[1].Name != "v[0]" || s.Ports[1].Net != "v[0]" || s.Ports[2].Net != "" {
		t.Errorf("ports %+v", s.Ports)
	}
	codes := map[string]bool{}
	for _, f := range s.Source.Findings {
		codes[f.Code] = true
	}
	if !codes["bel_without_xy"] || !codes["unnamed_nets"] || s.Source.Wiring == "" {
		t.Errorf("source %+v", s.Source)
	}
	slow, err := Read(iotest.OneByteReader(strings.NewReader(placed)), Options{})
	if err != nil || slow.Hash() != s.Hash() {
		t.Errorf("one byte at a time: %v", err)
	}
}

func TestBELNames(t *testing.T) {
	for _, c := range []struct {
		bel  string
		x, y int64
		ok   bool
	}{
		{"X2/Y3/lc0", 2, 3, true}, {"X12/Y0/TRELLIS_FF_0", 12, 0, true}, {"R2C3_PLC.SLICEA", 3, 2, true}, {"R2C3/LUT0", 3, 2, true},
		{"X2Y3", 0, 0, false}, {"X/Y3/l", 0, 0, false}, {"PLL", 0, 0, false}, {"", 0, 0, false}, {"X1/Y2z", 0, 0, false}, {"RxC1", 0, 0, false},
	} {
		if x, y, ok := belXY(c.bel); ok != c.ok || ok && (x != c.x || y != c.y) {
			t.Errorf("%q: %d %d %v", c.bel, x, y, ok)
		}
	}
}

// TestModelIsCanonical reads a model's own text back, and wants the hash of the text to be the hash of the snapshot.
func TestModelIsCanonical(t *testing.T) {
	for _, text := range []string{dialects, placed} {
		s := parse(t, text)
		var b bytes.Buffer
		if err := s.WriteModel(&b); err != nil {
			t.Fatal(err)
		}
		again := parse(t, b.String())
		if again.Hash() != s.Hash() || again.Source.FileSHA256 != s.Hash() || again.Source.Format != "snapshot" {
			t.Errorf("hash %s, read back %s of text %s", s.Hash(), again.Hash(), again.Source.FileSHA256)
		}
		if a := again.Stats(); a != s.Stats() {
			t.Errorf("stats %+v, want %+v", a, s.Stats())
		}
		checkJCS(t, b.Bytes())
	}
}
