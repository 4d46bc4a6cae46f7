package app

import (
	"context"
	"runtime/debug"
	"sync/atomic"

	tea "github.com/charmbracelet/bubbletea"
)

// guard stands between Bubble Tea and the model and turns a panic in Update, View or a command into an orderly end:
// the program stops, the terminal is restored, and Run returns the panic. Bubble Tea's own net prints the panic raw.
type guard struct {
	inner tea.Model
	kill  func() // ends the program from within View, which cannot return a command
	err   atomic.Pointer[PanicError]

	ctx   context.Context
	paint *painter // nil in tests of the guard alone
	frame string   // shown last
	same  bool     // nothing happened since but that it was painted
}

// panicked is what a command returns when it broke.
type panicked struct{ err *PanicError }

func (g *guard) failed() error {
	if e := g.err.Load(); e != nil {
		return e
	}
	return nil
}

func (g *guard) note(p any) *PanicError {
	e := &PanicError{Value: p, Stack: debug.Stack()}
	g.err.CompareAndSwap(nil, e)
	return e
}

// Init starts the model's first commands.
func (g *guard) Init() (cmd tea.Cmd) {
	defer func() {
		if p := recover(); p != nil {
			g.note(p)
			cmd = tea.Quit
		}
	}()
	if g.paint == nil {
		return g.watch(g.inner.Init())
	}
	return tea.Batch(g.watch(g.inner.Init()), g.paint.next(g.ctx))
}

// Update passes a message on.
func (g *guard) Update(msg tea.Msg) (model tea.Model, cmd tea.Cmd) {
	model = g
	if g.err.Load() != nil {
		return g, tea.Quit
	}
	if _, ok := msg.(paintedMsg); ok {
		g.same = true
		return g, g.paint.next(g.ctx)
	}
	if p, ok := msg.(panicked); ok {
		g.err.CompareAndSwap(nil, p.err)
		return g, tea.Quit
	}
	defer func() {
		if p := recover(); p != nil {
			g.note(p)
			cmd = tea.Quit
		}
	}()
	inner, cmd := g.inner.Update(msg)
	g.inner = inner
	return g, g.watch(cmd)
}

// View draws the model; after a panic there is nothing to draw.
func (g *guard) View() (frame string) {
	if g.err.Load() != nil {
		return ""
	}
	if g.same {
		g.same = false
		return g.frame
	}
	defer func() {
		if p := recover(); p != nil {
			g.note(p)
			if g.kill != nil {
				g.kill()
			}
		}
	}()
	frame = g.inner.View()
	if g.paint != nil {
		g.frame = frame
		g.paint.show(frame)
	}
	return frame
}

// watch wraps a command, and what it consists of when it is a batch.
func (g *guard) watch(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		defer func() {
			if p := recover(); p != nil {
				msg = panicked{g.note(p)}
			}
		}()
		msg = cmd()
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = g.watch(batch[i])
			}
		}
		return msg
	}
}
