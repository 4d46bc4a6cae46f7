package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace/canon"
)

func export(tb testing.TB, log Log, opt ExportOptions) (string, *ExportReport) {
	tb.Helper()
	var b bytes.Buffer
	rep, err := Export(context.Background(), &b, log, opt, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return b.String(), rep
}

// What is exported reads as the same events, in both layouts, from memory and from a file.
func TestExportReadsBack(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		events := randomFlow(rt).run(rapid.IntRange(0, 20).Draw(rt, "steps"))
		from := rapid.IntRange(0, len(events)).Draw(rt, "from")
		to := rapid.IntRange(from, len(events)).Draw(rt, "to")
		format := rapid.SampledFrom([]ExportFormat{ExportArray, ExportLines}).Draw(rt, "format")
		opt := ExportOptions{Format: format, From: from, To: to}
		if to == 0 {
			to = len(events) // 0 means the end
		}
		text, rep := export(t, MemLog(events), opt)
		again, _ := export(t, storeOf(t, events, nil), opt)
		if again != text {
			rt.Fatalf("from the file\n%s\nfrom memory\n%s", again, text)
		}
		back := readTrace(t, []byte(text))
		if len(back) != to-from || rep.Events != to-from {
			rt.Fatalf("%d events of %d, reported %d", len(back), to-from, rep.Events)
		}
		for i := range back {
			if got, want := back[i].AppendJSON(nil), events[from+i].AppendJSON(nil); !bytes.Equal(got, want) {
				rt.Fatalf("event %d\n%s\n%s", i, got, want)
			}
		}
	})
}

// Cancelled steps and damage are left out, rounded integers are counted.
func TestExportLeavesOut(t *testing.T) {
	body, err := os.ReadFile("testdata/lint/cancelled.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, body, _ = bytes.Cut(body, []byte("---\n"))
	lines := bytes.SplitAfter(body, []byte("\n"))
	lines[20] = []byte("{broken\n")
	lines[11] = bytes.Replace(lines[11], []byte(`"n":2`), []byte(`"n":9007199254740993`), 1)
	text, rep := export(t, storeOfText(t, bytes.Join(lines, nil), nil), ExportOptions{Format: ExportLines})
	if rep.Cancelled != 3 || rep.Damaged != 1 || rep.Rounded != 1 || rep.Events != 25 {
		t.Errorf("%+v", rep)
	}
	if strings.Contains(text, `"n":99`) || strings.Contains(text, "x-cancel") || strings.Contains(text, "broken") {
		t.Error(text)
	}
}

func TestExportMermaid(t *testing.T) {
	events := diamond().run(100)
	text, rep := export(t, MemLog(events), ExportOptions{Format: ExportMermaid})
	want, err := os.ReadFile("testdata/export/diamond.mmd")
	if err != nil {
		t.Fatal(err)
	}
	if text != string(want) || rep.Events != 11 {
		t.Errorf("%d events\n%s", rep.Events, text)
	}
	part, _ := export(t, storeOf(t, events, nil), ExportOptions{Format: ExportMermaid, From: 9, To: 13})
	const wantPart = `sequenceDiagram
    participant a0 as b
    participant a1 as d
    participant a2 as c
    a0->>a1: [3] note #34;b1 0#34;
    a2->>a1: [4] note #34;c0 0#34;
`
	if part != wantPart {
		t.Errorf("%s", part)
	}
	none, _ := export(t, MemLog(events[25:]), ExportOptions{Format: ExportMermaid})
	if none != "sequenceDiagram\n    participant run as run\n    Note over run: finish after 8 steps idle\n" {
		t.Errorf("%s", none)
	}
}

var (
	mermaidSafe = `(?:[\p{L}\p{Nd} .,()\[\]/?!=+'-]|#[0-9]+;)+`
	mermaidLine = regexp.MustCompile(`^(?:sequenceDiagram|    participant [a-z][a-z0-9]* as ` + mermaidSafe + `|    [a-z][a-z0-9]*--?>>[a-z][a-z0-9]*: ` + mermaidSafe +
		`|    Note over [a-z][a-z0-9]*(?:,[a-z][a-z0-9]*)?: ` + mermaidSafe + `)$`)
	mermaidEnd = regexp.MustCompile(`(?i)(^|[^\p{L}\p{Nd}])end([^\p{L}\p{Nd}]|$)`)
)

// No text of a trace means anything to Mermaid: every line has one of four forms, in a small alphabet.
func TestMermaidIsSafe(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"end", "a; b", "#35;", "wrap: x", "%%{init}%%", "<br/>", "x\n    Note over", "a->>b: c", "\u202eevil", "$$x$$", "`md`", "END."}))
	rapid.Check(t, func(rt *rapid.T) {
		id, tag, to := text.Draw(rt, "id"), text.Draw(rt, "tag"), text.Draw(rt, "to")
		payload := canon.String(text.Draw(rt, "payload"))
		events := []Event{
			{Type: Receive, Step: 1, Agent: id, Message: NewInput(tag, payload)},
			{Type: SendEvent, Step: 1, Agent: id, Port: "p", To: to, Message: NewMessage(id, tag, payload)},
			{Type: EffectEvent, Step: 1, Agent: id, Effect: NewRequest(tag, payload), Response: payload},
			{Type: ErrorEvent, Step: 1, Agent: id, Error: &ErrorInfo{Text: tag}},
			{Type: FinishEvent, Finish: &Finish{Reason: tag, Outputs: canon.EmptyObject}},
		}
		out, _ := export(t, MemLog(events), ExportOptions{Format: ExportMermaid})
		for _, line := range strings.Split(strings.TrimSuffix(out, "\n"), "\n") {
			if !mermaidLine.MatchString(line) || mermaidEnd.MatchString(line) {
				rt.Fatalf("%q", line)
			}
		}
	})
}

func TestExportRefuses(t *testing.T) {
	log := MemLog(diamond().run(100))
	for _, opt := range []ExportOptions{{Format: "svg"}, {Format: ExportLines, From: -1}, {Format: ExportLines, From: 9, To: 3}, {Format: ExportLines, From: 99}} {
		if _, err := Export(context.Background(), io.Discard, log, opt, nil); err == nil {
			t.Errorf("%+v", opt)
		}
	}
}

// A failed export leaves the old file, and nothing beside it.
func TestExportFileIsAtomic(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "out.json")
	if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	log := MemLog(diamond().run(100))
	for len(log) < 1000 {
		log = append(log, log...)
	}
	if _, err := ExportFile(ctx, path, log, ExportOptions{Format: ExportArray}, nil); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "old" {
		t.Fatal(string(data), err)
	}
	if _, err := ExportFile(context.Background(), path, log, ExportOptions{Format: ExportArray}, nil); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
}

func BenchmarkExport(b *testing.B) {
	for _, format := range ExportFormats {
		for _, n := range []int{10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/events=%d", format, n), func(b *testing.B) {
				path := filepath.Join(b.TempDir(), "t.json")
				b.SetBytes(writeBigTrace(b, path, n))
				s := openStore(b, path, nil)
				b.ReportAllocs()
				for b.Loop() {
					if _, err := Export(context.Background(), io.Discard, s, ExportOptions{Format: format}, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
