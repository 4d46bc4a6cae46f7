package app

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"flowdbg/engine/platform"

	tea "github.com/charmbracelet/bubbletea"
)

// settle is how long the flow's file must be quiet before it is read: editors write in several steps (page 04).
const settle = 30 * time.Millisecond

// nextSlice lets keys that are waiting go first, and then asks for the next slice.
func nextSlice(id int) tea.Cmd { return func() tea.Msg { return sliceMsg{id} } }

// settleLater waits until the file has been quiet.
func settleLater(id int) tea.Cmd {
	return tea.Tick(settle, func(time.Time) tea.Msg { return settledMsg{id} })
}

// loadFlow reads and checks the flow, and looks at the files that it names.
func loadFlow(ctx context.Context, cfg *Config, id int, why loadWhy) tea.Cmd {
	read, named := cfg.Reload, cfg.Named
	return func() tea.Msg {
		msg := loadedMsg{id: id, why: why}
		msg.machine, msg.diags, msg.data, msg.err = read(ctx)
		if named != nil && msg.err == nil {
			if n, ok := named(msg.data); ok {
				msg.named, msg.sum = &n, sumOf(n)
			}
		}
		return msg
	}
}

// sumOf tells the contents of files from others. A file that cannot be read counts as one that is not there.
func sumOf(n platform.Named) string {
	files := slices.Clone(n.Files)
	for _, dir := range n.Folders {
		list, _ := filepath.Glob(filepath.Join(dir, "*"+platform.RuleEnding))
		files = append(files, list...)
	}
	h := sha256.New()
	for _, name := range files {
		if st, err := os.Stat(name); err != nil || !st.Mode().IsRegular() {
			continue // a pipe would keep whoever reads it
		}
		f, err := os.Open(name)
		if err != nil {
			continue
		}
		one := sha256.New()
		if _, err = io.Copy(one, f); err == nil {
			fmt.Fprintf(h, "%x %s\n", one.Sum(nil), name)
		}
		f.Close()
	}
	return string(h.Sum(nil))
}
