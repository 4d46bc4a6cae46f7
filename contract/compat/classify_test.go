package compat

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/contract/meta"
	"flowdbg/contract/translate"
)

// classifyCase is one file of testdata/classify. Want holds level, letter and met by tool; gates the status by id.
type classifyCase struct {
	Why       string          `json:"why"`
	Old       json.RawMessage `json:"old"`
	New       json.RawMessage `json:"new"`
	Rules     json.RawMessage `json:"rules"`
	Changelog *string         `json:"changelog"`
	Title     string          `json:"title"`
	Fixtures  []string        `json:"fixtures"`

	Want      map[string][3]any     `json:"want"`
	Gates     map[string]GateStatus `json:"gates"`
	OK        bool                  `json:"ok"`
	Rule      string                `json:"rule"`   // a finding somewhere has this rule
	Advice    string                `json:"advice"` // some row's advice holds this
	Heir      map[string]string     `json:"heir"`
	Demands   []string              `json:"demands"`   // each is part of some demand
	NoDemands []string              `json:"nodemands"` // none is part of any demand
}

const testDay = "2026-11-30"

func (c classifyCase) change(t *testing.T) Change {
	t.Helper()
	keys := meta.DefaultKeys()
	read := func(data []byte) *ToolList {
		l, err := ReadToolList(keys, data)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	today, err := meta.ParseDate(testDay)
	if err != nil {
		t.Fatal(err)
	}
	ch := Change{Old: read(c.Old), New: read(c.New), Changelog: c.Changelog, Title: c.Title, Fixtures: c.Fixtures, Today: today, Keys: keys}
	if c.Rules != nil {
		if ch.Rules, err = translate.Load([]translate.Source{{Name: "rules.json", Data: c.Rules}}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return ch
}

func TestClassify(t *testing.T) {
	files, err := filepath.Glob("testdata/classify/*.json")
	if err != nil || len(files) < 40 {
		t.Fatalf("%d cases, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var c classifyCase
			if err := json.Unmarshal(data, &c); err != nil {
				t.Fatal(err)
			}
			r := Classify(c.change(t))
			c.check(t, r)
			if t.Failed() {
				text, _ := json.MarshalIndent(r, "", " ")
				t.Logf("%s\n%s", c.Why, text)
			}
		})
	}
}

func (c classifyCase) check(t *testing.T, r Report) {
	if r.OK != c.OK {
		t.Errorf("ok is %t, want %t", r.OK, c.OK)
	}
	if len(r.Tools) != len(c.Want) {
		t.Errorf("%d rows, want %d", len(r.Tools), len(c.Want))
	}
	var demands, rules, advice []string
	for _, row := range r.Tools {
		want := c.Want[row.Tool]
		if got := [3]any{string(row.Level), row.Letter.String(), row.Met}; got != want {
			t.Errorf("%s: got %v, want %v", row.Tool, got, want)
		}
		if heir, ok := c.Heir[row.Tool]; ok && row.Heir != heir {
			t.Errorf("%s: successor %q, want %q", row.Tool, row.Heir, heir)
		}
		if row.Met && row.Level != Removal && row.Who != WhoNobody && row.Who != WhoUndecided {
			t.Errorf("%s is met and breaks %s", row.Tool, row.Who)
		}
		if !row.Met && len(row.Demands) == 0 {
			t.Errorf("%s is not met and demands nothing", row.Tool)
		}
		demands, advice = append(demands, row.Demands...), append(advice, row.Advice)
		for _, f := range row.Findings {
			rules = append(rules, f.Rule)
			if levelOfRule[f.Rule] == LevelNone {
				t.Errorf("rule %s is in no table", f.Rule)
			}
		}
	}
	for _, g := range r.Gates {
		if want, ok := c.Gates[g.ID]; ok && g.Status != want {
			t.Errorf("gate %s is %s, want %s (%s)", g.ID, g.Status, want, g.Text)
		}
		delete(c.Gates, g.ID)
	}
	for id := range c.Gates {
		t.Errorf("no gate %s", id)
	}
	all := strings.Join(demands, "\n")
	for _, part := range c.Demands {
		if !strings.Contains(all, part) {
			t.Errorf("nothing demands %q", part)
		}
	}
	for _, part := range c.NoDemands {
		if strings.Contains(all, part) {
			t.Errorf("something demands %q", part)
		}
	}
	if c.Rule != "" && !strings.Contains("\n"+strings.Join(rules, "\n")+"\n", "\n"+c.Rule+"\n") {
		t.Errorf("no finding of rule %s in %v", c.Rule, rules)
	}
	if c.Advice != "" && !strings.Contains(strings.Join(advice, "\n"), c.Advice) {
		t.Errorf("no advice holds %q: %q", c.Advice, advice)
	}
}
