package translate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"flowdbg/contract"
	"flowdbg/contract/meta"
)

// marshal is compact JSON that leaves < > & as they are.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// Finish carries a tools/call result back into the agent's version: structuredContent is translated and validated, a text
// block that says the same is rewritten, everything else stays. An answer with isError and one of equal versions pass
// through byte for byte. A fault is a *contract.Refusal with code translation_failed: the call was made, so the caller
// keeps the raw answer beside the trace and books its usage.
func (p *Platform) Finish(pr *Prepared, raw []byte) (*Finished, error) {
	out := &Finished{Result: raw}
	if pr.Plan == nil {
		return out, nil
	}
	root, err := parseTree(raw)
	if err == nil && root.kind != kindObject {
		err = fmt.Errorf("a result is an object, not %s", root.what())
	}
	if err != nil {
		return nil, pr.Plan.failed(Output, fmt.Sprintf("%s: %v", ReasonNotJSON, err))
	}
	if e := root.get("isError"); e != nil && e.kind == kindTrue {
		return out, nil
	}
	content := root.get("structuredContent")
	note := func(n Note) { out.Notes = append(out.Notes, n) }
	if content == nil {
		note(Note{Kind: NoteNoStructure})
		return out, nil
	}
	if pr.Plan.Identity() {
		if bad := p.validate(note, pr.Plan.Tool, pr.Plan.ToolVersion, Output, content); bad != nil {
			out.Journal = append(out.Journal, meta.Entry{Level: meta.LevelWarning, Code: CodeInvalidResult, Tool: pr.Tool,
				Source: meta.SourceTool, Text: bad.reason("in the tool's own version; passed on as it is")})
		}
		return out, nil
	}
	var before *node // only a text block is compared with it
	if hasText(root) {
		before = content.clone()
	}
	notes, refusal := pr.Plan.carry(Output, content, pr.midway)
	if refusal != nil {
		return nil, refusal
	}
	out.Notes = append(out.Notes, notes...)
	if bad := p.validate(note, pr.Plan.Tool, pr.Plan.AgentVersion, Output, content); bad != nil {
		return nil, p.misdelivered(pr.Plan, raw, bad)
	}
	rewriteText(root, before, content, note)
	if m := root.get("_meta"); m != nil && m.get(p.keys().Version) != nil {
		m.set(p.keys().Version, intNode(pr.Plan.AgentVersion))
	}
	out.Result = root.append(make([]byte, 0, len(raw)+64))
	return out, nil
}

// CodeInvalidResult is the journal's code for a result that does not fit the tool's own schema (ours).
const CodeInvalidResult = "invalid_result"

// misdelivered says who is to blame for a result that does not fit: the tool, when its own schema refuses it already.
func (p *Platform) misdelivered(plan *Plan, raw []byte, bad *misfit) *contract.Refusal {
	when := "after translation"
	if root, err := parseTree(raw); err == nil { // it was read before
		own, checked, err := p.Catalog.validate(plan.Tool, plan.ToolVersion, Output, root.get("structuredContent"))
		if err == nil && checked && len(own) > 0 {
			when = "after translation, and in the tool's own version before it"
		}
	}
	r := plan.failed(Output, bad.reason(when))
	r.Path = bad.path()
	return r
}

// hasText says whether a result has text blocks.
func hasText(root *node) bool {
	for _, block := range elems(root.get("content")) {
		if t, _ := block.get("type").str(); t == "text" {
			return true
		}
	}
	return false
}

// rewriteText replaces text blocks that are the JSON of the structured content, and notes those that say something else.
func rewriteText(root, before, after *node, note func(Note)) {
	for i, block := range elems(root.get("content")) {
		if t, _ := block.get("type").str(); t != "text" {
			continue
		}
		text, ok := block.get("text").str()
		if !ok {
			continue
		}
		if said, err := parseTree([]byte(strings.TrimSpace(text))); err == nil && equal(said, before) {
			block.set("text", stringNode(string(after.append(nil))))
			continue
		}
		note(Note{Kind: NoteTextLeft, Path: "/content/" + strconv.Itoa(i)})
	}
}

// AnswerFor is the answer towards the agent for any error of Prepare or Finish; ok is false for an error that is no
// refusal.
func AnswerFor(err error) (answer []byte, ok bool) {
	var r *contract.Refusal
	if !errors.As(err, &r) {
		return nil, false
	}
	return Answer(r), true
}
