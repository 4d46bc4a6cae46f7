package trace

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// genEvents is a consistent trace in memory.
func genEvents(tb testing.TB, n int) []Event {
	tb.Helper()
	var b bytes.Buffer
	if err := GenTrace(&b, n, 3, 40); err != nil {
		tb.Fatal(err)
	}
	tr, err := Read(b.Bytes())
	if err != nil {
		tb.Fatal(err)
	}
	return tr.Events
}

func mustRecorder(tb testing.TB, target string, opt RecorderOptions) *Recorder {
	tb.Helper()
	r, err := NewRecorder(target, opt)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// After every single append the file is valid JSON and holds exactly the events so far; at the end its bytes are those
// that Write makes.
func TestRecordingIsValidAfterEveryWrite(t *testing.T) {
	events := genEvents(t, 20)
	for _, format := range []Format{FormatArray, FormatLines} {
		t.Run(string(format), func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "t.json")
			r := mustRecorder(t, target, RecorderOptions{Format: format})
			for i := range events {
				if err := r.Append(&events[i]); err != nil {
					t.Fatal(err)
				}
				data, err := os.ReadFile(r.Path())
				if err != nil {
					t.Fatal(err)
				}
				if format == FormatArray && !json.Valid(data) {
					t.Fatalf("behind event %d the file is not JSON:\n%s", i, data)
				}
				tr, err := Read(data)
				if err != nil || tr.Tear != nil || len(tr.Events) != i+1 {
					t.Fatalf("behind event %d: %v, %+v", i, err, tr)
				}
			}
			if _, err := os.Stat(target); !errors.Is(err, os.ErrNotExist) {
				t.Fatalf("the target was made before the end: %v", err)
			}
			if err := r.Finish(); err != nil {
				t.Fatal(err)
			}
			var want bytes.Buffer
			if err := Write(&want, events, format); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(target); err != nil || !bytes.Equal(got, want.Bytes()) {
				t.Fatalf("%v\n%s\nwant\n%s", err, got, want.Bytes())
			}
			if err := r.Append(&events[0]); err == nil {
				t.Fatal("a finished recording took another event")
			}
		})
	}
}

func TestEmptyRecording(t *testing.T) {
	target := filepath.Join(t.TempDir(), "t.json")
	r := mustRecorder(t, target, RecorderOptions{})
	if data, _ := os.ReadFile(r.Path()); string(data) != "[\n]\n" {
		t.Fatalf("%q", data)
	}
	if path, err := r.Abandon(); path != "" || err != nil {
		t.Fatalf("%q %v", path, err)
	}
	if left, _ := os.ReadDir(filepath.Dir(target)); len(left) != 0 {
		t.Fatalf("%v is left", left)
	}
}

// A target is replaced at the end and not before, with its mode; other recordings beside it are not touched.
func TestRecordingReplacesItsTargetAtTheEnd(t *testing.T) {
	target := filepath.Join(t.TempDir(), "t.json")
	if err := os.WriteFile(target, []byte("old"), 0o640); err != nil {
		t.Fatal(err)
	}
	events := genEvents(t, 5)
	left := mustRecorder(t, target, RecorderOptions{})
	if err := left.Append(&events[0]); err != nil {
		t.Fatal(err)
	}
	before, _ := os.ReadFile(left.Path())
	r := mustRecorder(t, target, RecorderOptions{Batch: BatchBytes})
	if want := target + ".recording.2"; r.Path() != want || fmt.Sprint(Recordings(target)) != fmt.Sprint([]string{left.Path(), want}) {
		t.Fatalf("%s, %v", r.Path(), Recordings(target))
	}
	for i := range events {
		if err := r.Append(&events[i]); err != nil {
			t.Fatal(err)
		}
	}
	if data, _ := os.ReadFile(r.Path()); string(data) != "[\n]\n" {
		t.Fatalf("a batch was written early: %s", data)
	}
	if data, _ := os.ReadFile(target); string(data) != "old" {
		t.Fatalf("the target is %q before the end", data)
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(target)
	tr, err := Read(data)
	st, _ := os.Stat(target)
	if err != nil || len(tr.Events) != 5 || st.Mode().Perm() != 0o640 {
		t.Fatalf("%v, %+v, %v", err, tr, st.Mode())
	}
	if after, _ := os.ReadFile(left.Path()); !bytes.Equal(before, after) {
		t.Fatal("an older recording was touched")
	}
	if path, err := left.Abandon(); path != left.Path() || err != nil {
		t.Fatalf("%q, %v", path, err)
	}
}

func TestRecordingNames(t *testing.T) {
	for path, want := range map[string]string{
		"a.json.recording": "a.json", "a.json.recording.2": "a.json", "d.recording/a.json": "", "a.json.recording.x": "",
		"a.json.recording.1": "", ".recording": "", "a.json": "", "a.recording.recording": "a.recording"} {
		if got, ok := IsRecording(path); got != want || ok != (want != "") {
			t.Errorf("%s: %q %v, want %q", path, got, ok, want)
		}
	}
}

func BenchmarkRecorder(b *testing.B) {
	for _, bench := range []struct {
		name  string
		batch int
	}{{"each", 0}, {"batch", BatchBytes}} {
		b.Run(bench.name, func(b *testing.B) {
			events := genEvents(b, 4000)
			r := mustRecorder(b, filepath.Join(b.TempDir(), "t.json"), RecorderOptions{Batch: bench.batch, SyncGap: -1})
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				if err := r.Append(&events[i%len(events)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
			if err := r.write(); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(r.length / int64(i))
			b.ReportMetric(float64(i)/b.Elapsed().Seconds(), "events/s")
			r.Abandon()
		})
	}
}

func BenchmarkRecorderSynced(b *testing.B) {
	events := genEvents(b, 4000)
	r := mustRecorder(b, filepath.Join(b.TempDir(), "t.json"), RecorderOptions{})
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		if err := errors.Join(r.Append(&events[i%len(events)]), r.Sync()); err != nil {
			b.Fatal(err)
		}
		i++
	}
	r.Abandon()
}
