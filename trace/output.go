package trace

import (
	"fmt"
	"sort"

	"flowdbg/trace/blocks"
	"flowdbg/trace/canon"
)

// output is what ended in one output, in order: first what still lies in a file, then what is at hand. Copies of a state
// share the messages.
type output struct {
	key   string
	store *Store
	left  []uint32 // send events in the store whose messages were not read; shared, never written
	msgs  blocks.List[Message]
}

func (o *output) len() int { return len(o.left) + o.msgs.Len() }

// at is the i-th message; false when the file cannot be read any more.
func (o *output) at(i int) (Message, bool) {
	if i >= len(o.left) {
		return *o.msgs.At(i - len(o.left)), true
	}
	e, err := o.store.Event(int(o.left[i]))
	if err != nil {
		return Message{}, false
	}
	return e.Message, true
}

// unpush takes the last message away again.
func (o *output) unpush() {
	if n := o.msgs.Len(); n > 0 {
		o.msgs.Cut(n - 1)
		return
	}
	o.left = o.left[:len(o.left)-1]
}

// load reads what lies in the file.
func (o *output) load() error {
	if len(o.left) == 0 {
		return nil
	}
	var all blocks.List[Message]
	for _, i := range o.left {
		e, err := o.store.Event(int(i))
		if err != nil {
			return fmt.Errorf("output %q: %w", o.key, err)
		}
		all.Push(e.Message)
	}
	for i := range o.msgs.Len() {
		all.Push(*o.msgs.At(i))
	}
	o.msgs, o.left, o.store = all, nil, nil
	return nil
}

func (o *output) clone() *output {
	return &output{key: o.key, store: o.store, left: o.left, msgs: o.msgs.Prefix(o.msgs.Len())}
}

// Load reads what a state that was made by Store.ForkAt has left in the file. Its hash and document need it; other states
// have everything at hand. The error is the file's, when it cannot be read any more.
func (s *State) Load() error {
	for _, o := range s.outputs {
		if err := o.load(); err != nil {
			return err
		}
	}
	return nil
}

func (s *State) output(key string) *output {
	if o, ok := s.outIndex[key]; ok {
		return o
	}
	o := &output{key: key}
	s.outIndex[key] = o
	at := sort.Search(len(s.outputs), func(i int) bool { return canon.CompareKeys(s.outputs[i].key, key) >= 0 })
	s.outputs = append(s.outputs, nil)
	copy(s.outputs[at+1:], s.outputs[at:])
	s.outputs[at] = o
	return o
}

func (s *State) dropOutput(key string) {
	delete(s.outIndex, key)
	for i, o := range s.outputs {
		if o.key == key {
			s.outputs = append(s.outputs[:i], s.outputs[i+1:]...)
			return
		}
	}
}

// OutputKeys are the terminal outputs so far, "agent.port" in canonical order.
func (s *State) OutputKeys() []string {
	keys := make([]string, len(s.outputs))
	for i, o := range s.outputs {
		keys[i] = o.key
	}
	return keys
}

// OutputLen is how many messages ended in an output.
func (s *State) OutputLen(key string) int {
	if o, ok := s.outIndex[key]; ok {
		return o.len()
	}
	return 0
}

// OutputAt is the i-th message of an output.
func (s *State) OutputAt(key string, i int) (Message, bool) {
	o, ok := s.outIndex[key]
	if !ok || i < 0 || i >= o.len() {
		return Message{}, false
	}
	return o.at(i)
}
