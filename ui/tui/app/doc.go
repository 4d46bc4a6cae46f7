// Package app is the terminal face of one debug session: one Bubble Tea model with its panes, overlays and commands.
//
// A pane is a plain struct that keeps a cursor and draws lines; it has no Update. Keys lead over the table of actions
// (ui/tui/keymap) to one function each. Update does no I/O and never runs for long: moves over many events are cut into
// slices, files are read and written in commands, and every result carries a number so that a stale one is dropped.
//
// It may hold what is shown and what a key does. It must not decide anything about flows and traces (engine/debug does),
// measure or clean text (ui/tui/cell does), or read a flow itself (the caller gives a Reloader).
package app
