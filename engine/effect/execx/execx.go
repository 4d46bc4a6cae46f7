// Package execx answers the op exec: it starts one program with a list of arguments, without a shell, in a folder of its
// own that is gone afterwards, with an environment of which every variable was allowed. It may hold what that needs. It
// starts nothing that the flow's settings do not list.
package execx

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/clock"
	"flowdbg/engine/effect/httpx"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Classes of failure, beside "<clock>_timeout" and those of package httpx for requests and secrets.
const (
	ClassStart  = "start"            // the program cannot be started
	ClassOutput = "output_too_large" // it wrote more than the limit
	ClassFile   = "output_file"      // a file that was asked for is missing, too large or no file
	ClassFolder = "folder"           // the folder cannot be made
	ClassKeep   = "keep"             // an output file cannot be kept
)

// Provider answers the op exec. Its input is
//
//	{argv: [program, argument…], stdin?: text, files?: {path: text}, outputs?: [path…]}
//
// argv[0] stands exactly so in the settings' programs. Paths are relative to the call's folder and stay inside it. files
// are written before the start, outputs read after it, and only when the exit code is 0. Texts may be {"$secret": NAME}
// for names that the settings list. The answer is
//
//	{exit_code, stdout, stderr, files?: {path: {sha256, bytes, text?}}}
//
// An exit code that is not 0 is an answer; a program that cannot start, writes too much or takes too long is a failure.
// A signal's number has a minus sign. stdout and stderr are UTF-8, with U+FFFD for what is none; of a long stderr the end
// is kept, and side.stderr_dropped counts the bytes before it. text is there for small files that are UTF-8.
type Provider struct {
	set       effect.Setup
	programs  []string
	pass      []string
	total     time.Duration
	idle      time.Duration
	rate      *httpx.Limiter
	maxOutput int64
	maxFile   int64
	maxText   int64
	keep      string
	costUSD   float64
}

// New makes the provider; it starts nothing.
func New(set effect.Setup) (effect.Provider, []effect.Problem) {
	p := &Provider{
		set: set, programs: set.Strings("programs"), pass: []string{"PATH"},
		total: set.Millis("timeout_ms", 10*time.Minute), idle: set.Millis("idle_timeout_ms", 0),
		rate:      httpx.PerMinute(set.Float("requests_per_minute", 0)),
		maxOutput: set.Int("max_output_bytes", 256<<10), maxFile: set.Int("max_file_bytes", 64<<20), maxText: set.Int("max_text_bytes", 64<<10),
		costUSD: set.Float("cost_usd", 0),
	}
	if len(p.programs) == 0 {
		return nil, []effect.Problem{{What: "the op has no programs", Want: "list the programs that may be started"}}
	}
	if v := set.Settings.Get("pass_env"); v.Kind() == canon.KindArray {
		p.pass = set.Strings("pass_env")
	}
	if p.keep = set.Text("keep", ""); p.keep != "" && !filepath.IsAbs(p.keep) {
		p.keep = filepath.Join(set.Dir, p.keep)
	}
	return p, nil
}

// Do runs the program.
func (p *Provider) Do(ctx context.Context, c effect.Call) (effect.Answer, error) {
	r, err := p.read(c.Request.Input)
	if err != nil {
		return effect.Answer{}, p.failed(httpx.ClassRequest, err)
	}
	if !slices.Contains(p.programs, r.argv[0]) {
		return effect.Answer{}, p.failed(httpx.ClassRefused, fmt.Errorf("the settings do not list the program %q", r.argv[0]))
	}
	env, err := p.environment()
	if err != nil {
		return effect.Answer{}, p.failed(httpx.ClassSecret, err)
	}
	if err := p.rate.Wait(ctx); err != nil {
		return effect.Answer{}, &effect.Cancelled{Op: p.set.Op, Cause: ctx.Err()}
	}
	dir, err := os.MkdirTemp("", "flowdbg-exec-")
	if err != nil {
		return effect.Answer{}, p.failed(ClassFolder, err)
	}
	defer os.RemoveAll(dir)
	return p.run(ctx, r, dir, env)
}

// failed is a failure with its reason beside it.
func (p *Provider) failed(class string, err error) *effect.Failure {
	var missing *httpx.Fault
	if errors.As(err, &missing) {
		class, err = missing.Class, errors.New(missing.Detail)
	}
	return &effect.Failure{Op: p.set.Op, Class: class, Side: effect.Detail(err.Error())}
}

// request is the input, secrets resolved.
type request struct {
	argv    []string
	stdin   string
	files   map[string]string
	outputs []string
}

func (p *Provider) read(input canon.Value) (r request, err error) {
	in, err := p.set.Vault.Resolve(input, p.set.Strings("secrets"))
	if err != nil {
		return r, &httpx.Fault{Class: httpx.ClassSecret, Detail: err.Error()}
	}
	if r.argv, err = texts(in, "argv"); err != nil {
		return r, err
	}
	if len(r.argv) == 0 || r.argv[0] == "" {
		return r, errors.New("argv is empty")
	}
	if r.outputs, err = texts(in, "outputs"); err != nil {
		return r, err
	}
	if v := in.Get("stdin"); !v.IsAbsent() && !v.IsNull() {
		ok := false
		if r.stdin, ok = v.Str(); !ok {
			return r, errors.New("stdin is no text")
		}
	}
	r.files = map[string]string{}
	for path, v := range in.Get("files").Members() {
		s, ok := v.Str()
		if !ok {
			return r, fmt.Errorf("the file %q is no text", path)
		}
		r.files[path] = s
	}
	for _, path := range r.outputs {
		if !filepath.IsLocal(path) {
			return r, fmt.Errorf("the path %q leads out of the folder", path)
		}
	}
	return r, nil
}

func texts(in canon.Value, key string) ([]string, error) {
	v := in.Get(key)
	if v.IsAbsent() || v.IsNull() {
		return nil, nil
	}
	var list []string
	for _, e := range v.Elems() {
		s, ok := e.Str()
		if !ok || strings.ContainsRune(s, 0) {
			return nil, fmt.Errorf("%s holds something that is no text", key)
		}
		list = append(list, s)
	}
	if v.Kind() != canon.KindArray {
		return nil, fmt.Errorf("%s is no list", key)
	}
	return list, nil
}

// environment is what the settings allow: inherited names and their own values.
func (p *Provider) environment() ([]string, error) {
	var env []string
	for _, name := range p.pass {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	for _, m := range p.set.Texts("env") {
		v, err := p.set.Vault.Text(m.Value)
		if err != nil {
			return nil, err
		}
		env = append(env, m.Key+"="+v)
	}
	return env, nil
}

// path is a program to be looked up by its name, or one that stands relative to the flow; never one in the call's folder,
// where a request could have put it.
func (p *Provider) path(program string) string {
	if filepath.Base(program) == program || filepath.IsAbs(program) {
		return program
	}
	if abs, err := filepath.Abs(filepath.Join(p.set.Dir, program)); err == nil {
		return abs
	}
	return program
}

// run starts the program and waits for it under the clocks.
func (p *Provider) run(ctx context.Context, r request, dir string, env []string) (effect.Answer, error) {
	if err := writeFiles(dir, r.files); err != nil {
		return effect.Answer{}, p.failed(httpx.ClassRequest, err)
	}
	began := time.Now()
	total, stop := clock.WithTotal(ctx, p.total)
	defer stop()
	watch := clock.Start(total, clock.Limits{Idle: p.idle})
	defer watch.Stop()
	out, logs := &capped{most: p.maxOutput, over: watch.Stop, frame: watch.Frame}, &tail{most: int(p.maxOutput), frame: watch.Frame}
	cmd := exec.CommandContext(watch.Context(), p.path(r.argv[0]), r.argv[1:]...)
	cmd.Dir, cmd.Env = dir, append([]string{"HOME=" + dir, "TMPDIR=" + dir, "PWD=" + dir}, env...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(r.stdin), out, logs
	cmd.WaitDelay = 2 * time.Second // for a grandchild that keeps the pipes open
	ownGroup(cmd)
	if err := cmd.Start(); err != nil {
		return effect.Answer{}, p.failed(ClassStart, fmt.Errorf("the program does not start: %w", err))
	}
	watch.Frame()
	err := cmd.Wait()
	endGroup(cmd)
	logs.trim()
	if f := p.ended(ctx, watch, out, err, logs); f != nil {
		return effect.Answer{}, f
	}
	members := []canon.Member{
		{Key: "exit_code", Value: canon.Int(exitCode(cmd.ProcessState))},
		{Key: "stdout", Value: canon.String(string(out.data))},
		{Key: "stderr", Value: canon.String(string(logs.data))},
	}
	if cmd.ProcessState.Success() && len(r.outputs) > 0 {
		files, f := p.collect(dir, r.outputs)
		if f != nil {
			return effect.Answer{}, f
		}
		members = append(members, canon.Member{Key: "files", Value: files})
	}
	side := []canon.Member{{Key: "elapsed_ms", Value: canon.Int(time.Since(began).Milliseconds())}}
	if logs.dropped > 0 {
		side = append(side, canon.Member{Key: "stderr_dropped", Value: canon.Int(logs.dropped)})
	}
	return effect.Answer{Output: canon.Object(members...), Usage: trace.Usage{USD: p.costUSD}, Side: canon.Object(side...)}, nil
}

// ended is nil when the program ended by itself.
func (p *Provider) ended(ctx context.Context, watch *clock.Watch, out *capped, err error, logs *tail) error {
	spent := (*trace.Usage)(nil)
	if p.costUSD > 0 {
		spent = &trace.Usage{USD: p.costUSD}
	}
	fail := func(class, text string) error {
		side := []canon.Member{{Key: "detail", Value: canon.String(text)}, {Key: "notes", Value: canon.Array(canon.String("possibly done"))}}
		if len(logs.data) > 0 {
			side = append(side, canon.Member{Key: "stderr", Value: canon.String(lastPart(string(logs.data), 2000))})
		}
		return &effect.Failure{Op: p.set.Op, Class: class, Usage: spent, Side: canon.Object(side...)}
	}
	if out.full {
		return fail(ClassOutput, fmt.Sprintf("the program wrote more than %d bytes to standard output", p.maxOutput))
	}
	if ctx.Err() != nil {
		return &effect.Cancelled{Op: p.set.Op, PossiblyBilled: true, Usage: spent, Cause: ctx.Err()}
	}
	if e := clock.Of(watch.Context()); e != nil {
		return fail(e.Class(), e.Error())
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return fail(httpx.ClassTransport, err.Error())
	}
	return nil
}

func lastPart(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return strings.ToValidUTF8(s[len(s)-n:], "")
}
