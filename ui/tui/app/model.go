package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"

	"flowdbg/engine/debug"
	"flowdbg/engine/platform"
	"flowdbg/trace"
	"flowdbg/ui/tui/keymap"
	"flowdbg/ui/tui/layout"
	"flowdbg/ui/tui/theme"

	tea "github.com/charmbracelet/bubbletea"
)

// viewNo is the number of a view, which is also its key (page 04, "Screens").
type viewNo int

// The views there are.
const (
	viewDebug      viewNo = 1
	viewGraph      viewNo = 2
	viewLedger     viewNo = 3
	viewContract   viewNo = 4
	viewCandidates viewNo = 5
	viewDelta      viewNo = 6
	viewCompare    viewNo = 7
	viewRuns       viewNo = 8
	viewProblems   viewNo = 9
)

// viewNames is the list for the table of actions; a place is a number, "" is free.
var viewNames = []string{"debug", "graph", "ledger", "contract", "candidates", "delta", "compare", "runs", "problems"}

// Actions is the table of everything that can be done here, from which ui/tui/KEYS.md is written.
func Actions() []keymap.Action { return keymap.Default(viewNames...) }

// Model is the whole screen. It is Bubble Tea's model; everything about the run lives in the session.
type Model struct {
	ctx  context.Context
	cfg  Config
	s    *debug.Session
	th   *theme.Theme
	keys *keymap.Table
	// barKeys are the same keys where Enter is called something else in the bottom bar.
	barKeys map[string]*keymap.Table
	split   keymap.Splitter
	out     io.Writer
	outMu   sync.Mutex

	w, h  int
	view  viewNo
	focus map[viewNo]layout.Pane
	zoom  bool
	mouse bool
	arr   arrangement
	// asksTheme is the name that the theme was asked for by, "" for auto.
	asksTheme string

	agents   agentsPane
	events   eventsPane
	inspect  inspector
	inbox    inboxPane
	problems problemsView
	faces    map[viewNo]face
	causes   causesOf
	pauses   pauses
	pay      payloads
	search   searchState
	printed  string  // the expression that was printed last
	over     overlay // what lies on top, nil when nothing does
	notice   notice
	asked    bool // whether to leave without what is kept nowhere; the next key answers
	keptRuns keptRuns
	saved    map[int]int // run → how many of its events were written to a file

	lists    keptLists
	stepping string // the agent whose steps are gone through, as long as no other key comes

	run    *move // a long move under way
	runID  int
	hash   string // of the state at the position, "" when not known
	hashID int

	indexing   bool // the trace's file is being read
	readOnce   bool // to its end, at least once
	known      int  // events that were there when it was read last
	fileState  trace.FileChange
	lost       lostEvents // of a trace whose file has shrunk
	traceWatch *watcher
	watch      *watcher
	settleID   int
	loadID     int
	reload     reloadState
	kept       []byte          // what was read last, so that a touched file is not taken for a change
	keptOf     string          // what it was made of then: scripts, or what was wrong, and the other files that it names
	named      *platform.Named // those files, nil when they are not known
}

// notice is one line in place of the stop card, until the next key.
type notice struct {
	text string
	bad  bool
}

// New makes the model on a session. Problems of the key configuration are told in the Problems view.
func New(ctx context.Context, cfg Config) (*Model, error) {
	if cfg.Session == nil || cfg.Theme == nil {
		return nil, errors.New("the screen needs a session and a theme")
	}
	if cfg.Getenv == nil {
		cfg.Getenv = os.Getenv
	}
	m := &Model{
		faces: newFaces(),
		ctx:   ctx, cfg: cfg, s: cfg.Session, th: cfg.Theme, view: viewDebug, out: io.Discard,
		focus: map[viewNo]layout.Pane{viewDebug: layout.Events, viewProblems: layout.Main, viewGraph: layout.Main, viewLedger: layout.Main, viewCompare: layout.Main, viewRuns: layout.Main, viewContract: layout.Main, viewCandidates: layout.Main, viewDelta: layout.Main},
	}
	if m.cfg.Themes == nil {
		m.cfg.Themes = func(name string, isASCII bool) (*theme.Theme, error) {
			return theme.New(theme.Options{Name: name, Profile: cfg.Theme.Profile, Dark: true, ASCII: isASCII})
		}
	}
	m.arr, m.asksTheme = newArrangement(&m.cfg.Settings), cfg.ThemeName
	m.problems.own = append(m.problems.own, cfg.Problems...)
	keys, problems := keymap.New(Actions(), cfg.Remap)
	m.keys = keys
	m.keys.Disabled = m.why
	m.barKeys = map[string]*keymap.Table{}
	for _, p := range problems {
		m.problems.own = append(m.problems.own, m.keyProblem(p))
	}
	m.events.follow, m.agents.follow = true, true
	if m.eager() {
		m.hash = m.s.Hash()
	}
	m.lists.note(m.s)
	m.sync()
	return m, nil
}

// Init begins to watch the flow's file, and goes on reading the trace's.
func (m *Model) Init() tea.Cmd {
	cmds := []tea.Cmd{m.hashLater(), m.indexOn(), m.followTrace(), m.listKept()}
	if m.cfg.WatchPath != "" && m.cfg.Reload != nil {
		cmds = append(cmds, startWatch(m.cfg.WatchPath))
	}
	if m.cfg.Reload != nil {
		cmds = append(cmds, m.load(atStart))
	}
	return tea.Batch(cmds...)
}

func (m *Model) close() {
	for _, w := range []*watcher{m.watch, m.traceWatch} {
		if w != nil {
			w.close()
		}
	}
}

// say shows one line until the next key.
func (m *Model) say(format string, args ...any) {
	m.notice = notice{text: fmt.Sprintf(format, args...)}
}

// complain is say for what went wrong.
func (m *Model) complain(format string, args ...any) {
	m.notice = notice{text: fmt.Sprintf(format, args...), bad: true}
}

// pane is the one that has the keys.
func (m *Model) pane() layout.Pane { return m.focus[m.view] }

// mode is the layout of the view.
func (m *Model) mode() layout.Mode {
	switch f := m.face(); {
	case f != nil:
		return f.mode()
	case m.view == viewProblems:
		return layout.Split
	}
	return layout.Debug
}

func (m *Model) screen() layout.Screen {
	return layout.Compute(m.layoutInput())
}

// sync takes over what the session looks like now. It costs what the visible rows cost.
func (m *Model) sync() tea.Cmd {
	m.events.sync(m)
	m.agents.sync(m)
	m.inbox.sync(m)
	m.inspect.sync(m)
	m.problems.sync(m)
	if f := m.face(); f != nil {
		return f.sync(m)
	}
	return nil
}
