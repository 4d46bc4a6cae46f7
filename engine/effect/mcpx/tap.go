package mcpx

import (
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// The methods whose messages are kept as they went over the wire.
const (
	methodInitialize = "initialize"
	methodListTools  = "tools/list"
	methodCallTool   = "tools/call"
)

// tap sees every message of a connection and keeps the bytes of the last request and result per method. The SDK's own types
// round large integers and drop members that they do not know.
type tap struct {
	mu   sync.Mutex
	last map[string]*exchange // method → newest
	byID map[string]*exchange
}

// exchange is one request and its result, as JSON texts, or the error that the server answered with.
type exchange struct {
	id             string
	params, result json.RawMessage
	refusal        *jsonrpc.Error
}

func newTap() *tap {
	return &tap{last: map[string]*exchange{}, byID: map[string]*exchange{}}
}

func idKey(id jsonrpc.ID) string { return fmt.Sprintf("%T:%v", id.Raw(), id.Raw()) }

// sent notes an outgoing message.
func (t *tap) sent(msg jsonrpc.Message) {
	req, ok := msg.(*jsonrpc.Request)
	if !ok || !req.IsCall() {
		return
	}
	switch req.Method {
	case methodInitialize, methodListTools, methodCallTool:
	default:
		return
	}
	x := &exchange{id: idKey(req.ID), params: req.Params}
	t.mu.Lock()
	defer t.mu.Unlock()
	if old := t.last[req.Method]; old != nil {
		delete(t.byID, old.id)
	}
	t.last[req.Method], t.byID[x.id] = x, x
}

// received notes an incoming message.
func (t *tap) received(msg jsonrpc.Message) {
	res, ok := msg.(*jsonrpc.Response)
	if !ok {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if x := t.byID[idKey(res.ID)]; x != nil {
		x.result = res.Result
		if !errors.As(res.Error, &x.refusal) && res.Error != nil {
			x.refusal = &jsonrpc.Error{Message: res.Error.Error()}
		}
	}
}

// of is the newest exchange of a method; its result is nil while none has come.
func (t *tap) of(method string) exchange {
	t.mu.Lock()
	defer t.mu.Unlock()
	if x := t.last[method]; x != nil {
		return *x
	}
	return exchange{}
}
