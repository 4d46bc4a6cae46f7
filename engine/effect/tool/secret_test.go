package tool

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"flowdbg/trace"
)

// A secret that a server is given comes back in every place an answer has, in every form; no byte that is written holds it,
// live and replay agree, and the translated answer is still one.
func TestPlantedSecret(t *testing.T) {
	const secret = `planted "value" <&> 98765`
	t.Setenv("FLOWDBG_TEST_SECRET", secret)
	forms := []string{secret, base64.StdEncoding.EncodeToString([]byte("Bearer " + secret)), url.QueryEscape(secret), url.PathEscape(secret)}
	answer := map[string]any{"content": []any{map[string]any{"type": "text", "text": strings.Join(forms, "\n")}},
		"structuredContent": map[string]any{"r2": forms, secret: 1}}
	dir := t.TempDir()
	as := filepath.Join(dir, "server.json")
	write(t, as, marshal(t, map[string]any{"tools": []any{map[string]any{"name": testTool, "inputSchema": map[string]any{"type": "object"},
		"_meta": map[string]any{"ai-norm.com/contract_versions": []int{2}, secret: secret}, "answer": answer}}}))
	write(t, filepath.Join(dir, "rules.json"), []byte(`{"rules":1,"steps":[{"from":1,"to":2,"tool":"iPL.place","output":[{"op":"rename","path":"/r1","to":"r2"}]}]}`))
	m := callerMachine(t, fmt.Sprintf(`{"op":"tool","input":{"tool":%q,"arguments":{},"_meta":{"ai-norm.com/contract_version":1}}},{"op":"mcp","input":{"server":"s","tool":%q}}`, testTool, testTool),
		fmt.Sprintf(`"contracts":{"rules":"rules.json"},"mcpServers":{"s":{"command":%q,"args":["-as",%q],"env":{"K":{"$secret":"FLOWDBG_TEST_SECRET"}}}}`, serverBinary, as))
	events := liveThenReplay(t, m, dir)
	text := textOf(t, events)
	if found := m.SecretScanner().Find(text); len(found) > 0 {
		t.Errorf("the trace holds %v", found)
	}
	for _, form := range append(forms, "planted", "98765") {
		if strings.Contains(text, form) || strings.Contains(text, strings.Trim(string(marshal(t, form)), `"`)) {
			t.Errorf("the trace holds %q", form)
		}
	}
	answers := 0
	for i := range events {
		if e := &events[i]; e.Type == trace.EffectEvent {
			answers++
			if e.Effect.Op == op && e.Response.Get("structuredContent").Get("r1").Count() != len(forms) {
				t.Errorf("the answer is %s", e.Response)
			}
			if e.Effect.Op == op {
				if d, ok := CallDetails(e); !ok || d.Verdict() != "translated" {
					t.Errorf("%+v", d)
				}
			}
		}
	}
	if answers != 2 || !strings.Contains(text, "[redacted:FLOWDBG_TEST_SECRET]") {
		t.Errorf("%d answers in %s", answers, text)
	}
}
