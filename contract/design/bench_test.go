package design

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// bigDEF writes a placed design of about the given size in OpenROAD's manner: half hierarchical names, nets of two to six
// pins, and wiring on some of them.
func bigDEF(size int, wired bool) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	perCell := 182
	if wired {
		perCell = 435
	}
	cells := size / perCell
	var b bytes.Buffer
	b.Grow(size + size/4)
	b.WriteString("VERSION 5.8 ;\nDIVIDERCHAR \"/\" ;\nBUSBITCHARS \"[]\" ;\nDESIGN big ;\nUNITS DISTANCE MICRONS 2000 ;\n")
	b.WriteString("DIEAREA ( 0 0 ) ( 4000000 4000000 ) ;\n")
	fmt.Fprintf(&b, "COMPONENTS %d ;\n", cells)
	masters := []string{"NAND2_X1", "INV_X2", "DFF_X1", "BUF_X4", "AOI21_X1", "MUX2_X1", "FA_X1"}
	orients := []string{"N", "FS", "S", "FN"}
	name := func(i int) string {
		if i%2 == 0 {
			return fmt.Sprintf("core/u_alu/stage%d/_%d_", i%16, i)
		}
		return fmt.Sprintf("_%d_", i)
	}
	for i := range cells {
		fmt.Fprintf(&b, "    - %s %s + PLACED ( %d %d ) %s ;\n", name(i), masters[rng.IntN(len(masters))],
			rng.IntN(4000000), rng.IntN(4000000), orients[rng.IntN(4)])
	}
	b.WriteString("END COMPONENTS\nPINS 1 ;\n    - clk + NET clk + DIRECTION INPUT + USE SIGNAL\n      + PORT\n")
	b.WriteString("        + LAYER metal2 ( -70 -70 ) ( 70 70 )\n        + PLACED ( 10 10 ) N ;\nEND PINS\n")
	fmt.Fprintf(&b, "NETS %d ;\n", cells)
	for i := range cells {
		fmt.Fprintf(&b, "    - net%d ( %s ZN )", i, name(i))
		for range 1 + rng.IntN(4) {
			fmt.Fprintf(&b, " ( %s A%d )", name(rng.IntN(cells)), 1+rng.IntN(2))
		}
		b.WriteString(" + USE SIGNAL")
		for k := range 5 {
			if !wired {
				break
			}
			lead := "NEW"
			if k == 0 {
				lead = "+ ROUTED"
			}
			fmt.Fprintf(&b, "\n      %s metal%d ( %d %d ) ( * %d )", lead, 1+k, rng.IntN(4000000), rng.IntN(4000000), rng.IntN(4000000))
		}
		b.WriteString(" ;\n")
	}
	b.WriteString("END NETS\nEND DESIGN\n")
	return b.Bytes()
}

func BenchmarkReadDEF(b *testing.B) {
	for _, c := range []struct {
		name  string
		wired bool
	}{{"placed", false}, {"routed", true}} {
		b.Run(c.name+"50MB", func(b *testing.B) {
			data := bigDEF(50<<20, c.wired)
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Read(bytes.NewReader(data), Options{Size: int64(len(data))}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkReadDEFMemory reports how many times the size of the text the process held at most while it read it, garbage not
// yet collected included, and what the snapshot holds afterwards.
func BenchmarkReadDEFMemory(b *testing.B) {
	data := bigDEF(50<<20, false)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		debug.FreeOSMemory()
		var base, now runtime.MemStats
		runtime.ReadMemStats(&base)
		peak := &peakReader{r: bytes.NewReader(data), base: base.HeapAlloc}
		s, err := Read(peak, Options{Size: int64(len(data))})
		if err != nil {
			b.Fatal(err)
		}
		peak.sample()
		runtime.GC()
		runtime.ReadMemStats(&now)
		b.ReportMetric(float64(peak.max)/float64(len(data)), "peak/size")
		b.ReportMetric(float64(now.HeapAlloc-base.HeapAlloc)/float64(len(data)), "held/size")
		runtime.KeepAlive(s)
	}
}

// peakReader looks at the heap every 4 MiB.
type peakReader struct {
	r         io.Reader
	n         int
	base, max uint64
}

func (p *peakReader) Read(b []byte) (int, error) {
	n, err := p.r.Read(b)
	if p.n += n; p.n > 4<<20 {
		p.n = 0
		p.sample()
	}
	return n, err
}

func (p *peakReader) sample() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > p.base {
		p.max = max(p.max, m.HeapAlloc-p.base)
	}
}

func BenchmarkDelta(b *testing.B) {
	data := bigDEF(10<<20, false)
	x, err := Read(bytes.NewReader(data), Options{Size: int64(len(data))})
	if err != nil {
		b.Fatal(err)
	}
	y, err := Read(strings.NewReader(strings.ReplaceAll(string(data), "PLACED ( 1", "PLACED ( 2")), Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, id := range []Identity{ByName, ByDrivenNet} {
		b.Run(string(id), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Delta(x, y, Rule{Identity: id}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkHash(b *testing.B) {
	data := bigDEF(10<<20, false)
	s, err := Read(bytes.NewReader(data), Options{})
	if err != nil {
		b.Fatal(err)
	}
	s.sortOnce()
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if err := s.WriteModel(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
