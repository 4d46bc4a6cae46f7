package tool

import (
	"strconv"

	"flowdbg/contract"
	"flowdbg/contract/meta"
	"flowdbg/trace/canon"
)

// writer appends canonical text. Its callers name members in canonical order; a test holds what they write against
// encoding/json read back. Each byte is written once: a call is recorded once, and encoding it by way of values or of
// encoding/json takes several times as long.
type writer struct{ out []byte }

// key begins a member: a comma unless it is the object's first, the name, a colon. Names are plain.
func (w *writer) key(name string) {
	w.next()
	w.out = append(w.out, '"')
	w.out = append(w.out, name...)
	w.out = append(w.out, '"', ':')
}

// next separates from what stands before in the same object or array.
func (w *writer) next() {
	if c := w.out[len(w.out)-1]; c != '{' && c != '[' {
		w.out = append(w.out, ',')
	}
}

func (w *writer) str(key, s string) {
	w.key(key)
	w.out = canon.AppendString(w.out, s)
}

// text, number and list leave empty members out, as encoding/json's omitempty does.
func (w *writer) text(key, s string) {
	if s != "" {
		w.str(key, s)
	}
}

func (w *writer) number(key string, n int64) {
	if n != 0 {
		w.integer(key, n)
	}
}

func (w *writer) integer(key string, n int64) {
	w.key(key)
	w.int(n)
}

func (w *writer) int(n int64) {
	if n < -canon.MaxSafeInteger || n > canon.MaxSafeInteger {
		w.out = append(w.out, canon.Int(n).Text()...)
		return
	}
	w.out = strconv.AppendInt(w.out, n, 10)
}

func (w *writer) ints(key string, list []int) {
	writeList(w, key, list, func(w *writer, n *int) { w.int(int64(*n)) })
}

// writeList writes an array of what each writes of the elements.
func writeList[T any](w *writer, key string, elems []T, each func(*writer, *T)) {
	if len(elems) == 0 {
		return
	}
	w.key(key)
	w.out = append(w.out, '[')
	for i := range elems {
		w.next()
		each(w, &elems[i])
	}
	w.out = append(w.out, ']')
}

func (w *writer) open()  { w.out = append(w.out, '{') }
func (w *writer) close() { w.out = append(w.out, '}') }

// value is the record as the member of side: what json.Marshal would write, in canonical form.
func (d *Details) value() canon.Value {
	w := writer{make([]byte, 0, 1024+(len(d.Sent)+len(d.Received))*9/8)}
	w.open()
	w.number("agent_version", int64(d.AgentVersion))
	w.text("class", d.Class)
	w.integer("elapsed_ms", d.ElapsedMS)
	writeList(&w, "journal", d.Journal, writeEntry)
	writeList(&w, "notes", d.Notes, writeNote)
	w.text("received", d.Received)
	if d.Refusal != nil {
		w.key("refusal")
		writeRefusal(&w, d.Refusal)
	}
	w.text("rules", d.Rules)
	w.text("semver", d.Semver)
	w.text("sent", d.Sent)
	w.text("server", d.Server)
	w.text("source", d.Source)
	writeList(&w, "steps", d.Steps, writeStep)
	w.text("sunset", d.Sunset)
	w.str("today", d.Today)
	w.str("tool", d.Tool)
	w.number("tool_version", int64(d.ToolVersion))
	w.ints("tool_versions", d.ToolVersions)
	writeList(&w, "tried", d.Tried, func(w *writer, t *Tried) {
		w.open()
		w.integer("version", int64(t.Version))
		w.key("why")
		writeRefusal(w, t.Why)
		w.close()
	})
	usd, err := canon.Float(d.USD)
	if err != nil { // prices are read as finite numbers
		usd = canon.Int(0)
	}
	w.key("usd")
	w.out = append(w.out, usd.Text()...)
	w.close()
	return canon.Raw(string(w.out))
}

func writeStep(w *writer, s *Step) {
	w.open()
	w.text("after", s.After)
	w.text("before", s.Before)
	w.str("direction", s.Dir)
	w.integer("ops", int64(s.Ops))
	w.text("rule", s.Rule)
	w.str("side", s.Side)
	w.str("step", s.Step)
	w.close()
}

func writeNote(w *writer, n *Note) {
	w.open()
	w.str("kind", n.Kind)
	w.str("path", n.Path)
	w.str("side", n.Side)
	w.text("step", n.Step)
	w.close()
}

func writeEntry(w *writer, e *meta.Entry) {
	w.open()
	w.str("code", e.Code)
	w.str("level", e.Level)
	w.str("source", string(e.Source))
	w.str("text", e.Text)
	w.text("tool", e.Tool)
	w.close()
}

func writeRefusal(w *writer, r *contract.Refusal) {
	if r == nil {
		w.out = append(w.out, "null"...)
		return
	}
	w.open()
	w.number("agent_version", r.AgentVersion)
	w.str("code", r.Code)
	w.text("direction", r.Direction)
	w.text("missing_step", r.MissingStep)
	w.text("path", r.Path)
	w.str("reason", r.Reason)
	w.text("rule", r.Rule)
	w.text("step", r.Step)
	w.str("tool", r.Tool)
	w.ints("tool_versions", r.ToolVersions)
	w.close()
}
