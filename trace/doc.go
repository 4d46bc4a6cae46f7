// Package trace is what happened: events, the state as a fold over events, the state hash, and trace files.
// Nothing here knows a behaviour, an effect provider or a flow file; the engine decides the next event, and State.Apply
// (with its exact inverse, Undo) is the only thing that changes state. So a live run, a replay, a foreign trace and
// stepping back all run the same code.
//
// It may import trace/canon and nothing else of the project.
package trace
