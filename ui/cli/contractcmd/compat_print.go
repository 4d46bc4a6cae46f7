package contractcmd

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"flowdbg/contract/compat"
	"flowdbg/trace/canon"
)

// compatPrint prints a report as a table that a reviewer can act on: first what needs attention, with everything that was
// found and what to do, then the rest a line each, then the gates and one sentence with the result.
func compatPrint(w io.Writer, r compat.Report, all bool) error {
	rows := slices.Clone(r.Tools)
	slices.SortStableFunc(rows, func(a, b compat.ToolChange) int { return compatAttention(b) - compatAttention(a) })
	table := [][]string{{"TOOL", "LEVEL", "LETTER", "WHO BREAKS", "CONTRACT", "STATUS"}}
	for _, t := range rows {
		table = append(table, []string{t.Tool, string(t.Level), t.Letter.String(), t.Who, compatVersions(t), compatStatus(t)})
	}
	lines := compatColumns(table)
	var b strings.Builder
	b.WriteString(lines[0])
	for i, t := range rows {
		if t.Level == compat.Unchanged && t.Met && !all {
			continue
		}
		b.WriteString(lines[i+1])
		if compatAttention(t) > 0 || all {
			compatDetails(&b, t)
		}
	}
	if n := compatUnchanged(rows); n > 0 && !all {
		linef(&b, "%d unchanged\n", n)
	}
	b.WriteByte('\n')
	gates := [][]string{{"GATE", "STATUS", ""}}
	for _, g := range r.Gates {
		gates = append(gates, []string{g.ID, string(g.Status), g.Text})
	}
	b.WriteString(strings.Join(compatColumns(gates), ""))
	for _, n := range r.Notes {
		linef(&b, "note: %s\n", n)
	}
	linef(&b, "\n%s\n", compatSentence(r))
	_, err := io.WriteString(w, b.String())
	return err
}

// compatAttention orders rows: unmet first, then undecided, then breaks that are in order, then the rest.
func compatAttention(t compat.ToolChange) int {
	switch {
	case !t.Met:
		return 3
	case t.Level == compat.Undecided:
		return 2
	case t.Level == compat.MechanicalBreak || t.Level == compat.SemanticBreak || t.Level == compat.Removal:
		return 1
	}
	return 0
}

func compatStatus(t compat.ToolChange) string {
	switch {
	case !t.Met:
		return "UNMET"
	case t.Level == compat.Undecided:
		return "to decide"
	}
	return "ok"
}

func compatVersions(t compat.ToolChange) string {
	name := func(v int) string {
		if v == 0 {
			return "?"
		}
		return fmt.Sprint(v)
	}
	switch {
	case t.Level == compat.Removal:
		return name(t.OldV) + "→gone"
	case t.OldV == 0 && slices.ContainsFunc(t.Findings, func(f compat.Finding) bool { return f.Rule == "tool.added" }):
		return "new→" + name(t.NewV)
	case t.OldV == t.NewV:
		return name(t.OldV)
	}
	return name(t.OldV) + "→" + name(t.NewV)
}

func compatUnchanged(rows []compat.ToolChange) int {
	n := 0
	for _, t := range rows {
		if t.Level == compat.Unchanged && t.Met {
			n++
		}
	}
	return n
}

func compatDetails(b *strings.Builder, t compat.ToolChange) {
	for _, f := range t.Findings {
		compatFinding(b, f)
	}
	for _, d := range t.Demands {
		linef(b, "    unmet: %s\n", d)
	}
	if t.Advice != "" {
		linef(b, "    advice: %s\n", t.Advice)
	}
}

// compatFinding prints one finding: level, place, sentence and rule on the first line, the two values on the second.
func compatFinding(w io.Writer, f compat.Finding) {
	mark := ""
	if f.Bridged {
		mark = ", bridged by the rules"
	}
	place := f.Part
	if f.Pointer != "" {
		place += " " + f.Pointer
	}
	linef(w, "    %-9s %s: %s [%s%s]\n", f.Level, place, f.Text, f.Rule, mark)
	if f.Level >= compat.LevelSemantic && !(f.Old.IsAbsent() && f.New.IsAbsent()) {
		linef(w, "              old %s, new %s\n", compatShort(f.Old), compatShort(f.New))
	}
}

func compatShort(v canon.Value) string {
	const most = 60
	if v.IsAbsent() {
		return "absent"
	}
	text := []rune(v.Text())
	if len(text) <= most {
		return string(text)
	}
	return string(text[:most]) + "…"
}

func compatSentence(r compat.Report) string {
	parts := []string{fmt.Sprintf("%d unmet", r.Unmet)}
	if r.Undecided > 0 {
		parts = append(parts, fmt.Sprintf("%d to decide", r.Undecided))
	}
	if n := compatUnchecked(r); n > 0 {
		parts = append(parts, fmt.Sprintf("%d gates not checked", n))
	}
	text := strings.Join(parts, ", ")
	if len(parts) == 1 && r.OK {
		text = "in order"
	}
	return fmt.Sprintf("result: %s; the highest letter is %s", text, r.Letter)
}

// compatColumns lays out rows under each other, two blanks between columns, nothing after the last.
func compatColumns(rows [][]string) []string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			cell = oneLine(cell)
			row[i] = cell
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	lines := make([]string, len(rows))
	for r, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			b.WriteString(cell)
			if i < len(row)-1 {
				b.WriteString(strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell)+2))
			}
		}
		lines[r] = strings.TrimRight(b.String(), " ") + "\n"
	}
	return lines
}
