package engine

import (
	"fmt"
	"slices"
	"strings"

	"flowdbg/engine/behavior"
	"flowdbg/trace"
	"flowdbg/trace/canon"
)

// Sources lists the files that the flow's behaviours were made of, by name, each once.
func (m *Machine) Sources() []behavior.SourceFile {
	var list []behavior.SourceFile
	for _, i := range m.flow.Order() {
		if b, ok := m.actors[m.flow.Agents[i].ID].behavior.(behavior.Sourced); ok {
			list = append(list, b.Sources()...)
		}
	}
	slices.SortFunc(list, func(a, b behavior.SourceFile) int { return strings.Compare(a.Name, b.Name) })
	return slices.Compact(list)
}

// Behavior is the behaviour of an agent, nil when there is none of that name.
func (m *Machine) Behavior(agent string) behavior.Behavior {
	if a := m.actors[agent]; a != nil {
		return a.behavior
	}
	return nil
}

// sourcesValue is {name: sha256}.
func sourcesValue(list []behavior.SourceFile) canon.Value {
	members := make([]canon.Member, len(list))
	for i, f := range list {
		members[i] = canon.Member{Key: f.Name, Value: canon.String(f.SHA256)}
	}
	return canon.Object(members...)
}

// ScriptNotes says which scripts are not the recorded ones, one line each.
func ScriptNotes(now []behavior.SourceFile, record trace.Log) []string {
	recorded := finishSide(record).Get("scripts")
	if recorded.Kind() != canon.KindObject {
		return nil
	}
	var notes []string
	seen := map[string]bool{}
	for _, f := range now {
		seen[f.Name] = true
		was, ok := recorded.Get(f.Name).Str()
		switch {
		case !ok:
			notes = append(notes, fmt.Sprintf("script %s was not there when the trace was recorded", f.Name))
		case was != f.SHA256:
			notes = append(notes, fmt.Sprintf("script %s changed (sha256 %.12s, recorded %.12s)", f.Name, f.SHA256, was))
		}
	}
	for name := range recorded.Members() {
		if !seen[name] {
			notes = append(notes, fmt.Sprintf("script %s, which the trace was recorded with, is not used any more", name))
		}
	}
	return notes
}

// finishSide is the side member of the record's finish event, absent when there is none.
func finishSide(record trace.Log) canon.Value {
	for i := record.Len() - 1; i >= 0; i-- {
		t := record.Header(i).Type
		if t == trace.FinishEvent {
			if e, err := record.Event(i); err == nil {
				return e.Side
			}
		}
		if !t.IsExtension() {
			break
		}
	}
	return canon.Value{}
}
