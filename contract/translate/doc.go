// Package translate carries calls and answers between neighbouring contract versions (seed 003, "Правила перевода"):
// rule files, their load checks, plans in both directions, and the whole order of a call as pure functions.
//
// It may hold rules, decisions and JSON trees over bytes that the caller hands in. It may not call a tool, read a clock or
// a file, or keep state between calls; dates, schemas and what a tool implements are arguments. Reading versions out of
// `_meta` lives in contract/meta, classifying a change in contract/compat.
//
// # Rule files
//
// A rule file is one JSON object; RuleSchema returns its JSON Schema.
//
//	{
//	  "rules": 1,
//	  "steps": [
//	    {"from": 1, "to": 2, "tool": "iPL.place", "note": "density is a target",
//	     "input":  [{"op": "rename", "path": "/density", "to": "density_target"}],
//	     "output": [{"op": "drop", "path": "/legacy", "restore": 0}]},
//	    {"from": 1, "to": 2, "unchanged": ["iSTA.analyze"]}
//	  ]
//	}
//
// "rules" is the version of this format. A step names one neighbour pair, one tool ("*" = every tool that the pair does not
// name otherwise) and two lists, both written from the older version to the newer one; an absent list changes nothing. The
// way back is derived: the list reversed, each operation swapped. "unchanged" lists tools that the pair leaves as they are.
// A pair that has steps must account for every tool: a tool left out is taken as unchanged only where the schemas of both
// versions are known and equal. A step's own name for a tool wins over "*" (ours).
//
// Paths are JSON Pointers (RFC 6901) to members of objects; the segment `*` means every element of an array. Array indices
// are not allowed, and so a member whose name is an index, `-` or `*` cannot be addressed. A rename's "to" is one such segment, with ~0 and ~1 for "~" and "/".
//
// # Operations
//
//	rename {path, to}         up: the member gets another name, in place      down: the same, names swapped
//	move {from, to}           up: the value goes elsewhere, parents made and emptied ones pruned   down: ends swapped
//	default {path, value}     up: inserted where absent (note invented)       down: arguments: removed when equal, refused
//	                                                                          when not; results: removed (note loss)
//	drop {path, restore?}     up: removed (note loss)                         down: restore is inserted (note invented)
//
// A present target is refused (target_exists) even when there is nothing to put there: that is what makes round trips
// lawful. A source's or a default's null or absent parent is skipped; a scalar where an object is needed is path_type, and
// so is a null parent of a move's target. Presence means that the key exists, so null is a value.
// A move that unwraps its own ancestor ({"d":{"t":1}} → {"d":1}) cannot be derived backwards, because its inverse would move
// a value into itself: a list that holds one is not invertible. Written through a temporary name it is.
package translate
