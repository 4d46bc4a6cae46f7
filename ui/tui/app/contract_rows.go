package app

import (
	"fmt"
	"strconv"
	"strings"

	"flowdbg/contract/require"
	"flowdbg/ui/tui/cell"
)

// toolColumns are the widths of the columns that fit, 0 for one that does not.
type toolColumns struct{ name, semver, versions, pack, mcp, sunset int }

func (v *contractView) columns(w int) toolColumns {
	c := toolColumns{name: 12, semver: 8, versions: 9}
	for i := range v.tools {
		c.name = max(c.name, min(cell.Width(v.tools[i].name), 24))
	}
	room := w - 4 - c.name - c.semver - c.versions - 6
	for _, x := range []struct {
		w  int
		at *int
	}{{11, &c.sunset}, {8, &c.pack}, {11, &c.mcp}} {
		if room >= x.w+7 {
			*x.at = x.w
			room -= x.w + 1
		}
	}
	c.semver += min(max(room-7, 0), 8)
	return c
}

func (v *contractView) headLine(m *Model, w int, c toolColumns) string {
	var b cell.Builder
	b.Start(m.th.Charset, w, "")
	b.Skip(4)
	st := m.th.Past
	for _, x := range []struct {
		name string
		w    int
	}{{"tool", c.name}, {"version", c.semver}, {"contract", c.versions}, {"package", c.pack}, {"MCP", c.mcp}, {"sunset", c.sunset}} {
		if x.w > 0 {
			b.Field(x.name, x.w, st)
			b.Skip(1)
		}
	}
	b.Right("calls ", st)
	return b.Line()
}

// callHead is the head of the calls' columns, as wide as drawCall makes them.
func callHead(m *Model, w int) string {
	var b cell.Builder
	b.Start(m.th.Charset, w, "")
	b.Skip(2)
	st := m.th.Past
	b.FieldRight("event", 6, st)
	b.Skip(2)
	b.Field("agent", callAgent(&b), st)
	b.Skip(1)
	b.Field("tool", callTool(&b), st)
	b.Skip(1)
	b.Field("contract", 8, st)
	b.Skip(1)
	b.Put("verdict", st)
	return b.Line()
}

// callAgent and callTool are the widths of a call's names in the room that is left.
func callAgent(b *cell.Builder) int { return min(12, b.Room()/5) }
func callTool(b *cell.Builder) int  { return min(20, b.Room()/3) }

func (v *contractView) drawTool(m *Model, t *toolRow, c toolColumns, b *cell.Builder) {
	th := m.th
	semver, versions, sunset := "", []int(nil), ""
	if t.called != nil {
		semver, versions, sunset = t.called.last.Semver, t.called.last.ToolVersions, t.called.last.Sunset
	}
	if t.state != nil {
		semver, versions, sunset = t.state.Version, t.state.Versions, t.state.Sunset
	}
	mark, style := th.Glyph.Dot, th.Past
	switch {
	case t.state != nil && t.state.Excluded, t.verdict != nil && t.verdict.Verdict != require.Satisfied:
		mark, style = th.Glyph.Fail, th.Bad
	case t.verdict != nil:
		mark, style = th.Glyph.Pass, th.Good
	}
	b.Put(mark, style)
	b.Skip(2)
	b.Field(t.name, c.name, th.Text)
	b.Skip(1)
	b.Field(orDash(m, m.th.Charset.Middle(semver, c.semver)), c.semver, th.Text)
	b.Skip(1)
	b.Field(orDash(m, numbers(versions)), c.versions, th.Accent)
	b.Skip(1)
	if c.pack > 0 {
		b.Field(orDash(m, t.server.Version), c.pack, th.Text)
		b.Skip(1)
	}
	if c.mcp > 0 {
		b.Field(orDash(m, t.server.Protocol), c.mcp, th.Past)
		b.Skip(1)
	}
	if c.sunset > 0 {
		st := th.Past
		if sunset != "" {
			st = th.Warn
		}
		b.Field(orDash(m, sunset), c.sunset, st)
	}
	b.Right(strconv.Itoa(t.calls)+" ", th.Text)
}

func (v *contractView) drawCall(m *Model, c *call, b *cell.Builder) {
	th := m.th
	mark, style := th.Glyph.Equal, th.Past
	switch {
	case c.refused():
		mark, style = th.Glyph.Fail, th.Bad
	case c.lost > 0:
		mark, style = th.Glyph.Unsure, th.Warn
	case c.verdict == "translated":
		mark, style = th.Glyph.Right, th.Accent
	}
	b.Put(mark, style)
	b.FieldRight(strconv.Itoa(c.event), 6, th.Past)
	b.Skip(2)
	b.Field(c.agent, callAgent(b), th.Text)
	b.Skip(1)
	b.Field(c.tool, callTool(b), th.Text)
	b.Skip(1)
	b.Field(versionsOf(m, c.from, c.to), 8, th.Accent)
	b.Skip(1)
	b.Put(c.verdict, style)
	if c.lost > 0 {
		b.Put(" "+m.th.Glyph.Dot+" "+many(c.lost, "loss", "losses"), th.Warn)
	}
	if c.made > 0 {
		b.Put(fmt.Sprintf(" %s %d invented", m.th.Glyph.Dot, c.made), th.Past)
	}
}

// versionsOf is "1 → 3", the agent's contract version and the tool's.
func versionsOf(m *Model, from, to int) string {
	switch {
	case from == 0 && to == 0:
		return m.th.Glyph.Dot
	case to == 0:
		return strconv.Itoa(from) + " " + m.th.Glyph.Words.Becomes + " " + m.th.Glyph.Unknown
	case from == to:
		return strconv.Itoa(from)
	}
	return fmt.Sprintf("%d %s %d", from, m.th.Glyph.Words.Becomes, to)
}

func numbers(list []int) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ", "), "[]")
}

func orDash(m *Model, s string) string {
	if s == "" {
		return m.th.Glyph.Dot
	}
	return s
}

func many(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
