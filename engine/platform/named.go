package platform

import (
	"path/filepath"

	"flowdbg/engine/flow"
)

// Named lists what a flow's platform is read from, whether or not it is there: paths as Open and ReadLock take them, for
// whoever must know when one of them changes.
type Named struct {
	Files   []string // the platform's file, the snapshots that it names, rule files, the lock
	Folders []string // folders of rules: any *.json in them is a rule file
}

// Files lists what the platform of a flow is read from; flowPath is the flow's file. It reads the platform's file for the
// names of its snapshots, and passes over what is wrong with it: Open tells that. It is empty for a flow without platform.
func Files(f *flow.Flow, flowPath string) Named {
	var n Named
	if !Uses(f) {
		return n
	}
	dir := filepath.Dir(flowPath)
	n.Files = append(n.Files, LockPath(flowPath))
	c := f.Contracts
	if c == nil {
		return n
	}
	if c.Platform != "" {
		path := within(dir, c.Platform)
		n.Files = append(n.Files, path)
		if data, err := readFile(path); err == nil {
			for _, s := range newFileReader(path, data).platform(filepath.Dir(path)).contracts {
				n.Files = append(n.Files, within(filepath.Dir(path), s.path))
			}
		}
	}
	for _, name := range c.Rules {
		path := within(dir, name)
		n.Files = append(n.Files, path) // a folder too: it may come, or go
		if isFolder(path) {
			n.Folders = append(n.Folders, path)
		}
	}
	return n
}
