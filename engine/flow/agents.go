package flow

import (
	"fmt"
	"strings"
	"unicode"

	"flowdbg/trace/canon"
)

// readAgents reads the list of agents. An agent whose id cannot be used has the id "" and takes no part in the wiring.
func (r *reader) readAgents(top object) []Agent {
	list, ok := top.array("agents", required)
	if !ok {
		return nil
	}
	if len(list.Elems) == 0 {
		r.report(Error, CodeNoAgents, list, "/agents", "the flow has no agents", "at least one agent is required")
		return nil
	}
	agents := make([]Agent, len(list.Elems))
	first := make(map[string]*canon.Node, len(list.Elems))
	for i, n := range list.Elems {
		o, ok := r.object(n, element("/agents", i))
		if !ok {
			continue
		}
		agents[i] = r.readAgent(o)
		node := o.member("id")
		id := agents[i].ID
		if id == "" {
			continue
		}
		if before := first[id]; before != nil {
			r.report(Error, CodeDuplicateID, node, o.at("id"), "the id "+quote(id)+" is taken since "+r.line(before), "ids are unique")
			continue
		}
		first[id] = node
		r.ids = append(r.ids, id)
		r.known[id] = true
	}
	return agents
}

func (r *reader) readAgent(o object) Agent {
	var a Agent
	if id, n := o.str("id", required); n != nil {
		a.ID = id
		r.checkID(n, o.at("id"), id)
	}
	if kind, n := o.str("kind", required); n != nil {
		a.Kind = kind
		r.checkKind(n, o.at("kind"), kind)
	}
	a.Config = o.value("config")
	a.Ports = r.readTerminalPorts(o)
	a.ContractVersion = r.readContractVersion(o)
	o.known("id", "kind", "config", "ports", "contract_version")
	return a
}

// checkID holds an id to the rules of ours: not empty, at most MaxIDBytes, no control characters, no ".", not "effect".
func (r *reader) checkID(n *canon.Node, ptr, id string) {
	bad := func(message, want string) { r.report(Error, CodeBadID, n, ptr, message, want) }
	switch {
	case id == "":
		bad("the id is empty", "ids have at least one character")
	case id == EffectName:
		bad(`the id "effect" is reserved`, "it is the sender of every effect's answer")
	}
	if len(id) > MaxIDBytes {
		bad(fmt.Sprintf("the id has %d bytes", len(id)), fmt.Sprintf("ids have at most %d bytes of UTF-8", MaxIDBytes))
	}
	if c, ok := controlIn(id); ok {
		bad(fmt.Sprintf("the id holds the control character U+%04X", c), "ids have no control characters")
	}
	if strings.Contains(id, ".") {
		bad("the id "+quote(id)+` holds a "."`, `outputs are named "agent.port", so ids have no "."`)
	}
}

func (r *reader) checkKind(n *canon.Node, ptr, kind string) {
	if r.opt.KnownKind == nil || r.opt.KnownKind(kind) {
		return
	}
	other := "no kinds are registered"
	if len(r.opt.KindNames) > 0 {
		other = "the kinds are " + quoteAll(r.opt.KindNames)
	}
	r.report(Error, CodeUnknownKind, n, ptr, "unknown kind "+quote(kind), r.suggest.didYouMean(kind, r.opt.KindNames, other))
}

// readTerminalPorts reads the ports that are terminal on purpose.
func (r *reader) readTerminalPorts(o object) []string {
	list, ok := o.array("ports", optional)
	if !ok {
		return nil
	}
	var ports []string
	seen := make(map[string]bool, len(list.Elems))
	for i, n := range list.Elems {
		ptr := element(o.at("ports"), i)
		port, ok := n.Str()
		if !ok {
			r.wrongType(n, ptr, "a port's name")
			continue
		}
		r.checkPort(n, ptr, port)
		if seen[port] {
			r.report(Warning, CodeDuplicatePort, n, ptr, "the port "+quote(port)+" is listed twice", "once is enough")
			continue
		}
		seen[port] = true
		ports = append(ports, port)
	}
	return ports
}

// checkPort holds a port's name to the rules of ours: not empty, no control characters.
func (r *reader) checkPort(n *canon.Node, ptr, port string) {
	if port == "" {
		r.report(Error, CodeBadPort, n, ptr, "the port's name is empty", "ports have at least one character")
	}
	if c, ok := controlIn(port); ok {
		r.report(Error, CodeBadPort, n, ptr, fmt.Sprintf("the port's name holds the control character U+%04X", c),
			"ports have no control characters")
	}
}

// readContractVersion is the member "contract_version" of an agent or a server.
func (r *reader) readContractVersion(o object) int64 {
	return r.readVersionNumber(o, "contract_version")
}

// readVersionNumber accepts what seed 003 calls an integer: 2 and 2.0, never 0, negatives, fractions or "2".
func (r *reader) readVersionNumber(o object, key string) int64 {
	n, ok := o.get(key, optional)
	if !ok {
		return 0
	}
	v, ok := n.Int()
	if !ok || v < 1 {
		r.report(Error, CodeBadContractVersion, n, o.at(key),
			"this is no contract version", "write an integer of at least 1")
		return 0
	}
	return v
}

// controlIn finds a C0 or C1 control character or DEL.
func controlIn(s string) (rune, bool) {
	for _, c := range s {
		if unicode.IsControl(c) {
			return c, true
		}
	}
	return 0, false
}
