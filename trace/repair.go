package trace

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// RepairOptions say what a repaired trace keeps.
type RepairOptions struct {
	// BothSides keeps the events behind damage in the middle too, with a line of type x-damage in its place: such a
	// trace can be looked at, and is never verified behind the mark. Else the new trace ends before the damage, so that
	// it is a whole prefix of a run.
	BothSides bool
	Open      OpenOptions
}

// RepairReport says what a repair kept and what it dropped.
type RepairReport struct {
	Format   Format
	Events   int // events in the new trace, marks aside
	Damages  []DamagedText
	Behind   int   // whole events behind the first damage that were not kept
	Dropped  int64 // bytes that are not in the new trace: damage, what is behind it if it was not kept, and the torn end
	Tear     *Tear // how the old file ended, nil when it ended well
	Odd      []Finding
	Complete bool // the new trace ends in its only finish and holds no mark
}

// DamagedText is a stretch of a file that is no event and that whole events follow.
type DamagedText struct {
	Line   int    `json:"line"` // 1-based
	Offset int64  `json:"offset"`
	Bytes  int64  `json:"bytes"`
	Why    string `json:"why"`
}

// Whole is true when there was nothing to repair.
func (r *RepairReport) Whole() bool { return len(r.Damages) == 0 && r.Tear == nil && len(r.Odd) == 0 }

// Repair reads a trace file in any form and writes what is whole of it, in the same layout with one event per line; an
// event's text is kept as it is but for white space. The file itself is only read. The error is about reading or
// writing, or a *ReadError for a file that holds no event.
func Repair(path string, w io.Writer, opt RepairOptions) (*RepairReport, error) {
	m, err := openMaterial(path, opt.Open)
	if err != nil {
		return nil, err
	}
	defer m.close()
	return repair(m, w, opt)
}

// RepairReader is Repair of a stream.
func RepairReader(r io.Reader, w io.Writer, opt RepairOptions) (*RepairReport, error) {
	m, err := stream(r, -1, opt.Open.filled())
	if err != nil {
		return nil, err
	}
	defer m.close()
	return repair(m, w, opt)
}

func repair(m *material, w io.Writer, opt RepairOptions) (*RepairReport, error) {
	head := make([]byte, min(headBytes, m.size))
	n, err := m.at().ReadAt(head, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, plainError(err)
	}
	format, err := formatOf(head[:n])
	if err != nil {
		return nil, err
	}
	r := &repairer{opt: opt, out: bufio.NewWriterSize(w, 64<<10), report: &RepairReport{Format: format, Odd: m.notes}}
	c := newCutter(format)
	last, err := scanPieces(m.at(), c, int(min(scanBytes, m.size+1)), r.piece)
	if err != nil {
		return nil, err
	}
	if err := r.end(c, last); err != nil {
		return nil, err
	}
	return r.report, nil
}

// scanPieces cuts a file of any size and gives piece after piece; what it returns is how the file ends.
func scanPieces(r io.ReaderAt, c *cutter, window int, each func(piece) error) (piece, error) {
	buf := make([]byte, window)
	for at := int64(0); ; {
		n, err := r.ReadAt(buf, at)
		eof := errors.Is(err, io.EOF)
		if err != nil && !eof {
			return piece{}, plainError(err)
		}
		c.window(buf[:n], at, eof)
		p := c.next()
		for ; p.kind == pieceEvent || p.kind == pieceDamage; p = c.next() {
			if err := each(p); err != nil {
				return piece{}, err
			}
		}
		if p.kind != pieceMore {
			return p, nil
		}
		if c.at == 0 {
			buf = make([]byte, 2*len(buf))
		}
		at += int64(c.at)
	}
}

type repairer struct {
	opt      RepairOptions
	out      *bufio.Writer
	report   *RepairReport
	held     []damage
	first    *damage
	from     int64 // behind the last event that was written
	ended    bool  // the rest is behind damage and not kept
	lines    int
	finishes int
	last     Type
}

func (r *repairer) piece(p piece) error {
	if p.kind == pieceDamage {
		r.hold(damage{offset: p.start, size: p.size, line: p.line, why: p.why})
		return nil
	}
	e, _, err := decodeUnit(p.text, r.report.Events)
	if err != nil || e.Type == XDamage {
		r.hold(damage{offset: p.start, size: p.size, line: p.line, why: whyText(err), text: p.text, err: err})
		return nil
	}
	if len(r.held) > 0 {
		if err := r.settle(); err != nil {
			return err
		}
	}
	if r.ended {
		r.report.Behind++
		return nil
	}
	if p.odd != "" {
		r.report.Odd = addSeparatorFinding(r.report.Odd, r.report.Events, p)
	}
	r.report.Events++
	r.from = p.start + p.size
	if !e.Type.IsExtension() {
		if r.last = e.Type; r.last == FinishEvent {
			r.finishes++
		}
	}
	return r.write(p.text)
}

func (r *repairer) hold(d damage) {
	if r.first == nil {
		first := d
		first.text = bytes.Clone(d.text)
		r.first = &first
	}
	d.text = bytes.Clone(d.text[:min(len(d.text), damageShown)])
	r.held = hold(r.held, d)
}

// settle says of the held texts that they are damage in the middle.
func (r *repairer) settle() error {
	for _, d := range r.held {
		r.report.Damages = append(r.report.Damages, DamagedText{Line: d.line, Offset: d.offset, Bytes: d.size, Why: d.why})
		r.report.Dropped += d.size
		if !r.opt.BothSides {
			r.ended = true
			continue
		}
		e := d.event()
		if err := r.write(e.AppendJSON(nil)); err != nil {
			return err
		}
	}
	r.held = r.held[:0]
	return nil
}

// write writes one event, on one line.
func (r *repairer) write(text []byte) error {
	if bytes.IndexByte(text, '\n') >= 0 {
		var b bytes.Buffer
		if err := json.Compact(&b, text); err != nil {
			return err
		}
		text = b.Bytes()
	}
	lead := ",\n"
	switch {
	case r.report.Format == FormatLines:
		lead = ""
	case r.lines == 0:
		lead = "[\n"
	}
	r.lines++
	r.out.WriteString(lead)
	r.out.Write(text)
	if r.report.Format == FormatLines {
		r.out.WriteByte('\n')
	}
	return nil // the buffer remembers its error
}

func (r *repairer) end(c *cutter, last piece) error {
	rep := r.report
	none := rep.Events+rep.Behind == 0
	if none && r.first != nil {
		return r.first.readError(nil)
	}
	if none && last.kind == pieceTorn && !last.cut {
		d := damage{offset: last.start, why: last.why}
		return d.readError(nil)
	}
	var held *damage
	if len(r.held) > 0 {
		held = &r.held[0]
	}
	rep.Tear = c.tear(last, held, r.from)
	if rep.Tear != nil {
		rep.Dropped += int64(rep.Tear.Dropped)
	} else if text := c.oddEnd(); text != "" {
		rep.Odd = append(rep.Odd, Finding{Kind: FindSeparator, Event: -1, Text: text})
	}
	if r.ended {
		rep.Dropped = max(0, c.ink-r.from)
	}
	marks := len(rep.Damages) > 0 && r.opt.BothSides
	rep.Complete = !marks && r.finishes == 1 && r.last == FinishEvent
	if rep.Format == FormatArray {
		if r.lines == 0 {
			r.out.WriteString("[")
		}
		r.out.WriteString(arrayEnd)
	}
	if err := r.out.Flush(); err != nil {
		return fmt.Errorf("writing the repaired trace: %w", err)
	}
	return nil
}
