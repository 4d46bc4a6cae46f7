package platform

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"flowdbg/contract/meta"
	"flowdbg/contract/require"
	"flowdbg/contract/translate"
	"flowdbg/engine/effect/mcpx"
	"flowdbg/engine/flow"
	"flowdbg/trace/canon"
)

// Platform is what a flow, its platform's file, its rules and its contract snapshots say together. It is immutable and
// starts nothing.
type Platform struct {
	Flow     *flow.Flow
	Keys     meta.Keys
	Current  int // the platform's contract version: as stated, else the highest that rules and snapshots know, else 1
	Servers  []*mcpx.Server
	Tools    map[string]Declared
	Rules    *translate.RuleSet
	Requires []require.Requirement

	dir       string
	settings  canon.Value // what a lock depends on: servers and declarations
	snapshots []snapshot
	sources   []translate.Source
}

type snapshot struct {
	version int
	name    string
	data    []byte
}

// Uses says whether a flow has anything to do with a platform.
func Uses(f *flow.Flow) bool { return len(f.MCPServers) > 0 || f.Contracts != nil }

// maxFile bounds a platform's file, a rule file and a snapshot, in bytes.
const maxFile = 16 << 20

// Open reads everything that a flow's contracts name; dir is the flow's folder. The platform is nil iff a diagnostic is an
// error. Diagnostics about other files than the flow carry those files' names.
func Open(f *flow.Flow, dir string) (*Platform, []flow.Diagnostic) {
	o := &opener{p: &Platform{Flow: f, Keys: meta.DefaultKeys(), Tools: map[string]Declared{}, dir: dir}}
	if c := f.Contracts; c != nil {
		o.contracts(c)
	}
	o.servers()
	if f.Contracts != nil {
		o.rules(f.Contracts.Rules)
	}
	if flow.HasErrors(o.diags) {
		return nil, o.diags
	}
	p := o.p
	if p.Current == 0 {
		p.Current = max(1, p.Rules.Highest())
		for _, s := range p.snapshots {
			p.Current = max(p.Current, s.version)
		}
	}
	return p, o.diags
}

type opener struct {
	p     *Platform
	file  platformFile
	diags []flow.Diagnostic
}

func (o *opener) flowError(code flow.Code, ptr, message, want string) {
	o.diags = append(o.diags, o.p.Flow.Diagnose(flow.Error, code, ptr, message, want))
}

func (o *opener) contracts(c *flow.Contracts) {
	if c.Prefix != "" {
		keys, err := meta.NewKeys(c.Prefix, "")
		if err != nil {
			o.flowError(CodeBadPlatform, "/contracts/prefix", err.Error(), "write a domain such as "+meta.DefaultPrefix)
		} else {
			o.p.Keys = keys
		}
	}
	for _, r := range c.Requires {
		req, err := require.ParsePair(r.Name, r.Constraint)
		if err != nil {
			o.flowError(CodeBadRequirement, canon.AppendPointer("/contracts/requires", r.Name), err.Error(), "write constraints such as >= 1.2.0, < 2.0.0")
			continue
		}
		o.p.Requires = append(o.p.Requires, req)
	}
	if c.Platform == "" {
		return
	}
	path := within(o.p.dir, c.Platform)
	data, err := readFile(path)
	if err != nil {
		o.flowError(CodeBadPlatform, "/contracts/platform", fmt.Sprintf("%s: %v", path, err), "name a platform's file, relative to the flow")
		return
	}
	r := newFileReader(path, data)
	o.file = r.platform(filepath.Dir(path))
	for _, s := range o.file.contracts {
		file := within(filepath.Dir(path), s.path)
		text, err := readFile(file)
		if err == nil {
			err = translate.NewCatalog().AddToolList(s.version, text)
		}
		if err != nil {
			r.bad(s.node, s.ptr, fmt.Sprintf("%s: %v", file, err), "name a file with a tools/list answer, relative to this one")
			continue
		}
		o.p.snapshots = append(o.p.snapshots, snapshot{s.version, file, text})
	}
	o.diags = append(o.diags, r.diags...)
	o.p.Current = o.file.version
	o.p.Tools = o.file.tools
	if o.p.Tools == nil {
		o.p.Tools = map[string]Declared{}
	}
}

// servers joins the flow's servers and those of the platform's file.
func (o *opener) servers() {
	all := map[string]canon.Value{}
	for name, set := range o.p.Flow.MCPServers {
		o.server(name, set, o.p.dir, canon.AppendPointer("/mcpServers", name))
		all[name] = set
	}
	dir := o.p.dir
	if c := o.p.Flow.Contracts; c != nil {
		dir = filepath.Dir(within(dir, c.Platform))
	}
	for name, set := range o.file.servers {
		if _, twice := all[name]; twice {
			o.flowError(CodeBadPlatform, canon.AppendPointer("/mcpServers", name), fmt.Sprintf("the platform's file has a server %q too", name), "keep one of them")
			continue
		}
		o.server(name, set, dir, "/contracts/platform")
		all[name] = set
	}
	slices.SortFunc(o.p.Servers, func(a, b *mcpx.Server) int { return strings.Compare(a.Name, b.Name) })
	for name, d := range o.p.Tools {
		if _, ok := all[d.Server]; d.Server != "" && !ok {
			o.flowError(CodeBadPlatform, "/contracts/platform", fmt.Sprintf("the platform's file puts the tool %q on the server %q, which there is not", name, d.Server), "name one of its servers, or of the flow's mcpServers")
		}
	}
	members := make([]canon.Member, 0, len(all))
	for name, set := range all {
		members = append(members, canon.Member{Key: name, Value: set})
	}
	o.p.settings = canon.Object(members...)
}

func (o *opener) server(name string, set canon.Value, dir, ptr string) {
	if set.Get("disabled") == canon.True { // as MCP clients write it
		return
	}
	s, err := mcpx.ParseServer(name, set, dir)
	if err != nil {
		o.flowError(CodeBadPlatform, ptr, err.Error(), "")
		return
	}
	o.p.Servers = append(o.p.Servers, s)
}

// rules reads the rule files and holds them against the snapshots.
func (o *opener) rules(paths []string) {
	var sources []translate.Source
	for _, name := range paths {
		files, err := ruleFiles(within(o.p.dir, name))
		if err != nil {
			o.flowError(CodeBadRule, "/contracts/rules", err.Error(), "name a rule file, or a folder of them, relative to the flow")
			continue
		}
		for _, file := range files {
			data, err := readFile(file)
			if err != nil {
				o.flowError(CodeBadRule, "/contracts/rules", fmt.Sprintf("%s: %v", file, err), "")
				continue
			}
			sources = append(sources, translate.Source{Name: file, Data: data})
			// Records of calls name rules by where they lie beside the flow, not by where it was opened from.
			if rel, err := filepath.Rel(o.p.dir, file); err == nil {
				file = filepath.ToSlash(rel)
			}
			o.p.sources = append(o.p.sources, translate.Source{Name: file, Data: data})
		}
	}
	catalog, _ := o.p.catalog() // every snapshot was read once already
	rules, err := translate.Load(sources, catalog)
	var bad translate.RuleErrors
	if errors.As(err, &bad) {
		o.ruleErrors(bad)
		return
	}
	o.p.Rules = rules
	o.ruleErrors(rules.Warnings())
}

func (o *opener) ruleErrors(list []*translate.RuleError) {
	for _, e := range list {
		sev := flow.Error
		if e.IsWarning {
			sev = flow.Warning
		}
		if e.File == "" || e.Line == 0 {
			text := e.Text
			if e.File != "" {
				text = e.File + e.Pointer + ": " + text
			}
			o.diags = append(o.diags, o.p.Flow.Diagnose(sev, CodeBadRule, "/contracts/rules", text, ""))
			continue
		}
		o.diags = append(o.diags, flow.Diagnostic{Severity: sev, Code: CodeBadRule, File: e.File, Line: e.Line, Col: e.Col, Pointer: e.Pointer, Message: e.Text})
	}
}

// catalog is a fresh one with the snapshots.
func (p *Platform) catalog() (*translate.Catalog, error) {
	c := translate.NewCatalog()
	for _, s := range p.snapshots {
		if err := c.AddToolList(s.version, s.data); err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return c, nil
}

// RuleEnding is how the names of rule files in a folder end.
const RuleEnding = ".json"

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// ruleFiles are the rule files at a path: the file, or every *.json of the folder, by name.
func ruleFiles(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, plain(err))
	}
	if !info.IsDir() {
		return []string{path}, nil
	}
	files, err := filepath.Glob(filepath.Join(path, "*"+RuleEnding))
	if err == nil && len(files) == 0 {
		err = errors.New("the folder holds no *.json")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	slices.Sort(files)
	return files, nil
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, filepath.FromSlash(path))
}

func readFile(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, plain(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err != nil {
		return nil, plain(err)
	}
	if len(data) > maxFile {
		return nil, fmt.Errorf("above %d MiB", maxFile>>20)
	}
	return data, nil
}

// plain takes the operation and the path out of an error of the file system: the caller names the file.
func plain(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// SecretNames lists the secrets that the servers' settings name.
func (p *Platform) SecretNames() []string {
	var names []string
	for _, s := range p.Servers {
		names = append(names, s.Secrets()...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Declare is what the platform says of a call of a tool on a server.
func (p *Platform) Declare(server, tool string) Declared {
	d := p.Tools[tool]
	if d.Server != "" && d.Server != server {
		return Declared{}
	}
	return d
}
