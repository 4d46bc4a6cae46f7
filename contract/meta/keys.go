// Package meta reads and writes what contract versions say in MCP `_meta` objects (seed 003, "Версия контракта"): the keys,
// which integers count, where the version of a tool comes from, and sunset dates.
//
// It may hold the reading of `_meta`, its grammar, and decisions over values that the caller hands in, dates included. It
// may not read a clock or a connection, remember anything, or know translation rules. A version is never read from a
// tool's arguments; ArgumentKey finds one that sits there, so that the call is refused.
package meta

import (
	"fmt"
	"strings"
)

// DefaultPrefix is the product domain of seed 003.
const DefaultPrefix = "ai-norm.com"

// Names of the keys after the prefix (seed 003).
const (
	nameVersions = "contract_versions"
	nameVersion  = "contract_version"
	nameSunset   = "sunset"
)

// Protocol revisions of MCP that change how `_meta` keys are read.
const (
	Protocol2024 = "2024-11-05"
	Protocol2503 = "2025-03-26"
	Protocol2506 = "2025-06-18"
	Protocol2511 = "2025-11-25"
	Protocol2607 = "2026-07-28"
)

// Keys are the full `_meta` keys under one prefix.
type Keys struct {
	Prefix   string // without the slash, such as "ai-norm.com"
	Versions string // of a tool in tools/list: the list of versions it implements natively
	Version  string // of the initialize or server/discover answer, and of a call: one version
	Sunset   string // of a deprecated tool: the last day it is served
}

// DefaultKeys are the keys of seed 003.
func DefaultKeys() Keys { return keysUnder(DefaultPrefix) }

// NewKeys builds the keys under another prefix, given with or without its trailing slash. The prefix must be a valid,
// unreserved `_meta` prefix in the given protocol revision ("" = the newest known).
func NewKeys(prefix, protocol string) (Keys, error) {
	prefix = strings.TrimSuffix(prefix, "/")
	if prefix == "" {
		return Keys{}, fmt.Errorf("meta prefix is empty: want a domain such as %s", DefaultPrefix)
	}
	k := keysUnder(prefix)
	if err := CheckKey(k.Version, protocol); err != nil {
		return Keys{}, err
	}
	return k, nil
}

func keysUnder(prefix string) Keys {
	return Keys{Prefix: prefix, Versions: prefix + "/" + nameVersions, Version: prefix + "/" + nameVersion, Sunset: prefix + "/" + nameSunset}
}

// CheckKey checks a `_meta` key against the grammar of an MCP revision ("" = the newest known): an optional prefix of
// dot-separated labels and a slash, then a name. Revisions before 2025-06-18 state no grammar. Prefixes that MCP keeps
// for itself are refused: up to 2025-06-18 those with a label modelcontextprotocol or mcp before the last one, from
// 2025-11-25 those whose second label is one of these.
func CheckKey(key, protocol string) error {
	if protocol != "" && protocol < Protocol2506 {
		return nil
	}
	prefix, name, hasPrefix := strings.Cut(key, "/")
	if !hasPrefix {
		prefix, name = "", key
	}
	if hasPrefix {
		labels := strings.Split(prefix, ".")
		for _, l := range labels {
			if !isLabel(l) {
				return fmt.Errorf("meta key %q: %q is no prefix label: want a letter first, a letter or digit last, letters, digits and - between", key, l)
			}
		}
		if i := reserved(labels, protocol); i >= 0 {
			return fmt.Errorf("meta key %q: prefixes with %q as label %d are reserved for MCP", key, labels[i], i+1)
		}
	}
	if !isName(name) {
		return fmt.Errorf("meta key %q: %q is no name: want a letter or digit first and last, letters, digits, - _ and . between", key, name)
	}
	return nil
}

// reserved is the index of the label that makes a prefix MCP's own, or -1.
func reserved(labels []string, protocol string) int {
	own := func(l string) bool { return l == "modelcontextprotocol" || l == "mcp" }
	if protocol == "" || protocol >= Protocol2511 {
		if len(labels) > 1 && own(labels[1]) {
			return 1
		}
		return -1
	}
	for i, l := range labels[:len(labels)-1] {
		if own(l) {
			return i
		}
	}
	return -1
}

func isAlpha(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isAlnum(c byte) bool { return isAlpha(c) || c >= '0' && c <= '9' }

func isLabel(s string) bool {
	if s == "" || !isAlpha(s[0]) || !isAlnum(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && s[i] != '-' {
			return false
		}
	}
	return true
}

func isName(s string) bool {
	if s == "" {
		return true
	}
	if !isAlnum(s[0]) || !isAlnum(s[len(s)-1]) {
		return false
	}
	for i := range len(s) {
		if !isAlnum(s[i]) && strings.IndexByte("-_.", s[i]) < 0 {
			return false
		}
	}
	return true
}
