package compat

var toolRules []RuleInfo
