package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// VerifyInput is what a certificate is held against. Certificate and Rules are the files' bytes. Snapshot gives the
// bytes of a stored snapshot by its hash, or an error that wraps fs.ErrNotExist; nil leaves snapshots unchecked.
type VerifyInput struct {
	Certificate []byte
	Rules       []byte
	Candidates  []Candidate
	Snapshot    func(hash contract.Hash) ([]byte, error)
}

// Things that Verify can name.
const (
	StaleCertificate  = "certificate"   // its own digest does not fit: it was altered
	StaleRules        = "rules"         // the rule file
	StaleMetrics      = "metrics"       // of the judged candidate
	StaleCandidateSet = "candidate_set" // the other candidates
	StaleSnapshot     = "snapshot"      // the stored parent or result snapshot
	StaleBinding      = "binding"       // proposal, tool, version, params or snapshot named by the candidate
	StaleResult       = "result"        // inputs are the same, but verdict, rank or regret come out differently
)

// Finding is one thing that does not fit, named by a Stale… constant, with a sentence.
type Finding struct {
	What string `json:"what"`
	Text string `json:"text"`
}

// Verification is the answer of Verify. Stale holds causes only. Follows holds what comes out differently because of
// them, and NotChecked what could not be held against anything.
type Verification struct {
	OK         bool      `json:"ok"`
	ID         string    `json:"id"`
	Verdict    string    `json:"verdict"` // of the certificate
	Rank       *int64    `json:"rank"`
	Stale      []Finding `json:"stale"`
	Follows    []Finding `json:"follows"`
	NotChecked []string  `json:"not_checked"`
}

// ErrRules wraps the error for a rule file that cannot be read although it is the one that the certificate names.
var ErrRules = errors.New("rules")

// Verify recomputes a certificate offline from its inputs and names what is stale. A rule file that cannot be read and is
// not the certificate's is stale: its hash says so without its meaning. The error is for other input that cannot be read:
// a certificate that is none, rules that are none (it wraps ErrRules).
func Verify(in VerifyInput) (*Verification, error) {
	v := &verifier{in: in, out: &Verification{Stale: []Finding{}, Follows: []Finding{}, NotChecked: []string{}}}
	digest, err := digestOf(in.Certificate) // reads strictly, and says where a text is none
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(in.Certificate, &v.cert); err != nil {
		return nil, fmt.Errorf("certificate: %w", err)
	}
	rules, unread := ReadRules(in.Rules)
	if unread != nil && (v.cert.RulesHash == "" || v.cert.RulesHash == HashBytes(in.Rules)) {
		return nil, fmt.Errorf("%w: %w", ErrRules, unread)
	}
	if err := SortCandidates(v.in.Candidates); err != nil {
		return nil, fmt.Errorf("candidates: %w", err)
	}
	v.out.ID, v.out.Verdict, v.out.Rank = v.cert.ID, v.cert.GateResult.Verdict, v.cert.ParetoPosition.Rank
	v.checkDigest(digest)
	v.checkRules(unread)
	v.checkSnapshots()
	if c := v.checkCandidates(); c != nil {
		v.checkBinding(c)
		if unread == nil {
			v.recompute(c, rules)
		}
	}
	v.settle()
	return v.out, nil
}

type verifier struct {
	in      VerifyInput
	cert    contract.Certificate
	out     *Verification
	altered bool
}

func (v *verifier) stale(what, format string, args ...any) {
	v.out.Stale = append(v.out.Stale, Finding{what, fmt.Sprintf(format, args...)})
}

func (v *verifier) follows(what, format string, args ...any) {
	v.out.Follows = append(v.out.Follows, Finding{what, fmt.Sprintf(format, args...)})
}

func (v *verifier) checkDigest(digest contract.Hash) {
	switch v.cert.Digest {
	case digest:
	case "":
		if certificateIDForm.MatchString(v.cert.ID) { // who gives such ids puts a digest in
			v.altered = true
			v.stale(StaleCertificate, "its digest is gone")
			break
		}
		v.out.NotChecked = append(v.out.NotChecked, "the certificate has no digest")
	default:
		v.altered = true
		v.stale(StaleCertificate, "it says digest %s, but its content has %s", short(v.cert.Digest), short(digest))
	}
}

func (v *verifier) checkRules(unread error) {
	now := HashBytes(v.in.Rules)
	switch v.cert.RulesHash {
	case now:
	case "":
		v.out.NotChecked = append(v.out.NotChecked, "the certificate names no rule file")
	default:
		v.stale(StaleRules, "the certificate was issued under %s, this file is %s", short(v.cert.RulesHash), short(now))
		if unread != nil {
			v.out.NotChecked = append(v.out.NotChecked, fmt.Sprintf("verdict, rank and regret: the rule file cannot be read: %v", unread))
		}
	}
}

func (v *verifier) checkSnapshots() {
	for _, s := range []struct {
		name string
		ref  contract.SnapshotRef
	}{{"parent_snap", v.cert.ParentSnap}, {"result_snap", v.cert.ResultSnap}} {
		hash := contract.Hash(s.ref)
		switch {
		case s.ref == "":
			v.out.NotChecked = append(v.out.NotChecked, "the certificate names no "+s.name)
		case v.in.Snapshot == nil:
			v.out.NotChecked = append(v.out.NotChecked, fmt.Sprintf("%s %s: no snapshot store given", s.name, short(hash)))
		default:
			data, err := v.in.Snapshot(hash)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				v.out.NotChecked = append(v.out.NotChecked, fmt.Sprintf("%s %s is not in the snapshot store", s.name, short(hash)))
			case err != nil:
				v.stale(StaleSnapshot, "%s %s cannot be read: %v", s.name, short(hash), err)
			case HashBytes(data) != hash:
				v.stale(StaleSnapshot, "%s %s: the stored content has %s", s.name, short(hash), short(HashBytes(data)))
			}
		}
	}
}

// checkCandidates finds the judged candidate and tells a change of its own metrics from a change of the others.
func (v *verifier) checkCandidates() *Candidate {
	id, own, others := v.cert.ProposalID, "", ""
	if m := certificateIDForm.FindStringSubmatch(v.cert.ID); m != nil {
		id, own, others = m[1], m[2], m[3]
	}
	c := find(v.in.Candidates, id)
	if c == nil {
		v.stale(StaleCandidateSet, "the judged candidate %q is not in it", id)
		return nil
	}
	if v.cert.CandidateSet == "" {
		v.out.NotChecked = append(v.out.NotChecked, "the certificate names no candidate set")
	}
	if own == "" {
		return c
	}
	ownNow, othersNow := fingerprints(v.in.Candidates, c)
	if own != ownNow {
		v.stale(StaleMetrics, "what candidate %q reported is not what was judged%s", id, v.changedActuals(c))
	}
	if others != othersNow {
		v.stale(StaleCandidateSet, "the other candidates (%d) are not those it was compared with (%d)",
			len(v.in.Candidates)-1, v.cert.ParetoPosition.Candidates-1)
	}
	return c
}

// changedActuals names the gated metrics whose value differs from the one in the certificate.
func (v *verifier) changedActuals(c *Candidate) string {
	var list []string
	for _, check := range v.cert.GateResult.Checks {
		x, ok := c.Metrics.Get(check.Metric)
		if check.Actual != nil && (!ok || x.Value != *check.Actual) {
			list = append(list, fmt.Sprintf("%s was %v, is %s", check.Metric, *check.Actual, clip(x.Raw)))
		}
	}
	if list == nil {
		return ""
	}
	return ": " + strings.Join(list, "; ")
}

func (v *verifier) checkBinding(c *Candidate) {
	for _, b := range []struct{ name, certified, now string }{
		{"proposal_id", v.cert.ProposalID, c.ProposalID},
		{"parent_snap", string(v.cert.ParentSnap), string(c.ParentSnap)},
		{"result_snap", string(v.cert.ResultSnap), string(c.ResultSnap)},
		{"tool_name", v.cert.ToolName, c.Tool},
		{"tool_version", v.cert.ToolVersion, c.Version},
		{"input_params_hash", string(v.cert.InputParamsHash), string(c.ParamsHash)},
	} {
		if b.now != "" && b.now != b.certified {
			v.stale(StaleBinding, "%s: certified %q, the candidate says %q", b.name, clip(b.certified), clip(b.now))
		}
	}
}

// recompute judges and ranks again with the inputs at hand.
func (v *verifier) recompute(c *Candidate, rules *Rules) {
	objectives := rules.Objectives
	if objectives == nil {
		for _, o := range v.cert.ParetoPosition.Objectives {
			objectives = append(objectives, Objective{Objective: o})
		}
	}
	gate := rules.Rules
	if gate == nil {
		gate = []Rule{}
	}
	r, err := Rank(v.in.Candidates, RankOptions{Objectives: objectives, Rules: gate})
	if err != nil {
		v.follows(StaleResult, "cannot be ranked any more: %v", err)
		return
	}
	now, err := Issue(r, v.in.Candidates, c.ID, IssueOptions{SignedBy: "recomputed/v0.0.0", RegretKind: v.cert.RegretKind})
	if err != nil {
		v.follows(StaleResult, "cannot be judged again: %v", err)
		return
	}
	if v.cert.CandidateSet != "" && v.cert.CandidateSet != now.CandidateSet {
		v.follows(StaleCandidateSet, "candidate_set was %s, comes out as %s", short(v.cert.CandidateSet), short(now.CandidateSet))
	}
	if was, is := v.cert.GateResult.Verdict, now.GateResult.Verdict; was != is {
		v.follows(StaleResult, "verdict was %s, comes out as %s", was, is)
	} else if !sameChecks(v.cert.GateResult.Checks, now.GateResult.Checks) {
		v.follows(StaleResult, "the checks of the gate come out differently")
	}
	if was, is := canonical(v.cert.ParetoPosition), canonical(now.ParetoPosition); !alikeJSON(was, is) {
		v.follows(StaleResult, "position was %s, comes out as %s", was, is)
	}
	if !near(v.cert.Regret, now.Regret) {
		v.follows(StaleResult, "regret was %s, comes out as %s", canonical(v.cert.Regret), canonical(now.Regret))
	}
	if v.cert.RegretDetail != nil && !alikeJSON(canonical(v.cert.RegretDetail), canonical(now.RegretDetail)) {
		v.follows(StaleResult, "the other measures of regret come out differently")
	}
}

// settle turns differences without a cause into the cause: equal inputs must give equal results.
func (v *verifier) settle() {
	if v.altered { // comparisons with an altered certificate blame the wrong side
		v.out.Follows = append(v.out.Stale[1:], v.out.Follows...)
		v.out.Stale = v.out.Stale[:1:1]
	}
	caused := false
	for _, f := range v.out.Stale {
		caused = caused || f.What != StaleSnapshot && f.What != StaleBinding
	}
	if !caused {
		v.out.Stale = append(v.out.Stale, v.out.Follows...)
		v.out.Follows = []Finding{}
	}
	v.out.OK = len(v.out.Stale) == 0
}

func sameChecks(a, b []contract.GateCheck) bool { return alikeJSON(canonical(a), canonical(b)) }

func canonical(v any) canon.Value {
	data, err := json.Marshal(v)
	if err != nil {
		return canon.String(err.Error())
	}
	c, _, err := canon.Parse(data, canon.Options{})
	if err != nil {
		return canon.String(err.Error())
	}
	return c
}

// alikeJSON compares two documents, numbers to within near: another processor may round a sum differently.
func alikeJSON(a, b canon.Value) bool {
	if a == b {
		return true
	}
	if a.Kind() != b.Kind() {
		return false
	}
	switch a.Kind() {
	case canon.KindNumber:
		x, _ := a.Float()
		y, _ := b.Float()
		return near(&x, &y)
	case canon.KindArray:
		if a.Count() != b.Count() {
			return false
		}
		for i, x := range a.Elems() {
			if !alikeJSON(x, b.At(i)) {
				return false
			}
		}
		return true
	case canon.KindObject:
		if a.Count() != b.Count() {
			return false
		}
		for key, x := range a.Members() {
			if !alikeJSON(x, b.Get(key)) {
				return false
			}
		}
		return true
	}
	return false
}

func near(a, b *float64) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b || math.Abs(*a-*b) <= 1e-9*math.Max(1, math.Max(math.Abs(*a), math.Abs(*b)))
}

func short(h contract.Hash) string {
	s := strings.TrimPrefix(string(h), "sha256:")
	return "sha256:" + clip(s[:min(12, len(s))])
}
