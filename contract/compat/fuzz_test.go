package compat

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"flowdbg/contract/meta"
	"flowdbg/trace/canon"
)

// FuzzSchemaDiff holds arbitrary schemas against three promises: no panic, a schema does not differ from itself (also when
// the comparison cannot see that the texts are equal), and no counterexample to an answer without breaks.
func FuzzSchemaDiff(f *testing.F) {
	for _, c := range readRows(f) {
		f.Add(c.Old.Text(), c.New.Text(), c.Dir == "out")
	}
	f.Fuzz(func(t *testing.T, oldText, newText string, results bool) {
		if len(oldText)+len(newText) > 6000 {
			return
		}
		old, _, err := canon.Parse([]byte(oldText), canon.Options{})
		if err != nil {
			return
		}
		new, _, err := canon.Parse([]byte(newText), canon.Options{})
		if err != nil {
			return
		}
		dir := Arguments
		if results {
			dir = Results
		}
		if isSchema(old) {
			if found := Diff(dir, old, old); len(found) > 0 {
				t.Errorf("%s differs from itself: %v", old, found)
			}
		}
		for _, finding := range Diff(dir, old, new) {
			if levelOfRule[finding.Rule] != finding.Level || finding.Text == "" || finding.Who == "" {
				t.Errorf("incomplete finding %+v", finding)
			}
		}
		agree(t, dir, old, new, 5, 60)
	})
}

// FuzzClassify holds arbitrary tool lists against two promises: no panic, and a list that is compared with itself demands
// nothing of any tool that the list alone does not demand.
func FuzzClassify(f *testing.F) {
	files, _ := filepath.Glob("testdata/classify/*.json")
	for _, file := range files {
		v := parseFile(f, file)
		f.Add(v.Get("old").Text(), v.Get("new").Text())
	}
	f.Fuzz(func(t *testing.T, oldText, newText string) {
		keys := meta.DefaultKeys()
		old, err := ReadToolList(keys, []byte(oldText))
		if err != nil {
			return
		}
		for _, row := range Classify(Change{Old: old, New: old}).Tools {
			if row.Level != Unchanged && row.Met {
				t.Errorf("%s differs from itself: %+v", row.Tool, row)
			}
		}
		snap, err := old.Snapshot(keys)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ReadToolList(keys, snap)
		if err != nil {
			t.Fatalf("the snapshot does not read back: %v\n%s", err, snap)
		}
		if second, _ := again.Snapshot(keys); !bytes.Equal(snap, second) {
			t.Errorf("the snapshot is not stable:\n%s\n%s", snap, second)
		}
		new, err := ReadToolList(keys, []byte(newText))
		if err != nil {
			return
		}
		r := Classify(Change{Old: old, New: new})
		for _, row := range r.Tools {
			if !row.Met && len(row.Demands) == 0 {
				t.Errorf("%s is not met and demands nothing", row.Tool)
			}
		}
	})
}

// TestReflexiveWithoutShortcut compares generated schemas with themselves under another spelling, so that the equality of
// texts cannot answer: the root gets a remark.
func TestReflexiveWithoutShortcut(t *testing.T) {
	for seed := range 400 {
		m := newMaker(uint64(seed))
		old := m.root()
		if old.Kind() != canon.KindObject {
			continue
		}
		new := canon.Object(append([]canon.Member{{Key: "$comment", Value: canon.String("x")}}, membersOf(old)...)...)
		for _, dir := range []Direction{Arguments, Results} {
			if found := Diff(dir, old, new); Worst(found) > LevelDocs {
				t.Fatalf("%s %s: %v", dir, old, found)
			}
		}
	}
}

func membersOf(v canon.Value) []canon.Member {
	var out []canon.Member
	for k, m := range v.Members() {
		out = append(out, canon.Member{Key: k, Value: m})
	}
	return out
}

func parseFile(tb testing.TB, path string) canon.Value {
	tb.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		tb.Fatal(err)
	}
	return parse(tb, string(data))
}
