package compat

import (
	"flowdbg/contract/meta"
	"flowdbg/contract/translate"
)

// ChangeLevel is the level of a whole tool's change: the four of seed 003, and what lies between and below them.
type ChangeLevel string

// The levels.
const (
	Unchanged       ChangeLevel = "unchanged"
	DocsOnly        ChangeLevel = "docs"
	Addition        ChangeLevel = "addition"         // seed 003: Добавление
	Undecided       ChangeLevel = "semantic?"        // compatible by form, the meaning is for a person to judge
	MechanicalBreak ChangeLevel = "mechanical break" // seed 003: Механический разлом
	SemanticBreak   ChangeLevel = "semantic break"   // seed 003: Смысловой разлом, by a new name and a sunset; or in place, a violation
	Removal         ChangeLevel = "removal"          // seed 003: Удаление
)

// ToolChange is one row of the report.
type ToolChange struct {
	Tool     string      `json:"tool"`
	Level    ChangeLevel `json:"level"`
	Letter   Letter      `json:"letter"`              // seed 000's second column
	Met      bool        `json:"met"`                 // everything that the level demands of the tool is there
	Demands  []string    `json:"demands"`             // what is missing, in words a reviewer can act on
	Advice   string      `json:"advice"`              // what to do about it, or what to decide
	Who      string      `json:"who_breaks"`          // WhoNobody, WhoCallers, WhoReaders, both, or WhoUndecided
	OldV     int         `json:"old_contract"`        // contract integer of the old entry, 0 = unknown
	NewV     int         `json:"new_contract"`        // and of the new one
	Heir     string      `json:"successor,omitempty"` // the new tool that seems to take over; a guess by likeness
	Findings []Finding   `json:"findings"`
}

// GateStatus is how a gate of the process stands.
type GateStatus string

// The statuses. Only Unmet makes a change not OK; NotChecked says which input was missing, so that a green answer never
// hides that nothing was looked at.
const (
	Met        GateStatus = "met"
	Unmet      GateStatus = "unmet"
	NotChecked GateStatus = "not checked"
	NotNeeded  GateStatus = "not needed"
	Note       GateStatus = "note"
)

// Gate is one demand of the process on the change as a whole (seed 003, "Что требует CI").
type Gate struct {
	ID     string     `json:"id"` // package.raised, package.letter, changelog.entry, contract.monotone, contract.step, contract.needed
	Status GateStatus `json:"status"`
	Text   string     `json:"text"`
}

// Change is what Classify judges.
type Change struct {
	Old, New *ToolList
	// OldPackage and NewPackage are the contract package's semantic versions; "" = serverInfo.version of the list.
	OldPackage, NewPackage string
	// OldContract and NewContract are the contract integers; 0 = what the list says.
	OldContract, NewContract int
	Title                    string  // of the commit or pull request, "" = none given
	Changelog                *string // text of the changelog after the change, nil = none given
	Rules                    *translate.RuleSet
	Fixtures                 []string  // paths of fixture files, nil = not checked
	Today                    meta.Date // zero = no sunset is judged
	Keys                     meta.Keys
}

// Report is the answer: rows sorted by name (worst things are found by Level and Met), and the gates.
type Report struct {
	Tools       []ToolChange `json:"tools"`
	Gates       []Gate       `json:"gates"`
	OldPackage  string       `json:"old_package"`
	NewPackage  string       `json:"new_package"`
	OldContract int          `json:"old_contract"`
	NewContract int          `json:"new_contract"`
	Today       string       `json:"today"`
	Letter      Letter       `json:"letter"`    // the highest of all rows
	Undecided   int          `json:"undecided"` // rows with a finding that a person must decide
	Unmet       int          `json:"unmet"`     // rows and gates that are not met
	OK          bool         `json:"ok"`        // nothing is unmet
	Notes       []string     `json:"notes"`     // about the lists themselves: values in `_meta` that cannot be used, rounded numbers
}
