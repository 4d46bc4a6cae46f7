// Package compat says what changed between two versions of a contract, and which level of change that is: two schemas
// (Diff), two tool lists as tools/list returns them (Classify), and the process gates that seed 003 puts on a change.
// It also writes the stable form of a tool list (Snapshot) for golden files.
//
// It may hold decisions about changes, over bytes and dates that the caller hands in. It must not validate calls, plan or
// run translations (it asks for the effect of rule steps on a schema through StepRules), read files or a clock.
//
// How a schema diff decides. A schema is a set of instances. With arguments the old agent sends and the new tool receives;
// with results the new tool sends and the old agent receives. A change is harmless when every instance that the sender's
// schema allows is one that the receiver's schema takes, and that has to be *proved*: what cannot be proved is a break, so a
// gap in the proof can cost a false alarm but not a false "compatible". Both schemas are expanded into alternatives of flat
// shapes (through $ref, allOf, anyOf, oneOf, not, if, dependent…), each sender alternative must lie within a receiver
// alternative. Recursive references are assumed to hold while they are being proved.
//
// One deviation from the letter of JSON Schema, without which no optional argument could ever be added: an object that is
// open only because nothing closes it is not assumed to hold names that the receiver newly declares.
//
// Where the rules come from: the levels from seed 003, the letters MAJOR, MINOR, PATCH from seed 000; the refinements
// docs < addition < semantic? < break and the handling of each keyword are ours.
package compat
