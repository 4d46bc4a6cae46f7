package app

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// driver feeds messages to a model as Bubble Tea would, and runs the commands that come back one after the other.
type driver struct {
	t    testing.TB
	m    *Model
	quit bool
	// hold keeps commands back instead of running them, for tests that look at a move under way.
	hold    bool
	waiting []tea.Cmd
	// asked are the messages to Bubble Tea itself that commands returned, by their types.
	asked []string
	ran   int // commands
}

// mostCommands is how many commands a test may need until its model is at rest; a model that never is asks for ever more.
const mostCommands = 1_000_000

// seedFlow is the flow of the seed, which is also the first example.
func seedFlow(t testing.TB) []byte {
	t.Helper()
	data, err := os.ReadFile("../../../examples/research-pipeline.json")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func machineOf(t testing.TB, data []byte) *engine.Machine {
	t.Helper()
	m, diags := engine.Parse("flow.json", data, behavior.Builtin(), false)
	if m == nil {
		t.Fatal(diags)
	}
	return m
}

// recordOf is the trace of a run of the flow.
func recordOf(t testing.TB, data []byte) []trace.Event {
	t.Helper()
	s := session(t, data, nil)
	if stop := s.Continue().Run(context.Background()); stop.Reason != debug.StopEnd {
		t.Fatalf("recording stopped by %s: %s", stop.Reason, stop.Message)
	}
	events := make([]trace.Event, s.Len())
	for i := range events {
		events[i] = *s.Event(i)
	}
	return events
}

// session opens the flow, beside a record when there is one. nil for both the flow and the machine plays the record back.
func session(t testing.TB, flowData []byte, record []trace.Event) *debug.Session {
	t.Helper()
	var opt debug.Options
	if flowData != nil {
		opt.Machine = machineOf(t, flowData)
	}
	if record != nil {
		opt.Trace = &trace.Trace{Events: record}
	}
	s, err := debug.New(opt)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func look(t testing.TB, name string, ascii bool) *theme.Theme {
	t.Helper()
	th, err := theme.New(theme.Options{Name: name, Profile: theme.TrueColor, Dark: true, ASCII: ascii})
	if err != nil {
		t.Fatal(err)
	}
	return th
}

func start(t testing.TB, cfg Config, w, h int) *driver {
	t.Helper()
	if cfg.Theme == nil {
		cfg.Theme = look(t, "plain", false)
	}
	cfg.Getenv = func(string) string { return "" }
	if cfg.StoreDir == "" {
		cfg.StoreDir = t.TempDir()
	}
	m, err := New(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	d := &driver{t: t, m: m}
	d.send(tea.WindowSizeMsg{Width: w, Height: h})
	return d
}

// open starts on a replay of the seed's flow.
func open(t testing.TB, w, h int) *driver {
	t.Helper()
	data := seedFlow(t)
	return start(t, Config{Session: session(t, data, recordOf(t, data)), FlowName: "flow.json", TraceName: "trace.json"}, w, h)
}

func (d *driver) send(msg tea.Msg) {
	d.t.Helper()
	_, cmd := d.m.Update(msg)
	if d.hold {
		d.waiting = append(d.waiting, cmd)
		return
	}
	d.run(cmd)
}

func (d *driver) run(cmd tea.Cmd) {
	d.t.Helper()
	if cmd == nil {
		return
	}
	if d.ran++; d.ran > mostCommands {
		d.t.Fatal("the model never comes to rest")
	}
	msg := cmd()
	if name := fmt.Sprintf("%T", msg); strings.HasPrefix(name, "tea.") && name != "tea.BatchMsg" {
		d.asked = append(d.asked, name)
	}
	switch msg := msg.(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	case tea.QuitMsg:
		d.quit = true
	case traceWatchMsg: // waiting for the file to change would never end here
		if msg.w != nil {
			msg.w.close()
		}
	default:
		d.send(msg)
	}
}

// release runs what was held back.
func (d *driver) release() {
	d.hold = false
	cmds := d.waiting
	d.waiting = nil
	for _, c := range cmds {
		d.run(c)
	}
}

// do presses the keys of actions, as the table has them.
func (d *driver) do(ids ...keymap.ID) *driver {
	d.t.Helper()
	for _, id := range ids {
		a, ok := d.m.keys.Get(id)
		if !ok {
			d.t.Fatalf("there is no action %s", id)
		}
		d.send(keyMsg(d.t, a.Key()))
	}
	return d
}

// text types characters, all in one message as a fast hand or tmux sends them.
func (d *driver) text(s string) *driver {
	d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(s)})
	return d
}

func (d *driver) press(keys ...string) *driver {
	for _, k := range keys {
		d.send(keyMsg(d.t, k))
	}
	return d
}

// keyMsg is the message of a key by its name.
func keyMsg(t testing.TB, name string) tea.KeyMsg {
	t.Helper()
	if name == "space" {
		return tea.KeyMsg{Type: tea.KeySpace, Runes: []rune(" ")}
	}
	if r := []rune(name); len(r) == 1 {
		return tea.KeyMsg{Type: tea.KeyRunes, Runes: r}
	}
	for k := tea.KeyType(-128); k <= 127; k++ {
		if k.String() == name {
			return tea.KeyMsg{Type: k}
		}
	}
	t.Fatalf("there is no key %q", name)
	return tea.KeyMsg{}
}

// frame is the screen; it is checked to be exactly as large as it should be.
func (d *driver) frame() string {
	d.t.Helper()
	out := d.m.View()
	checkFrame(d.t, out, d.m.w, d.m.h)
	return out
}

// plain is the screen without styles and without blanks at the ends of lines.
func (d *driver) plain() string { return plainOf(d.frame()) }

func plainOf(frame string) string {
	lines := strings.Split(ansi.Strip(frame), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n")
}

// has fails unless the screen shows every text.
func (d *driver) has(texts ...string) *driver {
	d.t.Helper()
	screen := d.plain()
	for _, s := range texts {
		if !strings.Contains(screen, s) {
			d.t.Fatalf("the screen does not show %q:\n%s", s, screen)
		}
	}
	return d
}

func (d *driver) hasNot(texts ...string) *driver {
	d.t.Helper()
	screen := d.plain()
	for _, s := range texts {
		if strings.Contains(screen, s) {
			d.t.Fatalf("the screen shows %q:\n%s", s, screen)
		}
	}
	return d
}

// checkFrame fails unless out has h lines of w cells and nothing in it could steer a terminal.
func checkFrame(t testing.TB, out string, w, h int) {
	t.Helper()
	if err := frameError(out, w, h); err != nil {
		t.Fatalf("%d×%d: %v\n%s", w, h, err, ansi.Strip(out))
	}
}

func frameError(out string, w, h int) error {
	if w <= 0 || h <= 0 {
		if out != "" {
			return fmt.Errorf("a screen without cells shows %q", out)
		}
		return nil
	}
	lines := strings.Split(out, "\n")
	if len(lines) != h {
		return fmt.Errorf("%d lines", len(lines))
	}
	for y, line := range lines {
		if n := ansi.StringWidth(line); n != w {
			return fmt.Errorf("line %d has %d cells: %q", y, n, line)
		}
		for i := 0; i < len(line); {
			if line[i] != 0x1b {
				if line[i] < 0x20 || line[i] == 0x7f {
					return fmt.Errorf("line %d holds control %#x", y, line[i])
				}
				i++
				continue
			}
			end := strings.IndexByte(line[i:], 'm')
			if end < 0 || strings.Trim(line[i+1:i+end], "[0123456789;") != "" {
				return fmt.Errorf("line %d holds an escape sequence that is no colour: %q", y, line[i:])
			}
			i += end + 1
		}
		for _, r := range line {
			if r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x200d || r == 0xfeff {
				return fmt.Errorf("line %d holds %U", y, r)
			}
		}
	}
	return nil
}
