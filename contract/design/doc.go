// Package design holds snapshots of a placed design and the measured difference between two of them: readers for DEF and for
// nextpnr's placed JSON, the content hash and the store of snapshots, the DesignDelta, half-perimeter wirelength, cell areas,
// the comparison of what was claimed with what was measured, and the two alarms about tools.
//
// It may hold readers over byte streams, data and pure decisions. It may not call a tool, read a clock or a network, judge
// whether a change is good (that is package judge), or print. Only Store touches the file system, below the folder it is given.
//
// A number that was not measured is absent and named; it is never 0.
package design
