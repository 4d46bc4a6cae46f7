// Package judge decides what a set of candidate results is worth: it reads the metrics that EDA tools write, refuses
// to rank garbage, judges gates, sorts into Pareto fronts, measures hypervolume and regret, and issues certificates that
// can be recomputed offline.
//
// It may hold metric readers, sanity checks, gate rules, ranking arithmetic and certificates. It must not read files,
// ask for the time, or print: bytes and dates come in as arguments, results go out as values with JSON tags.
//
// All arithmetic is done on vectors to be minimised: an objective that is to be maximised enters with its sign flipped,
// and comes out again in the metric's own sense.
package judge
