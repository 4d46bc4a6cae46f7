package script

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Recording costs a call none of its steps: it runs into the limit where it does without the debugger.
func TestRecordingCostsNoSteps(t *testing.T) {
	for loops, over := range map[int]bool{950_000: false, 1_100_000: true} {
		b := load(t, fmt.Sprintf("def act(msg, state, config):\n    total = 0\n    for i in range(%d):\n        total += i\n    return result(state = total)\n", loops))
		res, plain := b.Act(call("x", "1"))
		rec, err := Record(b, call("x", "1"))
		if err != nil {
			t.Fatal(err)
		}
		if over != (plain != nil) || over != (rec.Err != nil) || over && rec.Err.Error() != plain.Error() || rec.Result.State != res.State {
			t.Errorf("%d loops: %v, recorded %v", loops, plain, rec.Err)
		}
		if !rec.Truncated || len(rec.Statements) != MaxStatements || rec.Statements[MaxStatements-1].Line != 4 {
			t.Errorf("%d statements, truncated %v", len(rec.Statements), rec.Truncated)
		}
	}
}

// Statements of functions in functions, of branches and of the top level's own calls: each once, where it stands.
func TestEveryStatementIsRecorded(t *testing.T) {
	b := load(t, `def twice(x):
    return x + x

top = twice(4)

if top:
    def pick(n):
        if n > 1:
            return "many"
        elif n == 1:
            return "one"
        else:
            pass
        return "none"

def act(msg, state, config):
    def inner(n):
        n += top; return n
    words = sorted([inner(n) for n in (1, 0)], key = lambda n: twice(n))
    while words:
        words.pop()
    return result(state = [pick(0), pick(1), pick(2)])
`)
	rec, err := Record(b, call("x", "1"))
	if err != nil || rec.Err != nil {
		t.Fatal(err, rec.Err)
	}
	var places []string
	for _, s := range rec.Statements {
		places = append(places, fmt.Sprintf("%s:%d:%d/%d", s.Func, s.Line, s.Col, s.Depth))
	}
	want := `act:17:5/0 act:19:5/0 inner:18:9/1 inner:18:19/1 inner:18:9/1 inner:18:19/1 twice:2:5/3 twice:2:5/3 act:20:5/0 act:21:9/0 act:21:9/0 act:22:5/0 ` +
		`pick:8:9/1 pick:10:9/1 pick:13:13/1 pick:14:9/1 pick:8:9/1 pick:10:9/1 pick:11:13/1 pick:8:9/1 pick:9:13/1`
	if got := strings.Join(places, " "); got != want {
		t.Errorf("\n%s\nwant\n%s", got, want)
	}
}

// A condition may call the script's functions; what it runs is no part of the call that is looked at.
func TestWhereCallsTheScript(t *testing.T) {
	b := load(t, stepped)
	rec, err := Record(b, call("x", "1"))
	if err != nil {
		t.Fatal(err)
	}
	hits, err := rec.Where("helper(i) == 2", func(s Statement) bool { return s.Line == 8 })
	if err != nil || fmt.Sprint(hits) != "[5]" {
		t.Errorf("%v %v", hits, err)
	}
}

// Agents of one script may be recorded from several places at once.
func TestRecordingsDoNotMix(t *testing.T) {
	b := load(t, stepped)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				rec, err := Record(b, call("x", "1"))
				if err != nil || len(rec.Statements) != 10 {
					t.Errorf("%v %d", err, len(rec.Statements))
					return
				}
				if locals, err := rec.Locals(7); err != nil || fmt.Sprint(locals) != "[{n 1} {m 2}]" {
					t.Errorf("%v %v", locals, err)
				}
			}
		})
	}
	all.Wait()
}
