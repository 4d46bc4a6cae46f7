package session

import (
	"context"
	"strings"
)

// commands is the language. Help, the unknown-word message and the tests read it too.
var commands []command

func init() { // not a literal: help refers to the table
	commands = []command{
		{names: []string{"step", "s"}, args: "[N]", help: "run N scheduler steps (1)", run: (*Interp).step},
		{names: []string{"back", "S"}, args: "[N]", help: "take N steps back", run: (*Interp).back},
		{names: []string{"next", "]"}, args: "[N]", help: "apply N events (1)", run: (*Interp).next},
		{names: []string{"prev", "["}, args: "[N]", help: "take N events back", run: (*Interp).prev},
		{names: []string{"continue", "c"}, help: "run to the next breakpoint, the end, or a pause", run: (*Interp).cont},
		{names: []string{"reverse", "C"}, help: "run back to the breakpoint before, or the start; nothing is bought", run: (*Interp).reverse},
		{names: []string{"next-of", "}"}, args: "AGENT", help: "run to the end of the agent's next step", run: (*Interp).nextOf},
		{names: []string{"prev-of", "{"}, args: "AGENT", help: "run back to the end of the agent's step before", run: (*Interp).prevOf},
		{names: []string{"goto", "g"}, args: "POSITION", help: "go to position N, event N (behind it), step K, start, end or a mark: 'NAME", run: (*Interp).gotoPos},
		{names: []string{"restart", "R"}, help: "go to position 0", run: (*Interp).restart},
		{names: []string{"search", "/"}, args: "TEXT|=EXPR", help: "go behind the next event whose text holds TEXT, or for which the expression holds", run: (*Interp).searchFor},
		{names: []string{"search-next", "n"}, help: "search on, towards the end", run: (*Interp).searchNext},
		{names: []string{"search-prev", "N"}, help: "search on, towards the start", run: (*Interp).searchPrev},
		{names: []string{"find"}, args: "EXPR", help: "go behind the next event for which the expression holds", run: (*Interp).find},
		{names: []string{"rfind"}, args: "EXPR", help: "the same, back", run: (*Interp).rfind},

		{names: []string{"break", "b"}, args: "[SPEC [OPTIONS]]", help: "set a breakpoint, or list them; options: from N, per agent, once, log, print EXPR, when EXPR", run: (*Interp).breakAt},
		{names: []string{"break-here", "B"}, args: "AGENT", help: "set a breakpoint on an agent; remove it, or switch one that has conditions", run: (*Interp).breakAgent},
		{names: []string{"unbreak"}, args: "ID|all", help: "remove a breakpoint", run: (*Interp).unbreak},
		{names: []string{"enable"}, args: "ID", help: "let a breakpoint stop again", run: (*Interp).enable},
		{names: []string{"disable"}, args: "ID", help: "keep a breakpoint and do not stop at it", run: (*Interp).disable},
		{names: []string{"breaks"}, args: "[save|load]", help: "list the breakpoints; keep them beside the flow, or take those", run: (*Interp).breaks},
		{names: []string{"print", "P"}, args: "EXPR", help: "the value of an expression here; while a script is walked through, over its variables too", run: (*Interp).print},
		{names: []string{"watch", "t"}, args: "AGENT POINTER", help: "show a value of an agent's state behind every move", run: (*Interp).watch},
		{names: []string{"unwatch"}, args: "N|all", help: "remove the n-th watch, from 1", run: (*Interp).unwatch},
		{names: []string{"watches", "T"}, args: "[save|load]", help: "the watched values; keep the watches, or take those that are kept", run: (*Interp).watches},

		{names: []string{"mark", "m"}, args: "NAME [NOTE]", help: "name the event before the position, or move that mark here", run: (*Interp).mark},
		{names: []string{"unmark"}, args: "NAME|all", help: "remove a mark", run: (*Interp).unmark},
		{names: []string{"marks", "'"}, args: "[save|load]", help: "list the marks; keep them beside the flow or the trace, or take those", run: (*Interp).marks},

		{names: []string{"where"}, help: "the position and why the session stopped there", run: (*Interp).where},
		{names: []string{"state"}, args: "[AGENT [POINTER]]", help: "who waits for what; an agent's state, or a value in it", run: (*Interp).state},
		{names: []string{"inbox"}, args: "AGENT", help: "what waits for an agent, head first", run: (*Interp).inbox},
		{names: []string{"outputs"}, help: "the messages that left the flow", run: (*Interp).outputs},
		{names: []string{"event"}, args: "[N]", help: "an event whole; without N the last applied one", run: (*Interp).event},
		{names: []string{"hash"}, args: "[at POSITION]", help: "the state hash; at a position it is folded anew from the start", run: (*Interp).hash},
		{names: []string{"ledger"}, help: "what was spent so far, by agent, op and model", run: (*Interp).ledger},
		{names: []string{"problems"}, help: "diagnostics, findings, warnings, reloads", run: (*Interp).problems},
		{names: []string{"why", "w"}, args: "[REF]", help: "the causes of an event, an output like writer.out[0], inbox:critic[0], input", run: (*Interp).why},
		{names: []string{"came-of", "W"}, args: "[EVENT]", help: "what came of an event", run: (*Interp).cameOf},
		{names: []string{"who-changed", "u"}, args: "AGENT POINTER", help: "the event that last changed a value", run: (*Interp).whoChanged},

		{names: []string{"filter", "f"}, args: "EXPR", help: "list the events for which the expression holds", run: (*Interp).filter},

		{names: []string{"fork", "F"}, help: "a new run from here on", run: (*Interp).fork},
		{names: []string{"edit", "e"}, args: "DO …", help: "fork with a change: inject AGENT TAG JSON, drop AGENT I, answer AGENT I JSON, state AGENT JSON, budget JSON", run: (*Interp).edit},
		{names: []string{"runs"}, args: "[keep]", help: "the tree of runs; keep them in files beside the flow", run: (*Interp).runs},
		{names: []string{"run"}, args: "ID", help: "show another run", run: (*Interp).switchRun},
		{names: []string{"compare", "="}, args: "[A [B]] [states [at PLACE [in A]]]", help: "two runs; A and this run; without numbers this run and its recorded trace, or the run that it began in; or what differs in their states", run: (*Interp).compare},

		{names: []string{"pending"}, help: "the effect that the run waits for", run: (*Interp).pending},
		{names: []string{"answer", "a"}, args: "JSON", help: "answer it", run: (*Interp).answerIt},
		{names: []string{"mock"}, help: "let the mock answer it", run: (*Interp).mock},
		{names: []string{"send"}, help: "let a held effect go to its provider", run: (*Interp).send},
		{names: []string{"answers"}, args: "TRACE", help: "take answers from another trace", run: (*Interp).answers},

		{names: []string{"source", "p"}, args: "[next]", help: "the script at the statement about to run, of this step or of the next one", run: (*Interp).source},
		{names: []string{"sstep"}, help: "to the next statement, into functions", run: (*Interp).sstep},
		{names: []string{"sover"}, help: "to the next statement of this function", run: (*Interp).sover},
		{names: []string{"sout"}, help: "behind this function", run: (*Interp).sout},
		{names: []string{"sback"}, help: "to the statement before, into functions", run: (*Interp).sback},
		{names: []string{"sbackover"}, help: "to the statement before in this function", run: (*Interp).sbackover},
		{names: []string{"sbackout"}, help: "to the statement that called this function", run: (*Interp).sbackout},
		{names: []string{"scontinue"}, help: "to the next line breakpoint in this call", run: (*Interp).scontinue},
		{names: []string{"sreverse"}, help: "to the line breakpoint before in this call", run: (*Interp).sreverse},
		{names: []string{"locals"}, help: "the variables at the statement", run: (*Interp).locals},

		{names: []string{"open"}, args: "FLOW|TRACE…", help: "open a flow, a trace, both, or a bundle, relative to the script", free: true, run: (*Interp).open},
		{names: []string{"reload", "L"}, args: "[FILE]", help: "read the flow again, or another version of it", run: (*Interp).reload},
		{names: []string{"save"}, args: "FILE", help: "write the run's events", run: (*Interp).save},
		{names: []string{"remember"}, args: "NAME", help: "keep the output of the command before", free: true, run: (*Interp).remember},
		{names: []string{"expect"}, args: "TEXT", help: "the output before holds the text; also: not TEXT, same NAME, hash = hash(POSITION)", free: true, run: (*Interp).expect},
		{names: []string{"help", "?"}, help: "this table", free: true, run: func(*Interp, context.Context, string) (answer, error) {
			return answer{strings.TrimRight(Help(), "\n"), nil}, nil
		}},
	}
}
