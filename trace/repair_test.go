package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorded is a recording of 20 events as it lies in a file.
func recorded(tb testing.TB) ([]Event, []byte) {
	tb.Helper()
	events := genEvents(tb, 20)
	var b bytes.Buffer
	if err := Write(&b, events, FormatArray); err != nil {
		tb.Fatal(err)
	}
	return events, b.Bytes()
}

// verdict is what must be said of a recording that was cut off behind n bytes.
type cutVerdict struct {
	whole    int    // events before the cut
	complete bool   // nothing is missing
	torn     string // what the tear says, "" without one
	dropped  int
}

func verdictOfCut(data []byte, n int) cutVerdict {
	v := cutVerdict{complete: n >= len(data)-1}
	text, start := data[:n], 2
	for { // one event a line
		nl := bytes.IndexByte(data[min(start, n):], '\n')
		if nl < 0 || start >= n {
			break
		}
		end := start + len(bytes.TrimSuffix(data[start:start+nl], []byte(",")))
		if end > n || data[start] == ']' {
			break
		}
		v.whole++
		start += nl + 1
	}
	switch {
	case v.complete || len(bytes.TrimSpace(text)) == 0:
	case start < n && data[start] == '{':
		v.torn, v.dropped = whyCut, len(bytes.TrimRight(text[start:], " \t\r\n"))
	default:
		v.torn = "the array is not closed"
	}
	return v
}

// Truncation at every byte of a recording: Read, a store and repair each say what the verdict is, and what repair
// writes is whole.
func TestCutAtEveryByte(t *testing.T) {
	events, data := recorded(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "t.json")
	for n := 0; n <= len(data); n++ {
		want := verdictOfCut(data, n)
		tr, err := Read(data[:n])
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		torn, dropped := "", 0
		if tr.Tear != nil {
			torn, dropped = tr.Tear.What, tr.Tear.Dropped
		}
		if got := (cutVerdict{len(tr.Events), tr.Complete(), torn, dropped}); got != want {
			t.Fatalf("cut at %d: read %+v, want %+v\n%s", n, got, want, data[max(0, n-80):n])
		}
		if d := disagreement(path, data[:n], 400+n%997); d != "" {
			t.Fatalf("cut at %d: %s", n, d)
		}
		var b bytes.Buffer
		rep, err := Repair(path, &b, RepairOptions{})
		if err != nil || rep.Events != want.whole || rep.Complete != (want.whole == len(events)) || rep.Dropped != int64(want.dropped) || rep.Whole() != (want.torn == "") {
			t.Fatalf("cut at %d: repair %v %+v, want %+v", n, err, rep, want)
		}
		again, err := Read(b.Bytes())
		if err != nil || again.Tear != nil || len(again.Events) != want.whole || n > 0 && !json.Valid(b.Bytes()) {
			t.Fatalf("cut at %d: the repaired trace: %v %+v\n%s", n, err, again, b.Bytes())
		}
		for i := range again.Events {
			if got, want := again.Events[i].AppendJSON(nil), events[i].AppendJSON(nil); !bytes.Equal(got, want) {
				t.Fatalf("cut at %d: event %d is %s", n, i, got)
			}
		}
		if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, data[:n]) {
			t.Fatalf("cut at %d: repair touched the original: %v", n, err)
		}
	}
}

// A bit flipped at every third byte of a recording: everything before the line is untouched, at most one event is lost,
// nothing behind a flip that can be seen is called complete, and Read, store and repair agree.
func TestFlippedBits(t *testing.T) {
	events, data := recorded(t)
	path := filepath.Join(t.TempDir(), "t.json")
	silent := 0
	for at := 0; at < len(data); at += 3 {
		bad := bytes.Clone(data)
		bad[at] ^= 1 << (at % 8)
		if d := disagreement(path, bad, scanBytes); d != "" {
			t.Fatalf("flip at %d: %s", at, d)
		}
		tr, err := Read(bad)
		if err != nil {
			if at > 0 {
				t.Fatalf("flip at %d: %v", at, err)
			}
			continue
		}
		line := bytes.Count(data[:at], []byte{'\n'}) - 1 // the event on it
		whole, lost := 0, 0
		for i := range tr.Events {
			switch e := &tr.Events[i]; {
			case e.Type == XDamage:
				lost++
			case whole < len(events):
				if i < line && !bytes.Equal(e.AppendJSON(nil), events[i].AppendJSON(nil)) {
					t.Fatalf("flip at %d: event %d before it is %s", at, i, e.AppendJSON(nil))
				}
				whole++
			}
		}
		if missing := len(events) - whole; missing > 2 || missing > 0 && lost == 0 && tr.Tear == nil {
			t.Fatalf("flip at %d: %d events whole, %d damages, tear %v", at, whole, lost, tr.Tear)
		}
		if lost > 0 && tr.Complete() {
			t.Fatalf("flip at %d: damaged and complete", at)
		}
		if lost == 0 && tr.Tear == nil {
			silent++ // another letter in a text: no reading can tell, replay does
			continue
		}
		checkRepairOfDamage(t, path, tr, at)
	}
	if 3*silent > len(data)/2 {
		t.Fatalf("%d of %d flips were not seen", silent, len(data)/3)
	}
}

func checkRepairOfDamage(t *testing.T, path string, tr *Trace, at int) {
	t.Helper()
	var prefix, both bytes.Buffer
	one, err := Repair(path, &prefix, RepairOptions{})
	if err != nil {
		t.Fatalf("flip at %d: %v", at, err)
	}
	two, err := Repair(path, &both, RepairOptions{BothSides: true})
	if err != nil {
		t.Fatalf("flip at %d: %v", at, err)
	}
	p, perr := Read(prefix.Bytes())
	b, berr := Read(both.Bytes())
	switch damage := tr.Damage(); {
	case perr != nil || berr != nil || p.Tear != nil || b.Tear != nil || p.Damage() >= 0:
		t.Fatalf("flip at %d: %v %v %+v %+v", at, perr, berr, p, b)
	case damage >= 0 && len(p.Events) != damage, damage < 0 && len(p.Events) != len(tr.Events), one.Events != len(p.Events):
		t.Fatalf("flip at %d: %d events kept, damage at %d", at, len(p.Events), damage)
	case len(b.Events) != len(tr.Events), b.Damage() != damage, two.Complete && damage >= 0:
		t.Fatalf("flip at %d: both sides: %d events of %d, damage at %d and %d", at, len(b.Events), len(tr.Events), b.Damage(), damage)
	case one.Events+one.Behind+len(one.Damages) != len(tr.Events):
		t.Fatalf("flip at %d: %+v of %d events", at, one, len(tr.Events))
	}
}

// Zeros behind a recording, as a file system leaves them after a crash of the machine.
func TestZeroFilledTail(t *testing.T) {
	_, data := recorded(t)
	path := filepath.Join(t.TempDir(), "t.json")
	for n := 1; n <= len(data); n += 7 {
		bad := append(bytes.Clone(data[:n]), make([]byte, 4096)...)
		want := verdictOfCut(data, n)
		tr, err := Read(bad)
		if n == 1 && err == nil || err == nil && (tr.Tear == nil || len(tr.Events) != want.whole || tr.Complete()) {
			t.Fatalf("cut at %d: %v, %+v, want %+v", n, err, tr, want)
		}
		if err != nil && want.whole > 0 {
			t.Fatalf("cut at %d: %v", n, err)
		}
		if d := disagreement(path, bad, 500); d != "" {
			t.Fatalf("cut at %d: %s", n, d)
		}
	}
}

func TestRepairLayouts(t *testing.T) {
	events, data := recorded(t)
	dir := t.TempDir()
	indent := func() []byte {
		var b bytes.Buffer
		if err := json.Indent(&b, data, "", "  "); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for name, text := range map[string][]byte{
		"crlf": bytes.ReplaceAll(data, []byte("\n"), []byte("\r\n")), "indented": indent(),
		"one line": bytes.ReplaceAll(data, []byte("\n"), nil), "trailing comma": bytes.Replace(data, []byte("\n]"), []byte(",\n]"), 1)} {
		path := filepath.Join(dir, "t.json")
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		rep, err := Repair(path, &b, RepairOptions{})
		if err != nil || !bytes.Equal(b.Bytes(), data) || !rep.Complete || rep.Events != len(events) || rep.Dropped != 0 {
			t.Fatalf("%s: %v %+v\n%s", name, err, rep, b.Bytes())
		}
		if rep.Whole() != (name != "trailing comma") {
			t.Fatalf("%s: %+v", name, rep)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "bom.json"), append([]byte(byteOrderMark), data...), 0o600); err != nil {
		t.Fatal(err)
	}
	var re *ReadError
	if _, err := Repair(filepath.Join(dir, "bom.json"), &bytes.Buffer{}, RepairOptions{}); !errors.As(err, &re) || !strings.Contains(fmt.Sprint(err), "byte order mark") {
		t.Fatal(err)
	}
}
