package flow

import (
	"flowdbg/trace/canon"
)

// readSettings reads an object of named settings that are objects themselves. What is inside belongs to whoever uses it.
func (r *reader) readSettings(top object, key string) map[string]canon.Value {
	o, ok := top.child(key)
	if !ok {
		return nil
	}
	settings := make(map[string]canon.Value, len(o.node.Members))
	for _, m := range o.node.Members {
		if m.Value.Kind == canon.KindNull {
			continue
		}
		if _, ok := r.object(m.Value, o.at(m.Key)); ok {
			settings[m.Key] = m.Value.Value()
		}
	}
	return settings
}

// readServers reads MCP servers in the shape that MCP clients use: {name: {command, args, env}} for a program to start, {name:
// {url, headers}} for one that is running. Other members are kept without a word, because clients have many of their own.
// contract_version is ours: the contract version pinned for the connection (seed 003).
func (r *reader) readServers(top object) map[string]canon.Value {
	servers := r.readSettings(top, "mcpServers")
	if servers == nil {
		return nil
	}
	all, _ := top.child("mcpServers")
	for _, m := range all.node.Members {
		if m.Value.Kind == canon.KindObject {
			r.checkServer(object{r, m.Value, all.at(m.Key)})
		}
	}
	return servers
}

func (r *reader) checkServer(o object) {
	command, hasCommand := o.get("command", optional)
	_, hasURL := o.get("url", optional)
	switch {
	case hasCommand && hasURL:
		r.report(Error, CodeBadServer, command, o.at("command"), "the server has a command and a url",
			"keep the command of a program to start, or the url of one that is running")
	case !hasCommand && !hasURL:
		r.report(Error, CodeBadServer, o.node, o.ptr, "the server has neither a command nor a url",
			"give the command of a program to start, or the url of one that is running")
	}
	o.str("command", optional)
	o.str("url", optional)
	o.strings("args")
	o.stringMap("env")
	o.stringMap("headers")
	r.readContractVersion(o)
}

// readContracts reads what the flow asks of the platform's tools.
func (r *reader) readContracts(top object) *Contracts {
	o, ok := top.child("contracts")
	if !ok {
		return nil
	}
	c := &Contracts{Rules: o.oneOrMore("rules"), Version: r.readVersionNumber(o, "version")}
	c.Platform, _ = o.str("platform", optional)
	c.Prefix, _ = o.str("prefix", optional)
	if names, ok := o.child("requires"); ok {
		for _, m := range names.node.Members {
			if constraint, n := names.str(m.Key, optional); n != nil {
				c.Requires = append(c.Requires, Requirement{Name: m.Key, Constraint: constraint})
			}
		}
	}
	o.known("requires", "version", "platform", "rules", "prefix")
	return c
}

// oneOrMore is an optional string, or an array of them.
func (o object) oneOrMore(key string) []string {
	if n, ok := o.get(key, optional); ok && n.Kind != canon.KindArray {
		s, ok := n.Str()
		if !ok {
			o.r.wrongType(n, o.at(key), "a string or an array of strings")
			return nil
		}
		return []string{s}
	}
	return o.strings(key)
}

// strings is an optional array of strings.
func (o object) strings(key string) []string {
	list, ok := o.array(key, optional)
	if !ok {
		return nil
	}
	var out []string
	for i, n := range list.Elems {
		s, ok := n.Str()
		if !ok {
			o.r.wrongType(n, element(o.at(key), i), "a string")
			continue
		}
		out = append(out, s)
	}
	return out
}

// stringMap checks an optional object whose members are strings or secrets, {"$secret": "NAME"}.
func (o object) stringMap(key string) {
	m, ok := o.child(key)
	if !ok {
		return
	}
	for _, e := range m.node.Members {
		switch e.Value.Kind {
		case canon.KindString, canon.KindNull:
		case canon.KindObject:
			object{o.r, e.Value, m.at(e.Key)}.str("$secret", required)
		default:
			o.r.wrongType(e.Value, m.at(e.Key), `a string or {"$secret": "NAME"}`)
		}
	}
}
