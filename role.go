// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package toolverdict

import (
	"maps"
	"slices"
	"strings"
)

// RoleKind says what an argument means to its tool.
type RoleKind string

// Kinds of role.
const (
	RoleShell  RoleKind = "shell"
	RoleSQL    RoleKind = "sql"
	RolePath   RoleKind = "path"
	RolePatch  RoleKind = "patch" // changes to files, which it names in lines of its own
	RoleURL    RoleKind = "url"
	RoleEmail  RoleKind = "email"
	RoleHeader RoleKind = "header" // text in a header of a message, such as its subject
	RoleMoney  RoleKind = "money"
	RoleCode   RoleKind = "code" // a program in a language that no analyser reads
)

// Role is what the catalog says of one argument: what it means, and what the
// tool does with it. A field that is left out makes the analysis stricter, never
// laxer.
type Role struct {
	Kind    RoleKind `json:"role"`
	Dialect string   `json:"dialect,omitempty"` // shell: bash, posix; sql: postgres, mysql, sqlite; code: the language

	Optional bool   `json:"optional,omitempty"` // a call without the argument does nothing of the kind
	Default  string `json:"default,omitempty"`  // what the tool takes where the argument is left out

	Uses     []string `json:"uses,omitempty"`     // path: read, write, delete, list
	Deep     bool     `json:"deep,omitempty"`     // path: what is below it is meant as well
	Glob     bool     `json:"glob,omitempty"`     // path: the tool reads it as a pattern
	Verbatim bool     `json:"verbatim,omitempty"` // path: the tool hands it to the operating system as it is
	Base     string   `json:"base,omitempty"`     // path, shell: the folder that relative paths start from, below the root; url: what references start from
	BaseFrom string   `json:"baseFrom,omitempty"` // path, shell: JSON pointer of the argument that names that folder; env.NAME: the fact of the host that does

	Field  string `json:"field,omitempty"`  // email: to, cc, bcc
	Single bool   `json:"single,omitempty"` // email: the tool takes the text for one address

	Currency     string `json:"currency,omitempty"`     // money: ISO 4217 code
	CurrencyFrom string `json:"currencyFrom,omitempty"` // money: JSON pointer of the argument that names it
	Minor        bool   `json:"minor,omitempty"`        // money: amounts are in the currency's smallest unit
	Negative     bool   `json:"negative,omitempty"`     // money: a negative amount is meant as one

	Resolve bool `json:"resolve,omitempty"` // url: names are looked up before the decision
}

// BaseFact is the name of the host's fact that names the folder which relative
// paths start from; ok is false where none does.
func (r *Role) BaseFact() (name string, ok bool) { return strings.CutPrefix(r.BaseFrom, "env.") }

// Place is where a tool works, as far as the host knows.
type Place struct {
	Root    string `json:"root,omitempty"`    // the folder it works in, absolute
	Home    string `json:"home,omitempty"`    // what it takes for ~, absolute
	Windows bool   `json:"windows,omitempty"` // it runs on Windows
	Folded  bool   `json:"folded,omitempty"`  // names that differ in case only are one file there
	Links   bool   `json:"links,omitempty"`   // the gate sees that folder: follow its symbolic links
}

func cloneRoles(roles map[string]Role) map[string]Role {
	roles = maps.Clone(roles)
	for at, r := range roles {
		r.Uses = slices.Clone(r.Uses)
		roles[at] = r
	}
	return roles
}
