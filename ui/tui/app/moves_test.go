package app

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/engine/debug"
	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/keymap"

	tea "github.com/charmbracelet/bubbletea"
)

// longRecord is a foreign trace of n steps in which agents hand a token around: three events a step.
func longRecord(n, agents int) []trace.Event {
	events := make([]trace.Event, 0, 3*n)
	name := func(i int) string { return fmt.Sprintf("agent-%05d", i%agents) }
	msg := trace.NewInput("token", canon.Int(0))
	for i := range n {
		next := trace.NewMessage(name(i), "token", canon.Object(canon.Member{Key: "hop", Value: canon.Int(int64(i))}, canon.Member{Key: "text", Value: canon.String("a token goes around")}))
		state := canon.Object(canon.Member{Key: "count", Value: canon.Int(int64(i / agents))}, canon.Member{Key: "last", Value: next.Payload})
		events = append(events,
			trace.Event{Type: trace.Receive, Step: i + 1, Agent: name(i), Message: msg},
			trace.Event{Type: trace.Act, Step: i + 1, Agent: name(i), State: state, Send: canon.EmptyArray},
			trace.Event{Type: trace.SendEvent, Step: i + 1, Agent: name(i), Port: "out", To: name(i + 1), Message: next})
		msg = next
	}
	return events
}

// TestLongMove: a move over many events comes in slices; the screen shows how far it is, other keys work in between,
// and Esc stops it where it is.
func TestLongMove(t *testing.T) {
	d := start(t, Config{Session: session(t, nil, longRecord(10_000, 5))}, 120, 30)
	d.hold = true
	d.do(keymap.Continue)
	if d.m.run == nil {
		t.Fatal("30 000 events were one slice")
	}
	d.has("continue  position", "Esc stops here", "Esc cancel")
	at := d.m.s.Pos()
	if at == 0 || at == 30_000 {
		t.Fatalf("the first slice went to %d", at)
	}
	d.press("s").has("continue") // a move in time waits for the one under way
	if d.m.s.Pos() != at {
		t.Fatal("a step was made while a move runs")
	}
	d.do(keymap.Help).has("Keys").press("esc")
	d.press("esc")
	if d.m.run != nil || d.m.s.Stop().Reason != debug.StopInterrupted || d.m.s.Pos() != at {
		t.Fatalf("Esc left the session at %d, stopped by %s", d.m.s.Pos(), d.m.s.Stop().Reason)
	}
	d.has("interrupted")
	// Slices of the stopped move that are still under way do nothing.
	d.release()
	if d.m.s.Pos() != at {
		t.Fatalf("a stale slice moved from %d to %d", at, d.m.s.Pos())
	}
	d.do(keymap.Continue).has("the trace ends here", "position 30000/30000")
	d.do(keymap.Goto).text("12345").press("enter").has("position 12345/30000")
	d.do(keymap.Restart).has("position 0/30000", "before the first event")
}

// TestLiveMoveHasNoGauge: a run that makes its own events has no length.
func TestLiveMoveHasNoGauge(t *testing.T) {
	ring := `{"version":1,"id":"ring","agents":[{"id":"a","kind":"echo"},{"id":"b","kind":"echo"}],"edges":[{"from":"a","port":"out","to":"b"},
		{"from":"b","port":"out","to":"a"}],"input":{"to":"a","tag":"t","payload":1}}`
	d := start(t, Config{Session: session(t, []byte(ring), nil)}, 120, 30)
	d.hold = true
	d.do(keymap.Continue).has("continue  position", "Esc stops here").hasNot("█")
	d.press("esc")
	d.waiting, d.hold = nil, false
	d.do(keymap.ReverseContinue).has("position 0/", "start")
}

// TestLateHash: the hash of a large state is computed off the path of the keys.
func TestLateHash(t *testing.T) {
	var flow bytes.Buffer
	flow.WriteString(`{"version":1,"id":"big","agents":[{"id":"a0","kind":"echo"}`)
	for i := range eagerAgents {
		fmt.Fprintf(&flow, `,{"id":"b%d","kind":"echo"}`, i)
	}
	flow.WriteString(`],"edges":[{"from":"a0","port":"out","to":"b0"}],"input":{"to":"a0","tag":"t","payload":1}}`)
	s := session(t, flow.Bytes(), nil)
	d := start(t, Config{Session: s}, 120, 30)
	d.hold = true
	d.do(keymap.Step).has("computing")
	d.release()
	d.hasNot("computing").has(d.m.hash[:4])
	if d.m.hash != s.Hash() {
		t.Error("another hash than the session's")
	}
	stale := hashMsg{d.m.hashID}
	d.hold = true
	d.do(keymap.StepBack)
	d.send(stale)
	if d.m.hash != "" {
		t.Error("a stale message brought a hash")
	}
}

// TestPanic: a panic anywhere ends the program with the panic as its error.
func TestPanic(t *testing.T) {
	boom := func() tea.Msg { panic("boom") }
	for name, m := range map[string]*fake{
		"update": {update: func(tea.Msg) tea.Cmd { panic("boom") }},
		"view":   {view: func() string { panic("boom") }},
		"cmd":    {update: func(tea.Msg) tea.Cmd { return boom }},
		"batch":  {update: func(tea.Msg) tea.Cmd { return tea.Batch(func() tea.Msg { return nil }, boom) }},
		"init":   {init: boom},
		"init2":  {initPanics: true},
	} {
		t.Run(name, func(t *testing.T) {
			killed := false
			g := &guard{inner: m, kill: func() { killed = true }}
			d := guardDriver{t: t, g: g}
			d.run(g.Init())
			d.send(tea.WindowSizeMsg{Width: 10, Height: 5})
			d.g.View()
			var p *PanicError
			if err := g.failed(); !errors.As(err, &p) || p.Value != "boom" || !bytes.Contains(p.Stack, []byte("moves_test.go")) {
				t.Fatalf("failed() = %v", err)
			}
			if !d.quit && !killed {
				t.Fatal("the program goes on")
			}
			if g.View() != "" {
				t.Error("a broken model is drawn")
			}
		})
	}
}

type fake struct {
	init       tea.Cmd
	initPanics bool
	update     func(tea.Msg) tea.Cmd
	view       func() string
}

func (f *fake) Init() tea.Cmd {
	if f.initPanics {
		panic("boom")
	}
	return f.init
}

func (f *fake) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if f.update != nil {
		return f, f.update(msg)
	}
	return f, nil
}

func (f *fake) View() string {
	if f.view != nil {
		return f.view()
	}
	return ""
}

type guardDriver struct {
	t    *testing.T
	g    *guard
	quit bool
}

func (d *guardDriver) send(msg tea.Msg) {
	_, cmd := d.g.Update(msg)
	d.run(cmd)
}

func (d *guardDriver) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.QuitMsg:
		d.quit = true
	case tea.BatchMsg:
		for _, c := range msg {
			d.run(c)
		}
	default:
		d.send(msg)
	}
}

func TestCopyAndWrite(t *testing.T) {
	dir := t.TempDir()
	data := seedFlow(t)
	d := start(t, Config{Session: session(t, data, recordOf(t, data)), StoreDir: filepath.Join(dir, "cache")}, 150, 40)
	var terminal bytes.Buffer
	d.m.out = &terminal
	d.do(keymap.Continue).press("k")
	d.do(keymap.Copy).has("copied event 20", "terminal clipboard (OSC 52)", "copy.txt")
	want := string(d.m.s.Event(20).AppendJSON(nil))
	kept, err := os.ReadFile(filepath.Join(dir, "cache", "copy.txt"))
	if err != nil || string(kept) != want {
		t.Errorf("kept %q, %v; want %q", kept, err, want)
	}
	if !strings.HasPrefix(terminal.String(), "\x1b]52;c;") || !strings.HasSuffix(terminal.String(), "\x07") {
		t.Errorf("the terminal got %q", terminal.String())
	}
	d.do(keymap.Open).press("home", "j").do(keymap.Copy).has("copied /message")
	path := filepath.Join(dir, "node.json")
	write := func() { d.do(keymap.Write).press("ctrl+u").text(path).press("enter") }
	write()
	d.has("wrote /message", path)
	if got, err := os.ReadFile(path); err != nil || string(got) != d.m.inspect.value.Get("message").Text() {
		t.Errorf("wrote %q, %v", got, err)
	}
	write()
	d.has("exists; give another name")
	if f := fileName("../\x1b[2J/state"); f != "2J-state" {
		t.Errorf("fileName = %q", f)
	}
	if f := fileName("…"); f != "value" {
		t.Errorf("fileName = %q", f)
	}
}

func TestLine(t *testing.T) {
	var l line
	for _, c := range []struct{ key, want string }{
		{"a", "a"}, {"b", "ab"}, {"left", "ab"}, {"x", "axb"}, {"backspace", "ab"}, {"home", "ab"}, {"delete", "b"}, {"end", "b"}, {"space", "b "}, {"c", "b c"},
		{"ctrl+w", "b "}, {"ctrl+u", ""}, {"backspace", ""}, {"delete", ""}, {"right", ""},
	} {
		if !l.key(keyMsg(t, c.key)) || l.String() != c.want {
			t.Fatalf("after %s: %q, want %q", c.key, l.String(), c.want)
		}
	}
	l.key(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune("a\x1b\n\u202eb"), Paste: true})
	if l.String() != "ab" {
		t.Errorf("a paste brought %q", l.String())
	}
	if l.key(keyMsg(t, "f5")) || l.key(keyMsg(t, "enter")) {
		t.Error("a line takes keys that are not its own")
	}
	l.insert([]rune(strings.Repeat("x", 2*maxLine)))
	if len(l.text) > maxLine {
		t.Errorf("%d characters", len(l.text))
	}
}

func TestNumbers(t *testing.T) {
	for nano, want := range map[int64]string{0: "$0.00", 1: "$<0.000001", 2_100_000: "$0.0021", 100_000_000: "$0.10", 1_234_567_890: "$1.234568", -5_000_000: "$-0.005"} {
		if got := money(nano); got != want {
			t.Errorf("money(%d) = %s, want %s", nano, got, want)
		}
	}
	for f, want := range map[float64]string{0: "0", 812: "812", 1.5: "1.5", 1e15: "1e+15"} {
		if got := count(f); got != want {
			t.Errorf("count(%v) = %s, want %s", f, got, want)
		}
	}
}
