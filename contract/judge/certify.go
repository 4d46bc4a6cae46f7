package judge

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"time"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// IssueOptions is what a certificate needs beside the ranking. RulesHash is Rules.Hash of the gate that the ranking was
// made with. SignedBy is Name/vX.Y.Z. SignedAt is the caller's clock. RegretKind is one of contract.Regret…; empty is
// scalar.
type IssueOptions struct {
	RulesHash  contract.Hash
	SignedBy   string
	SignedAt   time.Time
	RegretKind string
}

var signerForm = regexp.MustCompile(`^[^/\s]+/v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$`)

// Issue makes the certificate of one candidate of a gated ranking. A candidate that does not pass the gate gets rank
// null and its verdict; one that passes but cannot be ranked gets INCONCLUSIVE, because nothing was found out about its
// place. Regret is null when nothing passes the gate or the candidate has no usable numbers.
//
// The certificate's id is CANDIDATE:mHHHHHHHHHHHHHHHH:oHHHHHHHHHHHHHHHH: the candidate's id, a fingerprint of its own
// metrics and one of all other candidates. Verify needs the two to say which of them changed; candidate_set binds both
// with a full hash.
func Issue(r *Ranking, candidates []Candidate, id string, opt IssueOptions) (*contract.Certificate, error) {
	e, ok := r.Entry(id)
	c := find(candidates, id)
	switch {
	case !ok || c == nil:
		return nil, fmt.Errorf("candidate %q is not in the set", id)
	case !r.Gated:
		return nil, errors.New("a certificate needs a gate: the ranking was made without rules")
	case !signerForm.MatchString(opt.SignedBy):
		return nil, fmt.Errorf("signed_by %q: want Name/vX.Y.Z, such as Evaluation/v0.2.0", opt.SignedBy)
	}
	cert := &contract.Certificate{
		ID:              certificateID(candidates, c),
		ProposalID:      c.ProposalID,
		GateResult:      e.Gate.Contract(),
		ParetoPosition:  r.position(e),
		RegretKind:      opt.RegretKind,
		RegretDetail:    e.Regret,
		SignedBy:        opt.SignedBy,
		SignedAt:        contract.Timestamp(opt.SignedAt.UTC().Format(time.RFC3339)),
		CandidateSet:    contract.Hash(r.CandidateSet),
		ParentSnap:      c.ParentSnap,
		ResultSnap:      c.ResultSnap,
		ToolName:        c.Tool,
		ToolVersion:     c.Version,
		InputParamsHash: c.ParamsHash,
		RulesHash:       opt.RulesHash,
	}
	if cert.ProposalID == "" {
		cert.ProposalID = id
	}
	if cert.RegretKind == "" {
		cert.RegretKind = contract.RegretScalar
	}
	if cert.GateResult.Verdict == contract.GatePass && !e.Feasible {
		cert.GateResult.Verdict = contract.GateInconclusive
	}
	var err error
	if cert.Regret, err = regretByKind(e.Regret, cert.RegretKind); err != nil {
		return nil, err
	}
	cert.Digest, err = Digest(cert)
	return cert, err
}

// Certify reads a candidate set and a rule file with objectives, ranks, and issues the certificate of one candidate: what
// the in-process op "judge" answers. id "" means Best. parent is noted as the candidate's parent snapshot unless the set
// names one. The certificate's rules hash is that of the given bytes.
func Certify(candidates, rules []byte, id string, parent contract.SnapshotRef, opt IssueOptions) (*contract.Certificate, error) {
	set, err := ReadCandidates(candidates, ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("candidates: %w", err)
	}
	gate, err := ReadRules(rules)
	if err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	judged := gate.Rules
	if judged == nil {
		judged = []Rule{}
	}
	r, err := Rank(set, RankOptions{Objectives: gate.Objectives, Rules: judged, Reference: gate.Reference})
	if err != nil {
		return nil, err
	}
	if id == "" {
		best, ok := r.Best()
		if !ok {
			return nil, errors.New("no candidate passes the gate: name the one to be certified")
		}
		id = best.ID
	}
	if c := find(set, id); c != nil && c.ParentSnap == "" {
		c.ParentSnap = parent
	}
	opt.RulesHash = gate.Hash
	return Issue(r, set, id, opt)
}

// Best is the candidate of the first front with the least scalar regret; of equal ones, the first by id.
func (r *Ranking) Best() (*Entry, bool) {
	var best *Entry
	for i := range r.Entries {
		e := &r.Entries[i]
		if e.Rank != nil && *e.Rank == 0 && (best == nil || *e.Regret.Scalar < *best.Regret.Scalar) {
			best = e
		}
	}
	return best, best != nil
}

func find(candidates []Candidate, id string) *Candidate {
	for i := range candidates {
		if candidates[i].ID == id {
			return &candidates[i]
		}
	}
	return nil
}

func regretByKind(d *contract.RegretDetail, kind string) (*float64, error) {
	switch kind {
	case contract.RegretScalar:
		return d.Scalar, nil
	case contract.RegretChebyshev:
		return d.Chebyshev, nil
	case contract.RegretPareto:
		return d.Pareto, nil
	}
	return nil, fmt.Errorf("regret kind %q: want scalar, chebyshev or pareto", kind)
}

// position is where an entry stands, in the contract's form.
func (r *Ranking) position(e *Entry) contract.ParetoRank {
	p := contract.ParetoRank{FrontSize: int64(e.FrontSize), Candidates: int64(len(r.Entries)), Crowding: e.Crowding}
	if e.Rank != nil {
		rank := int64(*e.Rank)
		p.Rank = &rank
	}
	for _, o := range r.Objectives {
		p.Objectives = append(p.Objectives, o.Objective)
	}
	return p
}

// Digest is the hash of JCS(certificate without "digest").
func Digest(cert *contract.Certificate) (contract.Hash, error) {
	data, err := json.Marshal(cert)
	if err != nil {
		return "", fmt.Errorf("certificate: %w", err)
	}
	return digestOf(data)
}

// digestOf works on the document itself, so that a member which the types do not know is covered too.
func digestOf(data []byte) (contract.Hash, error) {
	doc, _, err := canon.Parse(data, canon.Options{})
	if err != nil {
		return "", fmt.Errorf("certificate: %w", err)
	}
	if doc.Kind() != canon.KindObject {
		return "", errors.New("certificate: not a JSON object")
	}
	var members []canon.Member
	for key, v := range doc.Members() {
		if key != "digest" {
			members = append(members, canon.Member{Key: key, Value: v})
		}
	}
	return hashOf(canon.Object(members...)), nil
}

func hashOf(v canon.Value) contract.Hash { return contract.Hash("sha256:" + v.Hash()) }

// candidateSetHash is sha256 of JCS([{id, metrics, feasible}… by id]); both slices are in the order of the ids.
func candidateSetHash(candidates []Candidate, entries []Entry) contract.Hash {
	list := make([]canon.Value, len(candidates))
	for i := range candidates {
		list[i] = canon.Object(
			canon.Member{Key: "id", Value: canon.String(candidates[i].ID)},
			canon.Member{Key: "metrics", Value: candidates[i].Metrics.JSON()},
			canon.Member{Key: "feasible", Value: canon.Bool(entries[i].Feasible)},
		)
	}
	return hashOf(canon.Array(list...))
}

// evidence is the part of a candidate that no gate influences: its metrics, how its run ended, what was invented.
func evidence(c *Candidate) canon.Value {
	invented := make([]canon.Value, len(c.Metrics.Invented))
	for i, s := range c.Metrics.Invented {
		invented[i] = canon.String(s)
	}
	return canon.Object(
		canon.Member{Key: "id", Value: canon.String(c.ID)},
		canon.Member{Key: "metrics", Value: c.Metrics.JSON()},
		canon.Member{Key: "ok", Value: canon.Bool(c.Metrics.OK())},
		canon.Member{Key: "invented", Value: canon.Array(invented...)},
	)
}

var certificateIDForm = regexp.MustCompile(`^(?s:(.*)):m([0-9a-f]{16}):o([0-9a-f]{16})$`)

func certificateID(candidates []Candidate, judged *Candidate) string {
	own, others := fingerprints(candidates, judged)
	return fmt.Sprintf("%s:m%s:o%s", judged.ID, own, others)
}

func fingerprints(candidates []Candidate, judged *Candidate) (own, others string) {
	var rest []canon.Value
	for i := range candidates {
		if candidates[i].ID != judged.ID {
			rest = append(rest, evidence(&candidates[i]))
		}
	}
	return evidence(judged).Hash()[:16], canon.Array(rest...).Hash()[:16]
}

// CertifiedID is the id of the candidate that a certificate of Issue is about; for one made elsewhere it is proposal_id.
func CertifiedID(cert *contract.Certificate) string {
	if m := certificateIDForm.FindStringSubmatch(cert.ID); m != nil {
		return m[1]
	}
	return cert.ProposalID
}
