// Package platform is what a flow knows of the tools it calls: which servers there are, what they declare, which contract
// rules lead between versions, and the lock that remembers what the servers said when they were last asked.
//
// It may hold the platform's file, the lock, and decisions over both. Only Survey speaks to servers, through clients that
// the caller hands in. It answers no effect, and versions, plans and translation belong to package contract and below.
//
// # The platform's file
//
// contracts.platform in a flow names it. It is one JSON object (the form is ours):
//
//	{
//	  "platform": 1,
//	  "version": 3,
//	  "servers": {
//	    "eda": {"command": "eda-mcp", "args": ["--stdio"], "contract_version": 2, "start_timeout_ms": 60000}
//	  },
//	  "tools": {
//	    "iPL.place": {"server": "eda", "version": "1.3.1", "usd": 0.02, "class": "pure", "capability": {…}}
//	  },
//	  "contracts": {"1": "contract-1.json", "2": "contract-2.json"}
//	}
//
// "platform" is the version of this form, "version" the platform's current contract version. "servers" have the shape of a
// flow's mcpServers, whose servers belong to the platform too; contract_version pins a connection (seed 003). "tools" says
// what servers do not: where a tool is when two servers have it, its semantic version and capability when its `_meta` has
// none, what a call costs in US dollars, and its class when its annotations are wrong. "contracts" are tools/list answers
// that are the shape of the contract at a version, relative to this file; they check rules and documents.
package platform
