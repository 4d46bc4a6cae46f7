package trace

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func zipped(tb testing.TB, data []byte) []byte {
	tb.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(data); err != nil {
		tb.Fatal(err)
	}
	if err := z.Close(); err != nil {
		tb.Fatal(err)
	}
	return b.Bytes()
}

// The same trace through every way in: small and large for memory, plain and compressed, file and stream.
func TestOpenForms(t *testing.T) {
	events, data := recorded(t)
	dir := t.TempDir()
	plain, packed := filepath.Join(dir, "t.json"), filepath.Join(dir, "t.json.gz")
	for path, text := range map[string][]byte{plain: data, packed: zipped(t, data)} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	temp := t.TempDir()
	for name, opt := range map[string]OpenOptions{"memory": {TempDir: temp}, "store": {MemoryBytes: -1, TempDir: temp}, "spilled": {MemoryBytes: 100, TempDir: temp}, "follow": {Follow: true, TempDir: temp}} {
		for _, path := range []string{plain, packed, "stream", "packed stream"} {
			t.Run(name+"/"+filepath.Base(path), func(t *testing.T) {
				o, err := openForm(path, data, packed, opt)
				if err != nil {
					t.Fatal(err)
				}
				if err := o.Index(nil); err != nil {
					t.Fatal(err)
				}
				if o.Log().Len() != len(events) || o.Tear() != nil || !o.Complete() || o.Damage() >= 0 || o.Format() != FormatArray || len(o.Findings()) > 0 {
					t.Fatalf("%d events, %v, %v", o.Log().Len(), o.Tear(), o.Findings())
				}
				for i := range events {
					e, err := o.Log().Event(i)
					if err != nil || !bytes.Equal(e.AppendJSON(nil), events[i].AppendJSON(nil)) {
						t.Fatalf("event %d: %v", i, err)
					}
				}
				if inMemory := name == "memory" || name == "follow" && path != plain; inMemory != (o.Trace != nil) {
					t.Fatalf("in memory: %v", o.Trace != nil)
				}
				if err := o.Close(); err != nil {
					t.Fatal(err)
				}
				if left, _ := os.ReadDir(temp); len(left) > 0 {
					t.Fatalf("%v is left", left)
				}
			})
		}
	}
}

func openForm(path string, data []byte, packed string, opt OpenOptions) (*Opened, error) {
	switch path {
	case "stream":
		return OpenReader(bytes.NewReader(data), "(standard input)", opt)
	case "packed stream":
		text, err := os.ReadFile(packed)
		if err != nil {
			return nil, err
		}
		return OpenReader(iotestHalf(text), "(standard input)", opt)
	}
	return Open(path, opt)
}

// iotestHalf gives a few bytes per read, as a pipe does.
func iotestHalf(text []byte) io.Reader {
	r, w := io.Pipe()
	go func() {
		for len(text) > 0 {
			n := min(7, len(text))
			if _, err := w.Write(text[:n]); err != nil {
				return
			}
			text = text[n:]
		}
		w.Close()
	}()
	return r
}

// Compressed text that ends too early shows what there is; a bound, a full folder and the caller's own stop are errors.
func TestOpenGzipFaults(t *testing.T) {
	_, data := recorded(t)
	packed := zipped(t, data)
	for n := range len(packed) {
		o, err := OpenReader(bytes.NewReader(packed[:n]), "in", OpenOptions{})
		if n < 2 && n > 0 {
			var re *ReadError
			if !errors.As(err, &re) {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if err != nil {
			if n > 200 || n > 0 && !strings.Contains(err.Error(), "gzip") {
				t.Fatalf("cut at %d: %v", n, err)
			}
			continue
		}
		if n > 0 && (len(o.Findings()) == 0 || o.Findings()[0].Kind != FindGzip) {
			t.Fatalf("cut at %d: %v", n, o.Findings())
		}
	}
	long := zipped(t, bytes.Repeat([]byte(" "), 1<<20))
	if _, err := OpenReader(bytes.NewReader(long), "in", OpenOptions{MemoryBytes: 1000, MaxBytes: 100_000}); err == nil || !strings.Contains(err.Error(), "longer than 100000 bytes") {
		t.Fatal(err)
	}
	if _, err := OpenReader(bytes.NewReader(long), "in", OpenOptions{MemoryBytes: 1000, TempDir: "/nowhere"}); err == nil || !strings.Contains(err.Error(), "temporary file") {
		t.Fatal(err)
	}
	stop := errors.New("enough")
	calls := 0
	tell := func(done, total int64) error {
		calls++
		if done > int64(len(long)) || total != -1 {
			return fmt.Errorf("%d of %d", done, total)
		}
		return stop
	}
	if _, err := OpenReader(bytes.NewReader(long), "in", OpenOptions{MemoryBytes: 1000, Progress: tell}); !errors.Is(err, stop) || calls == 0 {
		t.Fatal(err, calls)
	}
	if _, err := Open(t.TempDir(), OpenOptions{}); err == nil || !strings.Contains(err.Error(), "folder") {
		t.Fatal(err)
	}
	if _, err := Open("/nowhere/t.json", OpenOptions{}); !os.IsNotExist(err) {
		t.Fatal(err)
	}
}

// A file that is recorded while it is open: every event appears by advancing, none twice, and its end is told.
func TestFollowARecording(t *testing.T) {
	events, data := recorded(t)
	for _, format := range []Format{FormatArray, FormatLines} {
		t.Run(string(format), func(t *testing.T) {
			target := filepath.Join(t.TempDir(), "t.json")
			r := mustRecorder(t, target, RecorderOptions{Format: format})
			o, err := Open(r.Path(), OpenOptions{Follow: true})
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			s := o.Store
			for i := range events {
				if err := o.Index(nil); err != nil {
					t.Fatal(err)
				}
				if c, err := s.Poll(); c != Unchanged || err != nil {
					t.Fatalf("before event %d: %v, %v", i, c, err)
				}
				if s.Len() != i || s.Tear() != nil || s.Complete() {
					t.Fatalf("%d events before event %d, tear %v", s.Len(), i, s.Tear())
				}
				if err := r.Append(&events[i]); err != nil {
					t.Fatal(err)
				}
				if c, err := s.Poll(); c != Grew || err != nil {
					t.Fatalf("behind event %d: %v, %v", i, c, err)
				}
			}
			if err := r.Finish(); err != nil {
				t.Fatal(err)
			}
			if c, _ := s.Poll(); c != Grew {
				t.Fatalf("the end was not read yet, and %v is told", c)
			}
			if err := o.Index(nil); err != nil {
				t.Fatal(err)
			}
			if c, err := s.Poll(); c != Renamed || err != nil {
				t.Fatalf("%v, %v", c, err)
			}
			if !s.Complete() || s.Len() != len(events) {
				t.Fatalf("%d events, %v", s.Len(), s.Findings())
			}
			tr, err := Read(data)
			if err != nil {
				t.Fatal(err)
			}
			tr.Format = format
			if d := agree(tr, s); d != "" {
				t.Fatal(d)
			}
		})
	}
}

// A file that grows by single bytes: what is whole is shown, what is not is a tear that goes away.
func TestFollowByteByByte(t *testing.T) {
	_, data := recorded(t)
	path := filepath.Join(t.TempDir(), "t.json")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	o, err := Open(path, OpenOptions{Follow: true})
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close()
	for n := 1; n <= len(data); n++ {
		if _, err := f.Write(data[n-1 : n]); err != nil {
			t.Fatal(err)
		}
		if err := o.Index(nil); err != nil {
			t.Fatalf("at %d: %v", n, err)
		}
		want := verdictOfCut(data, n)
		if got := o.Store.Len(); got != want.whole || (o.Tear() != nil) != (want.torn != "") || o.Complete() != want.complete {
			t.Fatalf("at %d: %d events, tear %v, want %+v", n, got, o.Tear(), want)
		}
	}
}

// A file that shrinks, is replaced, is written over or goes away while it is open: a message, and no crash.
func TestFileChangesWhileOpen(t *testing.T) {
	_, data := recorded(t)
	half := bytes.Index(data[len(data)/2:], []byte("\n")) + len(data)/2
	for _, c := range []struct {
		name   string
		change func(path string) error
		poll   FileChange
		fails  string // what Advance says
		gone   bool   // events behind the change cannot be read
	}{
		{"shrinks", func(p string) error { return os.Truncate(p, int64(half)) }, Shrank, "shrank", true},
		{"emptied", func(p string) error { return os.Truncate(p, 0) }, Shrank, "shrank", true},
		{"loses its end", func(p string) error { return os.Truncate(p, int64(len(data)-3)) }, Grew, "", false},
		{"replaced", func(p string) error {
			return errors.Join(os.WriteFile(p+".new", data[:half], 0o600), os.Rename(p+".new", p))
		}, Replaced, "", false},
		{"removed", os.Remove, Gone, "", false},
		{"written over", func(p string) error {
			return os.WriteFile(p, append(bytes.Repeat([]byte(" "), len(data)), data...), 0o600)
		}, Grew, "other bytes", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "t.json")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			o, err := Open(path, OpenOptions{Follow: true, Store: StoreOptions{CacheBytes: 1}})
			if err != nil {
				t.Fatal(err)
			}
			defer o.Close()
			if err := o.Index(nil); err != nil {
				t.Fatal(err)
			}
			n := o.Store.Len()
			if err := c.change(path); err != nil {
				t.Fatal(err)
			}
			if got, err := o.Store.Poll(); got != c.poll || err != nil || got.String() == "" {
				t.Fatalf("%v, %v", got, err)
			}
			_, err = o.Advance()
			if c.fails == "" && err != nil || c.fails != "" && (!errors.Is(err, ErrChanged) || !strings.Contains(err.Error(), c.fails)) {
				t.Fatal(err)
			}
			if _, again := o.Advance(); fmt.Sprint(again) != fmt.Sprint(err) {
				t.Fatalf("%v, then %v", err, again)
			}
			_, err = o.Store.Event(n - 1)
			if c.gone != errors.Is(err, ErrChanged) {
				t.Fatal(err)
			}
			o.Store.ViewAt(n).Ledger()
			o.Store.FoldAt(n)
		})
	}
}

// TestStreamOfNothing: a stream that cannot be a trace by its first character is refused before it is copied anywhere.
func TestStreamOfNothing(t *testing.T) {
	temp := t.TempDir()
	endless := io.MultiReader(strings.NewReader(strings.Repeat("\x00", 2000)), neverRead{t})
	if o, err := OpenReader(endless, "-", OpenOptions{MemoryBytes: 1000, TempDir: temp}); err == nil || !strings.Contains(err.Error(), "no trace") {
		t.Fatalf("%v, %v", o, err)
	}
	if left, err := os.ReadDir(temp); err != nil || len(left) > 0 {
		t.Fatalf("%v, %v", left, err)
	}
}

type neverRead struct{ t *testing.T }

func (n neverRead) Read([]byte) (int, error) {
	n.t.Error("the stream is read on")
	return 0, io.EOF
}
