package trace

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// judged is how a trace reads, from memory or from a file: one line that tests compare and search.
func judged(types []Type, complete bool, tear *Tear, findings []Finding) string {
	var b strings.Builder
	for i, t := range types {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(string(t))
	}
	if complete {
		b.WriteString(" complete")
	}
	for _, f := range findings {
		fmt.Fprintf(&b, " | %s | %s", f.Kind, f.Text)
	}
	if tear != nil {
		fmt.Fprintf(&b, " | tear line %d, %d bytes: %s", tear.Line, tear.Dropped, tear.What)
	}
	return b.String()
}

func judgedTrace(t *Trace) string {
	var types []Type
	for i := range t.Events {
		types = append(types, t.Events[i].Type)
	}
	return judged(types, t.Complete(), t.Tear, t.Findings)
}

// verified is an indexed and verified store; window is the number of bytes that it sees at once.
func verified(path string, window int) (*Store, error) {
	s, err := OpenStore(path, StoreOptions{})
	if err != nil {
		return nil, err
	}
	s.scan.window = window
	for done := false; !done; {
		if done, err = s.Advance(); err == nil && done {
			done, err = s.Verify()
		}
		if err != nil {
			s.Close()
			return nil, err
		}
	}
	return s, nil
}

// agree says where a store and a trace in memory that were made of the same bytes differ, "" when they do not.
func agree(tr *Trace, s *Store) string {
	if s.Len() != len(tr.Events) {
		return fmt.Sprintf("%d events in the store, %d in memory", s.Len(), len(tr.Events))
	}
	for i := range tr.Events {
		want := &tr.Events[i]
		got, err := s.Event(i)
		if err != nil {
			return err.Error()
		}
		if a, b := got.AppendJSON(nil), want.AppendJSON(nil); !bytes.Equal(a, b) {
			return fmt.Sprintf("event %d:\nstore  %s\nmemory %s", i, a, b)
		}
		if got.Cancelled() != want.Cancelled() || got.Answer() != want.Answer() {
			return fmt.Sprintf("event %d: cancelled %v, %v; answer %s, %s", i, got.Cancelled(), want.Cancelled(), got.Answer(), want.Answer())
		}
		if h := s.Header(i); kindOf(h.Type) != kindOf(want.Type) || h.Agent != want.Agent && want.Type != XDamage {
			return fmt.Sprintf("header %d: %+v, event %s %q", i, h, want.Type, want.Agent)
		}
	}
	if a, b := fmt.Sprint(s.Tear()), fmt.Sprint(tr.Tear); a != b {
		return fmt.Sprintf("tear: store %s, memory %s", a, b)
	}
	if s.Complete() != tr.Complete() || s.Format() != tr.Format {
		return fmt.Sprintf("complete %v, %v; format %s, %s", s.Complete(), tr.Complete(), s.Format(), tr.Format)
	}
	cut := func(list []Finding) (kept []Finding) {
		for _, f := range list {
			if f.Kind == FindDamage || f.Kind == FindSeparator {
				kept = append(kept, f)
			}
		}
		return kept
	}
	if a, b := fmt.Sprint(cut(s.Findings())), fmt.Sprint(cut(tr.Findings)); a != b {
		return fmt.Sprintf("findings:\nstore  %s\nmemory %s", a, b)
	}
	return ""
}

// disagreement writes the bytes to a file and says where a store and Read differ about them, "" when they agree.
func disagreement(path string, data []byte, window int) string {
	os.Remove(path) // a file that is written over is flushed to the disk by some file systems: that takes seconds in all
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return err.Error()
	}
	tr, rerr := Read(data)
	s, serr := verified(path, window)
	if serr == nil {
		defer s.Close()
	}
	if rerr != nil || serr != nil {
		if fmt.Sprint(rerr) != fmt.Sprint(serr) {
			return fmt.Sprintf("in memory: %v\nas a store: %v\n%q", rerr, serr, data)
		}
		return ""
	}
	if d := agree(tr, s); d != "" {
		return fmt.Sprintf("window %d: %s\n%q", window, d, data)
	}
	return ""
}

// Each file in testdata/damaged begins with its verdict: the types of the events it reads as, and, behind bars, texts
// that the findings and the tear hold. The same bytes in a store give the same.
func TestDamagedFiles(t *testing.T) {
	files, _ := filepath.Glob("testdata/damaged/*.txt")
	if len(files) == 0 {
		t.Fatal("no cases in testdata/damaged")
	}
	for _, f := range files {
		t.Run(strings.TrimSuffix(filepath.Base(f), ".txt"), func(t *testing.T) {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			header, body, _ := bytes.Cut(data, []byte("\n"))
			tr, err := Read(body)
			if err != nil {
				t.Fatal(err)
			}
			got := judgedTrace(tr)
			for i, want := range strings.Split(string(header), "|") {
				want = strings.TrimSpace(want)
				if i == 0 && !strings.HasPrefix(got+" ", want+" ") && want != "" || i > 0 && !strings.Contains(got, want) {
					t.Fatalf("verdict %q\nwant    %q", got, header)
				}
			}
			for _, window := range []int{1, 7, 100, scanBytes} {
				if d := disagreement(filepath.Join(t.TempDir(), "t.json"), body, window); d != "" {
					t.Fatal(d)
				}
			}
		})
	}
}

// An event as it lies in a file: canonical or indented, members in any order.
func spelled(t *rapid.T, e *Event) []byte {
	text := e.AppendJSON(nil)
	switch rapid.IntRange(0, 3).Draw(t, "spelling") {
	case 0:
		var b bytes.Buffer
		if err := json.Indent(&b, text, "", " "); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	case 1:
		return []byte(e.Value().Text())
	}
	return text
}

// Valid JSON reads as exactly its elements in every layout, and a store sees what memory sees, also of broken bytes and
// through windows of any size.
func TestAnyLayoutAnyWindow(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.json")
	rapid.Check(t, func(t *rapid.T) {
		array := rapid.Bool().Draw(t, "array")
		space := rapid.SampledFrom([]string{"", "\n", " ", "\r\n", "\n\n  "})
		var b bytes.Buffer
		n := rapid.IntRange(1, 12).Draw(t, "events")
		if array {
			b.WriteString(space.Draw(t, "before") + "[" + space.Draw(t, "first"))
		}
		var want []string
		for i := range n {
			e := genEvent(t, i+1, 3)
			want = append(want, string(e.AppendJSON(nil)))
			if i > 0 && array {
				b.WriteString(space.Draw(t, "behind") + "," + space.Draw(t, "between"))
			} else if i > 0 {
				b.WriteString("\n" + space.Draw(t, "between"))
			}
			b.Write(spelled(t, &e))
		}
		if array {
			b.WriteString(space.Draw(t, "last") + "]" + space.Draw(t, "end"))
		}
		tr, err := Read(b.Bytes())
		if err != nil || tr.Tear != nil || tr.Damage() >= 0 || len(tr.Events) != n {
			t.Fatalf("%v %+v\n%s", err, tr, b.Bytes())
		}
		for i := range tr.Events {
			if got := string(tr.Events[i].AppendJSON(nil)); got != want[i] {
				t.Fatalf("event %d: %s, want %s", i, got, want[i])
			}
		}
		data := b.Bytes()
		for range rapid.IntRange(0, 3).Draw(t, "faults") {
			at := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			switch rapid.IntRange(0, 3).Draw(t, "fault") {
			case 0:
				data[at] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
			case 1:
				data[at] = rapid.SampledFrom([]byte("\x00\n,{}[]\" \\")).Draw(t, "byte")
			case 2:
				data = data[:max(at, 1)]
			case 3:
				data = append(data[:at:at], data[min(at+rapid.IntRange(1, 90).Draw(t, "lost"), len(data)-1):]...)
			}
		}
		if d := disagreement(path, data, rapid.IntRange(1, 200).Draw(t, "window")); d != "" {
			t.Fatal(d)
		}
	})
}

// FuzzOpen: a store says of any bytes what Read says, and neither fails in another way than by an error.
func FuzzOpen(f *testing.F) {
	f.Add([]byte(sample), uint16(50))
	files, _ := filepath.Glob("testdata/damaged/*.txt")
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			_, body, _ := bytes.Cut(data, []byte("\n"))
			f.Add(body, uint16(64))
		}
	}
	path := filepath.Join(f.TempDir(), "t.json")
	f.Fuzz(func(t *testing.T, data []byte, window uint16) {
		if d := disagreement(path, data, int(window)+1); d != "" {
			t.Fatal(d)
		}
	})
}
