package judge

import (
	"bytes"
	"errors"
	"io/fs"
	"strings"
	"testing"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// flipped is one input of a verification whose single bytes are changed, from from up to to (0 = all of it).
type flipped struct {
	what     string
	bytes    func(*certified) []byte
	from, to int
}

// TestByteFlips changes single bytes of every input: the one that was changed is named and no other, whatever the byte.
func TestByteFlips(t *testing.T) {
	whole := issueOne(t, "a")
	result := HashBytes(snapshots[1])
	candidates := func(c *certified) []byte { return c.candidates }
	part := func(what, text string) flipped {
		from := bytes.Index(whole.candidates, []byte(text))
		if from < 0 {
			t.Fatalf("no %s", text)
		}
		return flipped{what, candidates, from, from + len(text)}
	}
	for _, input := range []flipped{
		{StaleCertificate, func(c *certified) []byte { return c.cert }, 0, 0},
		{StaleRules, func(c *certified) []byte { return c.rules }, 0, 0},
		part(StaleMetrics, `"hpwl": 628, "fmax_mhz": 111.11, "cpu": 1.5`),
		part(StaleCandidateSet, `"hpwl": 661, "fmax_mhz": 112.69`),
		part(StaleBinding, `iPL.place`),
		part(StaleBinding, `1.2.0`),
		{StaleSnapshot, func(c *certified) []byte { return c.snaps[result] }, 0, 0},
	} {
		if input.to == 0 {
			input.to = len(input.bytes(&whole))
		}
		for i := input.from; i < input.to; i++ {
			for _, bit := range []byte{1, 2, 32, 128} {
				c := whole
				c.candidates, c.rules, c.cert = bytes.Clone(c.candidates), bytes.Clone(c.rules), bytes.Clone(c.cert)
				c.snaps = map[contract.Hash][]byte{result: bytes.Clone(snapshots[1])}
				input.bytes(&c)[i] ^= bit
				input.check(t, i, &whole, &c)
			}
		}
	}
}

func (f flipped) check(t *testing.T, i int, before, after *certified) {
	set, err := ReadCandidates(after.candidates, ListOptions{})
	if err != nil {
		return // no candidate set any more; the reader says where
	}
	v, err := Verify(VerifyInput{Certificate: after.cert, Rules: after.rules, Candidates: set, Snapshot: func(h contract.Hash) ([]byte, error) {
		if data, ok := after.snaps[h]; ok {
			return data, nil
		}
		return nil, fs.ErrNotExist
	}})
	if err != nil && f.what == StaleCertificate && !errors.Is(err, ErrRules) {
		return // no certificate any more
	}
	if err != nil {
		t.Fatalf("%s, byte %d: %v", f.what, i, err)
	}
	want := f.what
	asBefore := respelled(before.cert, after.cert) && respelled(before.candidates, after.candidates)
	if asBefore && f.what != StaleRules && f.what != StaleSnapshot { // these two are bound as files, byte by byte
		want = "" // white space, \u003c for \u003C
	}
	if got := strings.Join(v.named(), " "); got != want {
		t.Errorf("%s, byte %d %q → %q: named %q", f.what, i, f.bytes(before)[i], f.bytes(after)[i], got)
	}
}

// respelled says that two texts are one JSON document.
func respelled(a, b []byte) bool {
	x, _, err := canon.Parse(a, canon.Options{})
	if err != nil {
		return false
	}
	y, _, err := canon.Parse(b, canon.Options{})
	return err == nil && x == y
}
