package judge

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"flowdbg/contract"
)

// certified is a complete set of inputs with the certificate of one candidate.
type certified struct {
	candidates, rules, cert []byte
	snaps                   map[contract.Hash][]byte
}

var snapshots = [][]byte{[]byte(`{"cells":[1]}`), []byte(`{"cells":[2]}`)}

func issueOne(t *testing.T, id string) certified {
	t.Helper()
	parent, result := HashBytes(snapshots[0]), HashBytes(snapshots[1])
	c := certified{snaps: map[contract.Hash][]byte{parent: snapshots[0], result: snapshots[1]}}
	c.rules = []byte(`{"rules": [{"metric": "hpwl", "op": "<=", "limit": 900}],
 "objectives": [{"metric": "hpwl", "weight": 3}, {"metric": "fmax_mhz", "weight": 1}]}`)
	c.candidates = fmt.Appendf(nil, `{"candidates": [
 {"id": "a", "metrics": {"hpwl": 628, "fmax_mhz": 111.11, "cpu": 1.5}, "proposal_id": "p1", "parent_snap": "%s", "result_snap": "%s",
  "tool_name": "iPL.place", "tool_version": "1.2.0", "input_params_hash": "%s"},
 {"id": "b", "metrics": {"hpwl": 661, "fmax_mhz": 112.69}},
 {"id": "c", "metrics": {"hpwl": 999, "fmax_mhz": 130}},
 {"id": "d", "metrics": {"hpwl": "NaN", "fmax_mhz": 150}},
 {"id": "e", "metrics": {"hpwl": 1, "fmax_mhz": 900}, "status": "killed"},
 {"id": "f", "metrics": {"hpwl": 700, "fmax_mhz": -1}}
]}`, parent, result, HashBytes([]byte("params")))
	set, rules := c.read(t)
	r, err := Rank(set, RankOptions{Objectives: rules.Objectives, Rules: rules.Rules})
	if err != nil {
		t.Fatal(err)
	}
	cert, err := Issue(r, set, id, IssueOptions{RulesHash: rules.Hash, SignedBy: "Evaluation/v0.2.0", SignedAt: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)})
	if err != nil {
		t.Fatal(err)
	}
	if c.cert, err = json.MarshalIndent(cert, "", "  "); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c *certified) read(t *testing.T) ([]Candidate, *Rules) {
	t.Helper()
	set, err := ReadCandidates(c.candidates, ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := ReadRules(c.rules)
	if err != nil {
		t.Fatal(err)
	}
	return set, rules
}

func (c *certified) verify(t *testing.T) *Verification {
	t.Helper()
	set, err := ReadCandidates(c.candidates, ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	v, err := Verify(VerifyInput{Certificate: c.cert, Rules: c.rules, Candidates: set, Snapshot: func(h contract.Hash) ([]byte, error) {
		data, ok := c.snaps[h]
		if !ok {
			return nil, fmt.Errorf("no %s: %w", h, fs.ErrNotExist)
		}
		return data, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *Verification) named() []string {
	var names []string
	for _, f := range v.Stale {
		names = append(names, f.What)
	}
	return slices.Compact(names)
}

// TestVerdicts: what a certificate says about a candidate that passes, fails, is garbage, was killed.
func TestVerdicts(t *testing.T) {
	for id, want := range map[string]string{
		"a": `PASS 0 0`, "b": `PASS 0 0.046`, "c": `FAIL null 0.5`, "d": `INCONCLUSIVE null null`, "e": `ERROR null null`, "f": `INCONCLUSIVE null null`,
	} {
		c := issueOne(t, id)
		var cert contract.Certificate
		if err := json.Unmarshal(c.cert, &cert); err != nil {
			t.Fatal(err)
		}
		regret := "null"
		if cert.Regret != nil {
			regret = fmt.Sprintf("%.2g", *cert.Regret)
		}
		got := fmt.Sprintf("%s %s %s", cert.GateResult.Verdict, canonical(cert.ParetoPosition.Rank), regret)
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s, want %s", id, got, want)
		}
		if findings, err := contract.Validate("Certificate", c.cert); err != nil || len(findings) > 0 {
			t.Errorf("%s: the contract refuses the certificate: %v %v", id, findings, err)
		}
		if v := c.verify(t); !v.OK {
			t.Errorf("%s: a fresh certificate is stale: %+v", id, v.Stale)
		}
	}
}

// TestOneChange changes one thing at a time: exactly that must be named.
func TestOneChange(t *testing.T) {
	parent, result := HashBytes(snapshots[0]), HashBytes(snapshots[1])
	swap := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte {
			if bytes.Count(b, []byte(old)) != 1 {
				t.Fatalf("%q does not occur once", old)
			}
			return bytes.Replace(b, []byte(old), []byte(new), 1)
		}
	}
	for _, c := range []struct {
		name   string
		change func(c *certified)
		want   string
	}{
		{"nothing", func(*certified) {}, ""},
		{"gated metric of the candidate", func(c *certified) { c.candidates = swap("628", "629")(c.candidates) }, StaleMetrics},
		{"objective of the candidate", func(c *certified) { c.candidates = swap("111.11", "111.12")(c.candidates) }, StaleMetrics},
		{"a metric that nothing uses", func(c *certified) { c.candidates = swap("1.5}", "1.6}")(c.candidates) }, StaleMetrics},
		{"name of a metric", func(c *certified) { c.candidates = swap(`"cpu"`, `"cpv"`)(c.candidates) }, StaleMetrics},
		{"metric of another", func(c *certified) { c.candidates = swap("661", "662")(c.candidates) }, StaleCandidateSet},
		{"garbage of another", func(c *certified) { c.candidates = swap(`"NaN"`, `"Nan"`)(c.candidates) }, StaleCandidateSet},
		{"id of another", func(c *certified) { c.candidates = swap(`"id": "b"`, `"id": "B"`)(c.candidates) }, StaleCandidateSet},
		{"another one was killed", func(c *certified) {
			c.candidates = swap(`"metrics": {"hpwl": 661`, `"status": "killed", "metrics": {"hpwl": 661`)(c.candidates)
		}, StaleCandidateSet},
		{"one candidate fewer", func(c *certified) {
			c.candidates = swap(" {\"id\": \"c\", \"metrics\": {\"hpwl\": 999, \"fmax_mhz\": 130}},\n", "")(c.candidates)
		}, StaleCandidateSet},
		{"space in the candidates", func(c *certified) { c.candidates = swap("[\n", "[ \n")(c.candidates) }, ""},
		{"the judged candidate is gone", func(c *certified) { c.candidates = swap(`"id": "a"`, `"id": "A"`)(c.candidates) }, StaleCandidateSet},
		{"limit", func(c *certified) { c.rules = swap("900", "901")(c.rules) }, StaleRules},
		{"limit that turns the verdict", func(c *certified) { c.rules = swap("900", "100")(c.rules) }, StaleRules},
		{"space in the rules", func(c *certified) {
			c.rules = swap("[{\"metric\": \"hpwl\", \"op\"", "[ {\"metric\": \"hpwl\", \"op\"")(c.rules)
		}, StaleRules},
		{"weight", func(c *certified) { c.rules = swap(`"weight": 1`, `"weight": 2`)(c.rules) }, StaleRules},
		{"rules that are none any more", func(c *certified) { c.rules = swap(`"op"`, `"oq"`)(c.rules) }, StaleRules},
		{"rules that are no JSON any more", func(c *certified) { c.rules = swap(`[{"metric": "hpwl", "op"`, `[{"metric": "hpwl, "op"`)(c.rules) }, StaleRules},
		{"parent snapshot", func(c *certified) { c.snaps[parent] = []byte(`{"cells":[3]}`) }, StaleSnapshot},
		{"result snapshot", func(c *certified) { c.snaps[result] = []byte(`{"cells":[2]} `) }, StaleSnapshot},
		{"tool version", func(c *certified) { c.candidates = swap("1.2.0", "1.2.1")(c.candidates) }, StaleBinding},
		{"proposal", func(c *certified) { c.candidates = swap(`"p1"`, `"p2"`)(c.candidates) }, StaleBinding},
		{"certificate: verdict", func(c *certified) { c.cert = swap(`"PASS"`, `"FAIL"`)(c.cert) }, StaleCertificate},
		{"certificate: rules hash", func(c *certified) { c.cert = swap(`"rules_hash": "sha256:`, `"rules_hash": "sha256:0`)(c.cert) }, StaleCertificate},
		{"certificate: a member more", func(c *certified) { c.cert = swap(`"regret": `, `"x": 1, "regret": `)(c.cert) }, StaleCertificate},
		{"certificate: date", func(c *certified) { c.cert = swap(`2026-01-31`, `2026-01-30`)(c.cert) }, StaleCertificate},
		{"certificate: no digest", func(c *certified) { c.cert = swap(`"digest"`, `"digesu"`)(c.cert) }, StaleCertificate},
		{"certificate: space", func(c *certified) { c.cert = swap(`"regret": `, `"regret":  `)(c.cert) }, ""},
		{"forged with a fresh digest", func(c *certified) { c.cert = forge(t, c.cert) }, StaleResult},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := issueOne(t, "a")
			c.change(&in)
			v := in.verify(t)
			if got := strings.Join(v.named(), " "); got != c.want || v.OK != (c.want == "") {
				t.Errorf("named %q, want %q; ok %v\nstale %v\nfollows %v", got, c.want, v.OK, v.Stale, v.Follows)
			}
		})
	}
}

// forge betters the regret and computes the digest anew.
func forge(t *testing.T, data []byte) []byte {
	var cert contract.Certificate
	if err := json.Unmarshal(data, &cert); err != nil {
		t.Fatal(err)
	}
	better := *cert.Regret - 0.01
	cert.Regret = &better
	var err error
	if cert.Digest, err = Digest(&cert); err != nil {
		t.Fatal(err)
	}
	if data, err = json.Marshal(cert); err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCertifyInOneCall: the one-call form finds the best candidate, notes the parent, and makes what Issue makes.
func TestCertifyInOneCall(t *testing.T) {
	in := issueOne(t, "b")
	parent := contract.SnapshotRef(HashBytes(snapshots[0]))
	opt := IssueOptions{SignedBy: "Evaluation/v0.2.0", SignedAt: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
	best, err := Certify(in.candidates, in.rules, "", parent, opt)
	if err != nil || CertifiedID(best) != "a" || *best.Regret != 0 {
		t.Fatalf("best is %+v (%v), want candidate a", best, err)
	}
	named, err := Certify(in.candidates, in.rules, "b", parent, opt)
	if err != nil || named.ParentSnap != parent {
		t.Fatalf("parent %v (%v), want %s", named, err, parent)
	}
	named.ParentSnap = ""
	if named.Digest, err = Digest(named); err != nil {
		t.Fatal(err)
	}
	if text, _ := json.MarshalIndent(named, "", "  "); !bytes.Equal(text, in.cert) {
		t.Errorf("Certify made\n%s\nIssue made\n%s", text, in.cert)
	}
	none := bytes.Replace(in.rules, []byte("900"), []byte("9"), 1)
	if cert, err := Certify(in.candidates, none, "", parent, opt); err == nil {
		t.Errorf("nothing passes, yet %s was issued", cert.ID)
	}
	failed, err := Certify(in.candidates, none, "a", parent, opt)
	if err != nil || failed.GateResult.Verdict != contract.GateFail || failed.Regret != nil || failed.ParetoPosition.Rank != nil {
		t.Errorf("nothing passes: %+v (%v), want FAIL with rank and regret null", failed, err)
	}
}

// TestVerifyUnreadable: what the hashes cannot settle is an error that says which input it is about.
func TestVerifyUnreadable(t *testing.T) {
	c := issueOne(t, "a")
	set, _ := c.read(t)
	hash := HashBytes([]byte("{}"))
	for name, rulesHash := range map[string]string{"the certificate's own": `"` + string(hash) + `"`, "none named": `""`} {
		cert := regexp.MustCompile(`"rules_hash": "[^"]*"`).ReplaceAll(c.cert, []byte(`"rules_hash": `+rulesHash))
		if v, err := Verify(VerifyInput{Certificate: cert, Rules: []byte("{}"), Candidates: set}); !errors.Is(err, ErrRules) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
	if _, err := Verify(VerifyInput{Certificate: []byte("["), Rules: c.rules, Candidates: set}); err == nil || errors.Is(err, ErrRules) {
		t.Errorf("a certificate that is none: %v", err)
	}
}

func TestMissingSnapshotIsNotChecked(t *testing.T) {
	c := issueOne(t, "a")
	c.snaps = nil
	if v := c.verify(t); !v.OK || len(v.NotChecked) != 2 {
		t.Errorf("ok %v, not checked %v: want both snapshots named", v.OK, v.NotChecked)
	}
}

func TestIssueRefuses(t *testing.T) {
	c := issueOne(t, "a")
	set, rules := c.read(t)
	gated, err := Rank(set, RankOptions{Objectives: rules.Objectives, Rules: rules.Rules})
	if err != nil {
		t.Fatal(err)
	}
	free, err := Rank(set, RankOptions{Objectives: rules.Objectives})
	if err != nil {
		t.Fatal(err)
	}
	for name, try := range map[string]struct {
		r      *Ranking
		id     string
		signer string
		kind   string
	}{
		"unknown candidate": {gated, "z", "E/v1.0.0", ""}, "no gate": {free, "a", "E/v1.0.0", ""},
		"signer without version": {gated, "a", "Evaluation", ""}, "signer with half a version": {gated, "a", "E/v1.0", ""},
		"regret kind": {gated, "a", "E/v1.0.0", "worst"},
	} {
		if cert, err := Issue(try.r, set, try.id, IssueOptions{SignedBy: try.signer, RegretKind: try.kind}); err == nil {
			t.Errorf("%s: issued %s", name, cert.ID)
		}
	}
}

// TestExamples verifies the certificates that the examples hold against their own inputs.
func TestExamples(t *testing.T) {
	dir := filepath.Join("..", "..", "examples", "judging")
	certs, err := filepath.Glob(filepath.Join(dir, "*", "certs", "*.cert.json"))
	if err != nil || len(certs) < 48 {
		t.Fatalf("%d certificates in %s (%v), want 48", len(certs), dir, err)
	}
	for _, name := range certs {
		base := filepath.Dir(filepath.Dir(name))
		candidates, err := ReadCandidates(read(t, filepath.Join(base, "candidates.json")), ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		v, err := Verify(VerifyInput{
			Certificate: read(t, name), Rules: read(t, filepath.Join(base, "rules.json")), Candidates: candidates,
			Snapshot: func(h contract.Hash) ([]byte, error) {
				return os.ReadFile(filepath.Join(dir, "snaps", strings.TrimPrefix(string(h), "sha256:")))
			},
		})
		if err != nil || !v.OK {
			t.Errorf("%s: %v %+v", name, err, v)
		}
	}
}
