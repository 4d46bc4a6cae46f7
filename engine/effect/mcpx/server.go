package mcpx

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"flowdbg/engine/effect/secret"
	"flowdbg/trace/canon"
)

// Defaults of a server's clocks and bounds (ours). A server that is fetched or compiled when it starts needs a longer
// start_timeout_ms.
const (
	DefaultStartTimeout = 30 * time.Second
	DefaultTimeout      = 120 * time.Second
	DefaultMaxAnswer    = 16 << 20 // bytes of one message
)

// Server says how to reach one MCP server. Its settings have the shape that MCP clients use, and a few members of ours.
type Server struct {
	Name    string
	Command string // program to start; "" for a server with an address
	Args    []string
	Env     map[string]canon.Value // texts or {"$secret": NAME}
	Dir     string                 // the program's folder; absolute
	URL     string                 // address of a streamable HTTP server; "" for a program
	Headers map[string]canon.Value // texts or {"$secret": NAME}
	Pinned  int                    // contract version pinned for the connection (seed 003); 0 = not

	StartTimeout time.Duration // from the start to the answer to initialize
	Timeout      time.Duration // of one whole call
	MaxAnswer    int           // bytes of one message from the server
}

// ParseServer reads {command, args, env, cwd} or {url, headers}, and contract_version, start_timeout_ms, timeout_ms,
// max_answer_bytes. Members that it does not know are other clients' and are left alone. dir is the folder that relative
// paths start from. All that is wrong is in the one error.
func ParseServer(name string, set canon.Value, dir string) (*Server, error) {
	p := serverParser{set: set}
	s := &Server{Name: name, Dir: dir,
		Command: p.text("command"), Args: p.texts("args"), Env: p.values("env"),
		URL: p.text("url"), Headers: p.values("headers"),
		Pinned:       int(p.number("contract_version", 0)),
		StartTimeout: p.duration("start_timeout_ms", DefaultStartTimeout),
		Timeout:      p.duration("timeout_ms", DefaultTimeout),
		MaxAnswer:    int(p.number("max_answer_bytes", DefaultMaxAnswer)),
	}
	switch {
	case s.Command != "" && s.URL != "":
		p.bad("it has a command and a url: keep one")
	case s.Command == "" && s.URL == "":
		p.bad("it has neither a command nor a url")
	case s.URL != "":
		if u, err := url.Parse(s.URL); err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
			p.bad("the url is no http or https address")
		}
	}
	if cwd := p.text("cwd"); cwd != "" {
		s.Dir = within(dir, cwd)
	}
	if len(p.problems) > 0 {
		return nil, fmt.Errorf("MCP server %s: %s", name, strings.Join(p.problems, "; "))
	}
	return s, nil
}

func within(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// Secrets lists the names of the secrets in a server's settings.
func (s *Server) Secrets() []string {
	var names []string
	for _, set := range []map[string]canon.Value{s.Env, s.Headers} {
		for _, v := range set {
			names = append(names, secret.Names(v)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

type serverParser struct {
	set      canon.Value
	problems []string
}

func (p *serverParser) bad(format string, args ...any) {
	p.problems = append(p.problems, fmt.Sprintf(format, args...))
}

func (p *serverParser) get(key string) (canon.Value, bool) {
	v := p.set.Get(key)
	return v, !v.IsAbsent() && !v.IsNull()
}

func (p *serverParser) text(key string) string {
	v, ok := p.get(key)
	if !ok {
		return ""
	}
	s, ok := v.Str()
	if !ok {
		p.bad("%s is %s, not a string", key, v.Kind())
	}
	return s
}

func (p *serverParser) texts(key string) []string {
	v, ok := p.get(key)
	if !ok {
		return nil
	}
	var list []string
	for i, e := range v.Elems() {
		s, ok := e.Str()
		if !ok {
			p.bad("%s/%d is %s, not a string", key, i, e.Kind())
		}
		list = append(list, s)
	}
	if v.Kind() != canon.KindArray {
		p.bad("%s is %s, not an array of strings", key, v.Kind())
	}
	return list
}

// values reads an object whose members are texts or secrets.
func (p *serverParser) values(key string) map[string]canon.Value {
	v, ok := p.get(key)
	if !ok {
		return nil
	}
	if v.Kind() != canon.KindObject {
		p.bad("%s is %s, not an object", key, v.Kind())
		return nil
	}
	values := map[string]canon.Value{}
	for name, m := range v.Members() {
		if _, isSecret := secret.NameOf(m); m.Kind() != canon.KindString && !isSecret {
			if !m.IsNull() {
				p.bad(`%s/%s is neither a string nor {"$secret": NAME}`, key, name)
			}
			continue
		}
		values[name] = m
	}
	return values
}

func (p *serverParser) number(key string, otherwise int64) int64 {
	v, ok := p.get(key)
	if !ok {
		return otherwise
	}
	n, ok := v.Int()
	if !ok || n < 1 || n > 1<<40 {
		p.bad("%s is no whole number from 1", key)
		return otherwise
	}
	return n
}

func (p *serverParser) duration(key string, otherwise time.Duration) time.Duration {
	return time.Duration(p.number(key, otherwise.Milliseconds())) * time.Millisecond
}

// passedOn are the variables that a started server gets from ours. Everything else it needs stands in its settings, so that
// no secret of the user's environment reaches it unasked.
var passedOn = []string{"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "LANG", "LC_ALL", "TZ",
	"SYSTEMROOT", "TEMP", "TMP", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PATHEXT", "COMSPEC",
	"GOFLAGS", "GOCACHE", "GOPATH", "GOMODCACHE", "GOTOOLCHAIN", "GOPROXY"} // for servers started by `go run`

// environment is what the server's process gets.
func (s *Server) environment(vault *secret.Vault) ([]string, error) {
	var env []string
	for _, name := range passedOn {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	own, err := resolved(s.Env, vault)
	if err != nil {
		return nil, err
	}
	for name, v := range own {
		env = append(env, name+"="+v)
	}
	return env, nil
}

func resolved(set map[string]canon.Value, vault *secret.Vault) (map[string]string, error) {
	out := make(map[string]string, len(set))
	for name, v := range set {
		text, err := vault.Text(v)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		out[name] = text
	}
	return out, nil
}
