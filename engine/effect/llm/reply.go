package llm

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/sashabaranov/go-openai"

	"flowdbg/engine/effect"
	"flowdbg/engine/effect/clock"
	"flowdbg/engine/effect/httpx"
	"flowdbg/engine/effect/price"
	"flowdbg/trace/canon"
)

// wireFactor is how many times larger than its text an answer may be on the wire: a frame of some 200 bytes brings a few
// letters.
const wireFactor = 64

// reply is an answer as far as it has come.
type reply struct {
	limit    int64 // bytes of text
	text     strings.Builder
	thoughts strings.Builder
	refusal  strings.Builder
	finish   string
	calls    []toolCall
	model    string
	usage    *usage
	frames   int
}

type toolCall struct {
	id, name  string
	arguments []byte // no Builder: the list it is in grows, and a Builder must not be copied
}

// usage is the member usage of an answer. Numbers that are not there are not zero: the cost is unknown then.
type usage struct {
	Prompt     *float64 `json:"prompt_tokens"`
	Completion *float64 `json:"completion_tokens"`
	Details    *struct {
		Cached float64 `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

// tokens is what the answer says it used; ok is false when it does not say, or says what cannot be.
func (r *reply) tokens() (t price.Tokens, ok bool) {
	if r.usage == nil || r.usage.Prompt == nil || r.usage.Completion == nil {
		return t, false
	}
	t = price.Tokens{Input: *r.usage.Prompt, Output: *r.usage.Completion}
	if d := r.usage.Details; d != nil {
		t.CachedInput = d.Cached
	}
	return t, t.Valid()
}

// frame is one chunk of a stream, with the members that decide about money and errors read by rules of our own.
type frame struct {
	openai.ChatCompletionStreamResponse
	Usage *usage           `json:"usage"`
	Error *openai.APIError `json:"error"`
}

// whole is an answer in one piece.
type whole struct {
	openai.ChatCompletionResponse
	Usage *usage           `json:"usage"`
	Error *openai.APIError `json:"error"`
}

// readStream reads server-sent events until [DONE]. Each line counts as a frame for the idle clock: a comment is a sign
// of life.
func (r *reply) readStream(body *clock.Reader) error {
	most := wireFactor * r.limit
	lines := bufio.NewScanner(body)
	lines.Buffer(make([]byte, 0, 4<<10), int(min(most, 8<<20)))
	var seen int64
	for lines.Scan() {
		line := lines.Text()
		body.Watch.Frame()
		if seen += int64(len(line)) + 1; seen > most {
			return &httpx.Fault{Class: httpx.ClassTooLarge, Detail: fmt.Sprintf("the stream has more than %d bytes", most)}
		}
		data, isData := strings.CutPrefix(line, "data:")
		if !isData {
			continue
		}
		data = strings.TrimSpace(data)
		if data == "[DONE]" {
			return r.ended()
		}
		if err := r.add(data); err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return &httpx.Fault{Class: httpx.ClassTooLarge, Detail: "a frame of the stream is too large"}
	case err != nil:
		return err
	}
	return r.ended()
}

// ended judges a stream that is over: without a finish reason it was cut off.
func (r *reply) ended() error {
	switch {
	case r.frames == 0:
		return &httpx.Fault{Class: httpx.ClassBadAnswer, Detail: "the stream holds no frame"}
	case r.finish == "":
		return &httpx.Fault{Class: httpx.ClassCutOff, Detail: fmt.Sprintf("the stream ended after %d frames, before the answer did", r.frames), Retry: true}
	}
	return nil
}

// add takes one frame.
func (r *reply) add(data string) error {
	var f frame
	if err := json.Unmarshal([]byte(data), &f); err != nil {
		return &httpx.Fault{Class: httpx.ClassBadAnswer, Detail: "a frame is no chat chunk: " + err.Error()}
	}
	if f.Error != nil {
		return r.fault(f.Error)
	}
	r.frames++
	if f.Usage != nil {
		r.usage = f.Usage // some servers send it with every frame: the last one counts
	}
	if f.Model != "" {
		r.model = f.Model
	}
	for i := range f.Choices {
		c := &f.Choices[i]
		if c.Index != 0 {
			continue // one answer was asked for
		}
		r.text.WriteString(c.Delta.Content)
		r.refusal.WriteString(c.Delta.Refusal)
		r.thoughts.WriteString(c.Delta.ReasoningContent)
		for _, call := range c.Delta.ToolCalls {
			r.call(call)
		}
		if c.FinishReason != "" {
			r.finish = string(c.FinishReason)
		}
	}
	return r.bounded()
}

func (r *reply) bounded() error {
	n := r.text.Len() + r.refusal.Len() + r.thoughts.Len()
	for i := range r.calls {
		n += len(r.calls[i].arguments)
	}
	if int64(n) > r.limit {
		return &httpx.Fault{Class: httpx.ClassTooLarge, Detail: fmt.Sprintf("the answer has more than %d bytes", r.limit)}
	}
	return nil
}

// maxCalls bounds the tool calls of one answer.
const maxCalls = 256

func (r *reply) call(c openai.ToolCall) {
	i := len(r.calls)
	if c.Index != nil {
		i = *c.Index
	} else if c.ID == "" && i > 0 {
		i--
	}
	if i < 0 || i >= maxCalls {
		return
	}
	for len(r.calls) <= i {
		r.calls = append(r.calls, toolCall{})
	}
	t := &r.calls[i]
	if c.ID != "" {
		t.id = c.ID
	}
	if c.Function.Name != "" {
		t.name = c.Function.Name
	}
	t.arguments = append(t.arguments, c.Function.Arguments...)
}

// passing are the codes and types of errors that go away, as servers call them in a stream, where there is no status.
var passing = map[string]bool{"server_error": true, "rate_limit_exceeded": true, "rate_limit_error": true, "overloaded_error": true, "api_error": true}

// fault is an error that comes in place of a frame. It may be tried again when it says so, by a name or by an HTTP
// status as its code. Before the first frame it is a refusal, which costs nothing.
func (r *reply) fault(e *openai.APIError) error {
	code := fmt.Sprint(e.Code)
	f := &httpx.Fault{Class: ClassStream, Detail: e.Message, Retry: passing[code] || passing[e.Type], Free: r.frames == 0}
	if n, err := strconv.Atoi(code); err == nil && !f.Retry {
		f.Retry = httpx.StatusFault(&http.Response{StatusCode: n}, "", time.Time{}).Retry
	}
	return f
}

func (r *reply) readWhole(data []byte) error {
	var w whole
	if err := json.Unmarshal(data, &w); err != nil {
		return &httpx.Fault{Class: httpx.ClassBadAnswer, Detail: "the answer is no chat completion: " + err.Error()}
	}
	if w.Error != nil {
		return r.fault(w.Error)
	}
	r.usage, r.model = w.Usage, w.Model
	if len(w.Choices) == 0 {
		return &httpx.Fault{Class: httpx.ClassBadAnswer, Detail: "the answer has no choice"}
	}
	c := &w.Choices[0]
	r.frames, r.finish = 1, string(c.FinishReason)
	r.text.WriteString(c.Message.Content)
	r.refusal.WriteString(c.Message.Refusal)
	r.thoughts.WriteString(c.Message.ReasoningContent)
	for _, call := range c.Message.ToolCalls {
		r.call(call)
	}
	return r.bounded()
}

// output is the answer to be recorded, and notes about big integers in it.
func (r *reply) output() (canon.Value, []string) {
	text := r.text.String()
	members := []canon.Member{{Key: "text", Value: canon.String(text)}}
	if r.finish != "" {
		members = append(members, canon.Member{Key: "finish_reason", Value: canon.String(r.finish)})
	}
	if r.refusal.Len() > 0 {
		members = append(members, canon.Member{Key: "refusal", Value: canon.String(r.refusal.String())})
	}
	doc, notes := asJSON(text)
	members = append(members, canon.Member{Key: "json", Value: doc})
	if len(r.calls) > 0 {
		list := make([]canon.Value, len(r.calls))
		for i := range r.calls {
			t := &r.calls[i]
			list[i] = canon.Object(canon.Member{Key: "id", Value: canon.String(t.id)}, canon.Member{Key: "name", Value: canon.String(t.name)},
				canon.Member{Key: "arguments", Value: canon.String(string(t.arguments))})
		}
		members = append(members, canon.Member{Key: "tool_calls", Value: canon.Array(list...)})
	}
	return canon.Object(members...), notes
}

// asJSON is the text as JSON when it is an object or an array as a whole, absent otherwise.
func asJSON(text string) (canon.Value, []string) {
	s := strings.TrimSpace(text)
	if inner, ok := strings.CutPrefix(s, "```"); ok {
		if inner, ok = strings.CutSuffix(inner, "```"); ok {
			s = strings.TrimSpace(strings.TrimPrefix(strings.TrimPrefix(inner, "json"), "JSON"))
		}
	}
	if !strings.HasPrefix(s, "{") && !strings.HasPrefix(s, "[") {
		return canon.Value{}, nil
	}
	v, notes, err := httpx.ReadJSON([]byte(s), "/json")
	if err != nil {
		return canon.Value{}, nil
	}
	return v, notes
}

// maxThoughts bounds what is kept of a model's reasoning, which is beside the answer.
const maxThoughts = 16 << 10

// side adds to what the attempts left: the model that answered, its reasoning, tokens from a cache, notes.
func (r *reply) side(side canon.Value, notes []string, usdUnknown bool) canon.Value {
	var members []canon.Member
	for k, v := range side.Members() {
		members = append(members, canon.Member{Key: k, Value: v})
	}
	add := func(key string, v canon.Value) { members = append(members, canon.Member{Key: key, Value: v}) }
	if r.model != "" {
		add("model", canon.String(r.model))
	}
	if t, ok := r.tokens(); ok && t.CachedInput > 0 {
		add("cached_input_tokens", canon.Int(int64(t.CachedInput)))
	}
	if usdUnknown {
		add("usd_unknown", canon.True)
	}
	if s := r.thoughts.String(); s != "" {
		if len(s) > maxThoughts {
			s = strings.ToValidUTF8(s[:maxThoughts], "") + " …"
		}
		add("reasoning", canon.String(s))
	}
	side = canon.Object(members...)
	for _, n := range notes {
		side = effect.Noted(side, n)
	}
	return side
}
