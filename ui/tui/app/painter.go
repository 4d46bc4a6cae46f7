package app

import (
	"bytes"
	"context"
	"io"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// painter writes frames to the terminal when there is a new one, and sleeps otherwise. Bubble Tea's renderer looks for
// one at a fixed rate, which costs about 1 % of a CPU in a program at rest and delays every frame by up to a tick; it is
// left with one look a second, as a net, and with the alternate screen. Both write whole lines at absolute places, so
// that it does not matter who writes first.
type painter struct {
	out   io.Writer
	dirty chan struct{} // holds one; a frame waits

	mu     sync.Mutex
	latest string
	shown  []string // nil: what stands on the screen is not known
	paused bool     // the terminal belongs to somebody else
}

// frameGap is the least time between two frames, so that a burst of messages is one.
const frameGap = 8 * time.Millisecond

// paintedMsg says that a frame was written, and that the next one is to be waited for.
type paintedMsg struct{}

func newPainter(out io.Writer) *painter { return &painter{out: out, dirty: make(chan struct{}, 1)} }

// show takes a frame. It writes nothing.
func (p *painter) show(frame string) {
	p.mu.Lock()
	changed := frame != p.latest || p.shown == nil
	p.latest = frame
	p.mu.Unlock()
	if changed {
		p.wake()
	}
}

func (p *painter) wake() {
	select {
	case p.dirty <- struct{}{}:
	default:
	}
}

// next waits for a frame and writes it.
func (p *painter) next(ctx context.Context) tea.Cmd {
	return func() tea.Msg {
		select {
		case <-ctx.Done():
			return nil
		case <-p.dirty:
		}
		p.paint(ctx)
		time.Sleep(frameGap)
		return paintedMsg{}
	}
}

// paint writes the lines that differ from those on the screen.
func (p *painter) paint(ctx context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.paused || p.latest == "" || ctx.Err() != nil {
		return
	}
	lines := strings.Split(p.latest, "\n")
	if len(lines) != len(p.shown) {
		p.shown = nil
	}
	var b bytes.Buffer
	for i, line := range lines {
		if p.shown != nil && p.shown[i] == line {
			continue
		}
		b.WriteString("\x1b[")
		b.WriteString(strconv.Itoa(i + 1))
		b.WriteString(";1H")
		b.WriteString(line)
	}
	p.shown = lines
	if b.Len() > 0 {
		p.out.Write(b.Bytes()) // a terminal that is gone ends the program by its input
	}
}

// filter keeps the painter away from the terminal while it belongs to a shell, to an editor, or to nobody any more. Bubble
// Tea calls it with every message, those of its own among them, before it acts on it; when the next one comes, the
// terminal is the program's again.
func (p *painter) filter(_ tea.Model, msg tea.Msg) tea.Msg {
	leaves := false
	switch msg.(type) {
	case tea.QuitMsg, tea.InterruptMsg, tea.SuspendMsg:
		leaves = true
	default:
		leaves = isExec(msg)
	}
	p.mu.Lock()
	resumed := p.paused && !leaves
	p.paused = leaves
	if _, resized := msg.(tea.WindowSizeMsg); resumed || resized {
		p.shown = nil
	}
	p.mu.Unlock()
	if resumed {
		p.wake()
	}
	return msg
}

// isExec knows the message with which tea.Exec asks for the terminal; its type is Bubble Tea's own.
func isExec(msg tea.Msg) bool {
	return reflect.TypeOf(msg) == execType
}

var execType = reflect.TypeOf(tea.ExecProcess(nil, nil)())
