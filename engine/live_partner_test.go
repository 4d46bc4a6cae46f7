package engine

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"

	"flowdbg/engine/effect"
	"flowdbg/trace"
)

// mockLLM is the address of a running @dwmkerr/mock-llm, a server that nobody here wrote; its rules are replaced by the
// given ones for the time of the test. Rules are JSON: {path, match?, sequence?, response: {status, content}}.
func mockLLM(t *testing.T, rules ...string) string {
	t.Helper()
	url := strings.TrimSuffix(os.Getenv("FLOWDBG_MOCK_LLM"), "/")
	if url == "" {
		t.Skip("FLOWDBG_MOCK_LLM is not set: it is the address of a running npm package @dwmkerr/mock-llm, such as http://127.0.0.1:6556")
	}
	send := func(method, body string) {
		req, err := http.NewRequest(method, url+"/config", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatalf("mock-llm: %v", err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Fatalf("mock-llm: %s %s", resp.Status, body)
		}
	}
	send(http.MethodDelete, "") // counters, too
	send(http.MethodPost, `{"streaming":{"chunkSize":7,"chunkIntervalMs":1},"rules":[`+strings.Join(rules, ",")+`]}`)
	t.Cleanup(func() { send(http.MethodDelete, "") })
	return url + "/v1"
}

// rule answers chats that match a JMESPath expression.
func rule(match string, status int, content string) string {
	return fmt.Sprintf(`{"path":"/v1/chat/completions","match":%q,"response":{"status":%d,"content":%q}}`, match, status, content)
}

func said(text string) string {
	return fmt.Sprintf(`{"model":"mock","choices":[{"message":{"role":"assistant","content":%q},"finish_reason":"stop"}]}`, text)
}

// researchLive is the seed's flow with its models at url; more are further settings of llm, budget stands for the flow's.
func researchLive(t *testing.T, url, more, budget string) []byte {
	t.Helper()
	data := string(readFile(t, "../examples/research-pipeline.json"))
	data = strings.Replace(data, `"version": 1,`, `"version": 1, "effects": {"llm": {"provider": "openai", "base_url": "`+url+`", "backoff_ms": 1`+more+`}},`, 1)
	data = strings.Replace(data, `"usd": 0.10, "tokens": 10000, "steps": 100`, budget, 1)
	if !strings.Contains(data, url) || !strings.Contains(data, budget) {
		t.Fatal("the example has another form")
	}
	return []byte(data)
}

func runLive(t *testing.T, data []byte) (*Run, []byte) {
	t.Helper()
	m := testMachine(t, data)
	if diags := m.GoLive(liveOptions(effect.LiveOps("llm"))); len(diags) > 0 {
		t.Fatal(diags)
	}
	t.Cleanup(func() { _ = m.Bus().Close() })
	r, err := NewRun(m, m.Bus())
	if err != nil {
		t.Fatal(err)
	}
	if err := r.ToEnd(context.Background(), nil); err != nil {
		t.Fatal(err)
	}
	recorded := traceText(t, r.Events)
	rep, err := Replay(context.Background(), testMachine(t, data), r.Events)
	if err != nil || !rep.Same() {
		t.Fatalf("%v %+v", err, rep)
	}
	again, err := Events(rep.Log)
	if err != nil || !bytes.Equal(traceText(t, again), recorded) {
		t.Fatalf("the replayed file is not its record: %v", err)
	}
	return r, recorded
}

// The seed's flow against a foreign server: its stream has no usage chunk, so the ledger is a lower bound.
func TestResearchAgainstMockLLM(t *testing.T) {
	answer := rule("@", 200, said("Nets of it score 0.75 here."))
	for _, more := range []string{"", `, "stream": false`} {
		r, recorded := runLive(t, researchLive(t, mockLLM(t, answer), more, `"steps": 100`))
		st := r.State
		if r.Failed() || st.Ledger().Unknown != 3 || st.OutputLen("writer.out") != 1 || !bytes.Contains(recorded, []byte(`"score":0.75`)) {
			t.Fatalf("%+v\n%s", st.Ledger(), recorded)
		}
	}
	// Under a budget in dollars that is an error, unless the flow allows it.
	r, _ := runLive(t, researchLive(t, mockLLM(t, answer), "", `"usd": 0.1, "steps": 100`))
	if f := r.State.Failed(); f == nil || f.Text != trace.CodeUnmeteredEffect+": llm" {
		t.Fatalf("%+v", f)
	}
	r, _ = runLive(t, researchLive(t, mockLLM(t, answer), "", `"usd": 0.1, "steps": 100, "allow_unmetered": true`))
	if r.Failed() {
		t.Fatalf("%+v", r.State.Failed())
	}
}

func TestErrorsOfMockLLM(t *testing.T) {
	refusal := rule("contains(to_string(body), 'interaction')", 401, `{"error":{"message":"Incorrect API key provided.","type":"invalid_request_error","code":"invalid_api_key"}}`)
	// The first request is refused once, and tried again.
	once := `{"path":"/v1/chat/completions","sequence":0,"response":{"status":503,"content":"{\"error\":{\"message\":\"warming up\",\"type\":\"server_error\"}}"}}`
	fine := rule("@", 200, said("Fine, 0.5."))
	// In a stream this server tells of an error in a frame, else by the status.
	for more, class := range map[string]string{"": "stream_error", `, "stream": false`: "http_401"} {
		r, recorded := runLive(t, researchLive(t, mockLLM(t, fine, refusal), more, `"steps": 100`))
		if f := r.State.Failed(); f == nil || f.Text != "EffectError: llm: "+class || !bytes.Contains(recorded, []byte("Incorrect API key")) {
			t.Fatalf("%s", recorded)
		}
		r, recorded = runLive(t, researchLive(t, mockLLM(t, fine, once), more, `"steps": 100`))
		if r.Failed() || !bytes.Contains(recorded, []byte("warming up")) || bytes.Count(recorded, []byte(`"attempts"`)) != 1 {
			t.Fatalf("%s", recorded)
		}
	}
}
