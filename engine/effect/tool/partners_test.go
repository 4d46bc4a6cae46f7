package tool

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"flowdbg/contract/meta"
	"flowdbg/engine/effect"
	"flowdbg/engine/effect/mcpx"
	"flowdbg/engine/effect/secret"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
	"flowdbg/trace"
)

// partner is the entry of a server that nobody here wrote.
func partner(t *testing.T, name string) string {
	t.Helper()
	dir := os.Getenv("FLOWDBG_MCP_DIR")
	if dir == "" {
		t.Skip("FLOWDBG_MCP_DIR is not set: it names a folder whose node_modules holds @modelcontextprotocol/server-everything, -filesystem and -memory")
	}
	entry := filepath.Join(dir, "node_modules", "@modelcontextprotocol", name, "dist", "index.js")
	if _, err := os.Stat(entry); err != nil {
		t.Fatalf("FLOWDBG_MCP_DIR: %v", err)
	}
	return entry
}

// partnerFlow opens the platform of a flow with these servers.
func partnerFlow(t *testing.T, servers map[string]any) *platform.Platform {
	t.Helper()
	text := marshal(t, map[string]any{"version": 1, "id": "f", "agents": []any{map[string]any{"id": "a", "kind": "k"}}, "edges": []any{}, "mcpServers": servers})
	f, diags := flow.Parse("flow.json", text, flow.Options{})
	if f == nil {
		t.Fatal(diags)
	}
	p, diags := platform.Open(f, t.TempDir())
	if p == nil {
		t.Fatal(diags)
	}
	return p
}

func pool(t *testing.T, p *platform.Platform) *mcpx.Pool {
	t.Helper()
	pool := mcpx.NewPool(p.Servers, secret.NewVault(nil))
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool
}

func ask(t *testing.T, p effect.Provider, opName, input string) effect.Answer {
	t.Helper()
	a, err := p.Do(context.Background(), effect.Call{Agent: "a", Step: 1, Request: trace.NewRequest(opName, parse(t, input))})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// Servers that nobody here wrote are listed and called, with both ops. None of them states a contract version: the order of
// seed 003 is followed to its end, and the journal says so.
func TestPartners(t *testing.T) {
	notes := t.TempDir()
	write(t, filepath.Join(notes, "a.txt"), []byte("hello"))
	memory := filepath.Join(t.TempDir(), "memory.json")
	servers := map[string]any{
		"everything": map[string]any{"command": "node", "args": []string{partner(t, "server-everything")}},
		"filesystem": map[string]any{"command": "node", "args": []string{partner(t, "server-filesystem"), notes}, "contract_version": 1},
		"memory":     map[string]any{"command": "node", "args": []string{partner(t, "server-memory")}, "env": map[string]string{"MEMORY_FILE_PATH": memory}},
	}
	p := partnerFlow(t, servers)
	clients := pool(t, p)
	lock, journal, err := p.Survey(context.Background(), clients, nil, meta.Date{})
	if err != nil {
		t.Fatal(err)
	}
	if len(lock.Servers) != 3 || len(lock.Tools) < 20 || len(journal) == 0 {
		t.Fatalf("%d servers, %d tools, journal %v", len(lock.Servers), len(lock.Tools), journal)
	}
	direct := &mcpx.Provider{Pool: clients, Now: time.Now}
	through := &Provider{Platform: p, Pool: clients, Lock: lock, Now: time.Now}
	for _, x := range []struct{ server, tool, arguments, source, want string }{
		{"everything", "echo", `{"message":"<&> ü"}`, "platform_current", "<&> ü"},
		{"filesystem", "read_text_file", fmt.Sprintf(`{"path":%q}`, filepath.Join(notes, "a.txt")), "pinned", "hello"},
		{"memory", "create_entities", `{"entities":[{"name":"iPL","entityType":"tool","observations":["places cells"]}]}`, "platform_current", "places cells"},
		{"memory", "read_graph", `{}`, "platform_current", "places cells"},
	} {
		a := ask(t, direct, "mcp", fmt.Sprintf(`{"server":%q,"tool":%q,"arguments":%s}`, x.server, x.tool, x.arguments))
		if !strings.Contains(a.Output.Text(), x.want) {
			t.Errorf("%s by mcp: %s", x.tool, a.Output)
		}
		a = ask(t, through, op, fmt.Sprintf(`{"tool":%q,"arguments":%s,"_meta":{"ai-norm.com/contract_version":1}}`, x.tool, x.arguments))
		side := a.Side.Get(SideKey)
		if source, _ := side.Get("source").Str(); source != x.source || !strings.Contains(a.Output.Text(), x.want) && x.tool != "create_entities" {
			t.Errorf("%s by tool: source %s, %s", x.tool, source, a.Output)
		}
		if says := side.Get("journal").Text(); (x.source == "platform_current") != strings.Contains(says, "configuration_error") {
			t.Errorf("%s: journal %s", x.tool, says)
		}
	}
	// A tool's own refusal is an answer.
	a := ask(t, direct, "mcp", `{"server":"filesystem","tool":"read_text_file","arguments":{"path":"/nowhere"}}`)
	if a.Output.Get("isError").Text() != "true" {
		t.Errorf("outside of the allowed folder: %s", a.Output)
	}
}

// The same server over streamable HTTP.
func TestPartnerOverHTTP(t *testing.T) {
	entry := partner(t, "server-everything")
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	cmd := exec.Command("node", entry, "streamableHttp")
	cmd.Env = append(os.Environ(), fmt.Sprintf("PORT=%d", port))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	address := fmt.Sprintf("127.0.0.1:%d", port)
	for range 200 {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			break
		}
		time.Sleep(25 * time.Millisecond)
	}
	p := partnerFlow(t, map[string]any{"everything": map[string]any{"url": "http://" + address + "/mcp"}})
	clients := pool(t, p)
	list, err := clients.Client("everything").List(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, raw := range list.Tools {
		names = append(names, mcpx.ToolName(raw))
	}
	if !slices.Contains(names, "echo") {
		t.Fatalf("tools %v", names)
	}
	a := ask(t, &mcpx.Provider{Pool: clients, Now: time.Now}, "mcp", `{"server":"everything","tool":"echo","arguments":{"message":"over HTTP"}}`)
	if !strings.Contains(a.Output.Text(), "over HTTP") {
		t.Errorf("%s", a.Output)
	}
}
