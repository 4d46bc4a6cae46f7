package app

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"pgregory.net/rapid"
)

// lineStart is how the painter begins a line.
var lineStart = regexp.MustCompile(`\x1b\[(\d+);1H`)

// onto writes what the painter wrote over rows, as a terminal does with whole lines.
func onto(rows []string, out string) {
	at := lineStart.FindAllStringSubmatchIndex(out, -1)
	for i, m := range at {
		row, _ := strconv.Atoi(out[m[2]:m[3]])
		end := len(out)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		rows[row-1] = out[m[1]:end]
	}
}

// Whatever frames come and however often they are painted, the screen shows the last one, and what did not change is not
// written again.
func TestAnyFramesArePainted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var out bytes.Buffer
		p := newPainter(&out)
		rows := make([]string, 4)
		frames := rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "\x1b[1mc\x1b[m", ""}), 2, 4), 1, 8).Draw(t, "frames")
		for _, f := range frames {
			if strings.Join(f, "\n") == "" {
				continue
			}
			p.show(strings.Join(f, "\n"))
			if rapid.Bool().Draw(t, "skipped") {
				continue
			}
			out.Reset()
			p.paint(context.Background())
			onto(rows, out.String())
			for i, line := range f {
				if rows[i] != line {
					t.Fatalf("row %d shows %q, want %q", i+1, rows[i], line)
				}
			}
			out.Reset()
			if p.paint(context.Background()); out.Len() > 0 {
				t.Fatalf("painted again without need: %q", out.String())
			}
		}
	})
}

// Nobody else's terminal is written on, and everything is painted anew when it comes back.
func TestPainterGivesTheTerminalAway(t *testing.T) {
	for name, msg := range map[string]tea.Msg{"quit": tea.QuitMsg{}, "interrupt": tea.InterruptMsg{}, "suspend": tea.SuspendMsg{},
		"editor": tea.ExecProcess(exec.Command("true"), nil)()} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			p := newPainter(&out)
			p.show("one\ntwo")
			p.paint(context.Background())
			out.Reset()
			p.filter(nil, msg)
			p.show("three\nfour")
			if p.paint(context.Background()); out.Len() > 0 {
				t.Fatalf("written while the terminal is somebody else's: %q", out.String())
			}
			p.show("one\ntwo")
			<-p.dirty
			p.filter(nil, tea.ResumeMsg{})
			select {
			case <-p.dirty:
			case <-time.After(10 * time.Second):
				t.Fatal("nothing is painted when the terminal comes back")
			}
			if p.paint(context.Background()); !strings.Contains(out.String(), "one") || !strings.Contains(out.String(), "two") {
				t.Fatalf("not everything is painted anew: %q", out.String())
			}
		})
	}
}

// At rest nothing is written and nobody wakes: the command waits for a frame, and ends with the context.
func TestPainterRests(t *testing.T) {
	var out bytes.Buffer
	p := newPainter(&out)
	p.show("one")
	if msg := p.next(context.Background())(); msg != (paintedMsg{}) {
		t.Fatalf("%T", msg)
	}
	p.show("one")
	if len(p.dirty) != 0 {
		t.Error("the same frame wakes the painter")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if msg := p.next(ctx)(); msg != nil {
		t.Errorf("after the end: %T", msg)
	}
}
