package app

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"flowdbg/trace"
	"flowdbg/trace/canon"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"

	tea "github.com/charmbracelet/bubbletea"
)

// hostile is text that would break a screen which trusts it: escape sequences, C1, bidi, tabs, wide characters, joined
// emoji, flags, combining marks, invisible characters.
const hostile = "\x1b[31mred\x1b]0;title\x07\u009b2J\u202eabc\u2066\t\r\n中文字漢👩‍👩‍👧‍👦🇩🇪🏽e\u0301\u0301\u0301\u200b\ufeff\u00ad\U000e0041กำ한글\u0085"

// hostileRecord is a trace in which every name and every text is hostile; one text is very long.
func hostileRecord() []trace.Event {
	v := func(s string) canon.Value { return canon.String(s) }
	payload := canon.Object(canon.Member{Key: hostile, Value: v(hostile)}, canon.Member{Key: "long", Value: v(strings.Repeat(hostile, 300))},
		canon.Member{Key: "nested", Value: canon.Array(canon.Object(canon.Member{Key: "\x1b[A", Value: canon.Null}), v("\u202e"))})
	msg := trace.NewMessage(hostile, hostile, payload)
	input := trace.NewInput(hostile, payload)
	request := trace.NewRequest("llm"+hostile, canon.Object(canon.Member{Key: "model", Value: v(hostile)}))
	return []trace.Event{
		{Type: trace.Receive, Step: 1, Agent: hostile, Message: input},
		{Type: trace.Act, Step: 1, Agent: hostile, State: payload, Send: canon.EmptyArray, Effect: request},
		{Type: trace.EffectEvent, Step: 1, Agent: hostile, Effect: request, Response: payload, Usage: trace.Usage{InputTokens: 1, OutputTokens: 2, USD: 0.5}},
		{Type: trace.SendEvent, Step: 1, Agent: hostile, Port: hostile, To: "b" + hostile, Message: msg},
		{Type: trace.SendEvent, Step: 1, Agent: hostile, Port: hostile, Message: msg},
		{Type: trace.Receive, Step: 2, Agent: "b" + hostile, Message: msg},
		{Type: trace.ErrorEvent, Step: 2, Agent: "b" + hostile, Error: &trace.ErrorInfo{Text: "Broken: " + hostile}},
		{Type: "x-note" + trace.Type(hostile), Step: 2, Extra: payload},
		{Type: trace.FinishEvent, Finish: &trace.Finish{Steps: 2, StateHash: hostile, Reason: hostile, Outputs: canon.EmptyObject}},
	}
}

// sizes are all small ones, those around every breakpoint of the layout, and random ones.
func sizes() [][2]int {
	var out [][2]int
	for w := range 13 {
		for h := range 13 {
			out = append(out, [2]int{w, h})
		}
	}
	for _, w := range []int{layout.NarrowFrom, layout.MediumFrom, layout.WideFrom} {
		for _, h := range []int{layout.BorderFrom, 8, 20, 24} {
			for _, d := range []int{-1, 0, 1} {
				out = append(out, [2]int{w + d, h}, [2]int{w + d, h + d}, [2]int{w, h + d})
			}
		}
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		out = append(out, [2]int{r.IntN(251), r.IntN(81)})
	}
	return append(out, [2]int{250, 80})
}

// scenes lead to every pane, view and overlay.
var scenes = map[string]func(*driver){
	"start":    func(*driver) {},
	"end":      func(d *driver) { d.do(keymap.Continue) },
	"agents":   func(d *driver) { d.do(keymap.Continue, keymap.PrevPane).press("end") },
	"payload":  func(d *driver) { d.do(keymap.Continue).press("home", "j").do(keymap.Open).press("l", "j", "l") },
	"raw":      func(d *driver) { d.do(keymap.Continue).press("home", "j", "j").do(keymap.Raw, keymap.Open) },
	"inbox":    func(d *driver) { d.do(keymap.Step, keymap.PrevPane, keymap.PrevPane) },
	"zoom":     func(d *driver) { d.do(keymap.Step, keymap.NextPane, keymap.Zoom) },
	"problems": func(d *driver) { d.do(keymap.Continue, keymap.View(int(viewProblems)), keymap.NextPane) },
	"help":     func(d *driver) { d.do(keymap.Help) },
	"palette":  func(d *driver) { d.do(keymap.Palette) },
	"breaks": func(d *driver) {
		d.do(keymap.BreakHere, keymap.Breakpoints).text("agent 中文中文中文中文中文中文中文中文中文")
	},
	"goto": func(d *driver) { d.do(keymap.Goto).text("漢字漢字").press("left", "enter") },
	"marks": func(d *driver) {
		d.do(keymap.Step, keymap.Mark).text("a " + hostile).press("enter").do(keymap.Mark).text("a-name-of-a-mark-that-is-very-lon").press("enter").do(keymap.Marks)
	},
	"mark":  func(d *driver) { d.do(keymap.Step, keymap.Mark).text("漢字 " + hostile) },
	"write": func(d *driver) { d.do(keymap.Step, keymap.Write) },
}

// TestFrames: every screen has exactly its size, and nothing of the trace reaches the terminal raw.
func TestFrames(t *testing.T) {
	for name, play := range scenes {
		t.Run(name, func(t *testing.T) {
			for _, lk := range []struct {
				name  string
				ascii bool
			}{{"dark", false}, {"plain", true}} {
				d := start(t, Config{Session: session(t, nil, hostileRecord()), Theme: look(t, lk.name, lk.ascii), TraceName: "dir/" + hostile}, 120, 30)
				play(d)
				for i, s := range sizes() {
					if lk.ascii && i%3 != 0 {
						continue
					}
					d.send(tea.WindowSizeMsg{Width: s[0], Height: s[1]})
					out := d.m.View()
					checkFrame(t, out, s[0], s[1])
					if lk.ascii && strings.IndexFunc(out, func(r rune) bool { return r > 0x7e }) >= 0 {
						t.Fatalf("%v: --ascii shows something else:\n%s", s, out)
					}
				}
			}
		})
	}
}

// TestKeysAtAnySize presses keys at random at random sizes: nothing breaks, and every frame has its size.
func TestKeysAtAnySize(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	d := start(t, Config{Session: session(t, nil, hostileRecord()), Theme: look(t, "dark", false)}, 80, 24)
	d.hold = true // commands would write files
	var all []string
	for _, a := range d.m.keys.Actions() {
		if a.ID != keymap.Quit && a.ID != keymap.Suspend {
			all = append(all, a.Keys...)
		}
	}
	all = append(all, "enter", "esc", "backspace", "delete", "x", "1", "left")
	for i := range 2000 {
		if i%7 == 0 {
			d.send(tea.WindowSizeMsg{Width: r.IntN(130), Height: r.IntN(40)})
		}
		d.press(all[r.IntN(len(all))])
		d.frame()
		d.waiting = nil
	}
}

func FuzzPaste(f *testing.F) {
	f.Add(hostile, 40)
	f.Fuzz(func(t *testing.T, text string, w int) {
		if len(text) > 4096 || w < 0 || w > 200 {
			t.Skip()
		}
		d := start(t, Config{Session: session(t, nil, longRecord(2, 2))}, w, 20)
		for _, over := range []keymap.ID{keymap.Palette, keymap.Help, keymap.Goto, keymap.Breakpoints} {
			d.do(over)
			d.send(tea.KeyMsg{Type: tea.KeyRunes, Runes: []rune(text), Paste: true})
			d.frame()
			d.press("enter", "esc")
		}
	})
}

// Numbers of long runs keep a space between the columns, and give way before the id vanishes.
func TestAgentColumnsGrowWithTheRun(t *testing.T) {
	for _, w := range []int{0, 10, 19, 20, 26, 28, 40} {
		for _, step := range []int{0, 9_999, 99_999, 1_234_567} {
			c := agentColumns(w, step)
			if room := len(strconv.Itoa(step)) + 1; c.last > 0 && c.last < room || c.wait > 0 && c.wait < room || c.id < 1 {
				t.Errorf("width %d, step %d: %+v", w, step, c)
			}
		}
	}
}
