package judge

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"flowdbg/contract"
	"flowdbg/trace/canon"
)

// Candidate is one result to be judged. ID and Metrics are needed; the rest is what a certificate binds it to, and
// Group joins candidates that differ only in a random seed.
type Candidate struct {
	ID         string
	Group      string
	Metrics    *Metrics
	ProposalID string // empty = ID
	ParentSnap contract.SnapshotRef
	ResultSnap contract.SnapshotRef
	Tool       string
	Version    string // of the tool, semantic version
	ParamsHash contract.Hash

	seq int // place in the file
}

// IsCandidateSet says whether a document is a candidate set or a plain list of runs rather than the metrics of one run.
func IsCandidateSet(data []byte) bool {
	doc, err := parseJSON(data)
	if err != nil {
		return false
	}
	list, _ := doc.get("candidates")
	return doc.kind == jsonArray || list != nil && list.kind == jsonArray
}

// Arrival gives the ids of candidates from one file in the order in which the file lists them.
func Arrival(candidates []Candidate) []string {
	order := slices.Clone(candidates)
	slices.SortStableFunc(order, func(a, b Candidate) int { return a.seq - b.seq })
	ids := make([]string, len(order))
	for i := range order {
		ids[i] = order[i].ID
	}
	return ids
}

// WriteCandidates writes a set in the form {"candidates": […]} that ReadCandidates reads, one candidate per line.
func WriteCandidates(candidates []Candidate) []byte {
	b := []byte("{\"candidates\": [\n")
	for i := range candidates {
		if i > 0 {
			b = append(b, ",\n"...)
		}
		b = append(b, candidates[i].json().Text()...)
	}
	return append(b, "\n]}\n"...)
}

func (c *Candidate) json() canon.Value {
	members := []canon.Member{{Key: "id", Value: canon.String(c.ID)}, {Key: "metrics", Value: c.Metrics.JSON()}}
	for _, m := range []struct{ key, text string }{
		{"group", c.Group}, {"status", c.Metrics.Status}, {"proposal_id", c.ProposalID}, {"parent_snap", string(c.ParentSnap)},
		{"result_snap", string(c.ResultSnap)}, {"tool_name", c.Tool}, {"tool_version", c.Version}, {"input_params_hash", string(c.ParamsHash)},
	} {
		if m.text != "" {
			members = append(members, canon.Member{Key: m.key, Value: canon.String(m.text)})
		}
	}
	if len(c.Metrics.Invented) > 0 {
		names := make([]canon.Value, len(c.Metrics.Invented))
		for i, s := range c.Metrics.Invented {
			names[i] = canon.String(s)
		}
		members = append(members, canon.Member{Key: "invented", Value: canon.Array(names...)})
	}
	return canon.Object(members...)
}

// ListOptions says how a plain list of runs becomes candidates. ID and Group are templates: `{d}.{placer}.s{seed}`
// puts in members of the run. Without ID the member "id", "run" or "name" is it. Where keeps only runs whose members
// equal the given texts.
type ListOptions struct {
	ID, Group string
	Where     map[string]string
}

// ReadCandidates reads a candidate set. Two forms:
//
//	{"candidates": [{"id": "a", "metrics": {…}, "status"?, "group"?, "invented"?, "proposal_id"?, "parent_snap"?,
//	                 "result_snap"?, "tool_name"?, "tool_version"?, "input_params_hash"?}, …]}
//	[{"run": "a", "area": 57868, …}, …]     a plain list, one object per run, read with the options; nested names are
//	                                        joined with "."
//
// Metrics that cannot be used are kept with their reason. The error (with line and column) is for what is no candidate
// set: no JSON, an unknown member, a candidate without id, two with the same id. The result is sorted by id in the
// order of UTF-16 code units, which is the order of canonical JSON.
func ReadCandidates(data []byte, opt ListOptions) ([]Candidate, error) {
	doc, err := parseJSON(data)
	if err != nil {
		return nil, err
	}
	r := candidateReader{data: data, opt: opt}
	switch doc.kind {
	case jsonObject:
		err = r.readDocument(doc)
	case jsonArray:
		err = r.readList(doc)
	default:
		err = failAt(data, doc.off, "no candidate set", `{"candidates": […]} or a list of runs`)
	}
	if err != nil {
		return nil, err
	}
	for i := range r.out {
		r.out[i].seq = i
	}
	if err := SortCandidates(r.out); err != nil {
		return nil, err
	}
	return r.out, nil
}

// SortCandidates brings candidates into the order of their ids. The error is for two that share one, or an empty id.
func SortCandidates(list []Candidate) error {
	slices.SortStableFunc(list, func(a, b Candidate) int { return canon.CompareKeys(a.ID, b.ID) })
	for i := range list {
		if list[i].ID == "" {
			return fmt.Errorf("a candidate has no id")
		}
		if i > 0 && list[i].ID == list[i-1].ID {
			return fmt.Errorf("two candidates have the id %q", list[i].ID)
		}
	}
	return nil
}

type candidateReader struct {
	data []byte
	opt  ListOptions
	out  []Candidate
}

func (r *candidateReader) readDocument(doc *jsonNode) error {
	for _, m := range doc.members {
		if m.key != "candidates" && m.key != "comment" {
			return failAt(r.data, m.keyOff, fmt.Sprintf("unknown member %q", clip(m.key)), `"candidates"`)
		}
	}
	list, n := doc.get("candidates")
	if list == nil || n > 1 || list.kind != jsonArray {
		return failAt(r.data, doc.off, `no list "candidates"`, `{"candidates": [{"id", "metrics"}, …]}`)
	}
	for _, e := range list.elems {
		c, err := r.readOne(e)
		if err != nil {
			return err
		}
		if r.keep(e) {
			r.out = append(r.out, c)
		}
	}
	return nil
}

func (r *candidateReader) readOne(e *jsonNode) (Candidate, error) {
	c := Candidate{Metrics: &Metrics{Format: FormatOwn}}
	if e.kind != jsonObject {
		return c, failAt(r.data, e.off, "a candidate that is no object", `{"id": "a", "metrics": {…}}`)
	}
	texts := map[string]*string{
		"id": &c.ID, "group": &c.Group, "status": &c.Metrics.Status, "proposal_id": &c.ProposalID,
		"parent_snap": (*string)(&c.ParentSnap), "result_snap": (*string)(&c.ResultSnap), "tool_name": &c.Tool,
		"tool_version": &c.Version, "input_params_hash": (*string)(&c.ParamsHash),
	}
	for _, m := range e.members {
		if _, n := e.get(m.key); n > 1 {
			return c, failAt(r.data, m.keyOff, fmt.Sprintf("member %q occurs %d times", clip(m.key), n), "each member once")
		}
		switch target := texts[m.key]; {
		case target != nil && m.value.kind == jsonString:
			*target = m.value.text
		case target != nil:
			return c, failAt(r.data, m.value.off, fmt.Sprintf("%q is no text", m.key), "a string")
		case m.key == "metrics" && m.value.kind == jsonObject:
			found, err := readOwnMetrics(r.data, m.value)
			if err != nil {
				return c, err
			}
			c.Metrics.collect(found)
		case m.key == "invented" && m.value.kind == jsonArray:
			for _, name := range m.value.elems {
				c.Metrics.Invented = append(c.Metrics.Invented, name.text)
			}
		default:
			return c, failAt(r.data, m.keyOff, fmt.Sprintf("a candidate has no member %q of this kind", clip(m.key)), "see the form of candidate sets")
		}
	}
	if c.ID == "" {
		return c, failAt(r.data, e.off, "a candidate without id", `"id": "…"`)
	}
	return c, nil
}

func (r *candidateReader) readList(doc *jsonNode) error {
	for _, e := range doc.elems {
		if e.kind != jsonObject {
			return failAt(r.data, e.off, "a run that is no object", "{metric: value, …}")
		}
		if !r.keep(e) {
			continue
		}
		c := Candidate{Metrics: &Metrics{Format: FormatORFS}}
		idMember, err := r.nameRun(e, &c)
		if err != nil {
			return err
		}
		if status, _ := e.get("status"); status != nil {
			c.Metrics.Status = status.text
		}
		var found []Metric
		flatten(&found, "", e)
		c.Metrics.collect(slices.DeleteFunc(found, func(x Metric) bool { return x.Name == idMember || x.Name == "status" }))
		r.out = append(r.out, c)
	}
	return nil
}

func (r *candidateReader) keep(e *jsonNode) bool {
	for key, want := range r.opt.Where {
		if v, n := e.get(key); n != 1 || v.text != want {
			return false
		}
	}
	return true
}

// nameRun sets id and group of a run of a plain list and returns the member that served as the id, if one did.
func (r *candidateReader) nameRun(e *jsonNode, c *Candidate) (idMember string, err error) {
	if c.Group, err = r.expand(r.opt.Group, e); err != nil {
		return "", err
	}
	if r.opt.ID != "" {
		c.ID, err = r.expand(r.opt.ID, e)
		return "", err
	}
	for _, key := range []string{"id", "run", "name"} {
		if v, n := e.get(key); n == 1 && v.kind == jsonString && v.text != "" {
			c.ID = v.text
			return key, nil
		}
	}
	return "", failAt(r.data, e.off, "a run without a name", `a member "id", "run" or "name", or a template for the id`)
}

var placeholder = regexp.MustCompile(`\{[^{}]+\}`)

func (r *candidateReader) expand(template string, e *jsonNode) (string, error) {
	var err error
	s := placeholder.ReplaceAllStringFunc(template, func(p string) string {
		v, n := e.get(strings.Trim(p, "{}"))
		if n != 1 || v.kind == jsonObject || v.kind == jsonArray {
			err = failAt(r.data, e.off, fmt.Sprintf("no member %s for the template %q", p, template), "a member that every run has")
			return ""
		}
		return v.text
	})
	return s, err
}
