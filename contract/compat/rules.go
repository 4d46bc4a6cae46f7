package compat

import "strings"

// RuleInfo describes one stable rule id.
type RuleInfo struct {
	ID    string `json:"id"`
	Level Level  `json:"level"`
	Means string `json:"means"`
}

// The rule ids of breaks that the inclusion proof reports.
const (
	ruleType          = "type.narrowed"
	ruleEnum          = "enum.narrowed"
	ruleEnumAdded     = "enum.added"
	ruleMinimum       = "number.minimum"
	ruleMaximum       = "number.maximum"
	ruleMultipleOf    = "number.multiple-of"
	ruleMinLength     = "string.min-length"
	ruleMaxLength     = "string.max-length"
	rulePattern       = "string.pattern"
	ruleFormat        = "string.format"
	ruleMinItems      = "array.min-items"
	ruleMaxItems      = "array.max-items"
	ruleUnique        = "array.unique-items"
	ruleContains      = "array.contains"
	ruleRequired      = "object.required"
	ruleRefused       = "object.property-refused"
	ruleClosed        = "object.closed"
	ruleMinProperties = "object.min-properties"
	ruleMaxProperties = "object.max-properties"
	rulePropertyNames = "object.property-names"
	ruleUnion         = "union.no-branch"
	ruleNot           = "not.narrowed"
	ruleIncomparable  = "keyword.incomparable"
	ruleUnreadable    = "schema.unreadable"
	ruleRefLoop       = "schema.ref-loop"
	ruleTooComplex    = "schema.too-complex"
	ruleFieldRemoved  = "result.field-removed"
	ruleSchemaRemoved = "result.schema-removed"
)

// The rule ids of differences that break nobody by form.
const (
	ruleDocs            = "docs.changed"
	ruleRespelled       = "schema.respelled"
	ruleDefault         = "default.changed"
	ruleAccess          = "meaning.access"
	ruleRewritten       = "meaning.rewritten"
	ruleAdded           = "property.added"
	ruleAddedNoDefault  = "property.added-no-default"
	ruleAddedClaims     = "property.added-claims-name"
	rulePropertyRemoved = "property.removed"
	ruleSafeType        = "safe.type"
	ruleSafe            = "safe.change"
	ruleSchemaAdded     = "result.schema-added"
)

var schemaRules = []RuleInfo{
	{ruleType, LevelBreak, "a type that is sent is no longer taken"},
	{ruleEnum, LevelBreak, "a listed value that is sent is not taken"},
	{ruleEnumAdded, LevelBreak, "only listed values are taken, others are sent"},
	{ruleMinimum, LevelBreak, "numbers below the receiver's lower bound are sent"},
	{ruleMaximum, LevelBreak, "numbers above the receiver's upper bound are sent"},
	{ruleMultipleOf, LevelBreak, "numbers off the receiver's raster are sent"},
	{ruleMinLength, LevelBreak, "shorter strings than the receiver takes are sent"},
	{ruleMaxLength, LevelBreak, "longer strings than the receiver takes are sent"},
	{rulePattern, LevelBreak, "the receiver's pattern is not one the sender keeps; patterns are compared as text"},
	{ruleFormat, LevelBreak, "the receiver's format or content encoding is not one the sender keeps"},
	{ruleMinItems, LevelBreak, "shorter arrays than the receiver takes are sent"},
	{ruleMaxItems, LevelBreak, "longer arrays than the receiver takes are sent"},
	{ruleUnique, LevelBreak, "arrays with repeated elements are sent, the receiver wants them unique"},
	{ruleContains, LevelBreak, "the receiver counts matching elements, the sender does not promise the count"},
	{ruleRequired, LevelBreak, "the receiver needs a member that the sender may leave out"},
	{ruleRefused, LevelBreak, "a member that is sent is refused by a closed object"},
	{ruleClosed, LevelBreak, "members without a declaration are sent, the receiver restricts them"},
	{ruleMinProperties, LevelBreak, "objects with fewer members than the receiver takes are sent"},
	{ruleMaxProperties, LevelBreak, "objects with more members than the receiver takes are sent"},
	{rulePropertyNames, LevelBreak, "member names that the receiver refuses are sent"},
	{ruleUnion, LevelBreak, "no single alternative of the receiver takes one alternative of the sender"},
	{ruleNot, LevelBreak, "the receiver excludes instances that the sender does not exclude"},
	{ruleIncomparable, LevelBreak, "a keyword that cannot be compared differs"},
	{ruleUnreadable, LevelBreak, "a schema cannot be read, so nothing can be said about it"},
	{ruleRefLoop, LevelBreak, "a reference leads back to itself without entering the instance"},
	{ruleTooComplex, LevelBreak, "the proof was given up, so nothing can be said"},
	{ruleFieldRemoved, LevelBreak, "a field is gone from the result"},
	{ruleSchemaRemoved, LevelBreak, "the result has no declared form any more"},
	{ruleDocs, LevelDocs, "title, description, examples or comment changed"},
	{ruleRespelled, LevelDocs, "another spelling of the same set of instances"},
	{ruleDefault, LevelSemantic, "a declared default changed, appeared or went: who leaves the member out gets other behaviour"},
	{ruleAccess, LevelSemantic, "readOnly or writeOnly changed"},
	{ruleRewritten, LevelSemantic, "a description was rewritten, or names other units"},
	{ruleAdded, LevelAddition, "a member was added; as an argument its default must equal the old behaviour"},
	{ruleAddedNoDefault, LevelSemantic, "an optional argument was added without a declared default: does leaving it out behave as before?"},
	{ruleAddedClaims, LevelSemantic, "an argument was added to an object whose free members may already hold that name"},
	{rulePropertyRemoved, LevelSemantic, "an argument is gone; the open object still takes it, and ignores it"},
	{ruleSafeType, LevelAddition, "a type changed in the harmless direction"},
	{ruleSafe, LevelAddition, "a constraint changed in the harmless direction"},
	{ruleSchemaAdded, LevelAddition, "the result got a declared form"},
}

// Rules lists every rule id that a finding can carry, schema rules first, in a fixed order.
func Rules() []RuleInfo {
	return append(append([]RuleInfo(nil), schemaRules...), toolRules...)
}

var levelOfRule = func() map[string]Level {
	m := map[string]Level{}
	for _, r := range Rules() {
		m[r.ID] = r.Level
	}
	return m
}()

// letterOfRule is seed 000's letter for a rule: breaks and every change of a type are MAJOR, words are PATCH, the rest MINOR.
func letterOfRule(rule string) Letter {
	switch {
	case levelOfRule[rule] == LevelBreak, rule == ruleSafeType, rule == rulePropertyRemoved:
		return LetterMajor
	case levelOfRule[rule] == LevelDocs, strings.HasPrefix(rule, "meaning."):
		return LetterPatch
	}
	return LetterMinor
}
