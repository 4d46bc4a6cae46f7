// Package require reads what an agent requires of a platform ("iPL.place >= 1.2.0, < 2.0.0"), what a platform provides
// ("iPL.place @ 1.3.1"), and decides whether they fit (seed 000, contract negotiation at connection time).
//
// It may hold the grammar, the decision, its explanation and lints. It compares semantic versions only: contract integers,
// package versions and protocol dates are other numbers and never get in here. No I/O, no clock.
package require
