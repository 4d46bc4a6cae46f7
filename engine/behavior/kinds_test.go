package behavior

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// TestKinds runs the conversations in testdata/kinds: {kind, config, problems?, steps:[{message, state?, send?, effect?,
// error?}]}. The state is carried from step to step; a step without "state" leaves it as it was, "effect" absent means
// none, and an error means that nothing else is returned.
func TestKinds(t *testing.T) {
	files, _ := filepath.Glob("testdata/kinds/*.json")
	kinds := map[string]bool{}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c, _, err := canon.Parse(data, canon.Options{})
			if err != nil {
				t.Fatal(err)
			}
			name, _ := c.Get("kind").Str()
			kind, ok := Builtin().Find(name)
			if !ok {
				t.Fatalf("no kind %q", name)
			}
			kinds[name] = true
			b, problems := kind.New(c.Get("config"))
			checkProblems(t, problems, c.Get("problems"))
			if len(problems) == 0 {
				converse(t, b, c.Get("steps"))
			}
		})
	}
	for _, name := range Builtin().Names() {
		if !kinds[name] {
			t.Errorf("no case for kind %s", name)
		}
	}
}

func checkProblems(t *testing.T, got []Problem, want canon.Value) {
	t.Helper()
	var lines []string
	for _, p := range got {
		line := p.Pointer + ": " + p.What + "; " + p.Want
		if p.Warning {
			line = "warning " + line
		}
		lines = append(lines, line)
	}
	var wanted []string
	for _, v := range want.Elems() {
		s, _ := v.Str()
		wanted = append(wanted, s)
	}
	if !slices.Equal(lines, wanted) {
		t.Fatalf("problems\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(wanted, "\n"))
	}
}

func converse(t *testing.T, b Behavior, steps canon.Value) {
	t.Helper()
	state := canon.Null
	for i, step := range steps.Elems() {
		m := step.Get("message")
		tag, _ := m.Get("tag").Str()
		res, err := b.Act(Call{Agent: "me", State: state, Message: trace.NewMessage("you", tag, m.Get("payload"))})
		if want, ok := step.Get("error").Str(); ok || err != nil {
			if err == nil || err.Error() != want {
				t.Fatalf("step %d: error %v, want %q", i, err, want)
			}
			continue
		}
		if res.State != step.Get("state") {
			t.Errorf("step %d: state %s, want %s", i, res.State, step.Get("state"))
		}
		want := step.Get("send")
		if want.IsAbsent() {
			want = canon.EmptyArray
		}
		if got := trace.SendsValue(res.Sends); got != want {
			t.Errorf("step %d: sends %s, want %s", i, got, want)
		}
		effect := canon.Value{}
		if res.Effect != nil {
			effect = trace.NewRequest(res.Effect.Op, res.Effect.Input).Text()
		}
		if effect != step.Get("effect") {
			t.Errorf("step %d: effect %s, want %s", i, effect, step.Get("effect"))
		}
		if !res.State.IsAbsent() {
			state = res.State
		}
	}
}

// The documented config members are exactly those that are read, and the documented effects those that are asked for.
func TestDocumentationMatches(t *testing.T) {
	for _, name := range Builtin().Names() {
		kind, _ := Builtin().Find(name)
		_, problems := kind.New(canon.Raw(`{"zz":1}`))
		var docs []string
		for _, f := range kind.Config {
			docs = append(docs, f.Name)
		}
		slices.Sort(docs)
		want := "this kind reads " + strings.Join(docs, ", ")
		if !slices.ContainsFunc(problems, func(p Problem) bool { return p.Warning && p.Pointer == "/zz" && p.Want == want }) {
			t.Errorf("%s documents %s; problems of an unknown member: %v", name, strings.Join(docs, ", "), problems)
		}
		if kind.Summary == "" || len(kind.Ports) == 0 || kind.State == "" || len(kind.Receives) == 0 {
			t.Errorf("%s is not documented whole", name)
		}
	}
}

// No config and no message makes a kind panic, and every result is the same when asked again.
func TestKindsAreTotalAndPure(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		names := Builtin().Names()
		kind, _ := Builtin().Find(rapid.SampledFrom(names).Draw(t, "kind"))
		b, problems := kind.New(genValue(t, "config", 2))
		if len(problems) > 0 {
			return
		}
		call := Call{Agent: "a", State: genValue(t, "state", 2), Message: trace.NewMessage("x", rapid.SampledFrom(genTags).Draw(t, "tag"), genValue(t, "payload", 2))}
		res, err := b.Act(call)
		again, err2 := b.Act(call)
		if (err == nil) != (err2 == nil) || err != nil && err.Error() != err2.Error() || res.State != again.State || trace.SendsValue(res.Sends) != trace.SendsValue(again.Sends) {
			t.Fatalf("two results for one call")
		}
		for _, v := range []canon.Value{res.State, trace.SendsValue(res.Sends)} {
			if back, _, err := canon.ParseString(v.Text(), canon.Options{}); !v.IsAbsent() && (err != nil || back != v) {
				t.Fatalf("not canonical: %s", v.Text())
			}
		}
	})
}

var genTags = []string{"task", "effect", "research", "critique", "count", "x"}

var genKeys = []string{"question", "text", "score", "hits", "json", "pending", "last", "items", "count", "value", "pointer", "op", "routes", "default", "by", "tag", "fields", "ignore", "every", "n", "prompt", "model"}

func genValue(t *rapid.T, label string, depth int) canon.Value {
	leaves := []canon.Value{canon.Null, canon.True, canon.Int(0), canon.Int(2), canon.Raw("0.5"), canon.Int(-1), canon.String(""), canon.String("task"), canon.String("/text"), canon.String(">="), canon.String("0.7 of 1")}
	switch n := rapid.IntRange(0, 5).Draw(t, label); {
	case n >= 4 && depth > 0:
		var list []canon.Value
		for range rapid.IntRange(0, 3).Draw(t, label) {
			list = append(list, genValue(t, label, depth-1))
		}
		return canon.Array(list...)
	case n >= 1 && depth > 0:
		var members []canon.Member
		for range rapid.IntRange(0, 4).Draw(t, label) {
			members = append(members, canon.Member{Key: rapid.SampledFrom(genKeys).Draw(t, label), Value: genValue(t, label, depth-1)})
		}
		return canon.Object(members...)
	}
	return rapid.SampledFrom(leaves).Draw(t, label)
}

// json.score, else the first number in [0,1] in the text, else 0.
func TestScore(t *testing.T) {
	cases := map[string]string{
		"":                               "0",
		"no number":                      "0",
		"0.8":                            "0.8",
		"Score: 0.75 of 1":               "0.75",
		"7 of 10, so 0.7":                "0.7",
		"10/10":                          "0",
		"a clear 1.":                     "1",
		"1.0":                            "1",
		"-0.5 and 0.25":                  "0.25",
		"version 0.3.1 gets 0.9":         "0.9",
		"GPT-4 says .5":                  "0.5",
		"B1 is worth 0.6":                "0.6",
		"1e-3":                           "0.001",
		"2e3, then 0.4":                  "0.4",
		"ünder0.5 is a name":             "0",
		"00.5 has no such form, 0.2 has": "0.2",
	}
	for text, want := range cases {
		if got := score(canon.EmptyObject, text); got.Text() != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if got := score(canon.Raw(`{"json":{"score":0.3}}`), "0.9"); got.Text() != "0.3" {
		t.Errorf("json.score: %s", got)
	}
	if got := score(canon.Raw(`{"json":{"score":"high"}}`), "0.9"); got.Text() != "0.9" {
		t.Errorf("json.score that is no number: %s", got)
	}
}

func TestRegistry(t *testing.T) {
	r := Builtin()
	mine := Kind{Name: "mine", New: func(canon.Value) (Behavior, []Problem) { return nil, nil }}
	if err := r.Register(mine); err != nil {
		t.Fatal(err)
	}
	if _, ok := r.Find("mine"); !ok || !slices.IsSorted(r.Names()) {
		t.Fatalf("names %v", r.Names())
	}
	if _, ok := Builtin().Find("mine"); ok {
		t.Fatal("registering changed the built-in registry")
	}
	for _, bad := range []Kind{mine, {Name: "echo", New: mine.New}, {Name: "", New: mine.New}, {Name: "no constructor"}} {
		if r.Register(bad) == nil {
			t.Errorf("registered %q", bad.Name)
		}
	}
}
