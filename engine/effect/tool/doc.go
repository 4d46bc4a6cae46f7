// Package tool answers the op `tool`: a contract call (design 03, 05). The agent speaks its own contract version, the tool
// one that it implements; between them stand the platform's rules. The order of a call is fixed: versions, both plans,
// validation in the agent's version, translation, validation in the tool's, the call, and all of it back.
//
// It may hold that order and the record of it, Details, which every face shows. Deciding is contract/translate's, speaking to
// servers mcpx's, and what is known of tools engine/platform's.
package tool
