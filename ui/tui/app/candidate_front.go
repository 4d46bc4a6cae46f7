package app

import (
	"fmt"
	"strconv"
	"strings"

	"flowdbg/contract/judge"
	"flowdbg/engine/typed"
	"flowdbg/ui/tui/cell"
	"flowdbg/ui/tui/plot"
)

// history keeps of the front's history what changed it, and the curve of its hypervolume.
func (v *candidatesView) history() {
	v.front = v.front[:0]
	var curve []float64
	for _, f := range v.ex.History {
		if f.Entered {
			v.front = append(v.front, f)
		}
		if f.Hypervolume != nil {
			curve = append(curve, *f.Hypervolume)
		}
	}
	v.spark = ""
	if len(curve) > 0 {
		v.spark = plot.Spark(thin(curve, 40), false)
	}
}

// thin keeps at most n values of a series, the last of each stretch.
func thin(list []float64, n int) []float64 {
	if len(list) <= n {
		return list
	}
	out := make([]float64, n)
	for i := range out {
		out[i] = list[(i+1)*len(list)/n-1]
	}
	return out
}

// foot is the front's history, newest first, over the curve of its hypervolume.
func (v *candidatesView) foot(m *Model, w, h int) []string {
	th := m.th
	if h < 10 || v.spark == "" && len(v.front) == 0 {
		return nil
	}
	var b cell.Builder
	b.Start(th.Charset, w, "")
	b.Put(th.Glyph.Edges.Horizontal+" ", th.Border)
	b.Put("front history ", th.Title)
	b.Repeat(th.Glyph.Edges.Horizontal, b.Room(), th.Border)
	lines := []string{b.Line()}
	room := min(max(h/4, 2), 8) - 1
	for i := len(v.front) - 1; i >= 0 && len(lines) <= room; i-- {
		lines = append(lines, v.frontLines(m, w, room+1-len(lines), &v.front[i])...)
	}
	b.Start(th.Charset, w, "")
	b.Put(" hypervolume ", th.Past)
	if last := v.ex.History[len(v.ex.History)-1]; last.Hypervolume != nil {
		if spark := v.spark; th.Charset == cell.ASCII {
			b.Put(asciiSpark(th.Glyph.Spark, spark), th.Accent)
		} else {
			b.Put(spark, th.Accent)
		}
		b.Put(" "+figure(*last.Hypervolume), th.Text)
		b.Put("  over "+plural(len(v.ex.History), "arrival"), th.Past)
	} else {
		b.Put(v.ex.Ranking.HypervolumeNote, th.Past)
	}
	return append(lines, b.Line())
}

// asciiSpark writes a line of blocks in the charset's own signs.
func asciiSpark(signs [8]string, spark string) string {
	var b strings.Builder
	for _, r := range spark {
		b.WriteString(signs[min(max(int(r-'▁'), 0), 7)])
	}
	return b.String()
}

// frontIndent is where a row goes on below itself.
const frontIndent = 14

// frontLines is one change of the front: who entered, who had to leave, and by how much. It goes on below itself, over at
// most so many lines; where they do not suffice it says how many are left out, which the candidate's own text names.
func (v *candidatesView) frontLines(m *Model, w, most int, f *typed.Front) []string {
	th := m.th
	var lines []string
	var b cell.Builder
	b.Start(th.Charset, w, "")
	b.FieldRight("step "+strconv.Itoa(m.s.Header(f.Event).Step), 10, th.Past)
	b.Put("  + ", th.Good)
	b.Put(f.ID, th.Text)
	for i, l := range f.Left {
		why := " (" + lostBy(l.Deltas) + ")"
		need := 4 + th.Charset.Width(l.ID+why)
		more := fmt.Sprintf("  - %d more", len(f.Left)-i)
		last := len(lines)+1 >= most
		room := b.Room()
		if last && i < len(f.Left)-1 {
			room -= len(more)
		}
		if need > room {
			if last {
				b.Put(more, th.Warn)
				break
			}
			lines = append(lines, b.Line())
			b.Start(th.Charset, w, "")
			b.Skip(frontIndent - 4)
		}
		b.Put("  - ", th.Warn)
		b.Put(l.ID, th.Text)
		b.Put(why, th.Past)
	}
	return append(lines, b.Line())
}

// lostBy says by how much one candidate is worse than another, metric by metric.
func lostBy(list []judge.Delta) string {
	var parts []string
	for _, d := range list {
		if d.Delta != 0 {
			parts = append(parts, fmt.Sprintf("%s %+.4g", d.Metric, d.Delta))
		}
	}
	return strings.Join(parts, ", ")
}

// droveOff lists everyone whom a candidate drove off the front.
func (v *candidatesView) droveOff(id string) []judge.Left {
	var list []judge.Left
	for i := range v.front {
		if v.front[i].ID == id {
			list = append(list, v.front[i].Left...)
		}
	}
	return list
}

func leftNames(list []judge.Left) string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].ID
	}
	return strings.Join(names, ", ")
}
