package effect

import (
	"context"
	"encoding/json"
	"time"

	"flowdbg/contract"
	"flowdbg/contract/judge"
	"flowdbg/trace/canon"
)

// judgeProvider answers the op "judge" in this process: it ranks a candidate set under a gate and certifies one
// candidate. It needs no --live and costs nothing. Its input is
//
//	{candidates, rules, id?, parent?, signed_by?, regret_kind?}
//
// where candidates and rules are the documents themselves or their texts (judge.ReadCandidates, judge.ReadRules), id
// names the candidate (without it the best one is certified), and parent is the snapshot that the candidates were made
// from. rules_hash in the certificate is that of the given text, or of the given document's canonical form. The answer is
//
//	{certificate}   the certificate; signed_at is this moment, and being in the answer it is recorded and replayed
//	{refusal}       a sentence: what is wrong with the candidates, the rules or the id
//
// A refusal is an answer, because nothing failed in transport.
type judgeProvider struct{ now func() time.Time }

func (p judgeProvider) Do(ctx context.Context, c Call) (Answer, error) {
	if err := ctx.Err(); err != nil {
		return Answer{}, err
	}
	in := c.Request.Input
	text := func(key string) string { s, _ := in.Get(key).Str(); return s }
	cert, err := judge.Certify(document(in.Get("candidates")), document(in.Get("rules")), text("id"), contract.SnapshotRef(text("parent")),
		judge.IssueOptions{SignedBy: text("signed_by"), SignedAt: p.now(), RegretKind: text("regret_kind")})
	var out canon.Value
	if err == nil {
		out, err = certificateValue(cert)
	}
	if err != nil {
		return Answer{Output: canon.Object(canon.Member{Key: "refusal", Value: canon.String(err.Error())})}, nil
	}
	return Answer{Output: canon.Object(canon.Member{Key: "certificate", Value: out})}, nil
}

// document is the bytes of a document that is given as a value or as its text.
func document(v canon.Value) []byte {
	if s, ok := v.Str(); ok {
		return []byte(s)
	}
	return []byte(v.Text())
}

func certificateValue(cert *contract.Certificate) (canon.Value, error) {
	data, err := json.Marshal(cert)
	if err != nil {
		return canon.Value{}, err
	}
	v, _, err := canon.Parse(data, canon.Options{})
	return v, err
}
