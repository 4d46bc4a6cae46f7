package reproduce

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"

	"flowdbg/engine/effect/mcpx"
	"flowdbg/engine/effect/secret"
	"flowdbg/engine/flow"
	"flowdbg/engine/platform"
	"flowdbg/trace/canon"
	"flowdbg/ui/cli/load"
	"flowdbg/ui/cli/out"
)

// comparison holds a result against that of the same call, made now. Same is about the snapshot, or about the whole value
// where the tool makes no snapshot.
type comparison struct {
	Same  bool   `json:"same"`
	Lines []line `json:"compared"`
}

type line struct {
	What string `json:"what"`
	Then string `json:"then"`
	Now  string `json:"now"`
	Same bool   `json:"same"`
}

// again sends the call to the server that the flow's platform starts.
func again(ctx context.Context, file *load.File, r *result) (*comparison, error) {
	m, diags := file.Machine(false, nil)
	if m == nil {
		return nil, out.Bad("%s", firstError(diags))
	}
	p, diags := platform.Open(m.Flow(), filepath.Dir(file.Path))
	if p == nil {
		return nil, out.Bad("%s", firstError(diags))
	}
	pool := mcpx.NewPool(p.Servers, secret.NewVault(nil, p.SecretNames()...))
	reply, err := call(ctx, pool, r)
	if cerr := pool.Close(); err == nil && cerr != nil {
		err = fmt.Errorf("ending the server: %w", cerr)
	}
	if err != nil {
		return nil, out.No("%s of %s: %w", r.Tool, r.Server, err)
	}
	v, _, err := mcpx.ParseResult(reply.Received)
	if err != nil {
		return nil, out.No("%s of %s: %w", r.Tool, r.Server, err)
	}
	now := &result{Server: r.Server, Tool: r.Tool}
	if err := now.read(v.Get("structuredContent")); err != nil {
		return nil, out.No("%s of %s: %w", r.Tool, r.Server, err)
	}
	if now.value.IsAbsent() {
		return nil, out.No("%s of %s answers without a result now: %s", r.Tool, r.Server, textOf(v))
	}
	return compare(r, now), nil
}

func call(ctx context.Context, pool *mcpx.Pool, r *result) (*mcpx.Reply, error) {
	client := pool.Client(r.Server)
	if client == nil {
		return nil, errors.New("the flow's platform has no such server")
	}
	return client.Call(ctx, r.Tool, r.Arguments, r.Meta)
}

func firstError(diags []flow.Diagnostic) string {
	for _, d := range diags {
		if d.Severity == flow.Error {
			return d.String()
		}
	}
	return "the flow cannot be read"
}

// textOf is the text content of an answer.
func textOf(answer canon.Value) string {
	for _, c := range answer.Get("content").Elems() {
		if s, ok := c.Get("text").Str(); ok {
			return s
		}
	}
	return "no text either"
}

// compare holds then against now. Two results without a snapshot are the same when their values are.
func compare(then, now *result) *comparison {
	c := &comparison{}
	add := func(what, a, b string) bool {
		c.Lines = append(c.Lines, line{what, a, b, a == b})
		return a == b
	}
	if then.Provenance != nil && now.Provenance != nil {
		add("tool version", then.Provenance.ToolVersion, now.Provenance.ToolVersion)
		add("input snapshot", string(then.Provenance.InputSnap), string(now.Provenance.InputSnap))
		add("parameters", string(then.Provenance.InputParamsHash), string(now.Provenance.InputParamsHash))
	}
	add("status", then.Status, now.Status)
	value := add("value", "sha256:"+then.value.Hash(), "sha256:"+now.value.Hash())
	c.Same = value
	if then.Snap != "" || now.Snap != "" {
		c.Same = add("snapshot", string(then.Snap), string(now.Snap))
	}
	if then.Made != nil && now.Made != nil {
		names := maps.Clone(then.Made.Outputs)
		if names == nil {
			names = map[string]string{}
		}
		maps.Copy(names, now.Made.Outputs)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			add("file "+name, then.Made.Outputs[name], now.Made.Outputs[name])
		}
	}
	return c
}

func (c *comparison) print(w io.Writer) {
	verdict := "the same result"
	if !c.Same {
		verdict = "ANOTHER result"
	}
	fmt.Fprintf(w, "run again: %s\n", verdict)
	for _, l := range c.Lines {
		if l.Same {
			fmt.Fprintf(w, "  same     %s\n", l.What)
			continue
		}
		fmt.Fprintf(w, "  differs  %s: then %s, now %s\n", l.What, orNone(l.Then), orNone(l.Now))
	}
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
