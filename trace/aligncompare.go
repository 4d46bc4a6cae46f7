package trace

import (
	"bytes"
	"fmt"
	"hash/maphash"
	"sort"
	"strings"

	"flowdbg/trace/canon"
)

// comparison is how two events compare: the first difference and how many there are (up to maxDifferences).
type comparison struct {
	op            DiffOp
	path          string
	recorded, got canon.Value
	count         int
}

const maxDifferences = 64

// eventComparer compares single events and makes their keys.
type eventComparer struct {
	clocks    map[string]bool
	quoted    [][]byte // `"name":`
	seen      map[string]bool
	clockSeen bool // an event before differs in clocks: a state hash may differ for that reason alone
	seed      maphash.Seed
	buf       []byte
}

func newEventComparer(clocks []string) eventComparer {
	c := eventComparer{clocks: map[string]bool{}, seen: map[string]bool{}, seed: maphash.MakeSeed()}
	for _, name := range clocks {
		c.clocks[name] = true
		c.quoted = append(c.quoted, append(canon.AppendString(nil, name), ':'))
	}
	return c
}

// compare compares an event of each trace, by their texts as long as these are equal.
func (d *differ) compare(i, j int) (comparison, error) {
	if d.a.texts.raw() && d.b.texts.raw() {
		x, err := d.a.texts.at(i)
		if err != nil {
			return comparison{}, err
		}
		y, err := d.b.texts.at(j)
		if err != nil {
			return comparison{}, err
		}
		if d.shift == 0 && bytes.Equal(x, y) || d.shift != 0 && equalButStep(x, y, d.shift) {
			return comparison{op: OpEqual}, nil
		}
	}
	x, _, err := d.a.texts.event(i)
	if err != nil {
		return comparison{}, err
	}
	y, _, err := d.b.texts.event(j)
	if err != nil {
		return comparison{}, err
	}
	return d.cmp.events(x, y, d.shift), nil
}

// equalButStep is true for two texts in the seed's member order that differ in nothing but the step number, by shift.
func equalButStep(x, y []byte, shift int) bool {
	const key = `,"step":`
	const within = 64 // the type stands before it
	i := bytes.Index(x[:min(len(x), within)], []byte(key))
	if i < 0 || len(y) < i || !bytes.Equal(x[:i], y[:i]) {
		return false
	}
	a, restX, okX := leadingInt(x[i+len(key):])
	if !bytes.HasPrefix(y[i:], []byte(key)) {
		return false
	}
	b, restY, okY := leadingInt(y[i+len(key):])
	return okX && okY && b-a == shift && bytes.Equal(restX, restY)
}

func leadingInt(t []byte) (n int, rest []byte, ok bool) {
	i := 0
	for i < len(t) && i < 10 && t[i] >= '0' && t[i] <= '9' {
		n = n*10 + int(t[i]-'0')
		i++
	}
	return n, t[i:], i > 0 && i < 10
}

// events compares two decoded events; got's step is expected shift above recorded's.
func (c *eventComparer) events(recorded, got *Event, shift int) comparison {
	if sameContent(recorded, got) && (!recorded.HasStep() || got.Step-recorded.Step == shift) {
		return comparison{op: OpEqual}
	}
	x, y := comparedPair(recorded, got, shift)
	list := Differences(x, y, maxDifferences)
	if len(list) == 0 {
		return comparison{op: OpEqual}
	}
	r := comparison{op: OpClock, path: list[0].Pointer, recorded: list[0].Recorded, got: list[0].Got, count: len(list)}
	var met []string
	for _, diff := range list {
		name, clock := c.clockOf(diff.Pointer)
		if !clock && !(recorded.Type == FinishEvent && diff.Pointer == "/state_hash" && c.clockSeen) {
			r.op, r.path, r.recorded, r.got = OpChanged, diff.Pointer, diff.Recorded, diff.Got
			break
		}
		if clock {
			met = append(met, name)
		}
	}
	if len(list) == maxDifferences {
		r.op = OpChanged
	}
	for _, name := range met {
		c.seen[name] = true
	}
	return r
}

// sameContent is true for events that are equal but for step, side and unknown members.
func sameContent(a, b *Event) bool {
	if a.Type != b.Type || a.Agent != b.Agent || a.Port != b.Port || a.To != b.To || a.HasTo() != b.HasTo() || a.HasStep() != b.HasStep() {
		return false
	}
	if !a.Type.Known() {
		return a.Extra == b.Extra
	}
	if a.Error != nil || a.Finish != nil {
		return false // rare: left to the whole comparison
	}
	// An effect's answer message is made from its response, and may be there on one side only.
	return (a.Type == EffectEvent || a.Message.Equal(b.Message)) && a.State == b.State && a.Send == b.Send && a.Effect.Equal(b.Effect) &&
		a.Response == b.Response && a.Usage == b.Usage && a.HasUsage() == b.HasUsage()
}

// comparedPair is both events as values, brought to the same step; members of ours that a foreign trace may lack
// (error.code, finish.reason) count only when both have them.
func comparedPair(recorded, got *Event, shift int) (canon.Value, canon.Value) {
	x, y := *recorded, *got
	y.Step -= shift
	if x.Error != nil && y.Error != nil && (x.Error.Code == "" || y.Error.Code == "") {
		e, f := *x.Error, *y.Error
		e.Code, f.Code = "", ""
		x.Error, y.Error = &e, &f
	}
	if x.Finish != nil && y.Finish != nil && (x.Finish.Reason == "" || y.Finish.Reason == "") {
		e, f := *x.Finish, *y.Finish
		e.Reason, f.Reason = "", ""
		x.Finish, y.Finish = &e, &f
	}
	return x.Compared(), y.Compared()
}

// clockOf finds the member of a pointer that is a clock field.
func (c *eventComparer) clockOf(ptr string) (string, bool) {
	for _, token := range strings.Split(ptr, "/") {
		if c.clocks[token] {
			return token, true
		}
	}
	return "", false
}

// met lists the clock fields that differed, sorted.
func (c *eventComparer) met() []string {
	var list []string
	for name := range c.seen {
		list = append(list, name)
	}
	sort.Strings(list)
	return list
}

// keys are an event's full key (content without step, side and clocks) and its shape.
func (c *eventComparer) keys(e *Event) (full, shape uint64) {
	x := *e
	x.Step, x.Side = 0, canon.Value{}
	if x.Type.Known() {
		x.Extra = canon.Value{}
	}
	c.buf = x.AppendJSON(c.buf[:0])
	for _, q := range c.quoted {
		if bytes.Contains(c.buf, q) {
			c.buf = c.withoutClocks(c.buf[:0], x.Compared())
			break
		}
	}
	full = maphash.Bytes(c.seed, c.buf)
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, s := range []string{string(e.Type), e.Agent, e.Port, e.To, e.Message.Tag} {
		h.WriteString(s)
		h.WriteByte(0)
	}
	if e.Effect != nil {
		h.WriteString(e.Effect.Op)
	}
	return full, h.Sum64()
}

// withoutClocks appends a value's text with every clock field as null.
func (c *eventComparer) withoutClocks(dst []byte, v canon.Value) []byte {
	switch v.Kind() {
	case canon.KindObject:
		dst = append(dst, '{')
		for k, m := range v.Members() {
			dst = append(canon.AppendString(dst, k), ':')
			if c.clocks[k] {
				dst = append(dst, "null,"...)
				continue
			}
			dst = append(c.withoutClocks(dst, m), ',')
		}
		return append(dst, '}')
	case canon.KindArray:
		dst = append(dst, '[')
		for _, m := range v.Elems() {
			dst = append(c.withoutClocks(dst, m), ',')
		}
		return append(dst, ']')
	}
	return append(dst, v.Text()...)
}

// previewBytes is how much of a value a line shows.
const previewBytes = 160

// preview is the start of a value's text, in a copy; a cut one says how long it is.
func preview(v canon.Value) string {
	text := v.Text()
	if len(text) <= previewBytes {
		return strings.Clone(text)
	}
	cut := strings.ToValidUTF8(text[:previewBytes], "")
	return fmt.Sprintf("%s… (%d bytes)", cut, len(text))
}
