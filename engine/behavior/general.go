package behavior

import (
	"fmt"

	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// The general kinds, so that flows can be written without code (ours). They take any tag; config ignore lists tags
// that they consume and drop.

var echoKind = Kind{
	Name: "echo", Summary: "passes every message on, with another tag or other member names if asked",
	Receives: []string{"any"},
	Ports:    []Port{{"out", "the message"}},
	Config: []Field{
		{"tag", "string", "the message's own", "the tag to send with"},
		{"fields", "{from: to}", "{}", "members of the payload to rename"},
		ignoreField,
	},
	State: "null",
	New: func(config canon.Value) (Behavior, []Problem) {
		r := readConfig(config)
		b := &echo{tag: r.text("tag", ""), ignore: r.tags("ignore")}
		for from, to := range r.object("fields", `write {"from":"to"}`).Members() {
			name, ok := to.Str()
			if !ok {
				r.bad(canon.AppendPointer("/fields", from), "the new name is not a string", `write {"from":"to"}`)
			}
			b.fields = append(b.fields, [2]string{from, name})
		}
		return b, r.done()
	},
}

type echo struct {
	tag    string
	fields [][2]string
	ignore map[string]bool
}

func (b *echo) Act(c Call) (Result, error) {
	if b.ignore[c.Message.Tag] {
		return Result{}, nil
	}
	tag, payload := b.tag, c.Message.Payload
	if tag == "" {
		tag = c.Message.Tag
	}
	if len(b.fields) > 0 && payload.Kind() == canon.KindObject {
		var members []canon.Member
		for k, v := range payload.Members() {
			for _, f := range b.fields {
				if f[0] == k {
					k = f[1]
					break
				}
			}
			members = append(members, canon.Member{Key: k, Value: v})
		}
		payload = canon.Object(members...)
		if payload.Count() != len(members) {
			return Result{}, fmt.Errorf("renaming fields gives two members one name: %s", preview(payload))
		}
	}
	return Result{Sends: []trace.Send{{Port: "out", Tag: tag, Payload: payload}}}, nil
}

var routerKind = Kind{
	Name: "router", Summary: "sends each message to a port chosen by its tag or by a value in its payload",
	Receives: []string{"any"},
	Ports:    []Port{{"(from config routes)", "the message"}},
	Config: []Field{
		{"by", `"tag" or a JSON Pointer`, `"tag"`, "what chooses the route"},
		{"routes", "{value: port or {port, tag}}", "{}", "port, and optionally a new tag, per value; what is no string by its JSON text, nothing there as \"\""},
		{"default", "port", "none: no route is an error", "the port for everything else"},
		ignoreField,
	},
	State: "null",
	New: func(config canon.Value) (Behavior, []Problem) {
		r := readConfig(config)
		b := &router{by: r.text("by", "tag"), other: r.text("default", ""), ignore: r.tags("ignore"), routes: map[string]route{}}
		if b.by != "tag" && (b.by == "" || b.by[0] != '/') {
			r.bad("/by", fmt.Sprintf("%q is neither \"tag\" nor a JSON Pointer", b.by), `write "tag" or "/member"`)
		}
		routes := r.object("routes", `write {"value":"port"}`)
		for value, to := range routes.Members() {
			b.routes[value] = r.route(canon.AppendPointer("/routes", value), to)
		}
		if routes.Count() == 0 && b.other == "" {
			r.bad("/routes", "a router without routes and default can send nothing", `write {"routes":{"value":"port"}}`)
		}
		return b, r.done()
	},
}

type route struct{ port, tag string }

// route reads "port" or {"port":…,"tag":…}.
func (r *reader) route(ptr string, v canon.Value) route {
	port, ok := v.Str()
	tag := canon.Value{}
	if !ok {
		port, ok = v.Get("port").Str()
		tag = v.Get("tag")
	}
	if !ok || port == "" {
		r.bad(ptr, "the route has no port", `write "port" or {"port":…,"tag":…}`)
	}
	name, ok := tag.Str()
	if !ok && !tag.IsAbsent() && !tag.IsNull() {
		r.bad(ptr+"/tag", "the new tag is not a string", "write a string, or leave it out")
	}
	return route{port, name}
}

type router struct {
	by, other string
	routes    map[string]route
	ignore    map[string]bool
}

func (b *router) Act(c Call) (Result, error) {
	if b.ignore[c.Message.Tag] {
		return Result{}, nil
	}
	value := c.Message.Tag
	if b.by != "tag" {
		value = ""
		if v, err := c.Message.Payload.Pointer(b.by); err == nil {
			s, ok := v.Str()
			if !ok {
				s = v.Text()
			}
			value = s
		}
	}
	to, ok := b.routes[value]
	if !ok {
		if b.other == "" {
			return Result{}, fmt.Errorf("no route for %q by %s, and no default", value, b.by)
		}
		to = route{port: b.other}
	}
	if to.tag == "" {
		to.tag = c.Message.Tag
	}
	return Result{Sends: []trace.Send{{Port: to.port, Tag: to.tag, Payload: c.Message.Payload}}}, nil
}

var counterKind = Kind{
	Name: "counter", Summary: "counts messages and sends the count after every n-th",
	Receives: []string{"any"},
	Ports:    []Port{{"out", "count {count}"}},
	Config:   []Field{{"every", "integer ≥ 1", "1", "how many messages make one report"}, {"tag", "string", "count", "the tag to send with"}, ignoreField},
	State:    `{"count"}`,
	New: func(config canon.Value) (Behavior, []Problem) {
		r := readConfig(config)
		return &counter{every: r.positive("every", 1), tag: r.text("tag", "count"), ignore: r.tags("ignore")}, r.done()
	},
}

type counter struct {
	every  int64
	tag    string
	ignore map[string]bool
}

func (b *counter) Act(c Call) (Result, error) {
	if b.ignore[c.Message.Tag] {
		return Result{}, nil
	}
	n, _ := c.State.Get("count").Int()
	n++
	state := canon.Object(canon.Member{Key: "count", Value: canon.Int(n)})
	res := Result{State: state}
	if n%b.every == 0 {
		res.Sends = []trace.Send{{Port: "out", Tag: b.tag, Payload: state}}
	}
	return res, nil
}

var collectKind = Kind{
	Name: "collect", Summary: "joins n messages into one",
	Receives: []string{"any"},
	Ports:    []Port{{"out", "collected {items}"}},
	Config:   []Field{{"n", "integer ≥ 1", "2", "how many messages to join"}, {"tag", "string", "collected", "the tag to send with"}, ignoreField},
	State:    `{"items":[payloads so far]}`,
	New: func(config canon.Value) (Behavior, []Problem) {
		r := readConfig(config)
		return &collect{n: int(r.positive("n", 2)), tag: r.text("tag", "collected"), ignore: r.tags("ignore")}, r.done()
	},
}

type collect struct {
	n      int
	tag    string
	ignore map[string]bool
}

func (b *collect) Act(c Call) (Result, error) {
	if b.ignore[c.Message.Tag] {
		return Result{}, nil
	}
	w := work{pending: c.State.Get("items")}
	if w.pending.Kind() != canon.KindArray {
		w.pending = canon.EmptyArray
	}
	w.push(c.Message.Payload)
	items := w.pending
	res := Result{}
	if items.Count() >= b.n {
		res.Sends = []trace.Send{{Port: "out", Tag: b.tag, Payload: canon.Object(canon.Member{Key: "items", Value: items})}}
		items = canon.EmptyArray
	}
	res.State = canon.Object(canon.Member{Key: "items", Value: items})
	return res, nil
}
