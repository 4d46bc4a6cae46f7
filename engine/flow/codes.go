package flow

import (
	"slices"

	"flowdbg/trace/canon"
)

// Code names a kind of diagnostic. Codes are stable: tools and tests may match them, texts may change.
type Code string

// Codes of what makes a file unreadable as JSON, or as canonical JSON.
const (
	CodeSyntax       Code = canon.CodeSyntax
	CodeTrailingData Code = canon.CodeTrailing
	CodeBOM          Code = canon.CodeBOM
	CodeBadUTF8      Code = canon.CodeUTF8
	CodeDuplicateKey Code = canon.CodeDuplicate
	CodeBigInteger   Code = canon.CodeBigInteger
	CodeNumberRange  Code = canon.CodeRange
	CodeNesting      Code = canon.CodeDepth
)

// Codes of errors and warnings about the flow itself.
const (
	CodeWrongType          Code = "wrong_type"
	CodeMissingField       Code = "missing_field"
	CodeUnknownField       Code = "unknown_field"
	CodeBadVersion         Code = "bad_version"
	CodeNoAgents           Code = "no_agents"
	CodeBadID              Code = "bad_id"
	CodeDuplicateID        Code = "duplicate_id"
	CodeUnknownKind        Code = "unknown_kind"
	CodeBadPort            Code = "bad_port"
	CodeDuplicatePort      Code = "duplicate_port"
	CodeBadContractVersion Code = "bad_contract_version"
	CodeUnknownAgent       Code = "unknown_agent"
	CodeDuplicateEdge      Code = "duplicate_edge"
	CodeBadBudget          Code = "bad_budget"
	CodeMessageTooLarge    Code = "message_too_large"
	CodeMessageInvalid     Code = "message_invalid"
	CodeBadSchema          Code = "bad_schema"
	CodeBadPolicy          Code = "bad_policy"
	CodeBadServer          Code = "bad_server"
)

// Codes of lints.
const (
	CodeFanOut            Code = "fan_out"
	CodeUnboundedCycle    Code = "unbounded_cycle"
	CodeStarvingLoop      Code = "starving_loop"
	CodeUnreachableAgent  Code = "unreachable_agent"
	CodeSimilarIDs        Code = "similar_ids"
	CodeZeroBudget        Code = "zero_budget"
	CodeReservedTag       Code = "reserved_tag"
	CodeWiredTerminalPort Code = "wired_terminal_port"
)

// CodeInfo describes a Code for documentation.
type CodeInfo struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"` // the usual one: strict reading turns unknown_field, and a policy message_invalid, into errors
	About    string   `json:"about"`
}

var codeTable = []CodeInfo{
	{CodeSyntax, Error, "The file is not JSON. Only the first such place is reported."},
	{CodeTrailingData, Error, "Something follows the flow's closing brace."},
	{CodeBOM, Error, "The file begins with a byte order mark."},
	{CodeBadUTF8, Error, "Bytes are not UTF-8, or an escape is half of a surrogate pair."},
	{CodeDuplicateKey, Error, "An object has one key twice."},
	{CodeBigInteger, Error, "An integer lies beyond ±(2^53−1), where canonical JSON cannot tell neighbours apart."},
	{CodeNumberRange, Error, "A number is too large for a float64."},
	{CodeNesting, Error, "Arrays and objects are nested too deeply."},
	{CodeWrongType, Error, "A field has a value of another type."},
	{CodeMissingField, Error, "A required field is missing or null."},
	{CodeUnknownField, Warning, "A field is none of the specification's and has no effect."},
	{CodeBadVersion, Error, "The version is not 1."},
	{CodeNoAgents, Error, "The list of agents is empty."},
	{CodeBadID, Error, "An agent's id is empty, too long, reserved, or has characters that ids may not have."},
	{CodeDuplicateID, Error, "Two agents have one id."},
	{CodeUnknownKind, Error, "No behaviour is registered under an agent's kind."},
	{CodeBadPort, Error, "A port's name is empty or has control characters."},
	{CodeDuplicatePort, Warning, "An agent lists a terminal port twice."},
	{CodeBadContractVersion, Error, "A contract version is not an integer of at least 1."},
	{CodeUnknownAgent, Error, "An edge or the input names an agent that the flow does not have."},
	{CodeDuplicateEdge, Error, "Two edges are equal; every message would be delivered twice."},
	{CodeBadBudget, Error, "A bound of the budget is negative or not whole."},
	{CodeMessageTooLarge, Error, "The input message is larger than a message may be."},
	{CodeMessageInvalid, Warning, "The input message does not fit the schema of its tag."},
	{CodeBadSchema, Error, "A message schema is no JSON Schema, or refers to something outside itself."},
	{CodeBadPolicy, Error, "A message policy is neither warn nor error."},
	{CodeBadServer, Error, "An MCP server has neither a command nor a url, or both."},
	{CodeFanOut, Lint, "One port leads to several agents: each send becomes several messages."},
	{CodeUnboundedCycle, Lint, "Agents can send to each other in a circle and nothing bounds the run."},
	{CodeStarvingLoop, Lint, "An agent that sends to itself goes before agents with higher ids as long as it does so."},
	{CodeUnreachableAgent, Lint, "No message that starts at the input can reach an agent."},
	{CodeSimilarIDs, Lint, "Two ids differ only in upper and lower case."},
	{CodeZeroBudget, Lint, "A budget of 0 usd or 0 tokens is literally zero, unlike 0 steps, which is unlimited."},
	{CodeReservedTag, Lint, "The input has the tag that effect answers have."},
	{CodeWiredTerminalPort, Lint, "A port is declared terminal and also has an edge."},
}

// Codes lists every code with its meaning, in a fixed order. The slice is the caller's own.
func Codes() []CodeInfo { return slices.Clone(codeTable) }
