package record

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"flowdbg/engine"
	"flowdbg/engine/behavior"
	"flowdbg/engine/effect"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Variables that make this binary the process that is killed.
const (
	envMode   = "FLOWDBG_KILL_MODE" // run, resume or redo
	envURL    = "FLOWDBG_KILL_URL"
	envTarget = "FLOWDBG_KILL_TARGET"
	envRecord = "FLOWDBG_KILL_RECORD"
	// envKills is how many kills the test makes; 40 when it is not set.
	envKills = "FLOWDBG_KILLS"
)

// exitUnsettled is what the process ends with when an effect may have been sent before.
const exitUnsettled = 10

func TestMain(m *testing.M) {
	if os.Getenv(envMode) == "" {
		os.Exit(m.Run())
	}
	err := victim()
	var unsettled *engine.Unsettled
	switch {
	case err == nil:
		os.Exit(0)
	case errors.As(err, &unsettled):
		os.Exit(exitUnsettled)
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(3)
}

// victim runs or resumes, and tells on standard output after every write how many events are in the file.
func victim() error {
	m, err := killMachine()
	if err != nil {
		return err
	}
	var record trace.Log
	if os.Getenv(envMode) != "run" {
		o, err := trace.Open(os.Getenv(envRecord), trace.OpenOptions{})
		if err != nil {
			return err
		}
		record = o.Log()
	}
	rec, err := trace.NewRecorder(os.Getenv(envTarget), trace.RecorderOptions{Batch: trace.BatchBytes})
	if err != nil {
		return err
	}
	src := &billed{url: os.Getenv(envURL)}
	run, err := engine.NewRecording(m, record, src, told{rec}, engine.ResumeOptions{Redo: os.Getenv(envMode) == "redo"})
	if err == nil {
		err = run.ToEnd(context.Background(), nil)
	}
	if err == nil && run.Replayer.Found != nil {
		err = errors.New(run.Replayer.Found.String())
	}
	if err == nil {
		return rec.Finish()
	}
	if record != nil && rec.Len() <= record.Len() {
		return errors.Join(err, rec.Discard())
	}
	_, kept := rec.Abandon()
	return errors.Join(err, kept)
}

// told tells how many events were written.
type told struct{ *trace.Recorder }

func (s told) Flush() error { return s.tell(s.Recorder.Flush()) }
func (s told) Sync() error  { return s.tell(s.Recorder.Sync()) }

func (s told) tell(err error) error {
	if err == nil {
		fmt.Println(s.Len())
	}
	return err
}

// billed asks the provider, which counts.
type billed struct{ url string }

func (b *billed) Ready(effect.Call) error { return nil }
func (b *billed) Paid(effect.Call) bool   { return true }

func (b *billed) Answer(ctx context.Context, c effect.Call) (effect.Answer, error) {
	body := fmt.Sprintf("%d %s", c.Step, c.Request.Hash())
	res, err := http.Post(b.url, "text/plain", strings.NewReader(body))
	if err != nil {
		return effect.Answer{}, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		return effect.Answer{}, err
	}
	v, _, err := canon.Parse(data, canon.Options{})
	if err != nil {
		return effect.Answer{}, err
	}
	return effect.Answer{Output: v, Usage: trace.Usage{InputTokens: 3, OutputTokens: 5, USD: 0.0001}}, nil
}

// killMachine is the seed's pipeline made cyclic, stopped after some steps.
func killMachine() (*engine.Machine, error) {
	data, err := os.ReadFile(filepath.Join("..", "..", "..", "examples", "research-pipeline.json"))
	if err != nil {
		return nil, err
	}
	for old, now := range map[string]string{
		`{ "id": "writer",`: `{ "id": "again", "kind": "echo", "config": { "tag": "task", "fields": { "text": "question" } } },
    { "id": "writer",`,
		`{ "from": "critic", "port": "out", "to": "writer" }`: `{ "from": "critic", "port": "out", "to": "writer" },
    { "from": "writer", "port": "out", "to": "again" },
    { "from": "again", "port": "out", "to": "researcher" }`,
		`"budget": { "usd": 0.10, "tokens": 10000, "steps": 100 }`: `"budget": { "steps": 60 }`} {
		if !bytes.Contains(data, []byte(old)) {
			return nil, fmt.Errorf("the example has changed: %s is not in it", old)
		}
		data = bytes.Replace(data, []byte(old), []byte(now), 1)
	}
	m, diags := engine.Parse("flow.json", data, behavior.Builtin(), false)
	if m == nil {
		return nil, fmt.Errorf("%v", diags)
	}
	return m, nil
}

// provider is the one that is paid. It counts a request when it has arrived, and answers a little later.
type provider struct {
	mu     sync.Mutex
	counts map[string]int
	open   atomic.Int64 // connections
}

// serve starts it.
func (p *provider) serve() *httptest.Server {
	srv := httptest.NewUnstartedServer(p)
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		switch s {
		case http.StateNew:
			p.open.Add(1)
		case http.StateClosed, http.StateHijacked:
			p.open.Add(-1)
		}
	}
	srv.Start()
	return srv
}

// quiet waits until everything that dead processes have sent was counted: what is accepted behind them was sent behind
// them, and a connection is closed when its request was served.
func (p *provider) quiet(url string) error {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	res, err := client.Get(url)
	if err != nil {
		return err
	}
	res.Body.Close()
	for range 10_000 {
		if p.open.Load() == 0 {
			return nil
		}
		time.Sleep(time.Millisecond)
	}
	return errors.New("connections of dead processes stay open")
}

func (p *provider) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	key := string(body)
	p.mu.Lock()
	p.counts[key]++
	p.mu.Unlock()
	time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond)
	_, hash, _ := strings.Cut(key, " ")
	// A question for the next round, hits and a score, whatever was asked.
	answer := map[string]any{"text": "answer " + hash[:12] + " 0.5", "finish_reason": "stop", "json": map[string]any{"score": 0.5},
		"hits": []any{map[string]any{"title": "t" + hash[:4], "url": "u", "snippet": "s"}}}
	json.NewEncoder(w).Encode(answer)
}

func (p *provider) snapshot() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := make(map[string]int, len(p.counts))
	for k, n := range p.counts {
		c[k] = n
	}
	return c
}
