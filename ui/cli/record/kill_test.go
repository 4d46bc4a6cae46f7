package record

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"flowdbg/engine"
	"flowdbg/trace"
)

// A recorded run is killed at random moments, again and again, resumed each time, and in the end the provider's own
// count is held against the trace. The run is another process: this test binary, started again.

// killing is one run with its kills, up to its end.
type killing struct {
	t        *testing.T
	machine  *engine.Machine
	provider *provider
	url      string
	target   string
	redone   map[string]int // how often somebody said that a request shall be sent again
	last     map[string]int // the provider's count before the attempt
	safe     int            // events that were in the file for certain
	stats    *killStats
}

type killStats struct{ kills, torn, unsettled, redone, runs, early int }

func TestKilledAnywhere(t *testing.T) {
	if testing.Short() {
		t.Skip("kills processes for seconds")
	}
	kills := 40
	if s := os.Getenv(envKills); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatalf("%s: %v", envKills, err)
		}
		kills = n
	}
	m, err := killMachine()
	if err != nil {
		t.Fatal(err)
	}
	stats := &killStats{}
	for stats.kills < kills {
		p := &provider{counts: map[string]int{}}
		srv := p.serve()
		k := &killing{t: t, machine: m, provider: p, url: srv.URL, target: filepath.Join(t.TempDir(), "t.json"), redone: map[string]int{}, stats: stats}
		k.toEnd(kills)
		srv.Close()
		stats.runs++
	}
	t.Logf("%d kills in %d runs: %d before the recording began, %d files torn, %d stopped at an effect that may have been billed, %d sent again on demand",
		stats.kills, stats.runs, stats.early, stats.torn, stats.unsettled, stats.redone)
}

// toEnd starts the run and resumes it until it is done. From the last kill on nothing is killed any more.
func (k *killing) toEnd(kills int) {
	mode := "run"
	for attempt := 0; ; attempt++ {
		if attempt > 500 {
			k.t.Fatal("the run never ends")
		}
		k.last = k.provider.snapshot()
		code, killed := k.start(mode, k.stats.kills < kills)
		switch {
		case killed:
			k.stats.kills++
		case code == exitUnsettled:
			k.decide()
			mode = "redo"
			continue
		case code != 0:
			k.t.Fatalf("the run ended with %d", code)
		default:
			k.finished()
			return
		}
		if mode = "resume"; k.newest() == "" {
			k.stats.early++
			if len(k.provider.snapshot()) > 0 {
				k.t.Fatal("something was sent before there was a recording")
			}
			mode = "run"
			continue
		}
		if k.complete() { // killed behind its end, before or after the recording got its name
			k.finished()
			return
		}
		k.check()
	}
}

// newest is the recording to go on with.
func (k *killing) newest() string {
	if _, err := os.Stat(k.target); err == nil {
		return k.target
	}
	list := trace.Recordings(k.target)
	for len(list) > 0 {
		// A resume that was killed while it copied its record has less than that one: go on with the better of the two.
		last := list[len(list)-1]
		if len(list) == 1 {
			return last
		}
		if k.events(last) >= k.events(list[len(list)-2]) {
			return last
		}
		if err := os.Remove(last); err != nil {
			k.t.Fatal(err)
		}
		list = list[:len(list)-1]
	}
	return ""
}

func (k *killing) events(path string) int {
	o, err := trace.Open(path, trace.OpenOptions{})
	if err != nil {
		k.t.Fatalf("%s does not open: %v", path, err)
	}
	defer o.Close()
	return o.Log().Len()
}

// start runs the process; kill ends it after a random time, unless it ends before.
func (k *killing) start(mode string, kill bool) (code int, killed bool) {
	cmd := exec.Command(os.Args[0])
	record := ""
	if mode != "run" {
		record = k.newest()
	}
	cmd.Env = append(os.Environ(), envMode+"="+mode, envURL+"="+k.url, envTarget+"="+k.target, envRecord+"="+record)
	stdout, err := cmd.StdoutPipe()
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		k.t.Fatal(err)
	}
	if kill {
		// An attempt takes about as long as this; one that ends before its kill is a run that was not killed.
		const most = 150 * time.Millisecond
		timer := time.AfterFunc(rand.N(most), func() { _ = cmd.Process.Kill() })
		defer timer.Stop()
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if n, err := strconv.Atoi(lines.Text()); err == nil {
			k.safe = max(k.safe, n)
		}
	}
	err = cmd.Wait()
	if err := k.provider.quiet(k.url); err != nil {
		k.t.Fatal(err)
	}
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0, false
	case !errors.As(err, &exit):
		k.t.Fatal(err)
	case exit.ExitCode() == -1:
		return -1, true
	}
	if exit.ExitCode() != exitUnsettled {
		k.t.Fatalf("%v\n%s", err, stderr.String())
	}
	return exit.ExitCode(), false
}

// check holds a recording that was left by a kill against what is known about it.
func (k *killing) check() []engine.Intent {
	t, path := k.t, k.newest()
	o, err := trace.Open(path, trace.OpenOptions{})
	if err != nil {
		t.Fatalf("%s does not open: %v", path, err)
	}
	defer o.Close()
	events := o.Trace.Events
	if o.Damage() >= 0 || len(events) < k.safe {
		t.Fatalf("%s: %d events, %d were written; damage at %d", path, len(events), k.safe, o.Damage())
	}
	if o.Tear() != nil {
		k.stats.torn++
	}
	if len(events) == 0 {
		return nil
	}
	rep, err := engine.Replay(t.Context(), k.machine, events)
	if err != nil || !rep.Same() {
		t.Fatalf("%s does not replay: %v %+v", path, err, rep)
	}
	open, err := engine.OpenIntents(o.Log())
	if err != nil || len(open) > 1 {
		t.Fatalf("%s: %v, %v", path, open, err)
	}
	k.account(events, open)
	return open
}

// account holds the provider's count against the trace: whatever was sent is known, and nothing was sent twice unless
// somebody said so.
func (k *killing) account(events []trace.Event, open []engine.Intent) {
	known := map[string]bool{}
	for i := range events {
		if e := &events[i]; e.Type == trace.EffectEvent {
			key := fmt.Sprintf("%d %s", e.Step, e.Effect.Hash())
			known[key] = true
			if k.provider.snapshot()[key] == 0 {
				k.t.Fatalf("the trace has an answer that nobody gave: %s", key)
			}
		}
	}
	for _, in := range open {
		known[fmt.Sprintf("%d %s", in.Step, in.Hash)] = true
	}
	for key, n := range k.provider.snapshot() {
		if !known[key] {
			k.t.Fatalf("%q was paid for and the trace knows nothing of it", key)
		}
		if n > 1+k.redone[key] {
			k.t.Fatalf("%q was paid %d times, and asked for again %d times", key, n, k.redone[key])
		}
	}
}

// decide is somebody who says that the open effect shall be sent again. Nothing was sent before that.
func (k *killing) decide() {
	k.stats.unsettled++
	if fmt.Sprint(k.last) != fmt.Sprint(k.provider.snapshot()) {
		k.t.Fatal("something was sent although the process asked first")
	}
	open := k.check()
	if len(open) != 1 {
		k.t.Fatalf("the process asks about %v", open)
	}
	k.redone[fmt.Sprintf("%d %s", open[0].Step, open[0].Hash)]++
	k.stats.redone++
}

func (k *killing) complete() bool {
	o, err := trace.Open(k.newest(), trace.OpenOptions{})
	if err != nil {
		k.t.Fatal(err)
	}
	defer o.Close()
	return o.Trace.Finish() != nil
}

func (k *killing) finished() {
	o, err := trace.Open(k.newest(), trace.OpenOptions{})
	if err != nil {
		k.t.Fatal(err)
	}
	defer o.Close()
	if !o.Complete() && (o.Tear() == nil || o.Tear().Dropped > 0) {
		k.t.Fatalf("the finished trace is not complete: %v", o.Tear())
	}
	rep, err := engine.Replay(k.t.Context(), k.machine, o.Trace.Events)
	if err != nil || !rep.Same() || rep.Prefix {
		k.t.Fatalf("the finished trace does not replay: %v %+v", err, rep)
	}
	k.account(o.Trace.Events, nil)
}
