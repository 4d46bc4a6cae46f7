package design

import (
	"bufio"
	"cmp"
	"crypto/sha256"
	"io"
	"slices"
	"strconv"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// ModelFormat is the value of the member "format" of a snapshot's canonical text.
const ModelFormat = "flowdbg-snapshot/1"

// Hash is `sha256:<hex>` of the snapshot's canonical text: sha256(JCS(model)). It does not depend on the order of the file,
// on its comments, nor on anything that Source.Dropped lists.
func (s *Snapshot) Hash() string {
	s.hashOnce.Do(func() {
		h := sha256.New()
		if err := s.WriteModel(h); err != nil {
			panic("design: a hash refused bytes: " + err.Error()) // hash.Hash never returns an error
		}
		s.hash = hashRef(h)
	})
	return s.hash
}

// WriteModel writes the snapshot's canonical text (RFC 8785) as a stream:
//
//	{"cells":[{"id","master","orient"?,"site"?,"status","x"?,"y"?}…],"dbu"?,"design","die":[[x,y]…],"format":"flowdbg-snapshot/1",
//	 "nets":[{"id","pins":[[port] | ["*",pin] | [cell,pin,dir?]…],"special"?,"use"?}…],
//	 "ports":[{"box":[x,y,x,y]?,"dir"?,"id","net"?,"status","use"?}…],"unit":"dbu"|"tile"}
//
// Lists are sorted by the bytes of their names. The error is the writer's.
func (s *Snapshot) WriteModel(w io.Writer) error {
	s.sortOnce()
	m := &modelWriter{w: bufio.NewWriterSize(w, 64<<10), s: s}
	m.text(`{"cells":[`)
	for i, at := range s.cells {
		m.comma(i)
		m.cell(&s.Cells[at])
	}
	m.text(`]`)
	if s.DBU != 0 {
		m.text(`,"dbu":`)
		m.int(s.DBU)
	}
	m.text(`,"design":`)
	m.str(s.Design)
	m.text(`,"die":[`)
	for i, p := range s.Die {
		m.comma(i)
		m.text(`[`)
		m.int(p.X)
		m.text(`,`)
		m.int(p.Y)
		m.text(`]`)
	}
	m.text(`],"format":"` + ModelFormat + `","nets":[`)
	rank := s.ranks()
	for i, at := range s.nets {
		m.comma(i)
		m.net(int(at), rank)
	}
	m.text(`],"ports":[`)
	for i, at := range s.ports {
		m.comma(i)
		m.port(&s.Ports[at])
	}
	m.text(`],"unit":"` + string(s.Unit) + `"}`)
	return m.w.Flush()
}

// ranks are the places of the cells in the order of names.
func (s *Snapshot) ranks() []int32 {
	rank := make([]int32, len(s.cells))
	for r, at := range s.cells {
		rank[at] = int32(r)
	}
	return rank
}

// modelWriter writes canonical members; the bufio.Writer keeps the first error.
type modelWriter struct {
	w     *bufio.Writer
	s     *Snapshot
	buf   []byte
	conns []Conn
}

func (m *modelWriter) text(s string) { m.w.WriteString(s) }

func (m *modelWriter) comma(i int) {
	if i > 0 {
		m.w.WriteByte(',')
	}
}

func (m *modelWriter) str(s string) {
	m.buf = canon.AppendString(m.buf[:0], s)
	m.w.Write(m.buf)
}

func (m *modelWriter) int(n int64) {
	m.buf = strconv.AppendInt(m.buf[:0], n, 10)
	m.w.Write(m.buf)
}

func (m *modelWriter) cell(c *Cell) {
	m.text(`{"id":`)
	m.str(c.Name)
	m.text(`,"master":`)
	m.str(c.Master)
	if c.Orient > 0 {
		m.text(`,"orient":"` + contract.Orients[c.Orient-1] + `"`)
	}
	if c.Site != "" {
		m.text(`,"site":`)
		m.str(c.Site)
	}
	m.text(`,"status":"` + c.Status.String() + `"`)
	if c.HasXY() {
		m.text(`,"x":`)
		m.int(c.X)
		m.text(`,"y":`)
		m.int(c.Y)
	}
	m.text(`}`)
}

func (m *modelWriter) net(at int, rank []int32) {
	n := &m.s.Nets[at]
	m.text(`{"id":`)
	m.str(n.Name)
	m.text(`,"pins":[`)
	m.conns = append(m.conns[:0], m.s.Conns(at)...)
	slices.SortFunc(m.conns, func(a, b Conn) int {
		ra, rb := connRank(a, rank), connRank(b, rank)
		pa, pb := &m.s.Pins[a.Pin], &m.s.Pins[b.Pin]
		return cmp.Or(cmp.Compare(ra, rb), cmp.Compare(pa.Name, pb.Name), cmp.Compare(pa.Dir, pb.Dir))
	})
	for i, c := range slices.Compact(m.conns) {
		m.comma(i)
		m.conn(c)
	}
	m.text(`]`)
	if n.Special {
		m.text(`,"special":true`)
	}
	if n.Use != "" {
		m.text(`,"use":`)
		m.str(n.Use)
	}
	m.text(`}`)
}

// connRank puts ports first, then "*", then the cells by name.
func connRank(c Conn, rank []int32) int32 {
	switch c.Cell {
	case ConnPort:
		return -2
	case ConnAll:
		return -1
	}
	return rank[c.Cell]
}

func (m *modelWriter) conn(c Conn) {
	pin := &m.s.Pins[c.Pin]
	m.text(`[`)
	switch c.Cell {
	case ConnPort:
	case ConnAll:
		m.text(`"*",`)
	default:
		m.str(m.s.Cells[c.Cell].Name)
		m.text(`,`)
	}
	m.str(pin.Name)
	if pin.Dir != DirUnknown && c.Cell >= 0 {
		m.text(`,"` + pin.Dir.String() + `"`)
	}
	m.text(`]`)
}

func (m *modelWriter) port(p *Port) {
	m.text(`{`)
	if p.HasBox {
		m.text(`"box":[`)
		for i, v := range p.Box {
			m.comma(i)
			m.int(v)
		}
		m.text(`],`)
	}
	if p.Dir != DirUnknown {
		m.text(`"dir":"` + p.Dir.String() + `",`)
	}
	m.text(`"id":`)
	m.str(p.Name)
	if p.Net != "" {
		m.text(`,"net":`)
		m.str(p.Net)
	}
	m.text(`,"status":"` + p.Status.String() + `"`)
	if p.Use != "" {
		m.text(`,"use":`)
		m.str(p.Use)
	}
	m.text(`}`)
}
