// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package draft is a policy file that a program writes for a person to review:
// rules as data, printed as YAML that reads back as exactly what was meant. It
// knows how the language is spelt and nothing of what a rule means.
package draft

import (
	"github.com/toolverdict/toolverdict"
)

// File is one policy file.
type File struct {
	Comments []string // at its head
	Policy   string
	Version  string
	Default  toolverdict.Verdict
	Rules    []Rule
	Left     []string // what was not made a rule, told at the end
}

// Rule is one rule. A rule whose conditions are nil has none.
type Rule struct {
	Comments []string
	ID       string
	Verdict  toolverdict.Verdict
	Reason   string
	Tools    []string
	When     Map
	Unless   Map
	Match    []Map // calls, as the language writes them
	NoMatch  []Map
}

// Map is a mapping in a given order. A value is a string, a bool, a [Number], a
// [Raw], a Map or a []any of these.
type Map []Entry

// Entry is one member of a [Map].
type Entry struct {
	Key   string
	Value any
}

// Number is a decimal number as JSON writes it.
type Number string

// Raw is JSON that is written as it stands.
type Raw []byte

// One returns a mapping of one entry.
func One(key string, value any) Map { return Map{{key, value}} }

// Texts returns texts as a value: one alone, several as a list.
func Texts(texts ...string) any {
	if len(texts) == 1 {
		return texts[0]
	}
	out := make([]any, len(texts))
	for i, t := range texts {
		out[i] = t
	}
	return out
}

// Both joins conditions that must all hold. Where two speak of one field they
// are put under all.
func Both(parts ...Map) Map {
	var out Map
	seen := map[string]bool{}
	clash := false
	for _, part := range parts {
		for _, e := range part {
			clash = clash || seen[e.Key]
			seen[e.Key] = true
			out = append(out, e)
		}
	}
	if !clash {
		return out
	}
	var all []any
	for _, part := range parts {
		if len(part) > 0 {
			all = append(all, part)
		}
	}
	return One("all", all)
}

// Either joins conditions of which one must hold.
func Either(parts ...Map) Map {
	if len(parts) == 1 {
		return parts[0]
	}
	list := make([]any, len(parts))
	for i, p := range parts {
		list[i] = p
	}
	return One("any", list)
}

// Argument returns the name of an argument's field.
func Argument(name string) string {
	if plainName(name) {
		return "args." + name
	}
	return `args[` + string(quoteJSON(name)) + `]`
}
