package trace

import (
	"bufio"
	"context"
	"fmt"
	"io"
)

// ExportFormat is what a trace is written as.
type ExportFormat string

// The formats.
const (
	ExportArray   ExportFormat = "array"   // a JSON array, one event per line (seed 002 §5)
	ExportLines   ExportFormat = "lines"   // JSON Lines
	ExportMermaid ExportFormat = "mermaid" // a Mermaid sequence diagram
)

// ExportFormats lists them.
var ExportFormats = []ExportFormat{ExportArray, ExportLines, ExportMermaid}

// ExportOptions choose the events: From ≤ index < To; To 0 or beyond the end is the end.
type ExportOptions struct {
	Format   ExportFormat
	From, To int
}

// ExportReport says what was written and what was left out.
type ExportReport struct {
	Events    int `json:"events"`    // written; in a diagram: events that made a line
	Cancelled int `json:"cancelled"` // left out: events of steps that were taken back, and the lines that took them back
	Damaged   int `json:"damaged"`   // left out: text that is no event
	Rounded   int `json:"rounded"`   // written rounded: integers beyond ±(2^53−1)
}

// Export writes a trace again: values canonical, members in the seed's order, without what is no part of the run. It
// reads one event at a time.
func Export(ctx context.Context, w io.Writer, log Log, opt ExportOptions, progress Progress) (*ExportReport, error) {
	if opt.To <= 0 || opt.To > log.Len() {
		opt.To = log.Len()
	}
	if opt.From < 0 || opt.From > opt.To {
		return nil, fmt.Errorf("events %d to %d of %d: the first lies behind the last", opt.From, opt.To, log.Len())
	}
	x := &exporter{log: log, opt: opt, texts: newTexts(log), w: bufio.NewWriterSize(w, 64<<10),
		pass: pass{ctx: ctx, progress: progress, total: opt.To - opt.From}}
	var err error
	switch opt.Format {
	case ExportArray, ExportLines:
		err = x.json()
	case ExportMermaid:
		err = x.mermaid()
	default:
		return nil, fmt.Errorf("unknown format %q; there are array, lines and mermaid", opt.Format)
	}
	if err == nil {
		err = x.w.Flush()
	}
	if err != nil {
		return nil, err
	}
	x.end()
	return &x.rep, nil
}

// ExportFile is Export to a file that is written beside its target and renamed into place when it is whole.
func ExportFile(ctx context.Context, path string, log Log, opt ExportOptions, progress Progress) (rep *ExportReport, err error) {
	err = ReplaceFile(path, func(w io.Writer) error {
		rep, err = Export(ctx, w, log, opt, progress)
		return err
	})
	return rep, err
}

type exporter struct {
	pass
	log   Log
	opt   ExportOptions
	texts *texts
	w     *bufio.Writer
	rep   ExportReport
	line  []byte
}

// each calls f with every event that is exported.
func (x *exporter) each(f func(i int, e *Event) error) error {
	for i := x.opt.From; i < x.opt.To; i++ {
		if err := x.step(x.log.Header(i).Bytes); err != nil {
			return err
		}
		e, odd, err := x.texts.event(i)
		if err != nil {
			return err
		}
		switch {
		case e.Type == XDamage:
			x.rep.Damaged++
			continue
		case e.Cancelled(), e.Type == XCancel, e.Type == XIntent && x.cancelledBefore(i):
			x.rep.Cancelled++
			continue
		}
		for _, f := range odd {
			if f.Kind == FindBigInteger {
				x.rep.Rounded++
			}
		}
		if err := f(i, e); err != nil {
			return fmt.Errorf("writing event %d: %w", i, err)
		}
	}
	return nil
}

// cancelledBefore is true when the step that an intent belongs to was taken back: a run resumed from the export must not
// take it for an effect of unknown outcome.
func (x *exporter) cancelledBefore(i int) bool {
	for i--; i >= 0; i-- {
		if h := x.log.Header(i); !h.Type.IsExtension() {
			return isCancelled(x.log, i)
		}
	}
	return false
}

func (x *exporter) json() error {
	array := x.opt.Format == ExportArray
	if array {
		x.w.WriteByte('[')
	}
	err := x.each(func(_ int, e *Event) error {
		x.line = x.line[:0]
		if array {
			if x.rep.Events > 0 {
				x.line = append(x.line, ',')
			}
			x.line = append(x.line, '\n')
		}
		x.line = e.AppendJSON(x.line)
		if !array {
			x.line = append(x.line, '\n')
		}
		x.rep.Events++
		_, err := x.w.Write(x.line)
		return err
	})
	if array {
		x.w.WriteString("\n]\n")
	}
	return err
}
