package trace

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const sample = `[
{"type":"receive","step":1,"agent":"a","message":{"payload":{"q":1},"tag":"task"}},
{"type":"act","step":1,"agent":"a","state":null,"send":[],"effect":{"input":{"q":1},"op":"search"}},
{"type":"effect","step":1,"agent":"a","request":{"input":{"q":1},"op":"search"},"response":{"hits":[]},"usage":{"input_tokens":0,"output_tokens":0,"usd":0}},
{"type":"finish","steps":1,"state_hash":"00","ledger":{"input_tokens":0,"output_tokens":0,"usd":0},"outputs":{},"reason":"idle"}
]
`

func TestReadWriteIsByteExact(t *testing.T) {
	tr, err := Read([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	if len(tr.Findings) != 0 || tr.Tear != nil || tr.Format != FormatArray {
		t.Fatalf("findings %v, tear %v, format %s", tr.Findings, tr.Tear, tr.Format)
	}
	var b bytes.Buffer
	if err := Write(&b, tr.Events, FormatArray); err != nil || b.String() != sample {
		t.Fatalf("%v\n%s", err, b.String())
	}
	b.Reset()
	if err := Write(&b, tr.Events, FormatLines); err != nil {
		t.Fatal(err)
	}
	lines, err := Read(b.Bytes())
	if err != nil || lines.Format != FormatLines || len(lines.Events) != len(tr.Events) {
		t.Fatalf("%v, %s, %d events", err, lines.Format, len(lines.Events))
	}
	if !LooksLikeTrace([]byte(sample)) || !LooksLikeTrace(b.Bytes()) || LooksLikeTrace([]byte(`{"agents":[]}`)) {
		t.Fatal("told apart wrongly")
	}
}

// Cut at every byte: always the whole events before the cut, never an error, unless the first event is cut.
func TestTruncatedAtEveryByte(t *testing.T) {
	first := strings.Index(sample, "\n{\"type\":\"act\"")
	for n := first; n < len(sample)-1; n++ {
		tr, err := Read([]byte(sample[:n]))
		if err != nil {
			t.Fatalf("cut at %d: %v", n, err)
		}
		whole := 0
		for end := 0; ; whole++ {
			next := strings.Index(sample[end:], "}\n")
			if comma := strings.Index(sample[end:], "},\n"); comma >= 0 {
				next = comma
			}
			if next < 0 || end+next+1 > n {
				break
			}
			end += next + 2
		}
		if len(tr.Events) != whole {
			t.Fatalf("cut at %d: %d events, want %d", n, len(tr.Events), whole)
		}
		if complete := n == len(sample)-1; (tr.Tear == nil) != complete && sample[n-1] != ']' {
			t.Fatalf("cut at %d: tear %v", n, tr.Tear)
		}
	}
}

// Each file in testdata/bad begins with a line that the error must contain; the trace follows.
func TestBadTraces(t *testing.T) {
	files, _ := filepath.Glob("testdata/bad/*.txt")
	if len(files) == 0 {
		t.Fatal("no cases in testdata/bad")
	}
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			want, body, _ := bytes.Cut(data, []byte("\n"))
			_, err = Read(body)
			var re *ReadError
			if !errors.As(err, &re) || !strings.Contains(err.Error(), string(want)) {
				t.Fatalf("got %v\nwant %s", err, want)
			}
		})
	}
}

func TestForeignShapes(t *testing.T) {
	const nested = `{"type":"effect","step":0,"agent":"a","request":{"op":"llm","input":1},"response":{"output":"hi","usage":{"input_tokens":3,"output_tokens":4,"usd":0.5}}}
{"type":"receive","step":1,"agent":"a","message":{"tag":"effect","payload":PAYLOAD,"from":"effect"}}
{"type":"dance","step":1,"agent":"a"}
`
	for name, payload := range map[string]string{"output": `"hi"`, "whole": `{"output":"hi","usage":{"input_tokens":3,"output_tokens":4,"usd":0.5}}`} {
		t.Run(name, func(t *testing.T) {
			tr, err := Read([]byte(strings.Replace(nested, "PAYLOAD", payload, 1)))
			if err != nil {
				t.Fatal(err)
			}
			s := NewState(PlaybackSetup(tr.Events))
			for i := range tr.Events {
				_, f := s.Apply(&tr.Events[i])
				if i < 2 && f != nil {
					t.Fatalf("event %d: %v", i, f)
				}
				if i == 2 && (f == nil || f.Kind != FindUnknownType || !s.Partial()) {
					t.Fatalf("unknown type: %v", f)
				}
			}
			if s.Ledger().USD != 0.5 || s.InboxLen("a") != 0 {
				t.Fatalf("ledger %v, inbox %d", s.Ledger(), s.InboxLen("a"))
			}
		})
	}
}

func TestCancelledStepIsPassedOver(t *testing.T) {
	const text = `{"type":"receive","step":1,"agent":"a","message":{"tag":"task","payload":1}}
{"type":"act","step":1,"agent":"a","state":1,"send":[]}
{"type":"receive","step":2,"agent":"a","message":{"tag":"x","payload":2}}
{"type":"act","step":2,"agent":"a","state":2,"send":[]}
{"type":"x-cancel","step":2}
`
	tr, err := Read([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	s := NewState(PlaybackSetup(tr.Events))
	for i := range tr.Events {
		s.Apply(&tr.Events[i])
	}
	if a, _ := s.Agent("a"); s.Begun() != 1 || a.State.Text() != "1" {
		t.Fatalf("begun %d, state %s", s.Begun(), a.State)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(sample))
	f.Add([]byte(`{"type":"receive","step":1,"agent":"a","message":{"tag":"t"}}`))
	f.Add([]byte(`[{"type":"x-cancel","step":1},{"type":"finish","steps":0}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := Read(data)
		if err != nil {
			return
		}
		s := NewState(PlaybackSetup(tr.Events))
		before := look(s)
		var undos []Undo
		for i := range tr.Events {
			u, _ := s.Apply(&tr.Events[i])
			undos = append(undos, u)
		}
		if s.Hash() != fullHash(s) {
			t.Fatal("incremental hash is not the document's")
		}
		for i := len(undos) - 1; i >= 0; i-- {
			s.Undo(&tr.Events[i], undos[i])
		}
		if look(s) != before {
			t.Fatal("undo did not restore the start")
		}
		var b bytes.Buffer
		if err := Write(&b, tr.Events, FormatArray); err != nil {
			t.Fatal(err)
		}
		again, err := Read(b.Bytes())
		if err != nil || len(again.Events) != len(tr.Events) {
			t.Fatalf("written and read again: %v", err)
		}
	})
}

// TestReadErrorBound: a pointer over a huge key does not make a huge message.
func TestReadErrorBound(t *testing.T) {
	key := strings.Repeat("k", 1<<20)
	_, err := Read([]byte(`[{"type":"receive","step":1,"agent":"a","message":{"tag":"t","payload":{"` + key + `":{"a":1,"a":2}}}}]`))
	if err == nil || len(err.Error()) > 1000 || !strings.Contains(err.Error(), "kkk/a") {
		t.Fatalf("%.200v", err)
	}
}
