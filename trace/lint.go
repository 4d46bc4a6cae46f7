package trace

import (
	"context"
	"fmt"
)

// Kinds of findings that only Lint reports; see also those of reading and folding.
const (
	FindTorn        = "torn"            // the file ends inside an event, or its array is not closed
	FindSchedule    = "schedule"        // another agent runs than the lowest id with a message waiting
	FindFIFO        = "fifo"            // a message is taken before one that came earlier
	FindNotWaiting  = "not_waiting"     // a message is taken that does not wait: never sent, or taken before
	FindUnconsumed  = "unconsumed"      // a message still waits although the run ended idle
	FindNoEdge      = "no_edge"         // a send goes where the flow has no edge
	FindSendDiffers = "send_differs"    // a send event and the act's entries do not say the same
	FindMissingSend = "missing_send"    // the act's entry has no send event
	FindTwoEffects  = "two_effects"     // more than one effect in a step
	FindRequest     = "request_differs" // the effect's request is not the one that the act made
	FindNoAnswer    = "no_answer"       // the act asks for an effect and no answer or error follows
	FindOrder       = "order"           // events of a step in an order that no run has
	FindBudget      = "budget"          // the run goes on although its budget is exceeded
	FindLedger      = "ledger"          // the usages do not sum to the ledger of finish
	FindOutputs     = "outputs"         // the outputs of finish are not the messages that were sent to them
	FindStepCount   = "step_count"      // finish.steps is not the number of steps begun
	FindTwoFinishes = "two_finishes"    // a second finish
	FindStateHash   = "state_hash"      // finish.state_hash is not the hash of the state
	FindFromZero    = "steps_from_zero" // a note: a foreign trace that counts its steps from 0
	FindEdited      = "edited"          // a note: a person intervened
	FindRounding    = "ledger_rounding" // a note: the ledger differs in its last bits only
)

// HashVerdict is what Lint can say about the state hash without running a behaviour.
type HashVerdict string

// The verdicts. Only "verified" is good, and it needs a flow, a finish, and a trace without damage.
const (
	HashVerified      HashVerdict = "verified"
	HashDiffers       HashVerdict = "differs"
	HashUnchecked     HashVerdict = "unchecked"      // there is no finish to compare with
	HashNotComputable HashVerdict = "not_computable" // without a flow kinds and ports are not known
	HashPartial       HashVerdict = "partial"        // an event of an unknown type may have changed the state
	HashDamaged       HashVerdict = "damaged"        // text in the middle of the file is no event
)

// MaxFindings is how many findings and how many notes Lint keeps; all are counted.
const MaxFindings = 1000

// LintReport is what is wrong with a trace. Notes are worth knowing and no faults.
type LintReport struct {
	Findings []Finding      `json:"findings"`
	Notes    []Finding      `json:"notes,omitempty"`
	Counts   map[string]int `json:"counts,omitempty"` // all findings by kind, kept or not
	Total    int            `json:"total"`            // all findings
	Events   int            `json:"events"`
	Steps    int            `json:"steps"`
	Hash     HashVerdict    `json:"hash"`
	Computed string         `json:"computed_hash,omitempty"`
}

// Clean is true when nothing is wrong.
func (r *LintReport) Clean() bool { return r.Total == 0 }

var noteKinds = map[string]bool{FindExtraMember: true, FindNested: true, FindFromZero: true, FindEdited: true, FindRounding: true,
	FindNoFinish: true}

// Note is true for what is worth knowing of a trace and breaks no rule: an addition of a foreign runtime, the beginning
// of a run. Every face tells the two apart by it.
func (f Finding) Note() bool { return noteKinds[f.Kind] }

func (r *LintReport) add(f Finding) {
	if f.Note() {
		if len(r.Notes) < MaxFindings {
			r.Notes = append(r.Notes, f)
		}
		return
	}
	r.Total++
	r.Counts[f.Kind]++
	if len(r.Findings) < MaxFindings {
		r.Findings = append(r.Findings, f)
	}
}

// Lint checks a trace against the rules that need no behaviours (seed 002 §3–§6): the schedule, FIFO inboxes, edges, one
// effect per act, sends and requests as the act has them, dense steps, the ledger, the outputs, and finish once and
// last. With a setup (from a flow) edges, agents and the state hash are checked too. It reads each event once; its
// memory is the agents' states, the waiting messages by hash, and 12 bytes per message in an output. Behind damage only
// what does not depend on the lost events is judged. The error is a cancelled context or a file that cannot be read any
// more.
func Lint(ctx context.Context, log Log, setup *Setup, progress Progress) (*LintReport, error) {
	l, err := newLinter(ctx, log, setup)
	if err != nil {
		return nil, err
	}
	p := pass{ctx: ctx, progress: progress, total: log.Len()}
	for i := range p.total {
		e, odd, err := l.texts.event(i)
		if err != nil {
			return nil, err
		}
		if err := p.step(e.State.Len() + e.Response.Len() + e.Message.Text().Len()); err != nil {
			return nil, err
		}
		for _, f := range odd {
			l.rep.add(f)
		}
		l.event(i, e)
	}
	if err := l.end(); err != nil {
		return nil, err
	}
	p.end()
	return l.rep, nil
}

func (l *linter) find(kind string, event int, ptr, format string, args ...any) {
	l.rep.add(Finding{Kind: kind, Event: event, Pointer: ptr, Text: fmt.Sprintf(format, args...)})
}
